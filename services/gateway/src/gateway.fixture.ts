/**
 * Gateways for tests: the shipped app with a real database and stub upstreams that record requests.
 */
import { generateKeyPairSync } from 'node:crypto'
import type { Identity } from '@status-page/contracts'
import type { Database } from '@status-page/postgres'
import { createPasswords, createSealer } from '@status-page/secrets'
import {
  callerSigner,
  callerVerifier,
  createHealth,
  createLogger,
  createMetrics,
  loadConfig,
  type ServiceApp,
} from '@status-page/service'
import { httpTarget, type TestDatabase, testDatabase } from '@status-page/testing'
import type { LightMyRequestResponse } from 'fastify'
import { buildApp, type GatewayResources } from './app.ts'
import { config } from './config.ts'
import type { EventLoopMonitor } from './edge/event-loop-monitor.ts'

interface Teardown {
  teardown(work: () => unknown): void
}

const { privateKey, publicKey } = generateKeyPairSync('ed25519')

/** Verifies the gateway's signature as the service would. */
export const verifierOf = (audience: 'core' | 'monitor' | 'notifier') =>
  callerVerifier({ audience, publicKeys: { gateway: publicKey } })

export const encryptionKey = '0123456789abcdef0123456789abcdef'

const environment = {
  DATABASE_URL: 'postgres://unused',
  CALLER_PUBLIC_KEYS: '{}',
  ENCRYPTION_KEY: encryptionKey,
  SESSION_SECRET: '0123456789abcdef0123456789abcdef',
  BASE_URL: 'http://status.test',
  RATE_LIMIT_MULTIPLIER: '1000',
}

const LOG_LEVEL = 'silent'
const METRICS_TOKEN = 'token-of-the-metrics'

/** Headers of a request of `/metrics`. */
export const metricsHeaders = { authorization: `Bearer ${METRICS_TOKEN}` }

export type GatewayTestSettings = Record<string, string>

/** Parts that a test replaces. */
export type GatewayDoubles = Pick<GatewayResources, 'externalClients' | 'passwords'>

/** Hashes of the real cost were a third of the processor time of the tests of accounts. */
const cheapPasswords = createPasswords({ cost: 4 })

/** Gateway over an existing database; its jobs run only when a test starts them. */
export const gatewayOver = (
  t: Teardown,
  database: Database,
  settings: GatewayTestSettings = {},
  doubles: GatewayDoubles = {},
): ServiceApp => {
  const loaded = loadConfig(config, { ...environment, ...settings })
  const keys = { current: loaded.ENCRYPTION_KEY, previous: loaded.ENCRYPTION_KEY_PREVIOUS ?? null }
  const app = buildApp({
    service: 'gateway',
    config: loaded as never,
    sealer: createSealer(keys),
    database,
    logger: createLogger({ service: 'gateway', level: LOG_LEVEL }),
    metrics: createMetrics(),
    health: healthOf(database),
    metricsToken: METRICS_TOKEN,
    verifier: callerVerifier({ audience: 'gateway', publicKeys: {} }),
    signer: callerSigner({ issuer: 'gateway', privateKey }),
    eventLoop: neverOverloaded,
    passwords: cheapPasswords,
    ...doubles,
  })
  t.teardown(() => app.http.close())
  return app
}

/**
 * Injected requests do no input or output, so that many in a row delay every timer: the monitor
 * would take the test for an overload.
 */
const neverOverloaded: EventLoopMonitor = { isOverloaded: () => false, stop() {} }

const healthOf = (database: Database) => {
  const health = createHealth()
  health.watch({ database })
  return health
}

export interface TestGateway extends ServiceApp {
  databases: TestDatabase
  database: Database
  inner: Awaited<ReturnType<typeof httpTarget>>
}

/** Gateway with its own database; all upstreams are one target that responds 200. */
export const testGateway = async (
  t: Teardown,
  settings: GatewayTestSettings = {},
  doubles?: GatewayDoubles,
): Promise<TestGateway> => {
  const databases = await testDatabase(t, { services: ['gateway'] })
  const inner = await httpTarget(t, {
    headers: { 'content-type': 'application/json' },
    body: '{"answered":true,"domains":[],"isLast":true,"data":[],"pages":[]}',
  })
  const urls = Object.fromEntries(
    ['CORE', 'MONITOR', 'NOTIFIER', 'INTEGRATIONS', 'CONFIG_SYNC'].map((name) => [
      `${name}_URL`,
      inner.url,
    ]),
  )
  const database = await databases.database('gateway')
  const app = gatewayOver(t, database, { ...urls, ...settings }, doubles)
  return { ...app, databases, database, inner }
}

/** Runs the named job once, as the job loop would. */
export const runJob = async ({ jobs }: ServiceApp, name: string): Promise<void> => {
  const job = jobs.find((job) => job.name === name)
  if (job === undefined) throw new Error(`no job is named ${name}`)
  await job.run(new AbortController().signal)
}

type Headers = Record<string, string>

export interface SignedInMember {
  cookie: string
  identity: Identity
}

export const password = 'correct horse battery'

let members = 0

/** Registers a new user; returns the session cookie and the identity. */
export const registerMember = async (
  { http }: ServiceApp,
  name = 'Ana',
): Promise<SignedInMember> => {
  members++
  const response = await http.inject({
    method: 'POST',
    url: '/api/v1/auth/register',
    payload: {
      email: `member-${members}@example.com`,
      password,
      name,
      organizationName: `Acme ${members}`,
    },
  })
  if (response.statusCode !== 201) throw new Error(response.body)
  return { cookie: cookieOf(response), identity: response.json() }
}

/** Returns `name=value` of the session cookie in the response. */
export const cookieOf = (response: LightMyRequestResponse): string => cookiesOf(response)[0] ?? ''

/** Returns `name=value` of each cookie in the response: session first, then device. */
export const cookiesOf = ({ headers }: LightMyRequestResponse): string[] =>
  [headers['set-cookie'] ?? []].flat().map((cookie) => cookie.split(';', 1)[0] ?? '')

export const asMember = ({ cookie }: SignedInMember): Headers => ({
  cookie,
  'sec-fetch-site': 'same-origin',
})

export const asKey = (key: string): Headers => ({ authorization: `Bearer ${key}` })

/** Creates an API key of the member's organization. */
export const createApiKey = async (
  { http }: ServiceApp,
  member: SignedInMember,
  permissions: readonly string[],
): Promise<{ id: string; key: string }> => {
  const response = await http.inject({
    method: 'POST',
    url: '/api/v1/api-keys',
    headers: asMember(member),
    payload: { name: 'A key', permissions },
  })
  if (response.statusCode !== 201) throw new Error(response.body)
  return response.json()
}
