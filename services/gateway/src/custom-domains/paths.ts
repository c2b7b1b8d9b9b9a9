/** A custom domain is its page and nothing else of this installation: which of its paths leads where. Pure. */

/** Of what the router never finds. */
const NOWHERE = '/unroutable'

export const pathOnDomain = (url: string, slug: string): string => {
  const [path = '/', ...query] = url.split('?')
  const target = targetOf(path, slug)
  return query.length === 0 ? target : `${target}?${query.join('?')}`
}

const targetOf = (path: string, slug: string): string => {
  const page = `/status/${slug}`
  const data = `/api/v1/public/status/${slug}`
  if (path === '/') return page
  if (path === '/favicon.ico') return `${page}/favicon.svg`
  if (path.startsWith('/api/v2/')) return `${data}${path}`
  const isPassedOn = [page, data].some((start) => path === start || path.startsWith(`${start}/`))
  if (isPassedOn || path.startsWith('/subscriptions/')) return path
  const isElsewhere = elsewhere.some((start) => path === start || path.startsWith(`${start}/`))
  return isElsewhere ? NOWHERE : `${page}${path}`
}

/** Paths of the installation that mean something else there. */
const elsewhere = ['/api', '/status', '/dashboard', '/health', '/readyz', '/metrics']
