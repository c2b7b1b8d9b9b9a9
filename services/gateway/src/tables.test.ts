/** The drizzle model equals the database, and registered consumers are the event handlers. */
import { assertConsumers, assertModel, testDatabase } from '@status-page/testing'
import t from 'tap'
import { testGateway } from './gateway.fixture.ts'
import * as tables from './tables.ts'

t.test('tables.ts equals the migrated database', async (t) => {
  const { adminUrl } = await testDatabase(t, { services: ['gateway'] })
  await assertModel(t, adminUrl, {
    service: 'gateway',
    tables,
    withoutModel: ['rate_windows', 'replicas'],
  })
})

t.test('the migrations register the event handlers of the app', async (t) => {
  const { database, eventHandlers } = await testGateway(t)
  await assertConsumers(t, database, eventHandlers)
})
