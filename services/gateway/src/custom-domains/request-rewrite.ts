/** Custom domain of a request, stored outside of its headers, so that no client can set it. */
import type { IncomingMessage } from 'node:http'
import type { CustomDomains, CustomDomainTarget } from './custom-domains.ts'
import { pathOnCustomDomain } from './paths.ts'

const targets = new WeakMap<IncomingMessage, CustomDomainTarget>()

export const createUrlRewrite =
  (domains: Pick<CustomDomains, 'targetOf'>) =>
  (request: IncomingMessage): string => {
    const { url = '/', headers } = request
    const target = domains.targetOf(headers.host)
    if (target === null) return url
    targets.set(request, target)
    return pathOnCustomDomain(url, target.slug)
  }

export const customDomainTargetOf = (request: IncomingMessage): CustomDomainTarget | null =>
  targets.get(request) ?? null

export const pageDomainOf = (request: IncomingMessage): string | undefined =>
  targets.get(request)?.domain
