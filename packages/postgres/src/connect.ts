/** A service's connections: drizzle for stores, a second client for batches, direct ones for locks. */
import { connect as openSocket } from 'node:net'
import { type ServiceName, schemaOf, unavailable } from '@status-page/contracts'
import { drizzle, type PostgresJsDatabase } from 'drizzle-orm/postgres-js'
import postgres from 'postgres'
import { asAppError } from './failure.ts'
import { createSemaphore, type Semaphore } from './semaphore.ts'

const DEFAULT_MAX_CONNECTIONS = 10
const MAX_HOT_CONNECTIONS = 4
const CONNECT_TIMEOUT_SECONDS = 5
const KEEP_ALIVE_SECONDS = 15
const MAX_BACKOFF_SECONDS = 0.5
/** Of each pool so many connections are kept; a Postgres process takes about 2.5 MiB. */
const KEPT_CONNECTIONS = 2
const KEPT_SECONDS = 3_600
/** The others, opened for a rush, are closed in a pause between two statements and opened again at need. */
const SPARE_SECONDS = 60
const CLOSE_TIMEOUT_SECONDS = 5
const POOL_WAIT_MS = 5_000
const PING_MS = 5_000
/** Statements with more parameters have too many texts to be worth a prepared plan each. */
const MAX_PREPARED_PARAMETERS = 48

/** Moves the database's time in tests; `Scope.now` and `Crossing.now` follow it. */
export interface ClockOffset {
  offsetMs(): number
}

/** A connection of one's own, for session locks. `lost` settles when it is gone, for any reason. */
export interface Dedicated extends postgres.ReservedSql {
  lost: Promise<void>
  close(): Promise<void>
}

export interface ListenOptions {
  /** Called on every (re)connection: what was notified in between was missed. */
  onListening?: () => void
  /** Called whenever the connection is lost, and again for each failed attempt to replace it. */
  onLost?: () => void
}

export interface Database {
  readonly service: ServiceName
  readonly schema: string
  readonly db: PostgresJsDatabase
  /** Second client with postgres.js's own parsers, for batched statements (`unnest`). */
  readonly batchSql: postgres.Sql
  readonly gate: Semaphore
  readonly clock: ClockOffset
  listen(
    channel: string,
    onNotify: (payload: string) => void,
    options?: ListenOptions,
  ): Promise<{ close(): Promise<void> }>
  dedicated(): Promise<Dedicated>
  ping(): Promise<void>
  close(): Promise<void>
}

export interface ConnectOptions {
  url: string
  service: ServiceName
  max?: number
  /** For tests. */
  spareSeconds?: number
  /** Told about notices of the server. */
  logger?: { debug(details: object, message: string): void }
  clock?: ClockOffset
}

/** Resolves once the server answered; rejects with 503 when it cannot be reached. */
export const connect = async (options: ConnectOptions): Promise<Database> => {
  const { url, service, logger, max = DEFAULT_MAX_CONNECTIONS } = options
  const { spareSeconds = SPARE_SECONDS } = options
  const settings = settingsFor(service, logger)
  const client = preparing(
    postgres(url, { ...settings, max, max_lifetime: lifetimes(spareSeconds) }),
  )
  const hotMax = Math.min(max, MAX_HOT_CONNECTIONS)
  const batchSql = postgres(url, {
    ...settings,
    max: hotMax,
    max_lifetime: lifetimes(spareSeconds),
  })
  const dedicated = new Set<Dedicated>()
  const listener = listenerOf(url, settings)

  const database: Database = {
    service,
    schema: schemaOf(service),
    db: drizzle(client),
    batchSql,
    gate: createSemaphore(max, POOL_WAIT_MS),
    clock: options.clock ?? { offsetMs: () => 0 },
    listen: listener.listen,
    async dedicated() {
      const reserved = await reserve(url, settings).catch(rethrow)
      dedicated.add(reserved)
      reserved.lost.then(() => dedicated.delete(reserved))
      return reserved
    },
    async ping() {
      await withinPing(batchSql`SELECT 1`).catch(rethrow)
    },
    async close() {
      await Promise.all([...dedicated].map((connection) => connection.close()))
      const timeout = CLOSE_TIMEOUT_SECONDS
      await Promise.all([client, batchSql, listener.client].map((one) => one.end({ timeout })))
    },
  }
  try {
    await database.ping()
  } catch (error) {
    await database.close()
    throw error
  }
  return database
}

