/**
 * The drizzle model equals the database, its indexes list the values of the contract, and registered
 * consumers are the event handlers.
 */
import {
  alertSeverities,
  alertStatuses,
  componentStatuses,
  impacts,
  incidentStatuses,
  maintenanceStatuses,
} from '@status-page/contracts'
import { createSealer } from '@status-page/secrets'
import { assertConsumers, assertModel, testDatabase, testResources } from '@status-page/testing'
import postgres from 'postgres'
import t from 'tap'
import { buildApp } from './app.ts'
import { config } from './config.ts'
import * as tables from './tables.ts'

const { adminUrl } = await testDatabase(t, { services: ['core'] })

t.test('tables.ts equals the migrated database', async (t) => {
  await assertModel(t, adminUrl, { service: 'core', tables })
})

t.test('indexes on the position of a value have the lists by which resources sort', async (t) => {
  const sql = postgres(adminUrl, { max: 1 })
  t.teardown(() => sql.end())
  const rows = await sql<{ literal: string }[]>`
    SELECT substring(indexdef FROM 'array_position\\(''{(.*?)}''') AS literal FROM pg_indexes
    WHERE schemaname = 'core' AND indexdef LIKE '%array_position(%'`
  const lists = [
    alertSeverities,
    alertStatuses,
    componentStatuses,
    impacts,
    incidentStatuses,
    maintenanceStatuses,
  ]
  t.same(rows.map(({ literal }) => literal).sort(), lists.map((list) => list.join()).sort())
})

t.test('the migrations register the event handlers of the app', async (t) => {
  const databases = await testDatabase(t, { services: ['core'] })
  const database = await databases.database('core')
  const sealer = createSealer({ current: 'k'.repeat(32) })
  const app = buildApp(testResources({ service: 'core', database, config, sealer }))
  t.teardown(() => app.http.close())
  await assertConsumers(t, database, app.eventHandlers)
})
