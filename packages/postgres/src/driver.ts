/**
 * Workarounds of postgres.js and of drizzle, which has no access to the statements of the driver;
 * `driver.test.ts` shows why each exists. Another one is the patch of postgres.js (`patches/`): when
 * a connection is lost inside a transaction, the driver would end the process or continue in the
 * transaction of another caller, it would reconnect without end to a peer that accepts and closes,
 * each transaction would wait for its `begin`, no commit could be sent with the statements before it,
 * each connection would query the types of arrays (a quarter of the processor time of its start),
 * `max_pipeline: 0` would refuse transactions, the option `socket` would not know whether a statement
 * waits for its response, and a tenth of the processor time of a short read would define properties of
 * results and join texts to find statements.
 */
import { connect as openSocket, type Socket } from 'node:net'
import { startTimeout } from '@status-page/concurrency'
import { Column, fillPlaceholders, is, SQL, Subquery } from 'drizzle-orm'
import type { PgSession } from 'drizzle-orm/pg-core'
import { type PostgresJsDatabase, PostgresJsSession } from 'drizzle-orm/postgres-js'
import postgres from 'postgres'
import { databaseAddressesOf } from './database-url.ts'
import type { SilenceWatch } from './silence.ts'

/** Connections of each pool that stay open; a Postgres process takes about 3 MiB. */
const MIN_CONNECTIONS = 1
const LIFETIME_SECONDS = 3_600
/**
 * Maximum parameters of a prepared statement; statements with more have too many variants to be
 * worth a plan.
 */
const MAX_PREPARED_PARAMETERS = 48

export type Tx = Parameters<Parameters<PostgresJsDatabase['transaction']>[0]>[0]

type Options = postgres.Options<Record<string, never>>

export type DriverOptions = Options & {
  /** Certificates in PEM that sign the server's; without it, `sslmode` of the URL decides. */
  ca?: string | undefined
  /** Called when a connection is closed, or could not be opened. */
  onSocketClose?: () => void
  silence?: SilenceWatch
}

/**
 * Opens a client. Of several hosts it uses the one that accepts writes. The driver documents the
 * option `socket` but does not declare it.
 */
export const openClient = (
  url: string,
  { ca, onSocketClose = () => {}, silence, ...options }: DriverOptions,
): postgres.Sql => {
  const addresses = databaseAddressesOf(url)
  const hosts = {
    host: addresses.map(({ host }) => host),
    port: addresses.map(({ port }) => port),
    // The driver's `read-write` accepts a standby, which is read-only by its state alone.
    ...(addresses.length > 1 ? { target_session_attrs: 'primary' } : {}),
  }
  const tls = ca === undefined ? {} : { ssl: { ca, rejectUnauthorized: true } }
  const open = socketsInTurn(silence)
  const socket = (address: SocketAddress, isAwaiting: () => boolean) =>
    open(address, isAwaiting).once('close', onSocketClose)
  const all = { ...options, ...hosts, ...tls, types: arrayTypes, socket }
  return postgres(url, all as unknown as Options)
}

/** Oids of `pg_type`. */
const UUID_ARRAY = 2951
const INT_ARRAY = 1007
const FLOAT8_ARRAY = 1022

const arraysOf = <Element>(type: number, parse: (text: string) => Element) => ({
  to: type,
  from: [type],
  serialize: arrayLiteral,
  parse: (text: string) =>
    text === '{}'
      ? []
      : text
          .slice(1, -1)
          .split(',')
          .map((element) => (element === 'NULL' ? null : parse(element))),
})

const arrayLiteral = (value: unknown): string =>
  Array.isArray(value) ? `{${value.map(arrayLiteral).join()}}` : `${value}`

/**
 * Arrays whose elements need no quotes in the text form of Postgres. The driver's own serializer
 * quotes and escapes each element, which took 0.4 µs for an id.
 */
