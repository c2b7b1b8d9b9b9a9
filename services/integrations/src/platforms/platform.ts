/**
 * Interface of a metrics platform: origin, credentials, requests and parsing of responses. Pure;
 * the client in `metrics-client.ts` sends the requests.
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

/** Query for one value over the last `seconds`. */
export interface PlatformQuery {
  query: string
  aggregation: MetricAggregation
  seconds: number
  nowMs: number
}

export interface PlatformRequest {
  method: 'GET' | 'POST'
  /** Path below the origin, with a leading slash. */
  path: string
  body?: object
}

export interface Point {
  atMs: number
  value: number
}

export type PlatformSeries = readonly Point[]

/** Parsed response; null when it is malformed. */
export type MetricReading = { series: readonly PlatformSeries[] } | { fault: MetricFault } | null

/** Integration of one kind with its decrypted config. */
export type DecryptedIntegration = {
  [Kind in IntegrationType]: { id: string; type: Kind; config: IntegrationConfigs[Kind] }
}[IntegrationType]

/** Problem of a field of a config. */
export interface PlatformConfigIssue {
  field: string
  problem: string
}

export interface Platform<Kind extends IntegrationType> {
  /** Field that determines where secrets are sent; a change of it requires the secrets again. */
  targetField: keyof IntegrationConfigs[Kind] & string
  /** Validates fields that depend on each other; absent when none do. */
  findProblem?(config: IntegrationConfigs[Kind]): PlatformConfigIssue | null
  /** Origin without a trailing slash. */
  origin(config: IntegrationConfigs[Kind]): string
  /** Request headers with the credentials. */
  credentials(config: IntegrationConfigs[Kind]): Record<string, string>
  /** Request that tests the credentials. */
  trial(config: IntegrationConfigs[Kind]): PlatformRequest
  /** Fault in a response to the test with status 200; null when the credentials are valid. */
  readTrial(body: unknown): MetricFault | null
  ask(config: IntegrationConfigs[Kind], question: PlatformQuery): PlatformRequest
  read(body: unknown, question: PlatformQuery): MetricReading
}

/** Maximum age of a last value, equal to Prometheus's staleness. */
const STALE_SECONDS = 300

/** Time range of a query; platforms lag behind by a minute or more. */
export const queryTimeRange = ({ aggregation, seconds, nowMs }: PlatformQuery) => ({
  fromMs: nowMs - Math.max(seconds, aggregation === 'last' ? STALE_SECONDS : 0) * 1000,
  toMs: nowMs,
})

/** Maximum points of a range query. */
const MAX_POINTS = 60

export const stepSecondsOf = (question: PlatformQuery): number => {
  const { fromMs, toMs } = queryTimeRange(question)
  return Math.max(1, Math.ceil((toMs - fromMs) / 1000 / MAX_POINTS))
}

/** Returns a tenant's URL without query and fragment. */
export const baseUrlOf = ({ url }: { url: string }): string => {
  const { origin, pathname } = new URL(url)
  return `${origin}${pathname}`.replace(/\/+$/, '')
}

export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Returns the number; platforms write NaN and infinities as texts. */
export const numberFromJson = (value: unknown): number =>
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

/** Returns the error code of checks for a fault of a metric query. */
export const checkFaultOf = (fault: MetricFault): CheckError =>
  checkErrorOf[fault] ?? (fault as CheckError)

/** Returns the message code of connection tests for a fault of a metric query. */
export const testMessageOf = (fault: MetricFault | null): IntegrationTestMessage =>
  fault === null ? 'ok' : (integrationTestMessages.find((one) => one === fault) ?? 'bad_answer')
