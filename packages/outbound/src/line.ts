/** Where one HTTP exchange goes out: a connection of its own, or one kept in a named pool. */
import type net from 'node:net'
import { type SecureContext, TLSSocket } from 'node:tls'
import { Agent, type buildConnector, Client, type Dispatcher } from 'undici'
import { type DialTimings, dial } from './connect.ts'
import type { OutboundPolicy } from './policy.ts'

export interface Door {
  policy: OutboundPolicy
  secureContext: SecureContext
}

export interface Line {
  dispatcher: Dispatcher
  /** When the certificate of a TLS connection made for this exchange ends. */
  certificateExpiresAt(): string | null
  /** Closes what was opened for this exchange only. */
  end(): void
}

export interface Pools {
  line(name: string): Line
  close(): Promise<void>
}

export const MAX_RESPONSE_HEADER_BYTES = 16 * 1024
export const POOL_CONNECT_TIMEOUT_MS = 5_000
const POOL_CONNECTIONS_PER_ORIGIN = 4
const POOL_IDLE_MS = 10_000
const MAX_POOLS = 32

const CLIENT_OPTIONS = {
  // Multiplexing would let one tenant's answer hold up another's.
  allowH2: false,
  maxHeaderSize: MAX_RESPONSE_HEADER_BYTES,
  // An idle timer is outlived by a byte a second; the deadline of the exchange is not.
  bodyTimeout: 0,
  headersTimeout: 0,
}

export const noDialTimings = (): DialTimings => ({ dnsMs: null, connectMs: null, tlsMs: null })

/** One connection for one exchange; its phases are written into `timings`. */
export const freshLine = (
  origin: string,
  door: Door,
  connectTimeoutMs: number,
  timings: DialTimings,
): Line => {
  const stop = new AbortController()
  let certificateExpiresAt: string | null = null
  const client = new Client(origin, {
    ...CLIENT_OPTIONS,
    connect: connector(door, async (target) => {
      const socket = await dial(
        { ...target, timeoutMs: connectTimeoutMs },
        door.policy,
        timings,
        stop.signal,
      )
      // Now, because a socket that was closed no longer knows its certificate.
      certificateExpiresAt = expiryOf(socket)
      return socket
    }),
  })
  return {
    dispatcher: client,
    certificateExpiresAt: () => certificateExpiresAt,
    end() {
      stop.abort()
      client.destroy().catch(() => {})
    },
  }
}

/** Kept connections are shared by those who name the same pool. Their addresses were judged when they opened. */
export const createPools = (door: Door): Pools => {
  const agents = new Map<string, Agent>()
  const connect = connector(door, (target) =>
    dial({ ...target, timeoutMs: POOL_CONNECT_TIMEOUT_MS }, door.policy, noDialTimings()),
  )
  const agentNamed = (name: string): Agent => {
    const known = agents.get(name)
    if (known !== undefined) return known
    if (agents.size >= MAX_POOLS) throw new RangeError(`More than ${MAX_POOLS} outbound pools`)
    const agent = new Agent({
      ...CLIENT_OPTIONS,
      connect,
      connections: POOL_CONNECTIONS_PER_ORIGIN,
      keepAliveTimeout: POOL_IDLE_MS,
    })
    agents.set(name, agent)
    return agent
  }
  return {
    line: (name) => ({
      dispatcher: agentNamed(name),
      certificateExpiresAt: () => null,
      end: () => {},
    }),
    async close() {
      const closing = [...agents.values()].map((agent) => agent.destroy())
      agents.clear()
      await Promise.all(closing)
    },
  }
}

type Open = (target: {
  host: string
  port: number
  secureContext: SecureContext | null
}) => Promise<net.Socket>

const connector =
  (door: Door, open: Open): buildConnector.connector =>
  (options, done) => {
    const isSecure = options.protocol === 'https:'
    open({
      host: options.hostname.replace(/^\[|\]$/g, ''),
      port: options.port ? Number(options.port) : isSecure ? 443 : 80,
      secureContext: isSecure ? door.secureContext : null,
    }).then(
      (socket) => done(null, socket as TLSSocket),
      (error: Error) => done(error, null),
    )
  }

const expiryOf = (socket: net.Socket): string | null =>
  socket instanceof TLSSocket
    ? (socket.getPeerX509Certificate()?.validToDate.toISOString() ?? null)
    : null
