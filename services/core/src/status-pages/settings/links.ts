/** URLs of public pages, built from BASE_URL and never from a request. */
import { type FeedFormat, PAGE_DOMAIN_HEADER } from '@status-page/contracts'

export const pageUrl = (baseUrl: string, slug: string): string =>
  `${withoutSlash(baseUrl)}/status/${slug}`

export const incidentUrl = (baseUrl: string, slug: string, id: string): string =>
  `${pageUrl(baseUrl, slug)}/incidents/${id}`

export const maintenanceUrl = (baseUrl: string, slug: string, id: string): string =>
  `${pageUrl(baseUrl, slug)}/maintenances/${id}`

export const feedUrl = (
  baseUrl: string,
  slug: string,
  { format, componentId }: { format: FeedFormat; componentId?: string | undefined },
): string => {
  const about = componentId === undefined ? '' : `&componentId=${componentId}`
  return `${dataUrl(baseUrl, slug)}/feed?format=${format}${about}`
}

/** URL of a page's machine-readable data. */
export const dataUrl = (baseUrl: string, slug: string): string =>
  `${withoutSlash(baseUrl)}/api/v1/public/status/${slug}`

export type LinkHeaders = Readonly<Record<string, string | string[] | undefined>>

export const isOnCustomDomain = (headers: LinkHeaders): boolean =>
  headers[PAGE_DOMAIN_HEADER] !== undefined

export const withoutSlash = (url: string): string => url.replace(/\/+$/, '')
