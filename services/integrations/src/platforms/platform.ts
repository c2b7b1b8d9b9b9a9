/**
 * What a metrics platform is to us: where it stands, how it is asked, and how its answer reads. Pure;
 * `ask.ts` does the asking, so that no platform sees a connection.
 */
import {
  type CheckError,
  type IntegrationConfigs,
  type IntegrationTestMessage,
  type IntegrationType,
  integrationTestMessages,
  type MetricAggregation,
  type MetricFault,
} from '@status-page/contracts'

/** What is wanted: one figure over the last `seconds`. */
export interface MetricQuery {
  query: string
  aggregation: MetricAggregation
  seconds: number
  nowMs: number
}

export interface PlatformRequest {
  method: 'GET' | 'POST'
  /** Below the origin, with a slash in front. */
  path: string
  body?: object
}

export interface Point {
  atMs: number
  value: number
}

export type MetricSeries = readonly Point[]

/** What a well-formed answer says; null where it is none. */
export type MetricReading = { series: readonly MetricSeries[] } | { fault: MetricFault } | null

export interface Platform<Kind extends IntegrationType> {
  /** Without a slash at the end. */
  origin(config: IntegrationConfigs[Kind]): string
  /** Request headers that say who asks. */
  credentials(config: IntegrationConfigs[Kind]): Record<string, string>
  /** Asks no more than whether the credentials are good. */
  trial(config: IntegrationConfigs[Kind]): PlatformRequest
  /** Of an answer to the trial with status 200. */
  readTrial(body: unknown): MetricFault | null
  ask(config: IntegrationConfigs[Kind], question: MetricQuery): PlatformRequest
  read(body: unknown, question: MetricQuery): MetricReading
}

/** As far back as a last value is still the present one, as Prometheus has it. */
const STALE_SECONDS = 300

/** The stretch of time that a range query is to cover; platforms lag behind by a minute or more. */
export const windowOf = ({ aggregation, seconds, nowMs }: MetricQuery) => ({
  fromMs: nowMs - Math.max(seconds, aggregation === 'last' ? STALE_SECONDS : 0) * 1000,
  toMs: nowMs,
})

/** No platform is asked for more points than these. */
const MAX_POINTS = 60

export const stepSecondsOf = (question: MetricQuery): number => {
  const { fromMs, toMs } = windowOf(question)
  return Math.max(1, Math.ceil((toMs - fromMs) / 1000 / MAX_POINTS))
}

/** Where an API stands whose URL a tenant gave: a query or a fragment of it is none of the API's. */
export const baseOf = ({ url }: { url: string }): string => {
  const { origin, pathname } = new URL(url)
  return `${origin}${pathname}`.replace(/\/+$/, '')
}

export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Numbers come as such or, where they may be NaN or infinite, as text. */
export const numberOf = (value: unknown): number =>
  typeof value === 'number'
    ? value
    : typeof value === 'string' && value.trim() !== ''
      ? Number(value)
      : Number.NaN

const checkErrorOf: Partial<Record<MetricFault, CheckError>> = {
  auth_failed: 'query_error',
  rate_limited: 'query_error',
  several_series: 'query_error',
  bad_answer: 'query_error',
  out_of_range: 'query_error',
}

/** As the checks of a component call it. */
export const checkFaultOf = (fault: MetricFault): CheckError =>
  checkErrorOf[fault] ?? (fault as CheckError)

/** As the test of an integration calls it. */
export const testMessageOf = (fault: MetricFault | null): IntegrationTestMessage =>
  fault === null ? 'ok' : (integrationTestMessages.find((one) => one === fault) ?? 'bad_answer')
