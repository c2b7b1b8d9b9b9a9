/** What the bus's tests share: two services on one database, events of their own, fast intervals. */
import { randomUUID } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import { Type } from '@sinclair/typebox'
import { type Event, emit, event, type ServiceName, systemActor } from '@status-page/contracts'
import { type Database, transact } from '@status-page/postgres'
import { testDatabase } from '@status-page/testing'
import { pino } from 'pino'
import postgres from 'postgres'
import { type Bus, type BusOptions, createBus } from './bus.ts'
import { type EventHandler, type EventHandlerSpec, eventHandler } from './event-handler.ts'
import type { Intervals } from './intervals.ts'

const data = Type.Object({ title: Type.String() })
const producers = ['core'] as const
const selectableBy = 'subscriber'

export const opened = event({ kind: 'incident.created', producers, selectableBy, data })
export const moved = event({ kind: 'incident.updated', producers, selectableBy, data })
export const joined = event({ kind: 'subscriber.created', producers, selectableBy, data })

/** Fast enough for a test, in the proportions of the real ones. */
export const fast: Partial<Intervals> = {
  relayPollMs: 50,
  relayRestMs: 200,
  sweepMs: 100,
  republishMs: 400,
  epochMs: 150,
  probeMs: 50,
  requestTimeoutMs: 500,
  staleAfterMs: 400,
  recoverAfterMs: 300,
  bypassPollMs: 30,
  unpublishedLagMs: 1_000,
  lagCheckMs: 50,
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

/** What a migration does: from now on, events of these kinds wait for the consumer. */
export const register = (database: Database, { consumer, on }: EventHandler) =>
  database.batchSql`INSERT INTO outbox_consumer (consumer, kinds)
    VALUES (${consumer}, ${on.map(({ kind }) => kind)})`

export interface Watched {
  reaction: EventHandler
  /** Titles in the order of handling. */
  seen: string[]
  /** Titles that fail until they are taken out. */
  failing: Set<string>
}

export const watched = (
  consumer: EventHandlerSpec<readonly Event[]>['consumer'],
  on: readonly Event[],
  speaksToPeople?: EventHandler['requiresOrdering'],
): Watched => {
  const seen: string[] = []
  const failing = new Set<string>()
  const made = eventHandler({
    consumer,
    on,
    ...(speaksToPeople === undefined ? {} : { requiresOrdering: speaksToPeople }),
    async handle(_scope, envelope) {
      const { title } = envelope.data as { title: string }
      if (failing.has(title)) throw new Error(`cannot handle ${title}`)
      seen.push(title)
      return { result: null, events: [], audit: [] }
    },
  })
  return { reaction: made, seen, failing }
}

export const aggregate = (version = 1, id: string = randomUUID()) => ({ id, version })

/** One committed change that states one event; resolves with the event's id. */
export const state = async (
  database: Database,
  spec: Event,
  title: string,
  about = aggregate(),
): Promise<string> => {
  await transact(database, { organizationId, actor: systemActor }, async () => ({
    result: null,
    events: [emit(spec, about, { title } as never)],
    audit: [],
  }))
  const [row] = await database.batchSql`SELECT event_id FROM outbox
    WHERE aggregate_id = ${about.id} AND aggregate_version = ${about.version}`
  return row?.event_id
}

export const startBus = async (
  t: BusTestScope,
  database: Database,
  reactions: readonly EventHandler[],
  options: Pick<BusOptions, 'natsUrl'> & Partial<BusOptions>,
): Promise<Bus> => {
  const { intervals, ...others } = options
  const bus = createBus({
    database,
    service: database.service as ServiceName,
    reactions,
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

/** What a restart of Postgres does to its clients. */
export const cutConnections = async (adminUrl: string): Promise<void> => {
  const admin = postgres(adminUrl, { max: 1 })
  await admin`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
    WHERE datname = current_database() AND pid <> pg_backend_pid()`
  await admin.end()
}
