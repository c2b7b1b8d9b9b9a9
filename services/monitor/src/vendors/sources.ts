/**
 * Addresses of a vendor's page: its key, under which all organizations share one poll, and the
 * documents that may hold its status. Pure.
 */

const STATUSPAGE_SUMMARY = '/api/v2/summary.json'
const statuspageFile = /\/api\/v2\/[\w/-]+\.json$/
/** Path of a document for programs, at which no other document is searched. */
const documentPath = /(?:\.(?:json|rss|atom|xml)|\/(?:rss|atom|feed))$/i

/** Canonical address of the page: spellings of one page have one key. */
export const vendorPageKey = (url: string): string => {
  const page = new URL(url)
  page.hash = ''
  page.pathname = page.pathname.replace(statuspageFile, '/').replace(/\/+$/, '')
  return page.href
}

/** Documents of the page in the order of the attempts. */
export const vendorSources = (key: string): string[] => {
  const { pathname } = new URL(key)
  if (documentPath.test(pathname)) return [key]
  const summary = new URL(key)
  summary.pathname = pathname.replace(/\/+$/, '') + STATUSPAGE_SUMMARY
  return [summary.href, key]
}
