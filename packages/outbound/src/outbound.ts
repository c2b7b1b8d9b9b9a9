/** The one door to the outside: what a service holds to reach hosts that others named. */
import { createSecureContext, getCACertificates } from 'node:tls'
import type { OutboundPolicy } from './policy.ts'
import { createRequester, type OutboundRequest, type OutboundResult } from './request.ts'
import { createMailer, type Mailer, type SmtpServer } from './smtp.ts'

export interface Outbound {
  /** Never throws for what a remote does, never follows a redirect. */
  request(request: OutboundRequest): Promise<OutboundResult>
  smtp(server: SmtpServer): Mailer
  /** Ends kept connections and open mailers. */
  close(): Promise<void>
}

export interface OutboundOptions {
  policy: OutboundPolicy
  /** PEM certificates trusted beside the default ones; operators set NODE_EXTRA_CA_CERTS instead. */
  extraAuthorities?: readonly string[]
  /** In each pool at once; who sends more in parallel to one host says how many. */
  connectionsPerHost?: number
}

const CONNECTIONS_PER_HOST = 4

export const createOutbound = ({
  policy,
  extraAuthorities = [],
  connectionsPerHost = CONNECTIONS_PER_HOST,
}: OutboundOptions): Outbound => {
  // One context for all: building it is most of what a handshake costs. Sessions are not resumed,
  // so that every check sees the certificate that a first visitor would.
  const secureContext = createSecureContext({
    minVersion: 'TLSv1.2',
    ...(extraAuthorities.length === 0
      ? {}
      : { ca: [...getCACertificates('default'), ...extraAuthorities] }),
  })
  const requester = createRequester({ policy, secureContext }, connectionsPerHost)
  const mailers = new Set<Mailer>()
  return {
    request: requester.request,
    smtp(server) {
      const mailer = createMailer(server, { policy, secureContext }, () => mailers.delete(mailer))
      mailers.add(mailer)
      return mailer
    },
    async close() {
      for (const mailer of mailers) mailer.close()
      await requester.close()
    },
  }
}
