/**
 * URLs of a page's own links: below `/status/{slug}`, or at the root of its custom domain. The
 * gateway states which of the two was requested, and only for active domains.
 */

import type { StatusPageRow } from '../../../tables.ts'
import { dataUrl, isOnCustomDomain, type LinkHeaders, pageUrl } from '../../settings/links.ts'

export interface PagePaths {
  /** Path of a part of the page, `''` for the page itself. */
  path(part: string): string
  /** Path of machine-readable data. */
  data(part: string): string
}

export interface PageUrls extends PagePaths {
  /** Public URL of a part of the page. */
  url(part: string): string
  /** Path of the event stream of a document; null for documents without one. */
  eventStream(part: string): string | null
}

const LIVE_PARTS = /^(?:|\/(?:incidents|maintenances)\/[^/]+)$/

export const pagePaths = (slug: string, headers: LinkHeaders, baseUrl: string): PagePaths => {
  // Encoded, because an unknown slug is user input: dots and slashes would lead elsewhere.
  const encodedSlug = encodeURIComponent(slug)
  const { pathname } = new URL(baseUrl)
  const below = isOnCustomDomain(headers) ? '' : pageUrl(pathname, encodedSlug)
  const data = dataUrl(pathname, encodedSlug)
  return { path: (part) => `${below}${part}` || '/', data: (part) => `${data}${part}` }
}

export const pageUrls = (page: StatusPageRow, headers: LinkHeaders, baseUrl: string): PageUrls => {
  const { slug, customDomain, customDomainStatus } = page
  const isOwn = customDomainStatus === 'active'
  const main = isOwn ? `${new URL(baseUrl).protocol}//${customDomain}` : pageUrl(baseUrl, slug)
  const paths = pagePaths(slug, headers, baseUrl)
  return {
    ...paths,
    eventStream: (part) => (LIVE_PARTS.test(part) ? paths.path(`${part}/live`) : null),
    url: (part) => (part === '' && isOwn ? `${main}/` : `${main}${part}`),
  }
}
