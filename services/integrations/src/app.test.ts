/** The service is healthy, and its schema is its own. */
import { createHealth, createLogger, createMetrics, loadConfig } from '@status-page/service'
import { assertTenantCatalogue, testDatabase, testKeys } from '@status-page/testing'
import t from 'tap'
import { buildApp } from './app.ts'
import { config } from './config.ts'

t.test(
  'integrations is ready with its own database role, and its schema isolates tenants',
  async (t) => {
    const databases = await testDatabase(t, { services: ['integrations'] })
    const database = await databases.database('integrations')
    const health = createHealth()
    health.watch({ database })
    const { http } = buildApp({
      service: 'integrations',
      config: loadConfig(config, {
        DATABASE_URL: databases.url('integrations'),
        CALLER_PUBLIC_KEYS: '{}',
        ENCRYPTION_KEY: 'k'.repeat(32),
        BASE_URL: 'https://status.test',
      }),
      database,
      logger: createLogger({ service: 'integrations', level: 'silent' }),
      metrics: createMetrics(),
      health,
      metricsToken: null,
      verifier: testKeys().verifier('integrations'),
      signer: null,
    } as unknown as Parameters<typeof buildApp>[0])
    t.teardown(() => http.close())

    t.equal((await http.inject('/health')).statusCode, 200)
    t.match((await http.inject('/readyz')).json(), { status: 'ok', checks: { postgres: 'ok' } })
    t.match((await http.inject('/api/v1/anything')).json(), { error: { code: 'NOT_FOUND' } })
    await assertTenantCatalogue(t, databases.adminUrl, 'integrations')
  },
)
