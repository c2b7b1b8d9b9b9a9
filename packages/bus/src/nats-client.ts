/** The one connection to NATS: kept up for ever, absent at any time; nobody waits for it to start. */
import { setTimeout as pause } from 'node:timers/promises'
import type { ServiceName } from '@status-page/contracts'
import {
  connect,
  Events,
  type JetStreamClient,
  type JetStreamManager,
  type NatsConnection,
} from 'nats'
import type { Logger } from 'pino'
import type { Intervals } from './intervals.ts'
import { startBusLoop } from './loop.ts'
import type { NatsNames } from './nats-names.ts'

const PING_INTERVAL_MS = 10_000
const MAX_PINGS_OUT = 2
const CONNECT_TIMEOUT_MS = 5_000

export interface NatsSession {
  connection: NatsConnection
  js: JetStreamClient
  jsm: JetStreamManager
}

export interface NatsClient {
  /** Null while disconnected: then nothing is published, so nothing waits for a time-out. */
  session(): NatsSession | null
  /** Called on each connection and reconnection. */
  onUp(fn: () => void): void
  /** Sends what waits to be sent, acknowledgements above all, then closes for good. */
  close(): Promise<void>
}

export interface NatsClientOptions {
  /** May carry `user:password@`. */
  url: string
  credentials: { user: string; password: string } | null
  service: ServiceName
  names: NatsNames
  intervals: Intervals
  logger: Pick<Logger, 'info' | 'warn'>
}

/**
 * Connects again in a loop of its own. The client's `waitOnFirstConnect` would do the same, but a
 * connection that was never made cannot be given up when the service stops.
 */
export const openNatsClient = (options: NatsClientOptions): NatsClient => {
  const { intervals, logger } = options
  const closing = new AbortController()
  const { signal } = closing
  const listeners: (() => void)[] = []
  let session: NatsSession | null = null

  const setUp = (next: NatsSession) => {
    session = next
    for (const listener of listeners) listener()
  }
  const turn = async () => {
    const connection = await connect(connectOptions(options))
    const timeout = intervals.requestTimeoutMs
    const js = connection.jetstream({ timeout })
    const jsm = await connection.jetstreamManager({ checkAPI: false, timeout })
    const made = { connection, js, jsm }
    // Not awaited: the client never ends this iterator, it is dropped with the connection.
    void watch(connection, {
      up: () => setUp(made),
      down: () => {
        session = null
      },
      logger,
    })
    setUp(made)
    logger.info({ server: connection.info?.version }, 'connected to NATS')
    const stop = () => void connection.close()
    signal.addEventListener('abort', stop, { once: true })
    if (signal.aborted) stop()
    const error = await connection.closed()
    signal.removeEventListener('abort', stop)
    session = null
    if (error) throw error
    return undefined
  }
  const loop = startBusLoop({
    name: 'nats connection',
    everyMs: intervals.reconnectMs,
    signal,
    logger,
    turn,
  })
  return {
    session: () => session,
    onUp: (fn) => listeners.push(fn),
    async close() {
      if (session !== null) await flush(session.connection)
      closing.abort()
      await loop.ended
    },
  }
}

const FLUSH_TIMEOUT_MS = 1_000

const flush = async (connection: NatsConnection) => {
  const timeout = new AbortController()
  await Promise.race([
    connection.flush().catch(() => {}),
    pause(FLUSH_TIMEOUT_MS, undefined, { signal: timeout.signal }).catch(() => {}),
  ])
  timeout.abort()
}

/** The client takes credentials apart from the address only. */
const addressOf = ({ url: text, credentials }: NatsClientOptions) => {
  const url = new URL(text)
  const user = credentials?.user ?? decodeURIComponent(url.username)
  const pass = credentials?.password ?? decodeURIComponent(url.password)
  return { servers: `${url.protocol}//${url.host}`, ...(user === '' ? {} : { user, pass }) }
}

const connectOptions = (options: NatsClientOptions) => ({
  ...addressOf(options),
  name: options.names.user(options.service),
  inboxPrefix: options.names.inboxPrefix(options.service),
  timeout: CONNECT_TIMEOUT_MS,
  maxReconnectAttempts: -1,
  reconnectTimeWait: options.intervals.reconnectMs,
  pingInterval: PING_INTERVAL_MS,
  maxPingOut: MAX_PINGS_OUT,
})

const watch = async (
  connection: NatsConnection,
  on: { up(): void; down(): void; logger: Pick<Logger, 'info' | 'warn'> },
) => {
  for await (const status of connection.status()) {
    if (status.type === Events.Reconnect) on.up()
    else if (status.type === Events.Disconnect) on.down()
    else if (status.type === Events.Error) on.logger.warn({ status }, 'NATS reported an error')
  }
}
