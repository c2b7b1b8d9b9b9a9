/**
 * Hosts that may receive a certificate: a proxy with on-demand TLS queries them before it orders
 * one, so that no foreign name uses up the rate limit of the certificate authority. The response
 * reveals no more than DNS and certificate transparency logs do.
 */
import type { FastifyInstance } from 'fastify'
import type { CustomDomains } from './custom-domains.ts'

/** Path of the query, with the parameter `domain` as Caddy's `ask` sends it. */
export const CERTIFICATE_HOSTS_PATH = '/certificate-hosts'

/** Maximum length of a host name (RFC 1035), with a final dot. */
const MAX_HOST_LENGTH = 254

export const registerCertificateHosts = (
  fastify: FastifyInstance,
  { domains, baseUrl }: { domains: Pick<CustomDomains, 'targetOf'>; baseUrl: string },
): void => {
  const ownHost = new URL(baseUrl).hostname
  fastify.get<{ Querystring: { domain?: unknown } }>(
    CERTIFICATE_HOSTS_PATH,
    async ({ query }, reply) => {
      const { domain } = query
      const isHost = typeof domain === 'string' && domain.length <= MAX_HOST_LENGTH
      const isServed = isHost && (domain === ownHost || domains.targetOf(domain) !== null)
      return reply.code(isServed ? 200 : 404).send({ domain: isHost ? domain : null, isServed })
    },
  )
}
