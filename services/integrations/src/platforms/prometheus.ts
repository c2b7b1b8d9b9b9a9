/**
 * Prometheus and servers with its HTTP API (Thanos, Mimir, VictoriaMetrics): `/api/v1/query` for
 * the last value, `/api/v1/query_range` for other aggregations. Values are text, so that they may
 * be NaN.
 */
import {
  baseUrlOf,
  isRecord,
  type MetricReading,
  numberFromJson,
  type Platform,
  type Point,
  queryTimeRange,
  stepSecondsOf,
} from './platform.ts'

const SECOND_MS = 1000

export const prometheus: Platform<'prometheus'> = {
  targetField: 'url',

  findProblem({ username, password, bearerToken }) {
    if (password != null && username == null) {
      return { field: 'username', problem: 'requires a password' }
    }
    return bearerToken != null && username != null
      ? { field: 'bearerToken', problem: 'and username are mutually exclusive' }
      : null
  },

  origin: baseUrlOf,

  credentials({ username, password, bearerToken }) {
    if (bearerToken !== null) return { authorization: `Bearer ${bearerToken}` }
    if (username === null) return {}
    const pair = Buffer.from(`${username}:${password ?? ''}`).toString('base64')
    return { authorization: `Basic ${pair}` }
  },

  trial: () => ({ method: 'GET', path: '/api/v1/query?query=1' }),

  readTrial: (body) => (isRecord(body) && body.status === 'success' ? null : 'bad_answer'),

  ask(_config, question) {
    const { fromMs, toMs } = queryTimeRange(question)
    const end = String(toMs / SECOND_MS)
    if (question.aggregation === 'last') {
      const query = new URLSearchParams({ query: question.query, time: end })
      return { method: 'GET', path: `/api/v1/query?${query}` }
    }
    const step = String(stepSecondsOf(question))
    const range = { query: question.query, start: String(fromMs / SECOND_MS), end, step }
    return { method: 'GET', path: `/api/v1/query_range?${new URLSearchParams(range)}` }
  },

  read: (body) => readData(body),
}

const readData = (body: unknown): MetricReading => {
  if (!isRecord(body)) return null
  if (body.status === 'error') return { fault: 'query_error' }
  const { data } = body
  if (body.status !== 'success' || !isRecord(data)) return null
  if (data.resultType === 'scalar') return seriesOf([[data.result]])
  if (data.resultType === 'string') return { fault: 'query_error' }
  if (!Array.isArray(data.result)) return null
  return seriesOf(
    data.result.map((one) => {
      if (!isRecord(one)) return null
      return data.resultType === 'vector' ? [one.value] : one.values
    }),
  )
}

const seriesOf = (lists: readonly unknown[]): MetricReading => {
  const series: Point[][] = []
  for (const list of lists) {
    if (!Array.isArray(list)) return null
    const points = list.map(pointOf)
    if (points.includes(null)) return null
    series.push(points as Point[])
  }
  return { series }
}

/** `[seconds, "value"]`; Prometheus writes `+Inf` where JavaScript reads Infinity. */
const pointOf = (pair: unknown): Point | null => {
  if (!Array.isArray(pair) || typeof pair[0] !== 'number' || typeof pair[1] !== 'string')
    return null
  return { atMs: pair[0] * SECOND_MS, value: numberFromJson(pair[1]) }
}
