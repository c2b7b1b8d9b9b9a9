/** The service is healthy, and its schema is its own. */
import { createSealer } from '@status-page/secrets'
import { createHealth } from '@status-page/service'
import { assertTenantCatalogue, testDatabase, testResources } from '@status-page/testing'
import t from 'tap'
import { buildApp } from './app.ts'
import { config } from './config.ts'

t.test(
  'integrations is ready with its own database role, and its schema isolates tenants',
  async (t) => {
    const service = 'integrations'
    const databases = await testDatabase(t, { services: [service] })
    const database = await databases.database(service)
    const health = createHealth()
    health.watch({ database })
    const sealer = createSealer({ current: 'k'.repeat(32) })
    const resources = testResources({ service, database, config, sealer })
    const { http } = buildApp({ ...resources, health })
    t.teardown(() => http.close())

    t.equal((await http.inject('/health')).statusCode, 200)
    t.match((await http.inject('/readyz')).json(), { status: 'ok', checks: { postgres: 'ok' } })
    t.match((await http.inject('/api/v1/anything')).json(), { error: { code: 'NOT_FOUND' } })
    await assertTenantCatalogue(t, databases.adminUrl, service)
  },
)
