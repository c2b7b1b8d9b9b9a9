/** By which domain a request came, beside the request: no header says so that a client could send. */
import type { IncomingMessage } from 'node:http'
import type { CustomDomainTarget, PageDomains } from './custom-domains.ts'
import { pathOnDomain } from './paths.ts'

const places = new WeakMap<IncomingMessage, CustomDomainTarget>()

export const rewriteFor =
  (domains: Pick<PageDomains, 'placeOf'>) =>
  (request: IncomingMessage): string => {
    const { url = '/', headers } = request
    const place = domains.placeOf(headers.host)
    if (place === null) return url
    places.set(request, place)
    return pathOnDomain(url, place.slug)
  }

export const placeOf = (request: IncomingMessage): CustomDomainTarget | null =>
  places.get(request) ?? null

export const pageDomainOf = (request: IncomingMessage): string | undefined =>
  places.get(request)?.domain
