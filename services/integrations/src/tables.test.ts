/** The drizzle model equals the database, and row-level security separates tenants. */
import { readFile } from 'node:fs/promises'
import { assertModel, assertTenantCatalogue, testDatabase } from '@status-page/testing'
import t from 'tap'
import * as tables from './tables.ts'

const { adminUrl } = await testDatabase(t, { services: ['integrations'] })

t.test('tables.ts equals the migrated database', async (t) => {
  await assertModel(t, adminUrl, {
    service: 'integrations',
    tables,
    withoutModel: ['replica', 'shard_lease'],
  })
})

t.test('every tenant table has forced row-level security', async (t) => {
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

t.test('monitor and integrations create the lease tables of the schedule package', async (t) => {
  const read = (path: string) => readFile(new URL(`../../../${path}`, import.meta.url), 'utf8')
  const expected = statementsOf(await read('packages/schedule/migrations/shards.sql'))
  t.equal(expected.length, 2)
  for (const path of [
    'services/monitor/migrations/0001_initial.sql',
    'services/integrations/migrations/0001_initial.sql',
  ]) {
    const statements = statementsOf(await read(path))
    for (const statement of expected) t.ok(statements.includes(statement), `${path}: ${statement}`)
  }
})
