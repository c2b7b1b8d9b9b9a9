/**
 * NATS connection of a service: connects in the background and reconnects without limit; the start
 * of the service does not wait for it.
 */
import { withTimeout } from '@status-page/concurrency'
import type { ServiceName } from '@status-page/contracts'
import {
  connect,
  credsAuthenticator,
  ErrorCode,
  Events,
  type JetStreamClient,
  type JetStreamManager,
  type NatsConnection,
  NatsError,
} from 'nats'
import type { Logger } from 'pino'
import type { Intervals } from './intervals.ts'
import { startBusLoop } from './loop.ts'
import type { NatsNames } from './nats-names.ts'
import { natsServersOf } from './nats-servers.ts'

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

export interface NatsConnectionOptions {
  /** URLs with optional `user:password@`, separated by commas. */
  url: string
  credentials: { user: string; password: string } | null
  /** Content of a credentials file, which replaces user and password. */
  credentialsFile: string | null
  /** Certificates in PEM that sign those of the servers. */
  ca: string | null
  service: ServiceName
  names: NatsNames
}

export interface NatsClientOptions extends NatsConnectionOptions {
  /** Called when the first connection fails for a reason that no retry resolves. */
  onUnusable(problem: string): void
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
  let isFirst = true

  const setUp = (next: NatsSession) => {
    session = next
    for (const listener of listeners) listener()
  }
  const runOnce = async () => {
    const connection = await connect({
      ...connectionOptions(options),
      maxReconnectAttempts: -1,
      reconnectTimeWait: intervals.reconnectMs,
    }).catch((error: unknown) => {
      const code = isFirst ? certificateErrorOf(error) : null
      if (code !== null) options.onUnusable(certificateProblem(code))
      throw error
    })
    const opened = await sessionOf(connection, intervals.requestTimeoutMs)
    if (isFirst && !(await hasJetStream(opened, options.names))) options.onUnusable(NO_JETSTREAM)
    isFirst = false
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

export const sessionOf = async (
  connection: NatsConnection,
  timeout: number,
): Promise<NatsSession> => ({
  connection,
  js: connection.jetstream({ timeout }),
  jsm: await connection.jetstreamManager({ checkAPI: false, timeout }),
})

const NO_JETSTREAM =
  'The NATS server has no JetStream: enable it (`jetstream {}`), or leave NATS_URL unset.'

/**
 * A server without JetStream may belong to a cluster whose other servers have it, so that only a
 * request without any responder counts.
 */
export const hasJetStream = async ({ connection, jsm }: NatsSession, names: NatsNames) => {
  if (connection.info?.jetstream === true) return true
  return jsm.streams.info(names.eventStream).then(
    () => true,
    (error: unknown) => !(error instanceof NatsError && error.code === ErrorCode.NoResponders),
  )
}

const CERTIFICATE_ERROR = /^(?:ERR_TLS_CERT|CERT_|UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_)/

/** Code of the error of a certificate that does not verify; null for any other error. */
export const certificateErrorOf = (error: unknown): string | null => {
  const cause = error instanceof NatsError ? (error.chainedError ?? error) : error
  const code = (cause as { code?: unknown }).code
  return typeof code === 'string' && CERTIFICATE_ERROR.test(code) ? code : null
}

const certificateProblem = (code: string): string =>
  `The certificate of NATS cannot be verified (${code}): check NATS_CA.`

/** Servers and credentials; the client ignores credentials in the URL. */
const serverOptions = ({ url: text, credentials, credentialsFile, ca }: NatsConnectionOptions) => {
  const urls = natsServersOf(text).map((server) => new URL(server))
  const requiresTls = ca !== null || urls.some(({ protocol }) => protocol === 'tls:')
  return {
    servers: urls.map(({ host }) => host),
    ...(requiresTls ? { tls: ca === null ? {} : { ca } } : {}),
    ...(credentialsFile === null
      ? userOf(urls, credentials)
      : { authenticator: credsAuthenticator(new TextEncoder().encode(credentialsFile)) }),
  }
}

const userOf = (urls: readonly URL[], credentials: NatsConnectionOptions['credentials']) => {
  const url = urls.find(({ username }) => username !== '')
  const user = credentials?.user ?? decodeURIComponent(url?.username ?? '')
  const pass = credentials?.password ?? decodeURIComponent(url?.password ?? '')
  return user === '' ? {} : { user, pass }
}

export const connectionOptions = (options: NatsConnectionOptions) => ({
  ...serverOptions(options),
  name: options.names.user(options.service),
  inboxPrefix: options.names.inboxPrefix(options.service),
  timeout: CONNECT_TIMEOUT_MS,
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