const arrayTypes = {
  uuid: arraysOf(UUID_ARRAY, String),
  int: arraysOf(INT_ARRAY, Number),
  float8: arraysOf(FLOAT8_ARRAY, Number),
}

/** Maximum time to connect to one of several hosts. */
const HOST_TIMEOUT_MS = 2_000
/** Lifetime of a socket below which its host is out of order, or a standby that the driver left. */
const MIN_LIFETIME_MS = HOST_TIMEOUT_MS + 1_000

/**
 * Opens the sockets of one client. After a failure the next host is used; the driver itself does
 * that only for sockets that it opens.
 */
const socketsInTurn = (silence: SilenceWatch | undefined) => {
  let turn = 0
  return ({ host, port, path }: SocketAddress, isAwaiting: () => boolean): Socket => {
    const index = turn % host.length
    const address = { host: [host[index] ?? ''], port: [port[index] ?? 0], path }
    const reopen = () => socketWithoutDelay(address)
    const socket = reopen()
    silence?.add({ socket, address: path || `${address.host}:${address.port}`, isAwaiting, reopen })
    if (host.length === 1) return socket
    const openedMs = performance.now()
    const cancel = startTimeout(() => socket.connecting && socket.destroy(), HOST_TIMEOUT_MS)
    return socket.once('close', () => {
      cancel()
      // A host that hangs accepts the connection but sends nothing.
      const hasFailed = socket.bytesRead === 0 || performance.now() - openedMs < MIN_LIFETIME_MS
      if (hasFailed && index === turn % host.length) turn++
    })
  }
}

/**
 * Lifetime of each connection of a pool. `idle_timeout` would close none: connections are used in
 * rotation, so a few statements per second use all of them. Randomised, so that they do not close
 * at the same time.
 */
export const lifetimes = (spareSeconds: number): number => {
  let opened = 0
  const seconds = () => (opened++ < MIN_CONNECTIONS ? LIFETIME_SECONDS : spareSeconds)
  // The driver accepts a function, like its own default, but declares a number.
  return (() => seconds() * (1 - Math.random() / 2)) as unknown as number
}

interface SocketAddress {
  host: string[]
  port: number[]
  path: string | false
}

/**
 * Sets TCP_NODELAY, which postgres.js never does. The socket is returned while it connects:
 * awaiting it here would leave the connection in the driver's `connecting` queue permanently when
 * the attempt fails.
 */
export const socketWithoutDelay = (options: SocketAddress): Socket => {
  const [host = 'localhost'] = options.host
  const [port = 5432] = options.port
  if (options.path) return openSocket({ path: options.path })
  return Object.assign(openSocket({ host, port, noDelay: true, keepAlive: true }), { host, port })
}

type Unsafe = postgres.Sql['unsafe']

