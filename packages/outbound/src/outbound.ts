/** Outbound client of a service, for hosts that tenants and operators configure. */
import { createSecureContext, getCACertificates } from 'node:tls'
import { type ConnectRequest, type ConnectResult, checkConnection } from './connection-check.ts'
import { type DnsQuery, type DnsResponse, queryDns } from './dns-query.ts'
import { canPing, type PingReply, type PingRequest, ping } from './ping.ts'
import type { OutboundPolicy } from './policy.ts'
import {
  createHttpRequester,
  type OutboundFault,
  type OutboundRequest,
  type OutboundResult,
} from './request.ts'
import { createMailer, type Mailer, type SmtpServer } from './smtp.ts'

export interface Outbound {
  /** Never throws for a fault of the remote host, never follows a redirect. */
  request(request: OutboundRequest): Promise<OutboundResult>
  /** Opens one TCP or TLS connection; never throws for a fault of the remote host. */
  connect(request: ConnectRequest): Promise<ConnectResult>
  /** Sends a query to a DNS server; never throws for a fault of the remote host. */
  queryDns(query: DnsQuery): Promise<DnsResponse | OutboundFault>
  /** Sends an ICMP echo request; never throws for a fault of the remote host. */
  ping(request: PingRequest): Promise<PingReply | OutboundFault>
  /** Whether this process can send ICMP echo requests; tested once. */
  canPing(): Promise<boolean>
  smtp(server: SmtpServer): Mailer
  /** Closes keep-alive connections and open mailers. */
  close(): Promise<void>
}

export interface OutboundOptions {
  policy: OutboundPolicy
  /**
   * PEM certificates trusted in addition to the default ones; operators set NODE_EXTRA_CA_CERTS
   * instead.
   */
  extraAuthorities?: readonly string[]
  /** Maximum connections per host in each pool; higher for callers with more parallel requests. */
  connectionsPerHost?: number
}

const CONNECTIONS_PER_HOST = 4

export const createOutbound = ({
  policy,
  extraAuthorities = [],
  connectionsPerHost = CONNECTIONS_PER_HOST,
}: OutboundOptions): Outbound => {
  // One shared context: creating it dominates the cost of a handshake. Sessions are not resumed, so
  // that every check receives the certificate that a first client would.
  const secureContext = createSecureContext({
    minVersion: 'TLSv1.2',
    ...(extraAuthorities.length === 0
      ? {}
      : { ca: [...getCACertificates('default'), ...extraAuthorities] }),
  })
  const context = { policy, secureContext }
  const requester = createHttpRequester(context, connectionsPerHost)
  const mailers = new Set<Mailer>()
  let pings: Promise<boolean> | null = null
  return {
    request: requester.request,
    queryDns: (query) => queryDns(query, policy),
    ping: (request) => ping(request, policy),
    canPing() {
      pings ??= canPing()
      return pings
    },
    connect: (request) => checkConnection(request, context),
    smtp(server) {
      const mailer = createMailer(server, context, () => mailers.delete(mailer))
      mailers.add(mailer)
      return mailer
    },
    async close() {
      for (const mailer of mailers) mailer.close()
      await requester.close()
    },
  }
}
