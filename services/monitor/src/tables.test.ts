/** The drizzle model equals the database, and row-level security separates tenants. */
import { assertModel, assertTenantCatalogue, testDatabase } from '@status-page/testing'
import t from 'tap'
import * as tables from './tables.ts'

t.test('tables.ts equals the migrated database', async (t) => {
  const { adminUrl } = await testDatabase(t, { services: ['monitor'] })
  await assertModel(t, adminUrl, {
    service: 'monitor',
    tables,
    withoutModel: ['domain_registrations', 'replica', 'shard_lease'],
  })
})

t.test('every tenant table has forced row-level security', async (t) => {
  const { adminUrl } = await testDatabase(t, { services: ['monitor'] })
  await assertTenantCatalogue(t, adminUrl, 'monitor')
})
