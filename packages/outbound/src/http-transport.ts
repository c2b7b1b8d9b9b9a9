/** Transport of one HTTP request, and the keep-alive connections of named pools. */
import type net from 'node:net'
import type { SecureContext, TLSSocket } from 'node:tls'
import { Agent, type buildConnector } from 'undici'
import {
  type ConnectTimings,
  connectSocket,
  noCertificate,
  type ServerCertificate,
} from './connect.ts'
import type { OutboundPolicy } from './policy.ts'
import { ResponseCollector, type TransportResponse } from './response-collector.ts'

export interface OutboundContext {
  policy: OutboundPolicy
  secureContext: SecureContext
}

/** Request that has passed validation. */
export interface TransportRequest {
  url: URL
  method: string
  headers: Readonly<Record<string, string>>
  body: string | Buffer | null
  firstByteTimeoutMs: number | null
  maxBodyBytes: number
}

export interface HttpTransport {
  send(request: TransportRequest): Promise<TransportResponse>
  /** Certificate of a TLS connection that this transport opened. */
  certificate(): ServerCertificate
  /** Cancels the request in progress. */
  abort(): void
  /** Closes the connection that was opened for this request only. */
  end(): void
}

export interface ConnectionPools {
  transport(name: string): HttpTransport
  close(): Promise<void>
}

export const MAX_RESPONSE_HEADER_BYTES = 16 * 1024
export const POOL_CONNECT_TIMEOUT_MS = 5_000
const POOL_IDLE_MS = 10_000
const MAX_POOLS = 32

const CLIENT_OPTIONS = {
  // Multiplexing would let one tenant's response delay another's.
  allowH2: false,
  maxHeaderSize: MAX_RESPONSE_HEADER_BYTES,
  // One byte per second defeats an idle timeout; the deadline of the request covers this instead.
  bodyTimeout: 0,
  headersTimeout: 0,
}

export const emptyTimings = (): ConnectTimings => ({ dnsMs: null, connectMs: null, tlsMs: null })

/**
 * Creates pools of keep-alive connections, shared by callers of the same pool name. Addresses are
 * validated when a connection opens.
 */
export const createConnectionPools = (
  context: OutboundContext,
  connectionsPerHost: number,
): ConnectionPools => {
  const agents = new Map<string, Agent>()
  const connect = createConnector(context, (target) =>
    connectSocket(
      { ...target, timeoutMs: POOL_CONNECT_TIMEOUT_MS },
      context.policy,
      emptyTimings(),
    ),
  )
  const agentOf = (name: string): Agent => {
    const existing = agents.get(name)
    if (existing !== undefined) return existing
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
    transport: (name) => pooledTransport(agentOf(name)),
    async close() {
      const closing = [...agents.values()].map((agent) => agent.destroy())
      agents.clear()
      await Promise.all(closing)
    },
  }
}

const pooledTransport = (agent: Agent): HttpTransport => {
  let collector: ResponseCollector | null = null
  return {
    send({ url, method, headers, body, firstByteTimeoutMs, maxBodyBytes }) {
      collector = new ResponseCollector(maxBodyBytes)
      const request = {
        origin: url.origin,
        path: `${url.pathname}${url.search}`,
        method,
        headers,
        body,
        headersTimeout: firstByteTimeoutMs ?? 0,
      }
      agent.dispatch(request, collector)
      return collector.response
    },
    certificate: () => noCertificate,
    abort: () => collector?.abort(),
    end: () => {},
  }
}

type Open = (target: {
  host: string
  port: number
  secureContext: SecureContext | null
}) => Promise<net.Socket>

const createConnector =
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
