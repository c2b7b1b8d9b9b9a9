/**
 * New Relic: NRQL through NerdGraph. GraphQL errors come with status 200 and `errors`. A result row
 * is an object with one value next to times and facets, under any key.
 */
import {
  isRecord,
  type MetricReading,
  type Platform,
  type PlatformQuery,
  type Point,
  queryTimeRange,
} from './platform.ts'

const SECOND_MS = 1000
/** Timeout of NRQL, shorter than the outbound timeout, so that the platform reports it. */
const NRQL_TIMEOUT_SECONDS = 25

const ORIGINS = {
  US: 'https://api.newrelic.com',
  EU: 'https://api.eu.newrelic.com',
} as const

const NRQL_QUERY = `query ($account: Int!, $nrql: Nrql!) {
  actor { account(id: $account) { nrql(query: $nrql, timeout: ${NRQL_TIMEOUT_SECONDS}) { results } } }
}`
const ACCOUNT_QUERY = 'query ($account: Int!) { actor { account(id: $account) { id } } }'

export const newrelic: Platform<'newrelic'> = {
  targetField: 'region',

  origin: ({ region }) => ORIGINS[region],

  credentials: ({ apiKey }) => ({ 'api-key': apiKey }),

  trial: ({ accountId }) => ({
    method: 'POST',
    path: '/graphql',
    body: { query: ACCOUNT_QUERY, variables: { account: accountId } },
  }),

  readTrial(body) {
    const account = accountIn(body)
    if (account === null) return 'bad_answer'
    return account === 'refused' ? 'auth_failed' : null
  },

  ask({ accountId }, question) {
    const variables = { account: accountId, nrql: nrqlOf(question) }
    return { method: 'POST', path: '/graphql', body: { query: NRQL_QUERY, variables } }
  },

  read(body, question): MetricReading {
    const account = accountIn(body)
    if (account === null) return null
    if (account === 'refused') return { fault: 'query_error' }
    const { nrql } = account
    if (!isRecord(nrql) || !Array.isArray(nrql.results) || !nrql.results.every(isRecord))
      return null
    return readRows(nrql.results, question)
  },
}

const accountIn = (body: unknown): Record<string, unknown> | 'refused' | null => {
  if (!isRecord(body)) return null
  if (Array.isArray(body.errors) && body.errors.length > 0) return 'refused'
  const { data } = body
  if (!isRecord(data) || !isRecord(data.actor)) return null
  const { account } = data.actor
  return account === null ? 'refused' : isRecord(account) ? account : null
}

/** Adds the time range; a query without one covers an hour. */
const nrqlOf = (question: PlatformQuery): string => {
  if (/\bsince\b/i.test(question.query)) return question.query
  const { fromMs, toMs } = queryTimeRange(question)
  return `${question.query} SINCE ${Math.ceil((toMs - fromMs) / SECOND_MS)} seconds ago`
}

const readRows = (
  rows: readonly Record<string, unknown>[],
  { nowMs }: PlatformQuery,
): MetricReading => {
  const byFacet = Map.groupBy(rows, ({ facet }) => JSON.stringify(facet ?? null))
  const series: Point[][] = []
  for (const some of byFacet.values()) {
    const names = new Set(
      some.flatMap((row) => Object.keys(row).filter((name) => isFigure(row, name))),
    )
    for (const name of names.size === 0 ? [''] : names) {
      series.push(some.map((row) => ({ atMs: timeOf(row) ?? nowMs, value: figureIn(row[name]) })))
    }
  }
  return { series }
}

const TIMES = ['beginTimeSeconds', 'endTimeSeconds', 'timestamp']

const isFigure = (row: Record<string, unknown>, name: string): boolean =>
  !TIMES.includes(name) && name !== 'facet' && Number.isFinite(figureIn(row[name]))

/** Value of a row; `percentile(duration, 95)` is an object with one value. */
const figureIn = (value: unknown): number => {
  if (typeof value === 'number') return value
  const inner = isRecord(value) ? Object.values(value) : []
  return inner.length === 1 && typeof inner[0] === 'number' ? inner[0] : Number.NaN
}

const timeOf = ({ endTimeSeconds, timestamp }: Record<string, unknown>): number | null =>
  typeof endTimeSeconds === 'number'
    ? endTimeSeconds * SECOND_MS
    : typeof timestamp === 'number'
      ? timestamp
      : null
