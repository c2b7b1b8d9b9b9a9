/** The drizzle model equals the database, and its indexes list the values of the contract. */
import {
  alertSeverities,
  alertStatuses,
  componentStatuses,
  impacts,
  incidentStatuses,
  maintenanceStatuses,
} from '@status-page/contracts'
import { assertModel, testDatabase } from '@status-page/testing'
import postgres from 'postgres'
import t from 'tap'
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
