/** The drizzle model equals the database, and registered consumers are the event handlers. */
import { createSealer } from '@status-page/secrets'
import { assertConsumers, assertModel, testDatabase, testResources } from '@status-page/testing'
import t from 'tap'
import { buildApp } from './app.ts'
import { config } from './config.ts'
import * as tables from './tables.ts'

t.test('tables.ts equals the migrated database', async (t) => {
  const { adminUrl } = await testDatabase(t, { services: ['config-sync'] })
  await assertModel(t, adminUrl, { service: 'config-sync', tables })
})

t.test('the migrations register the event handlers of the app', async (t) => {
  const databases = await testDatabase(t, { services: ['config-sync'] })
  const database = await databases.database('config-sync')
  const sealer = createSealer({ current: 'k'.repeat(32) })
  const resources = testResources({ service: 'config-sync', database, config, sealer })
  const app = buildApp({ ...resources, environment: {} })
  t.teardown(() => app.http.close())
  await assertConsumers(t, database, app.eventHandlers)
})
