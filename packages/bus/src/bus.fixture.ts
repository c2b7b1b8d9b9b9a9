/** Shared set-up of the bus tests: two services on one database, test events, short intervals. */
import { randomUUID } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import { Type } from '@sinclair/typebox'
import {
  draftEvent,
  type Event,
  event,
  type ServiceName,
  systemActor,
} from '@status-page/contracts'
import { type Database, transact } from '@status-page/postgres'
import { testDatabase } from '@status-page/testing'
import { pino } from 'pino'
import postgres from 'postgres'
import { type Bus, type BusOptions, createBus } from './bus.ts'
import { type EventHandler, type EventHandlerSpec, eventHandler } from './event-handler.ts'
import type { Intervals } from './intervals.ts'

const data = Type.Object({ title: Type.String() })
const producers = ['core'] as const

export const opened = event('incident.created', producers, data)
export const moved = event('incident.updated', producers, data)
export const joined = event('subscriber.created', producers, data)

/** Short intervals for tests, in the proportions of the production ones. */
export const fast: Partial<Intervals> = {
  relayPollMs: 50,
  sweepMs: 100,
  republishMs: 400,
  epochMs: 150,
  probeMs: 50,
  requestTimeoutMs: 500,
  staleAfterMs: 400,
  recoverAfterMs: 300,
  bypassPollMs: 30,
  unpublishedLagMs: 1_000,
  canaryMs: 3_600_000,
  retryUnitMs: 10,
  retryMaxMs: 50,
  predecessorMs: 20,
  ackWaitMs: 1_000,
  reconnectMs: 30,
  observeMs: 50,
}

export interface BusTestScope {
  teardown(fn: () => Promise<void>): void
}

export const organizationId = '0192f000-0000-7000-8000-000000000001'

export const twoServices = async (t: BusTestScope) => {
  const none = fileURLToPath(new URL('./no-migrations', import.meta.url))
  const databases = await testDatabase(t, {
    services: ['core', 'notifier'],
    folders: { core: none, notifier: none },
  })
  return {
    databases,
    core: await databases.database('core'),
    notifier: await databases.database('notifier'),
  }
}

/**
 * Registers a consumer as a migration does: events of its kinds stay open until it has receipts.
 */
export const register = (database: Database, { consumer, on }: EventHandler) =>
  database.batchSql`INSERT INTO outbox_consumer (consumer, kinds)
    VALUES (${consumer}, ${on.map(({ kind }) => kind)})`

export interface RecordingHandler {
  handler: EventHandler
  /** Titles in the order of handling. */
  seen: string[]
  /** Titles whose handling fails until they are removed from the set. */
  failing: Set<string>
}

export const recordingHandler = (
  consumer: EventHandlerSpec<readonly Event[]>['consumer'],
  on: readonly Event[],
  requiresOrdering?: EventHandler['requiresOrdering'],
): RecordingHandler => {
  const seen: string[] = []
  const failing = new Set<string>()
  const handler = eventHandler({
    consumer,
    on,
    ...(requiresOrdering === undefined ? {} : { requiresOrdering }),
    async handle(_scope, envelope) {
      const { title } = envelope.data as { title: string }
      if (failing.has(title)) throw new Error(`cannot handle ${title}`)
      seen.push(title)
    },
  })
  return { handler, seen, failing }
}

export const aggregate = (version = 1, id: string = randomUUID()) => ({ id, version })

/** Commits one event in a transaction; resolves with its id. */
export const commitEvent = async (
  database: Database,
  spec: Event,
  title: string,
  about = aggregate(),
): Promise<string> => {
  await transact(database, { organizationId, actor: systemActor }, async () => ({
    result: null,
    events: [draftEvent(spec, about, { title } as never)],
    audit: [],
  }))
  const [row] = await database.batchSql`SELECT event_id FROM outbox
    WHERE aggregate_id = ${about.id} AND aggregate_version = ${about.version}`
  return row?.event_id
}

export const startBus = async (
  t: BusTestScope,
  database: Database,
  eventHandlers: readonly EventHandler[],
  options: Pick<BusOptions, 'natsUrl'> & Partial<BusOptions>,
): Promise<Bus> => {
  const { intervals, ...others } = options
  const bus = createBus({
    database,
    service: database.service as ServiceName,
    eventHandlers,
    logger: pino({ level: process.env.BUS_LOG ?? 'silent' }),
    ...others,
    intervals: { ...fast, ...intervals },
  })
  t.teardown(() => bus.stop())
  await bus.start()
  return bus
}

export const openCount = async (database: Database): Promise<number> => {
  const [row] =
    await database.batchSql`SELECT count(*)::int AS n FROM outbox WHERE settled_at IS NULL`
  return row?.n
}

export const receiptsOf = async (database: Database, consumer: string): Promise<number> => {
  const [row] =
    await database.batchSql`SELECT count(*)::int AS n FROM inbox WHERE consumer = ${consumer}`
  return row?.n
}

/** Terminates all client connections, as a restart of Postgres does. */
export const cutConnections = async (adminUrl: string): Promise<void> => {
  const admin = postgres(adminUrl, { max: 1 })
  await admin`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
    WHERE datname = current_database() AND pid <> pg_backend_pid()`
  await admin.end()
}
