/**
 * The drizzle model equals the database, row-level security separates tenants, and registered
 * consumers are the event handlers.
 */
import { readFile } from 'node:fs/promises'
import { createSealer } from '@status-page/secrets'
import {
  assertConsumers,
  assertModel,
  assertTenantCatalogue,
  testDatabase,
  testResources,
} from '@status-page/testing'
import t from 'tap'
import { buildApp } from './app.ts'
import { config } from './config.ts'
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

t.test('the migrations register the event handlers of the app', async (t) => {
  const databases = await testDatabase(t, { services: ['integrations'] })
  const database = await databases.database('integrations')
  const sealer = createSealer({ current: 'k'.repeat(32) })
  const app = buildApp(testResources({ service: 'integrations', database, config, sealer }))
  t.teardown(() => app.http.close())
  await assertConsumers(t, database, app.eventHandlers)
})
