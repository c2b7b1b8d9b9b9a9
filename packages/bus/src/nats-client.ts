/**
 * NATS connection of a service: connects in the background and reconnects without limit; the start
 * of the service does not wait for it.
 */
import { withTimeout } from '@status-page/concurrency'
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
const FLUSH_TIMEOUT_MS = 1_000

export interface NatsSession {
  connection: NatsConnection
  js: JetStreamClient
  jsm: JetStreamManager
}

export interface NatsClient {
  /** Null while disconnected, so that no publish waits for a timeout. */
  session(): NatsSession | null
  /** Called on each connection and reconnection. */
  onUp(fn: () => void): void
  /** Flushes pending messages, acknowledgements in particular, then closes permanently. */
  close(): Promise<void>
}

export interface NatsClientOptions {
  /** URL with optional `user:password@`. */
  url: string
  credentials: { user: string; password: string } | null
  service: ServiceName
  names: NatsNames
  intervals: Intervals
  logger: Pick<Logger, 'info' | 'warn'>
}

/**
 * Connects in its own loop. The client's `waitOnFirstConnect` would do the same, but a first
 * connection attempt in progress cannot be cancelled when the service stops.
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
  const runOnce = async () => {
    const connection = await connect(connectOptions(options))
    const timeout = intervals.requestTimeoutMs
    const js = connection.jetstream({ timeout })
    const jsm = await connection.jetstreamManager({ checkAPI: false, timeout })
    const opened = { connection, js, jsm }
    // Not awaited: the client never ends this iterator; it is dropped with the connection.
    void watchStatus(connection, {
      up: () => setUp(opened),
      down: () => {
        session = null
      },
      logger,
    })
    setUp(opened)
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
    runOnce,
  })
  return {
    session: () => session,
    onUp: (fn) => listeners.push(fn),
    async close() {
      const flushed = session?.connection.flush().catch(() => {})
      await withTimeout(flushed, FLUSH_TIMEOUT_MS, () => {})
      closing.abort()
      await loop.ended
    },
  }
}

/** Server and credentials; the client ignores credentials in the URL. */
const serverOptions = ({ url: text, credentials }: NatsClientOptions) => {
  const url = new URL(text)
  const user = credentials?.user ?? decodeURIComponent(url.username)
  const pass = credentials?.password ?? decodeURIComponent(url.password)
  return { servers: `${url.protocol}//${url.host}`, ...(user === '' ? {} : { user, pass }) }
}

const connectOptions = (options: NatsClientOptions) => ({
  ...serverOptions(options),
  name: options.names.user(options.service),
  inboxPrefix: options.names.inboxPrefix(options.service),
  timeout: CONNECT_TIMEOUT_MS,
  maxReconnectAttempts: -1,
  reconnectTimeWait: options.intervals.reconnectMs,
  pingInterval: PING_INTERVAL_MS,
  maxPingOut: MAX_PINGS_OUT,
})

const watchStatus = async (
  connection: NatsConnection,
  on: { up(): void; down(): void; logger: Pick<Logger, 'info' | 'warn'> },
) => {
  for await (const status of connection.status()) {
    if (status.type === Events.Reconnect) on.up()
    else if (status.type === Events.Disconnect) on.down()
    else if (status.type === Events.Error) on.logger.warn({ status }, 'NATS reported an error')
  }
}
