/** Addresses of public pages; built from BASE_URL, never from a request. */

export const pageUrl = (baseUrl: string, slug: string): string =>
  `${withoutSlash(baseUrl)}/status/${slug}`

export const incidentUrl = (baseUrl: string, slug: string, id: string): string =>
  `${pageUrl(baseUrl, slug)}/incidents/${id}`

export const maintenanceUrl = (baseUrl: string, slug: string, id: string): string =>
  `${pageUrl(baseUrl, slug)}/maintenances/${id}`

export const feedUrl = (baseUrl: string, slug: string, format: string): string =>
  `${withoutSlash(baseUrl)}/api/v1/public/status/${slug}/feed?format=${format}`

const withoutSlash = (url: string): string => url.replace(/\/+$/, '')
