/**
 * The drizzle model equals the database, row-level security separates tenants, and registered
 * consumers are the event handlers.
 */
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

t.test('tables.ts equals the migrated database', async (t) => {
  const { adminUrl } = await testDatabase(t, { services: ['notifier'] })
  await assertModel(t, adminUrl, { service: 'notifier', tables })
})

t.test('every tenant table has forced row-level security', async (t) => {
  const { adminUrl } = await testDatabase(t, { services: ['notifier'] })
  await assertTenantCatalogue(t, adminUrl, 'notifier')
})

t.test('the migrations register the event handlers of the app', async (t) => {
  const databases = await testDatabase(t, { services: ['notifier'] })
  const database = await databases.database('notifier')
  const sealer = createSealer({ current: 'k'.repeat(32) })
  const app = buildApp(testResources({ service: 'notifier', database, config, sealer }))
  t.teardown(() => app.http.close())
  await assertConsumers(t, database, app.eventHandlers)
})
