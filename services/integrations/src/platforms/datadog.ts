/**
 * Datadog: `GET /api/v1/query`. Sites are values of a list, so that no tenant input becomes a host.
 * The key validation endpoint checks only the API key, so that the connection test runs a query,
 * which needs both keys.
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
const TRIAL_SECONDS = 60
const TRIAL_QUERY = 'avg:datadog.agent.running{*}'

export const datadog: Platform<'datadog'> = {
  targetField: 'site',

  origin: ({ site }) => `https://api.${site}`,

  credentials: ({ apiKey, appKey }) => ({
    'dd-api-key': apiKey,
    'dd-application-key': appKey,
  }),

  trial: () =>
    request({
      query: TRIAL_QUERY,
      aggregation: 'avg',
      seconds: TRIAL_SECONDS,
      nowMs: Date.now(),
    }),

  readTrial: (body) => (isRecord(body) && Array.isArray(body.series) ? null : 'bad_answer'),

  ask: (_config, question) => request(question),

  read(body): MetricReading {
    if (!isRecord(body)) return null
    if (body.status === 'error') return { fault: 'query_error' }
    if (!Array.isArray(body.series)) return null
    const series: Point[][] = []
    for (const one of body.series) {
      const points = isRecord(one) ? pointsOf(one.pointlist) : null
      if (points === null) return null
      series.push(points)
    }
    return { series }
  },
}

const request = (question: PlatformQuery) => {
  const { fromMs, toMs } = queryTimeRange(question)
  const query = new URLSearchParams({
    from: String(Math.floor(fromMs / SECOND_MS)),
    to: String(Math.floor(toMs / SECOND_MS)),
    query: question.query,
  })
  return { method: 'GET', path: `/api/v1/query?${query}` } as const
}

/** `[milliseconds, value]`; the value is null for a missing point. */
const pointsOf = (list: unknown): Point[] | null => {
  if (!Array.isArray(list)) return null
  const points = list.map((pair) =>
    Array.isArray(pair) && typeof pair[0] === 'number'
      ? { atMs: pair[0], value: typeof pair[1] === 'number' ? pair[1] : Number.NaN }
      : null,
  )
  return points.includes(null) ? null : (points as Point[])
}
