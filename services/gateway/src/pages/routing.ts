/** By which domain a request came, beside the request: no header says so that a client could send. */
import type { IncomingMessage } from 'node:http'
import type { PageDomains } from './domains.ts'
import { pathOnDomain } from './own-domain.ts'

const domains = new WeakMap<IncomingMessage, string>()

export const rewriteFor =
  ({ slugOf }: Pick<PageDomains, 'slugOf'>) =>
  (request: IncomingMessage): string => {
    const { url = '/', headers } = request
    const found = slugOf(headers.host)
    if (found === null) return url
    domains.set(request, found.domain)
    return pathOnDomain(url, found.slug)
  }

export const pageDomainOf = (request: IncomingMessage): string | undefined => domains.get(request)
