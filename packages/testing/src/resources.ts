/** Resources of a service over a test database; its clients respond with nothing. */
import type { ServiceName } from '@status-page/contracts'
import type { Database } from '@status-page/postgres'
import {
  createHealth,
  createLogger,
  createMetrics,
  loadConfig,
  type Resources,
} from '@status-page/service'
import { testKeys } from './caller.ts'

const environment = {
  DATABASE_URL: 'postgres://unused',
  CALLER_PUBLIC_KEYS: '{}',
  ENCRYPTION_KEY: 'k'.repeat(32),
  BASE_URL: 'https://status.test',
}

type Schema = Parameters<typeof loadConfig>[0]

interface TestResourcesOptions<Config extends Schema> {
  service: ServiceName
  database: Database
  /** Settings of the service, which have their defaults. */
  config: Config
  sealer: Resources<unknown>['sealer']
}

export const testResources = <Config extends Schema>({
  service,
  database,
  config,
  sealer,
}: TestResourcesOptions<Config>): Resources<ReturnType<typeof loadConfig<Config>>> => ({
  service,
  config: loadConfig(config, environment),
  database,
  sealer,
  logger: createLogger({ service, level: 'silent' }),
  metrics: createMetrics(),
  health: createHealth(),
  metricsToken: null,
  verifier: testKeys().verifier(service),
  signer: null,
  client: () => ({ call: async () => undefined as never, close: async () => {} }),
})
