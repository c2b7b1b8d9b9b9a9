/**
 * Grafana: `POST /api/ds/query`, for any of its data sources. A query that is a JSON object is sent
 * as the query of that source; other text is sent as `expr`, for Prometheus and Loki.
 */
import {
  baseUrlOf,
  isRecord,
  type MetricReading,
  type Platform,
  type PlatformQuery,
  type PlatformSeries,
  type Point,
  queryTimeRange,
  stepSecondsOf,
} from './platform.ts'

const REF_ID = 'A'
const SECOND_MS = 1000
const MAX_DATA_POINTS = 100
const FIRST_ERROR_STATUS = 400

export const grafana: Platform<'grafana'> = {
  targetField: 'url',

  origin: baseUrlOf,

  credentials: ({ token }) => ({ authorization: `Bearer ${token}` }),

  trial: ({ datasourceUid }) => ({
    method: 'GET',
    path: `/api/datasources/uid/${datasourceUid}/health`,
  }),

  readTrial: (body) => (isRecord(body) && body.status === 'OK' ? null : 'bad_answer'),

  ask({ datasourceUid }, question) {
    const { fromMs, toMs } = queryTimeRange(question)
    const query = {
      ...modelOf(question),
      refId: REF_ID,
      datasource: { uid: datasourceUid },
      intervalMs: stepSecondsOf(question) * SECOND_MS,
      maxDataPoints: MAX_DATA_POINTS,
    }
    const body = { queries: [query], from: String(Math.floor(fromMs)), to: String(toMs) }
    return { method: 'POST', path: '/api/ds/query', body }
  },

  read(body): MetricReading {
    if (!isRecord(body) || !isRecord(body.results)) return null
    const result = body.results[REF_ID]
    if (!isRecord(result)) return null
    const isRefused = typeof result.status === 'number' && result.status >= FIRST_ERROR_STATUS
    if (isRefused || result.error !== undefined) return { fault: 'query_error' }
    if (result.frames !== undefined && !Array.isArray(result.frames)) return null
    const frames = (result.frames ?? []).map(seriesOfFrame)
    return frames.includes(null) ? null : { series: (frames as PlatformSeries[][]).flat() }
  },
}

const modelOf = ({ query, aggregation }: PlatformQuery): object => {
  const isRange = aggregation !== 'last'
  const text = { expr: query, instant: !isRange, range: isRange }
  if (!query.startsWith('{')) return text
  try {
    const model: unknown = JSON.parse(query)
    return isRecord(model) ? model : text
  } catch {
    // A selector such as `{job="api"}` begins like a JSON object.
    return text
  }
}

/** Series of a frame: one per numeric column, over the time column. */
const seriesOfFrame = (frame: unknown): PlatformSeries[] | null => {
  if (!isRecord(frame) || !isRecord(frame.schema) || !isRecord(frame.data)) return null
  const { fields } = frame.schema
  const { values } = frame.data
  if (!Array.isArray(fields) || !Array.isArray(values)) return null
  const typeOf = (index: number): unknown => fields[index]?.type
  const times: unknown = values.find((_column, index) => typeOf(index) === 'time')
  const numbers = values.filter((_column, index) => typeOf(index) === 'number')
  if (!numbers.every(Array.isArray)) return null
  return numbers.map((column) => pointsOf(column, Array.isArray(times) ? times : []))
}

const pointsOf = (column: readonly unknown[], times: readonly unknown[]): Point[] =>
  column.map((value, index) => {
    const time = times[index]
    return {
      atMs: typeof time === 'number' ? time : index,
      value: typeof value === 'number' ? value : Number.NaN,
    }
  })
