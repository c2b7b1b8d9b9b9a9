/** The drizzle model equals the database, and row-level security separates tenants. */
import { assertModel, assertTenantCatalogue, testDatabase } from '@status-page/testing'
import t from 'tap'
import * as tables from './tables.ts'

t.test('tables.ts says what the migrations made', async (t) => {
  const { adminUrl } = await testDatabase(t, { services: ['monitor'] })
  await assertModel(t, adminUrl, tables)
})

t.test('every tenant table is guarded', async (t) => {
  const { adminUrl } = await testDatabase(t, { services: ['monitor'] })
  await assertTenantCatalogue(t, adminUrl, 'monitor')
})
