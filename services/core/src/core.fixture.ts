/** Core as in production, with its own database; monitor and notifier are scripted. */
import { memoryBus } from '@status-page/bus'
import {
  AppError,
  type EventDraft,
  type Operation,
  type ServiceName,
  systemActor,
} from '@status-page/contracts'
import type { CnameLookupResult, TextLookupResult } from '@status-page/outbound'
import { type Database, type OutboxRow, transact } from '@status-page/postgres'
import { createSealer, type Sealer } from '@status-page/secrets'
import {
  anonymousCaller,
  CALLER_HEADER,
  type Client,
  createHealth,
  createLogger,
  createMetrics,
  loadConfig,
} from '@status-page/service'
import type { InjectOptions } from '@status-page/testing'
import { inject, shiftedClock, testCaller, testDatabase, testKeys } from '@status-page/testing'
import { buildApp } from './app.ts'
import { config } from './config.ts'

interface Teardown {
  teardown(work: () => unknown): void
}

export const ENCRYPTION_KEY = '0123456789abcdef0123456789abcdef'
export const BASE_URL = 'https://status.test'

const environment = {
  DATABASE_URL: 'postgres://unused',
  CALLER_PUBLIC_KEYS: '{}',
  ENCRYPTION_KEY,
  BASE_URL,
}

/** Response of the scripted monitor; throws to refuse the request. */
export type MonitorResponder = (operation: Operation, question: unknown) => unknown

const noMonitor: MonitorResponder = () => {
  throw new AppError('SERVICE_UNAVAILABLE', 'monitor is not available')
}

/** Migrations of the other services are not needed: the tests use only their outboxes. */
const nowhere = import.meta.dirname
const folders = {
  gateway: nowhere,
  monitor: nowhere,
  notifier: nowhere,
  integrations: nowhere,
}

export const coreKit = async (t: Teardown) => {
  const services = ['core', 'gateway', 'monitor', 'notifier', 'integrations'] as const
  const databases = await testDatabase(t, { services, folders })
  const clock = shiftedClock()
  const database = await databases.connect('core', { clock })
  let responder = noMonitor
  const client: Client = {
    call: async (operation, input) => responder(operation, input) as never,
    close: async () => {},
  }
  const secrets: Sealer = createSealer({ current: ENCRYPTION_KEY })
  const aliases: Record<string, CnameLookupResult> = {}
  const texts: Record<string, TextLookupResult> = {}
  const appOver = (database: Database, sealer: Sealer) =>
    buildApp({
      service: 'core',
      resolver: {
        resolveAlias: async (name) => aliases[name] ?? { isAnswered: true, target: null },
        lookUpText: async (name) => texts[name] ?? { isAnswered: true, texts: [] },
      },
      config: loadConfig(config, environment) as never,
      database,
      logger: createLogger({ service: 'core', level: 'fatal' }),
      metrics: createMetrics(),
      health: createHealth(),
      metricsToken: null,
      verifier: testKeys().verifier('core'),
      signer: null,
      sealer,
      client: () => client,
    })
  /** Replica of core with its own connections to the same database. */
  const replicaOver = (database: Database, sealer = secrets) => {
    const { http, jobs, eventHandlers } = appOver(database, sealer)
    t.teardown(() => http.close())
    const bus = memoryBus(t, [{ database, eventHandlers: [...eventHandlers] }])
    return { http, jobs, drain: () => bus.drain() }
  }
  const app = replicaOver(database)

  /** Publishes events as another service. */
  const publish = async (
    producer: ServiceName,
    organizationId: string,
    ...events: EventDraft[]
  ) => {
    const theirs = await databases.database(producer)
    await transact(theirs, { organizationId, actor: systemActor }, async () => {
      return { result: undefined, events, audit: [] }
    })
  }
  /** Publishes events and runs core's handlers. */
  const publishAndHandle = async (...said: Parameters<typeof publish>) => {
    await publish(...said)
    return app.drain()
  }

  return {
    adminUrl: databases.adminUrl,
    /** URL of core's database role, for processes that a test starts. */
    url: databases.url('core'),
    database,
    clock,
    sealer: secrets,
    /** CNAME records by name; other names have none. */
    aliases,
    /** TXT records by name; other names have none. */
    texts,
    jobs: app.jobs,
    publish,
    publishAndHandle,
    /** Runs core's event handlers until no event is pending. */
    drain: app.drain,
    replica: async (sealer = secrets) =>
      replicaOver(await databases.connect('core', { clock }), sealer),
    scriptMonitor: (scripted: MonitorResponder) => {
      responder = scripted
    },
    outbox: outboxOf(database),
    http: app.http,
    /** Headers of a caller without an organization, signed for each request: a signature expires. */
    get anonymous() {
      return { [CALLER_HEADER]: testKeys().signer('gateway').sign(anonymousCaller, 'core') }
    },
    /** Caller of a new organization. */
    as: (caller = testCaller()) => ({
      caller,
      organizationId: caller.organizationId,
      request: <Op extends Operation>(operation: Op, options: Omit<InjectOptions, 'caller'> = {}) =>
        inject(app.http, operation, { caller, ...options }),
    }),
    request: <Op extends Operation>(operation: Op, options: InjectOptions = {}) =>
      inject(app.http, operation, options),
  }
}

export type CoreKit = Awaited<ReturnType<typeof coreKit>>

interface PublishedEvent {
  kind: string
  aggregate: string
  version: number
  // biome-ignore lint/suspicious/noExplicitAny: tests look into payloads of all kinds
  data: any
}

/** Events and audit entries of an organization since the last call, in order. */
const outboxOf = (database: Database) => {
  const seen = new Map<string, string>()
  return async (organizationId: string): Promise<{ events: PublishedEvent[]; audit: string[] }> => {
    const rows = await database.batchSql<OutboxRow[]>`
      SELECT * FROM outbox WHERE organization_id = ${organizationId}
        AND seq > ${seen.get(organizationId) ?? '0'}::bigint ORDER BY seq`
    const last = rows.at(-1)
    if (last !== undefined) seen.set(organizationId, String(last.seq))
    const emitted = rows.map((row) => ({
      kind: row.kind,
      aggregate: row.aggregate_id,
      version: row.aggregate_version,
      data: row.payload as { action?: string },
    }))
    return {
      events: emitted.filter(({ kind }) => kind !== 'audit.recorded'),
      audit: emitted
        .filter(({ kind }) => kind === 'audit.recorded')
        .map(({ data }) => data.action ?? ''),
    }
  }
}
