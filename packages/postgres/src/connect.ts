/**
 * Connections of a service: drizzle for stores, a second client for batches, dedicated ones for
 * locks.
 */
import { Semaphore, withTimeout } from '@status-page/concurrency'
import { databaseSchemaOf, type ServiceName, unavailable } from '@status-page/contracts'
import { drizzle, type PostgresJsDatabase } from 'drizzle-orm/postgres-js'
import type postgres from 'postgres'
import {
  type DriverOptions,
  lifetimes,
  openClient,
  prepareStatements,
  repeatListen,
} from './driver.ts'
import { toAppError } from './failure.ts'
import { type SilenceTimes, SilenceWatch } from './silence.ts'

const DEFAULT_MAX_CONNECTIONS = 10
const MAX_BATCH_CONNECTIONS = 4
const CONNECT_TIMEOUT_SECONDS = 4
const KEEP_ALIVE_SECONDS = 15
const MAX_BACKOFF_SECONDS = 0.5
/** Lifetime of the other connections, which open under load and close between two statements. */
const SPARE_LIFETIME_SECONDS = 60
const CLOSE_TIMEOUT_SECONDS = 5
const POOL_WAIT_MS = 5_000
const PING_MS = 5_000
const STANDBY = 'The database is a standby, which accepts no writes'
const READ_ONLY = 'The database is read-only'
/** Offset of the database's clock in tests; `now` of every scope follows it. */
export interface ClockOffset {
  offsetMs(): number
}

/** Dedicated connection, for session locks. `lost` settles when it is closed for any reason. */
export interface DedicatedConnection extends postgres.ReservedSql {
  lost: Promise<void>
  close(): Promise<void>
}

export interface ListenOptions {
  /** Called on every (re)connection; notifications in between were missed. */
  onListening?: () => void
  /** Called when the connection is lost, and again for each failed reconnection. */
  onLost?: () => void
}

export interface Listening {
  /**
   * Resolves when the listening connection has responded: Postgres sends the notifications of all
   * commits that ended before with the response.
   */
  confirm(): Promise<void>
  close(): Promise<void>
}

export interface Database {
  readonly service: ServiceName
  readonly schema: string
  readonly db: PostgresJsDatabase
  /** Second client with the driver's own parsers, for batch statements (`unnest`). */
  readonly batchSql: postgres.Sql
  readonly semaphore: Semaphore
  readonly clock: ClockOffset
  listen(
    channel: string,
    onNotify: (payload: string) => void,
    options?: ListenOptions,
  ): Promise<Listening>
  dedicated(): Promise<DedicatedConnection>
  /**
   * Rejects when the server does not respond, is a standby, or is read-only. Concurrent calls share
   * one statement.
   */
  ping(): Promise<void>
  close(): Promise<void>
}

export interface ConnectOptions {
  url: string
  /**
   * URL that bypasses a connection pooler, for LISTEN and session locks. With it, statements of
   * `url` are not prepared, because a pooler in transaction mode changes the session between them.
   */
  directUrl?: string | undefined
  /** Certificates in PEM that sign those of the server. */
  ca?: string | undefined
  service: ServiceName
  /** Maximum connections for statements; batches, LISTEN and locks have their own. */
  max?: number
  /** Lifetime of spare connections; shorter in tests. */
  spareSeconds?: number
  /** Shorter in tests. */
  silenceTimes?: SilenceTimes
  /** Receives the notices of the server, and that it does not respond. */
  logger?: Record<'debug' | 'warn', (details: object, message: string) => void>
  clock?: ClockOffset
}

/** Resolves once the server responded; rejects with 503 when it is unreachable. */
export const connect = async (options: ConnectOptions): Promise<Database> => {
  const database = openDatabase(options)
  try {
    await database.ping()
  } catch (error) {
    await database.close()
    throw error
  }
  return database
}

