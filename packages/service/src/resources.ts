/** Resources of a service, created from its settings: database, keys, clients, metrics. */

import { setTimeout as pause } from 'node:timers/promises'
import type { ServiceName } from '@status-page/contracts'
import { connect, type Database } from '@status-page/postgres'
import { createSealer, type Sealer } from '@status-page/secrets'
import { type CallerSigner, type CallerVerifier, callerSigner, callerVerifier } from './caller.ts'
import { type Client, createClient } from './client.ts'
import { type BaseConfig, ConfigError } from './config.ts'
import { createHealth, type Health } from './health.ts'
import type { Logger } from './logger.ts'
import { createMetrics, type Metrics } from './metrics.ts'

const FIRST_CONNECT_PAUSE_MS = 250
const MAX_CONNECT_PAUSE_MS = 5_000
const CONNECT_ATTEMPTS = 60

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

/** Opens the resources; keys are validated before the first connection. */
export const openResources = async <Config extends BaseConfig>(options: {
  service: ServiceName
  config: Config
  logger: Logger
}): Promise<OpenResources<Config>> => {
  const { service, config, logger } = options
  const keys = {
    sealer: requireValid('ENCRYPTION_KEY', () => sealerOf(config)),
    signer: requireValid('CALLER_PRIVATE_KEY', () => signerOf(service, config)),
    verifier: requireValid('CALLER_PUBLIC_KEYS', () =>
      callerVerifier({ audience: service, publicKeys: config.CALLER_PUBLIC_KEYS }),
    ),
  }
  const clients = clientsOf(config, keys.signer)
  const database = await connectWithRetries(service, config, logger)
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

/** Connects with growing pauses for some minutes, since Postgres may start later. */
const connectWithRetries = async (
  service: ServiceName,
  { DATABASE_URL }: BaseConfig,
  logger: Logger,
): Promise<Database> => {
  let pauseMs = FIRST_CONNECT_PAUSE_MS
  for (let attempt = 1; ; attempt++) {
    try {
      return await connect({ url: DATABASE_URL, service, logger })
    } catch (error) {
      if (attempt === CONNECT_ATTEMPTS) throw error
      logger.warn({ err: error, attempt }, 'waiting for Postgres')
      await pause(pauseMs)
      pauseMs = Math.min(pauseMs * 2, MAX_CONNECT_PAUSE_MS)
    }
  }
}