/** Prepares statements; drizzle prepares none, which costs a round trip and a plan each. */
export const prepareStatements = (client: postgres.Sql): postgres.Sql => {
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

/**
 * Prepares and runs a statement that is given as text, so that the server plans it once per
 * connection. Without `simple`, which the driver does not declare, it would send a text without
 * parameters by the simple protocol, which plans it each time.
 */
export const runPrepared = <Rows extends postgres.Row[]>(
  sql: { unsafe: Unsafe },
  text: string,
  parameters: Parameters<Unsafe>[1] = [],
): postgres.PendingQuery<Rows> =>
  sql.unsafe<Rows>(text, parameters, { prepare: true, simple: false } as { prepare: boolean })

/** Driver's transaction, for plain SQL without the query builder. */
export const driverTransactionOf = (tx: Tx): postgres.TransactionSql =>
  (tx._.session as PgSession & { client: postgres.TransactionSql }).client

/**
 * Sends statements of the transaction before the response to its `begin`. They have to be harmless
 * outside of a transaction, where the server runs them when `begin` fails; the driver rejects them.
 */
export const sendWithBegin = (sql: postgres.TransactionSql): postgres.TransactionSql =>
  Object.assign(sql, { pipelined: true })

/**
 * Sends the commit with the statements that the transaction sends in this turn of the event loop,
 * before their responses. The driver rejects later statements.
 */
export const commitAtOnce = (sql: postgres.TransactionSql): postgres.TransactionSql =>
  Object.assign(sql, { atOnce: true })

/**
 * Repeats LISTEN, which changes nothing, on the connection that listens: the driver keeps it for
 * itself.
 */
export const repeatListen = async ({ listen }: postgres.Sql, channel: string): Promise<void> => {
  const { sql } = listen as unknown as { sql: postgres.Sql }
  await sql`LISTEN ${sql(channel)}`
}

interface Prepared {
  execute(values?: Record<string, unknown>): Promise<unknown>
}

type Rows<Query extends { prepare(name: string): Prepared }> = Awaited<
  ReturnType<ReturnType<Query['prepare']>['execute']>
>

interface Decoder {
  mapFromDriverValue(value: unknown): unknown
}

/** Statement of drizzle with the parts that it does not declare. */
interface SessionQuery {
  fields?: readonly { path: readonly string[]; field: unknown }[]
  customResultMapper?: (rows: readonly unknown[][]) => unknown
}

/**
 * Mapper of rows without joins: 6 to 7 µs of processor time for a row of 26 columns. Drizzle's own,
 * which finds the decoder of each value again, takes 9 to 14 µs.
 */
const flatMapperOf = (fields: NonNullable<SessionQuery['fields']>) => {
  const columns = fields.map(({ path: [name = ''], field }) => ({
    name,
    decoder: decoderOf(field),
  }))
  return (rows: readonly unknown[][]) =>
    rows.map((row) => {
      const mapped: Record<string, unknown> = {}
      columns.forEach(({ name, decoder }, index) => {
        const value = row[index]
        mapped[name] = value === null ? null : decoder.mapFromDriverValue(value)
      })
      return mapped
    })
}

const decoderOf = (field: unknown): Decoder => {
  if (is(field, Column)) return field
  const expression = is(field, SQL) ? field : (field as SQL.Aliased).sql
  return (expression as unknown as { decoder: Decoder }).decoder
}

/** Sessions prepare every statement of drizzle, also those of a transaction. */
const sessions = PostgresJsSession.prototype as unknown as {
  prepareQuery(...terms: unknown[]): SessionQuery
}
const { prepareQuery } = sessions
sessions.prepareQuery = function (...terms) {
  const query = prepareQuery.apply(this, terms)
  const { fields, customResultMapper } = query
  const isFlat = fields?.every(({ path, field }) => path.length === 1 && !is(field, Subquery))
  if (fields !== undefined && isFlat === true && customResultMapper === undefined) {
    query.customResultMapper = flatMapperOf(fields)
  }
  return query
}

/** Parts of a prepared query that drizzle does not declare. */
interface PreparedStatement {
  queryString: string
  params: unknown[]
  customResultMapper(rows: unknown): unknown
}

/**
 * Drizzle query of rows without joins that is built once and executed with different values: building
 * a select of a wide table costs more than the rest of the query. Variable parts are placeholders,
 * lists `= ANY(…)` of one. `build` runs for the first scope only, so it uses nothing else of it. Dates
 * are passed as text.
 */
export const preparedQuery = <Query extends { prepare(name: string): Prepared }>(
  build: (tx: Tx) => Query,
) => {
  let prepared: PreparedStatement | null = null
  return async ({ tx }: { tx: Tx }, values: Record<string, unknown>): Promise<Rows<Query>> => {
    prepared ??= build(tx).prepare('statement') as unknown as PreparedStatement
    const parameters = fillPlaceholders(prepared.params, values) as string[]
    const rows = await driverTransactionOf(tx).unsafe(prepared.queryString, parameters).values()
    return prepared.customResultMapper(rows) as Rows<Query>
  }
}
