/** Cache key: path, known query parameters, Markdown or HTML, and the custom domain. Pure. */
import { type Operation, prefersMarkdown } from '@status-page/contracts'

export interface CacheRequest {
  /** Path as it is sent to core, with its query. */
  path: string
  accept: string | undefined
  domain: string | undefined
}

export const cacheKey = (operation: Operation, { path, accept, domain }: CacheRequest): string => {
  const start = path.indexOf('?')
  const [target, query] = start === -1 ? [path, ''] : [path.slice(0, start), path.slice(start + 1)]
  const known = new Set(Object.keys(operation.query?.properties ?? {}))
  const pairs = [...new URLSearchParams(query)].filter(([name]) => known.has(name))
  const isText = operation.produces?.includes('text/markdown') && prefersMarkdown(accept)
  const domainPart = operation.base === 'root' ? (domain ?? '') : ''
  // JSON, because no part can then run into the next one.
  return JSON.stringify([domainPart, target, pairs.toSorted(byName), isText])
}

const byName = ([left]: [string, string], [right]: [string, string]) => (left < right ? -1 : 1)
