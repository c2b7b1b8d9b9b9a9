/**
 * Where a page's own links lead: below `/status/{slug}`, or at the root of the page's own domain. Which of
 * the two a visitor looks at is what the gateway says, and only for a domain that is active.
 */
import { dataUrl, isOnOwnDomain, type LinkHeaders, pageUrl } from '../status-pages/links.ts'
import type { StatusPageRow } from '../tables.ts'

export interface Paths {
  /** Path of a part of the page, `''` for the page itself. */
  path(part: string): string
  /** Path of what programs read. */
  data(part: string): string
}

export interface PageUrls extends Paths {
  /** The address by which the world is to know a part of the page. */
  url(part: string): string
  /** Where changes of a part are told, for those that have such a path. */
  live(part: string): string | null
}

const TOLD_OF = /^(?:|\/(?:incidents|maintenances)\/[^/]+)$/

export const pathsOf = (slug: string, headers: LinkHeaders, baseUrl: string): Paths => {
  // A slug that nobody has is what a stranger typed: with dots and slashes it would lead elsewhere.
  const typed = encodeURIComponent(slug)
  const { pathname } = new URL(baseUrl)
  const below = isOnOwnDomain(headers) ? '' : pageUrl(pathname, typed)
  const data = dataUrl(pathname, typed)
  return { path: (part) => `${below}${part}` || '/', data: (part) => `${data}${part}` }
}

export const placeOf = (page: StatusPageRow, headers: LinkHeaders, baseUrl: string): PageUrls => {
  const { slug, customDomain, customDomainStatus } = page
  const isOwn = customDomainStatus === 'active'
  const main = isOwn ? `${new URL(baseUrl).protocol}//${customDomain}` : pageUrl(baseUrl, slug)
  const paths = pathsOf(slug, headers, baseUrl)
  return {
    ...paths,
    live: (part) => (TOLD_OF.test(part) ? paths.path(`${part}/live`) : null),
    url: (part) => (part === '' && isOwn ? `${main}/` : `${main}${part}`),
  }
}
