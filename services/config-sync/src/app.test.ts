/** Health, readiness and tenant isolation of config-sync. */
import { assertTenantCatalogue } from '@status-page/testing'
import t from 'tap'
import { configSyncKit } from './config-sync.fixture.ts'

const kit = await configSyncKit(t)

t.test('config-sync is ready with its own role, and its schema isolates tenants', async (t) => {
  t.equal((await kit.http.inject('/health')).statusCode, 200)
  t.match((await kit.http.inject('/readyz')).json(), { status: 'ok', checks: { postgres: 'ok' } })
  t.match((await kit.http.inject('/api/v1/anything')).json(), { error: { code: 'NOT_FOUND' } })
  await assertTenantCatalogue(t, kit.adminUrl, 'config_sync')
})
