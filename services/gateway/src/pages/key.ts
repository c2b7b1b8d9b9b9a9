/** What tells two public answers apart: path, the known part of the query, Markdown, and whose domain. Pure. */
import type { Operation } from '@status-page/contracts'

export interface Question {
  /** As it goes to core, with its query. */
  path: string
  accept: string | undefined
  domain: string | undefined
}

/** An `Accept` that asks for Markdown is kept as it is; longer ones are nobody's. */
const MAX_ACCEPT = 200

export const keyOf = (operation: Operation, { path, accept, domain }: Question): string => {
  const [target = '', query = ''] = path.split('?', 2)
  const known = new Set(Object.keys(operation.query?.properties ?? {}))
  const pairs = [...new URLSearchParams(query)].filter(([name]) => known.has(name))
  const isText =
    (operation.produces ?? []).includes('text/markdown') && accept?.includes('markdown')
  const form = isText ? (accept ?? '').slice(0, MAX_ACCEPT) : ''
  const place = operation.base === 'root' ? (domain ?? '') : ''
  // JSON, because no part can then reach into its neighbour.
  return JSON.stringify([place, target, pairs.toSorted(byName), form])
}

const byName = ([left]: [string, string], [right]: [string, string]) => (left < right ? -1 : 1)
