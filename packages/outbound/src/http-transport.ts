/** What carries one HTTP exchange, and the kept connections of named pools that may. */
import { EventEmitter } from 'node:events'
import type { IncomingHttpHeaders } from 'node:http'
import type net from 'node:net'
import type { Readable } from 'node:stream'
import type { SecureContext, TLSSocket } from 'node:tls'
import { Agent, type buildConnector } from 'undici'
import { type ConnectTimings, connectSocket } from './connect.ts'
import type { OutboundPolicy } from './policy.ts'

export interface OutboundContext {
  policy: OutboundPolicy
  secureContext: SecureContext
}

/** A request that was judged. */
export interface TransportRequest {
  url: URL
  method: string
  headers: Readonly<Record<string, string>>
  body: string | Buffer | null
  firstByteTimeoutMs: number | null
}

export interface TransportResponse {
  status: number
  /** Names in lower case; repeated ones joined by a comma. */
  headers: Record<string, string>
  body: Readable
}

export interface HttpTransport {
  send(asked: TransportRequest): Promise<TransportResponse>
  /** When the certificate of a TLS connection made for this exchange ends. */
  certificateExpiresAt(): string | null
  /** Gives up what is still under way. */
  abort(): void
  /** Closes what was opened for this exchange only. */
  end(): void
}

export interface Pools {
  transport(name: string): HttpTransport
  close(): Promise<void>
}

export const MAX_RESPONSE_HEADER_BYTES = 16 * 1024
export const POOL_CONNECT_TIMEOUT_MS = 5_000
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

export const noDialTimings = (): ConnectTimings => ({ dnsMs: null, connectMs: null, tlsMs: null })

/** Kept connections are shared by those who name the same pool. Their addresses were judged when they opened. */
export const createPools = (context: OutboundContext, connectionsPerHost: number): Pools => {
  const agents = new Map<string, Agent>()
  const connect = connector(context, (target) =>
    connectSocket(
      { ...target, timeoutMs: POOL_CONNECT_TIMEOUT_MS },
      context.policy,
      noDialTimings(),
    ),
  )
  const agentNamed = (name: string): Agent => {
    const known = agents.get(name)
    if (known !== undefined) return known
    if (agents.size >= MAX_POOLS) throw new RangeError(`More than ${MAX_POOLS} outbound pools`)
    const agent = new Agent({
      ...CLIENT_OPTIONS,
      connect,
      connections: connectionsPerHost,
      keepAliveTimeout: POOL_IDLE_MS,
    })
    agents.set(name, agent)
    return agent
  }
  return {
    transport: (name) => pooledLine(agentNamed(name)),
    async close() {
      const closing = [...agents.values()].map((agent) => agent.destroy())
      agents.clear()
      await Promise.all(closing)
    },
  }
}

const pooledLine = (agent: Agent): HttpTransport => {
  // `AbortSignal.timeout` costs several times as much on a hot path.
  const signal = new EventEmitter()
  return {
    async send({ url, method, headers, body, firstByteTimeoutMs }) {
      const answer = await agent.request({
        origin: url.origin,
        path: `${url.pathname}${url.search}`,
        method,
        headers,
        body,
        signal,
        headersTimeout: firstByteTimeoutMs ?? 0,
      })
      return { status: answer.statusCode, headers: flat(answer.headers), body: answer.body }
    },
    certificateExpiresAt: () => null,
    abort: () => void signal.emit('abort'),
    end: () => {},
  }
}

const flat = (headers: IncomingHttpHeaders): Record<string, string> => {
  const flattened: Record<string, string> = {}
  for (const [name, value = ''] of Object.entries(headers)) {
    flattened[name] = typeof value === 'string' ? value : value.join(', ')
  }
  return flattened
}

type Open = (target: {
  host: string
  port: number
  secureContext: SecureContext | null
}) => Promise<net.Socket>

const connector =
  (context: OutboundContext, open: Open): buildConnector.connector =>
  (options, done) => {
    const isSecure = options.protocol === 'https:'
    open({
      host: options.hostname.replace(/^\[|\]$/g, ''),
      port: options.port ? Number(options.port) : isSecure ? 443 : 80,
      secureContext: isSecure ? context.secureContext : null,
    }).then(
      (socket) => done(null, socket as TLSSocket),
      (error: Error) => done(error, null),
    )
  }