/** Opens the clients; they connect with their first statement. */
export const openDatabase = (options: ConnectOptions): Database => {
  const { url, directUrl, service, max = DEFAULT_MAX_CONNECTIONS } = options
  const { spareSeconds = SPARE_LIFETIME_SECONDS } = options
  const settings = settingsFor(options)
  const isPooled = directUrl !== undefined
  const sessionUrl = directUrl ?? url
  // The driver prepares `commit`, too: behind a pooler, its missing plan would abort the
  // transaction, and the repeated `commit` would roll it back without an error. It requests the
  // description of an unprepared statement first: sent while another statement runs, the response
  // would get lost, since the pooler passes the server connection on when that one ends.
  const open = (connections: number) =>
    openClient(url, {
      ...settings,
      max: connections,
      max_lifetime: lifetimes(spareSeconds),
      prepare: !isPooled,
      ...(isPooled ? { max_pipeline: 0 } : {}),
    })
  const client = isPooled ? open(max) : prepareStatements(open(max))
  const batchSql = open(Math.min(max, MAX_BATCH_CONNECTIONS))
  const dedicated = new Set<DedicatedConnection>()
  const listener = createListener(sessionUrl, settings)
  let pinging: Promise<void> | null = null

  return {
    service,
    schema: databaseSchemaOf(service),
    db: drizzle(client),
    batchSql,
    semaphore: new Semaphore({
      slots: max,
      waitMs: POOL_WAIT_MS,
      rejectionMessage: 'The database is busy',
    }),
    clock: options.clock ?? { offsetMs: () => 0 },
    listen: listener.listen,
    async dedicated() {
      const reserved = await reserve(sessionUrl, settings).catch(rethrow)
      dedicated.add(reserved)
      reserved.lost.then(() => dedicated.delete(reserved))
      return reserved
    },
    ping() {
      pinging ??= ping(batchSql).finally(() => {
        pinging = null
      })
      return pinging
    },
    async close() {
      await Promise.all([...dedicated].map((connection) => connection.close()))
      const timeout = CLOSE_TIMEOUT_SECONDS
      await Promise.all([client, batchSql, listener.client].map((sql) => sql.end({ timeout })))
    },
  }
}

const ping = async (sql: postgres.Sql): Promise<void> => {
  // A partitioned network gives no response, and the driver would wait.
  const [row] = await withTimeout(
    sql<{ isStandby: boolean; isReadOnly: boolean }[]>`
      SELECT pg_is_in_recovery() AS "isStandby",
        current_setting('transaction_read_only')::bool AS "isReadOnly"`,
    PING_MS,
    () => {
      throw unavailable('The database does not respond')
    },
  ).catch(rethrow)
  if (row?.isStandby) throw unavailable(STANDBY)
  if (row?.isReadOnly) throw unavailable(READ_ONLY)
}

const rethrow = (error: unknown): never => {
  throw toAppError(error)
}

const settingsFor = ({ service, logger, ca, silenceTimes }: ConnectOptions): DriverOptions => ({
  ca,
  connect_timeout: CONNECT_TIMEOUT_SECONDS,
  keep_alive: KEEP_ALIVE_SECONDS,
  backoff: (retries: number) => Math.min(2 ** retries / 20, MAX_BACKOFF_SECONDS),
  connection: { application_name: `status-page-${service}` },
  onnotice: (notice) => logger?.debug({ notice }, 'postgres notice'),
  silence: new SilenceWatch({ logger, times: silenceTimes }),
})

/**
 * Client with one connection that listens on all channels; the driver replaces it when it is lost.
 */
const createListener = (url: string, settings: DriverOptions) => {
  const lossListeners = new Set<() => void>()
  const onSocketClose = () => {
    for (const onLost of lossListeners) onLost()
  }
  const client = openClient(url, { ...settings, max: 1, onSocketClose })
  const listen: Database['listen'] = async (channel, onNotify, options = {}) => {
    const onLost = () => options.onLost?.()
    lossListeners.add(onLost)
    try {
      const { unlisten } = await client.listen(channel, onNotify, options.onListening)
      const confirm = () => repeatListen(client, channel)
      const close = async () => {
        lossListeners.delete(onLost)
        await unlisten()
      }
      return { confirm, close }
    } catch (error) {
      lossListeners.delete(onLost)
      return rethrow(error)
    }
  }
  return { client, listen }
}

const reserve = async (url: string, settings: DriverOptions): Promise<DedicatedConnection> => {
  const { promise: lost, resolve } = Promise.withResolvers<void>()
  const client = openClient(url, {
    ...settings,
    max: 1,
    idle_timeout: 0,
    max_lifetime: null,
    onclose: () => resolve(),
  })
  const close = async () => {
    await client.end({ timeout: 0 })
    resolve()
  }
  try {
    // The driver would reconnect until its timeout.
    const reserved = await Promise.race([client.reserve(), lost.then(() => null)])
    if (reserved === null) throw unavailable('The database is not available')
    return Object.assign(reserved, { lost, close, release: () => void close() })
  } catch (error) {
    await close()
    throw error
  }
}
