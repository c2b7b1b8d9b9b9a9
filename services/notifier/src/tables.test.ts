/** The model matches the database, and the database isolates tenants. */
import { assertModel, assertTenantCatalogue, testDatabase } from '@status-page/testing'
import t from 'tap'
import * as tables from './tables.ts'

t.test('tables.ts matches the migrations', async (t) => {
  const { adminUrl } = await testDatabase(t, { services: ['notifier'] })
  await assertModel(t, adminUrl, tables)
})

t.test('every tenant table is guarded', async (t) => {
  const { adminUrl } = await testDatabase(t, { services: ['notifier'] })
  await assertTenantCatalogue(t, adminUrl, 'notifier')
})