/** A partitioned network answers nothing at all, and the driver would wait with it. */
const withinPing = async (asked: Promise<unknown>): Promise<void> => {
  const { promise: late, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(unavailable('The database does not respond')), PING_MS)
  try {
    await Promise.race([asked, late])
  } finally {
    clearTimeout(timer)
  }
}

const rethrow = (error: unknown): never => {
  throw asAppError(error)
}

/**
 * Asked once for each connection of a pool. `idle_timeout` would close none: connections are used in
 * turn, so that a few statements a second keep all of them awake. Spread, so that they do not end at once.
 */
const lifetimes = (spareSeconds: number): number => {
  let made = 0
  const seconds = () => (made++ < KEPT_CONNECTIONS ? KEPT_SECONDS : spareSeconds)
  // The driver takes a function, as its own default is one, but declares a number.
  return (() => seconds() * (1 - Math.random() / 2)) as unknown as number
}

/** `socket` is documented, but not declared. */
type Settings = postgres.Options<Record<string, never>> & { socket: typeof promptSocket }

const settingsFor = (service: ServiceName, logger: ConnectOptions['logger']): Settings => ({
  connect_timeout: CONNECT_TIMEOUT_SECONDS,
  keep_alive: KEEP_ALIVE_SECONDS,
  backoff: (retries: number) => Math.min(2 ** retries / 20, MAX_BACKOFF_SECONDS),
  connection: { application_name: `status-page-${service}` },
  onnotice: (notice) => logger?.debug({ notice }, 'postgres notice'),
  socket: promptSocket,
})

/**
 * postgres.js never sets TCP_NODELAY. The socket is handed over while it connects: awaiting it here
 * would leave the connection in the driver's `connecting` queue for ever when the attempt fails.
 */
const promptSocket = (options: { host: string[]; port: number[]; path: string | false }) => {
  const [host = 'localhost'] = options.host
  const [port = 5432] = options.port
  if (options.path) return openSocket({ path: options.path })
  return Object.assign(openSocket({ host, port, noDelay: true, keepAlive: true }), { host, port })
}

type Unsafe = postgres.Sql['unsafe']

/** Drizzle prepares nothing, which costs a round trip and a plan for every statement. */
const preparing = (client: postgres.Sql): postgres.Sql => {
  const wrap = <Client extends { unsafe: Unsafe }>(sql: Client): Client => {
    const unsafe = sql.unsafe
    sql.unsafe = ((text, parameters = [], options = {}) => {
      const prepare = parameters.length > 0 && parameters.length <= MAX_PREPARED_PARAMETERS
      return unsafe(text, parameters, { ...options, prepare })
    }) as Unsafe
    return sql
  }
  const begin = client.begin as (work: (sql: postgres.TransactionSql) => unknown) => unknown
  client.begin = ((work: (sql: postgres.TransactionSql) => unknown) =>
    begin((sql) => work(wrap(sql)))) as postgres.Sql['begin']
  return wrap(client)
}

/** A client with one connection, which listens on all channels; the driver replaces it when it is lost. */
const listenerOf = (url: string, settings: Settings) => {
  const losses = new Set<() => void>()
  const socket: typeof promptSocket = (options) =>
    promptSocket(options).once('close', () => {
      for (const onLost of losses) onLost()
    })
  const client = postgres(url, { ...settings, max: 1, socket } as Settings)
  const listen: Database['listen'] = async (channel, onNotify, options = {}) => {
    const onLost = () => options.onLost?.()
    losses.add(onLost)
    try {
      const { unlisten } = await client.listen(channel, onNotify, options.onListening)
      const close = async () => {
        losses.delete(onLost)
        await unlisten()
      }
      return { close }
    } catch (error) {
      losses.delete(onLost)
      return rethrow(error)
    }
  }
  return { client, listen }
}

const reserve = async (url: string, settings: Settings): Promise<Dedicated> => {
  const { promise: lost, resolve } = Promise.withResolvers<void>()
  const client = postgres(url, {
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
    // Lost before it was ours, the driver would leave us waiting.
    const reserved = await Promise.race([client.reserve(), lost.then(() => null)])
    if (reserved === null) throw unavailable('The database is not available')
    return Object.assign(reserved, { lost, close, release: () => void close() })
  } catch (error) {
    await close()
    throw error
  }
}
