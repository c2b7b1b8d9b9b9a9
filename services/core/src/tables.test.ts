/** The drizzle model equals the database. */
import { assertModel, testDatabase } from '@status-page/testing'
import t from 'tap'
import * as tables from './tables.ts'

t.test('tables.ts equals the migrated database', async (t) => {
  const { adminUrl } = await testDatabase(t, { services: ['core'] })
  await assertModel(t, adminUrl, { service: 'core', tables })
})
