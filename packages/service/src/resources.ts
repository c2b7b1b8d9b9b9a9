/** Resources of a service, created from its settings: database, keys, clients, metrics. */

import { natsServersOf } from '@status-page/bus/nats-servers'
import type { ServiceName } from '@status-page/contracts'
import { type Database, databaseAddressesOf, openDatabase } from '@status-page/postgres'
import { createSealer, type Sealer } from '@status-page/secrets'
import { type CallerSigner, type CallerVerifier, callerSigner, callerVerifier } from './caller.ts'
import { type Client, createClient } from './client.ts'
import { type BaseConfig, ConfigError } from './config.ts'
import { createHealth, type Health } from './health.ts'
import type { Logger } from './logger.ts'
import { createMetrics, type Metrics } from './metrics.ts'

export interface Resources<Config> {
  service: ServiceName
  config: Config
  database: Database
  logger: Logger
  metrics: Metrics
  health: Health
  metricsToken: string | null
  verifier: CallerVerifier
  /** Null without CALLER_PRIVATE_KEY: this service calls no other. */
  signer: CallerSigner | null
  sealer: Sealer
  /**
   * Client of a service, created on first use; throws when its URL or the signing key is not set.
   */
  client(service: ServiceName): Client
}

export interface OpenResources<Config> {
  resources: Resources<Config>
  close(): Promise<void>
}

/** Opens the resources; keys and addresses are validated before the first connection. */
export const openResources = <Config extends BaseConfig>(options: {
  service: ServiceName
  config: Config
  logger: Logger
}): OpenResources<Config> => {
  const { service, config, logger } = options
  requireAddresses(config)
  const keys = {
    sealer: requireValid('ENCRYPTION_KEY', () => sealerOf(config)),
    signer: requireValid('CALLER_PRIVATE_KEY', () => signerOf(service, config)),
    verifier: requireValid('CALLER_PUBLIC_KEYS', () =>
      callerVerifier({ audience: service, publicKeys: config.CALLER_PUBLIC_KEYS }),
    ),
  }
  const clients = clientsOf(config, keys.signer)
  const database = openDatabase({
    url: config.DATABASE_URL,
    directUrl: config.DATABASE_DIRECT_URL,
    ca: config.DATABASE_CA,
    max: config.DATABASE_POOL_SIZE,
    service,
    logger,
  })
  const resources: Resources<Config> = {
    service,
    config,
    database,
    logger,
    ...keys,
    metrics: createMetrics({ withProcess: true }),
    health: createHealth(),
    metricsToken: config.METRICS_TOKEN ?? null,
    client: clients.of,
  }
  return {
    resources,
    async close() {
      await clients.close()
      await database.close()
    },
  }
}

const requireAddresses = (config: BaseConfig): void => {
  const { DATABASE_URL, DATABASE_DIRECT_URL = DATABASE_URL, NATS_URL } = config
  requireValid('DATABASE_URL', () => databaseAddressesOf(DATABASE_URL))
  requireValid('DATABASE_DIRECT_URL', () => databaseAddressesOf(DATABASE_DIRECT_URL))
  if (NATS_URL !== undefined) requireValid('NATS_URL', () => natsServersOf(NATS_URL))
}

const requireValid = <Value>(name: string, make: () => Value): Value => {
  try {
    return make()
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : 'unknown reason'
    throw new ConfigError([`${name} cannot be used: ${reason}.`])
  }
}

const sealerOf = ({ ENCRYPTION_KEY, ENCRYPTION_KEY_PREVIOUS }: BaseConfig) =>
  createSealer({ current: ENCRYPTION_KEY, previous: ENCRYPTION_KEY_PREVIOUS ?? null })

const signerOf = (issuer: ServiceName, { CALLER_PRIVATE_KEY }: BaseConfig) =>
  CALLER_PRIVATE_KEY === undefined ? null : callerSigner({ issuer, privateKey: CALLER_PRIVATE_KEY })

const clientsOf = (config: BaseConfig, signer: CallerSigner | null) => {
  const origins: Record<ServiceName, string | undefined> = {
    gateway: config.GATEWAY_URL,
    core: config.CORE_URL,
    monitor: config.MONITOR_URL,
    notifier: config.NOTIFIER_URL,
    integrations: config.INTEGRATIONS_URL,
    'config-sync': config.CONFIG_SYNC_URL,
  }
  const open = new Map<ServiceName, Client>()
  const of = (service: ServiceName): Client => {
    const known = open.get(service)
    if (known !== undefined) return known
    const url = origins[service]
    const name = `${service.toUpperCase().replace('-', '_')}_URL`
    if (url === undefined) throw new ConfigError([`${name} is required to call ${service}.`])
    if (signer === null) {
      throw new ConfigError([`CALLER_PRIVATE_KEY is required to call ${service}.`])
    }
    const client = createClient({ origin: new URL(url).origin, service, signer })
    open.set(service, client)
    return client
  }
  const close = async () => {
    await Promise.all([...open.values()].map((client) => client.close()))
  }
  return { of, close }
}
