/** The drizzle model equals the database, and row-level security separates tenants. */
import { readFile } from 'node:fs/promises'
import { assertModel, assertTenantCatalogue, testDatabase } from '@status-page/testing'
import t from 'tap'
import * as tables from './tables.ts'

const { adminUrl } = await testDatabase(t, { services: ['integrations'] })

t.test('tables.ts says what the migrations made', async (t) => {
  await assertModel(t, adminUrl, tables)
})

t.test('every tenant table is guarded', async (t) => {
  await assertTenantCatalogue(t, adminUrl, 'integrations')
})

const statementsOf = (text: string) =>
  text
    .split('\n')
    .filter((line) => !line.startsWith('--'))
    .join('\n')
    .split(';')
    .map((statement) => statement.replace(/\s+/g, ' ').trim())
    .filter((statement) => statement !== '')

t.test('the leases of both services that poll are as the schedule package has them', async (t) => {
  const read = (path: string) => readFile(new URL(`../../../${path}`, import.meta.url), 'utf8')
  const wanted = statementsOf(await read('packages/schedule/migrations/shards.sql'))
  t.equal(wanted.length, 2)
  for (const path of [
    'services/monitor/migrations/0001_targets_and_checks.sql',
    'services/integrations/migrations/0001_integrations_and_metrics.sql',
  ]) {
    const made = statementsOf(await read(path))
    for (const statement of wanted) t.ok(made.includes(statement), `${path}: ${statement}`)
  }
})
