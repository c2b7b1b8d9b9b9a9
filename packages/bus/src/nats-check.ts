/**
 * Diagnosis of NATS: one connection as the user of a service, the streams of the installation and
 * one round trip through JetStream.
 */
import { type ServiceName, services } from '@status-page/contracts'
import { connect, ErrorCode, NatsError } from 'nats'
import {
  certificateErrorOf,
  connectionOptions,
  hasJetStream,
  type NatsSession,
  sessionOf,
} from './nats-client.ts'
import { type NatsNames, natsNames } from './nats-names.ts'
import { natsServersOf } from './nats-servers.ts'

export interface NatsCheckOptions {
  /** URLs with optional `user:password@`, separated by commas. */
  url: string
  prefix?: string | undefined
  ca?: string | undefined
  /** Content of a credentials file, which replaces user and password. */
  credentialsFile?: string | undefined
  timeoutMs: number
}

export type NatsFaultKind =
  | 'unreachable'
  | 'certificate'
  | 'credentials'
  | 'no_jetstream'
  | 'no_stream'
  | 'no_leader'
  | 'no_response'

export interface NatsReport {
  ok: true
  version: string
  eventStream: string
  bytes: number
  maxBytes: number
  replicas: number
  /** Replicas of the stream that are offline or behind. */
  lagging: readonly string[]
}

export type NatsCheck = NatsReport | { ok: false; kind: NatsFaultKind; reason: string }

/** Never throws for a fault of the server; throws when the URL or the prefix is invalid. */
export const checkNats = async (options: NatsCheckOptions): Promise<NatsCheck> => {
  const names = natsNames(options.prefix)
  const service = serviceOf(options.url, names)
  const connecting = connect({
    ...connectionOptions({
      url: options.url,
      credentials: null,
      credentialsFile: options.credentialsFile ?? null,
      ca: options.ca ?? null,
      service,
      names,
    }),
    reconnect: false,
    timeout: options.timeoutMs,
  })
  const connection = await connecting.catch((error: unknown) => error as Error)
  if (connection instanceof Error) return connectionFaultOf(connection)
  try {
    return await checkJetStream(await sessionOf(connection, options.timeoutMs), names, service)
  } catch (error) {
    return { ok: false, kind: 'no_response', reason: (error as Error).message }
  } finally {
    await connection.close()
  }
}

/** Service whose user the URL contains: inboxes and subjects of the others are not permitted. */
const serviceOf = (url: string, names: NatsNames): ServiceName => {
  const users = natsServersOf(url).map((server) => decodeURIComponent(new URL(server).username))
  return services.find((service) => users.includes(names.user(service))) ?? 'notifier'
}

const AUTHENTICATION_ERRORS: ReadonlySet<string> = new Set([
  ErrorCode.AuthorizationViolation,
  ErrorCode.AuthenticationExpired,
  ErrorCode.AuthenticationTimeout,
  ErrorCode.BadAuthentication,
  ErrorCode.BadCreds,
])

const connectionFaultOf = (error: Error): NatsCheck => {
  const certificate = certificateErrorOf(error)
  if (certificate !== null) return { ok: false, kind: 'certificate', reason: certificate }
  const isRefused = error instanceof NatsError && AUTHENTICATION_ERRORS.has(error.code)
  const kind = isRefused ? 'credentials' : 'unreachable'
  const cause = error instanceof NatsError ? (error.chainedError ?? error) : error
  const isLate = error instanceof NatsError && error.code === ErrorCode.Timeout
  return { ok: false, kind, reason: isLate ? 'no response in time' : cause.message }
}

const checkJetStream = async (
  session: NatsSession,
  names: NatsNames,
  service: ServiceName,
): Promise<NatsCheck> => {
  if (!(await hasJetStream(session, names))) {
    return { ok: false, kind: 'no_jetstream', reason: 'JetStream is not enabled' }
  }
  const stream = await session.jsm.streams.info(names.eventStream).catch((error: unknown) => {
    if (error instanceof NatsError && error.api_error?.code === NOT_FOUND) return null
    throw error
  })
  if (stream === null) return { ok: false, kind: 'no_stream', reason: names.eventStream }
  const { cluster, config, state } = stream
  if (cluster !== undefined && !cluster.leader) {
    return { ok: false, kind: 'no_leader', reason: names.eventStream }
  }
  await session.js.publish(names.subject(`probe.${service}`), '')
  return {
    ok: true,
    version: session.connection.info?.version ?? 'unknown',
    eventStream: names.eventStream,
    bytes: state.bytes,
    maxBytes: config.max_bytes,
    replicas: config.num_replicas,
    lagging: (cluster?.replicas ?? [])
      .filter(({ current, offline }) => !current || offline)
      .map(({ name }) => name),
  }
}

const NOT_FOUND = 404
