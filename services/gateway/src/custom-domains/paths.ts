/** Paths of a custom domain: it serves its page and nothing else of this installation. Pure. */

/** Path without a route. */
const UNKNOWN_PATH = '/unroutable'

export const pathOnCustomDomain = (url: string, slug: string): string => {
  const [path = '/', ...query] = url.split('?')
  const target = pathOnPage(path, slug)
  return query.length === 0 ? target : `${target}?${query.join('?')}`
}

const pathOnPage = (path: string, slug: string): string => {
  const page = `/status/${slug}`
  const data = `/api/v1/public/status/${slug}`
  if (path === '/') return page
  if (path === '/favicon.ico') return `${page}/favicon.svg`
  if (path.startsWith('/api/v2/')) return `${data}${path}`
  const isOwnPath = [page, data].some((start) => path === start || path.startsWith(`${start}/`))
  if (isOwnPath || sharedPaths.some((start) => path.startsWith(start))) return path
  const isReserved = reservedPaths.some((start) => path === start || path.startsWith(`${start}/`))
  return isReserved ? UNKNOWN_PATH : `${page}${path}`
}

/** Paths that are the same on every domain; core checks the organization of an upload. */
const sharedPaths = ['/subscriptions/', '/uploads/']

/** Paths of the installation that are unknown on a custom domain. */
const reservedPaths = [
  '/api',
  '/status',
  '/dashboard',
  '/health',
  '/readyz',
  '/metrics',
  '/certificate-hosts',
]
