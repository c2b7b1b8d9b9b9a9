/** Gateways for tests: the app that ships, over a real database, with inner services that echo. */
import { generateKeyPairSync } from 'node:crypto'
import type { Identity } from '@status-page/contracts'
import type { Database } from '@status-page/postgres'
import { sealer } from '@status-page/secrets'
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
import { buildApp, type ExternalClients } from './app.ts'
import { config } from './config.ts'

interface Teardown {
  teardown(work: () => unknown): void
}

const { privateKey, publicKey } = generateKeyPairSync('ed25519')

/** Verifies what the gateway signs, as the named service would. */
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

export type GatewayTestSettings = Record<string, string>

/** One gateway over a database that exists; its timed work runs when a test says so. */
export const gatewayOver = (
  t: Teardown,
  database: Database,
  settings: GatewayTestSettings = {},
  externalClients?: ExternalClients,
): ServiceApp => {
  const loaded = loadConfig(config, { ...environment, ...settings })
  const keys = { current: loaded.ENCRYPTION_KEY, previous: loaded.ENCRYPTION_KEY_PREVIOUS ?? null }
  const app = buildApp({
    service: 'gateway',
    config: loaded as never,
    sealer: sealer(keys),
    database,
    logger: createLogger({ service: 'gateway', level: LOG_LEVEL }),
    metrics: createMetrics(),
    health: healthOf(database),
    metricsToken: null,
    verifier: callerVerifier({ audience: 'gateway', publicKeys: {} }),
    signer: callerSigner({ issuer: 'gateway', privateKey }),
    ...(externalClients === undefined ? {} : { externalClients }),
  })
  t.teardown(() => app.http.close())
  return app
}

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

/** A gateway with a database of its own; every inner service is one target that answers 200. */
export const testGateway = async (
  t: Teardown,
  settings: GatewayTestSettings = {},
  externalClients?: ExternalClients,
): Promise<TestGateway> => {
  const databases = await testDatabase(t, { services: ['gateway'] })
  const inner = await httpTarget(t, {
    headers: { 'content-type': 'application/json' },
    body: '{"answered":true,"domains":[],"isLast":true}',
  })
  const urls = Object.fromEntries(
    ['CORE', 'MONITOR', 'NOTIFIER', 'INTEGRATIONS', 'CONFIG_SYNC'].map((name) => [
      `${name}_URL`,
      inner.url,
    ]),
  )
  const database = await databases.database('gateway')
  const app = gatewayOver(t, database, { ...urls, ...settings }, externalClients)
  return { ...app, databases, database, inner }
}

/** Runs the named due work once, as its loop would. */
export const runDue = async ({ due }: ServiceApp, name: string): Promise<void> => {
  const work = due.find((one) => one.name === name)
  if (work === undefined) throw new Error(`no due work is named ${name}`)
  await work.run(new AbortController().signal)
}

type Headers = Record<string, string>

export interface SignedInMember {
  cookie: string
  identity: Identity
}

export const password = 'correct horse battery'

let members = 0

/** Registers somebody new; their session cookie and who they are. */
export const join = async ({ http }: ServiceApp, name = 'Ana'): Promise<SignedInMember> => {
  members++
  const answer = await http.inject({
    method: 'POST',
    url: '/api/v1/auth/register',
    payload: {
      email: `member-${members}@example.com`,
      password,
      name,
      organizationName: `Acme ${members}`,
    },
  })
  if (answer.statusCode !== 201) throw new Error(answer.body)
  return { cookie: cookieOf(answer), identity: answer.json() }
}

/** `name=value` of the session cookie that the answer sets. */
export const cookieOf = (answer: LightMyRequestResponse): string => cookiesOf(answer)[0] ?? ''

/** `name=value` of every cookie that the answer sets: the session's first, then the device's. */
export const cookiesOf = ({ headers }: LightMyRequestResponse): string[] =>
  [headers['set-cookie'] ?? []].flat().map((cookie) => cookie.split(';', 1)[0] ?? '')

export const asMember = ({ cookie }: SignedInMember): Headers => ({
  cookie,
  'sec-fetch-site': 'same-origin',
})

export const asKey = (key: string): Headers => ({ authorization: `Bearer ${key}` })

/** A key of the member's organization. */
export const mint = async (
  { http }: ServiceApp,
  member: SignedInMember,
  permissions: readonly string[],
): Promise<{ id: string; key: string }> => {
  const answer = await http.inject({
    method: 'POST',
    url: '/api/v1/api-keys',
    headers: asMember(member),
    payload: { name: 'A key', permissions },
  })
  if (answer.statusCode !== 201) throw new Error(answer.body)
  return answer.json()
}
