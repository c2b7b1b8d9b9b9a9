/**
 * URLs of a page's own links: below `/status/{slug}`, or at the root of its custom domain. The
 * gateway states which of the two was requested, and only for active domains.
 */

import { imagePath, type Locale } from '@status-page/contracts'
import type { StatusPageRow } from '../../../tables.ts'
import { ownImage } from '../../../uploads/rules.ts'
import {
  dataUrl,
  isOnCustomDomain,
  type LinkHeaders,
  pageUrl,
  withoutSlash,
} from '../../settings/links.ts'

export interface PagePaths {
  /** Path of a part of the page, `''` for the page itself. */
  path(part: string): string
  /** Path of a part of the page in a language of the visitor's choice. */
  inLocale(part: string, locale: Locale): string
  /** Path of machine-readable data. */
  data(part: string): string
}

export interface PageUrls extends PagePaths {
  /** Public URL of a part of the page. */
  url(part: string): string
  /** URL of an image; that of an upload is local. */
  image(url: string): string
  /** Path of the event stream of a document; null for documents without one. */
  eventStream(part: string): string | null
}

const LIVE_PARTS = /^(?:|\/(?:incidents|maintenances)\/[^/]+)$/

/** `chosen`: locale that the visitor chose by a link; the links of the page keep it. */
export const pagePaths = (
  slug: string,
  headers: LinkHeaders,
  baseUrl: string,
  chosen?: Locale | undefined,
): PagePaths => {
  // Encoded, because an unknown slug is user input: dots and slashes would lead elsewhere.
  const encodedSlug = encodeURIComponent(slug)
  const { pathname } = new URL(baseUrl)
  const below = isOnCustomDomain(headers) ? '' : pageUrl(pathname, encodedSlug)
  const data = dataUrl(pathname, encodedSlug)
  const pathOf = (part: string) => `${below}${part}` || '/'
  return {
    path: (part) => inLocale(pathOf(part), chosen),
    inLocale: (part, locale) => inLocale(pathOf(part), locale),
    data: (part) => `${data}${part}`,
  }
}

/** URL of a part of a page in the given locale. */
export const inLocale = (url: string, locale: Locale | undefined): string =>
  locale === undefined ? url : `${url}${url.includes('?') ? '&' : '?'}locale=${locale}`

export const pageUrls = (
  page: StatusPageRow,
  headers: LinkHeaders,
  baseUrl: string,
  chosen?: Locale | undefined,
): PageUrls => {
  const { slug, customDomain, customDomainStatus } = page
  const isOwn = customDomainStatus === 'active'
  const main = isOwn ? `${new URL(baseUrl).protocol}//${customDomain}` : pageUrl(baseUrl, slug)
  const paths = pagePaths(slug, headers, baseUrl, chosen)
  return {
    ...paths,
    image: (url) => {
      const upload = ownImage(url, baseUrl)
      return upload === null
        ? url
        : `${withoutSlash(new URL(baseUrl).pathname)}${imagePath(upload)}`
    },
    eventStream: (part) => (LIVE_PARTS.test(part) ? paths.path(`${part}/live`) : null),
    url: (part) => (part === '' && isOwn ? `${main}/` : `${main}${part}`),
  }
}
