/**
 * Queries a platform through `packages/outbound`: one deadline, a capped body, no redirects.
 * Returns a value or the kind of fault, never text of the response, which may echo credentials.
 */
import type { IntegrationType, MetricFault } from '@status-page/contracts'
import {
  type Outbound,
  type OutboundSuccess,
  parseUntrustedJson,
  StepBudget,
  StepBudgetError,
} from '@status-page/outbound'
import { aggregateSeries } from './aggregate.ts'
import { type Platforms, platforms } from './index.ts'
import type {
  DecryptedIntegration,
  MetricReading,
  Platform,
  PlatformQuery,
  PlatformRequest,
} from './platform.ts'

export const QUERY_TIMEOUT_MS = 30_000
const CONNECT_TIMEOUT_MS = 5_000
const MAX_BODY_BYTES = 1024 * 1024
/** Maximum delay that a Retry-After of a platform can impose. */
const MAX_RETRY_AFTER_MS = 3_600_000
const DEFAULT_RETRY_AFTER_MS = 60_000

export interface QueryResult {
  value: number | null
  fault: MetricFault | null
  /** Delay until the next query is allowed; null without a Retry-After. */
  retryAfterMs: number | null
  durationMs: number
}

export interface MetricsClient {
  query(integration: DecryptedIntegration, question: PlatformQuery): Promise<QueryResult>
  test(
    integration: DecryptedIntegration,
  ): Promise<{ fault: MetricFault | null; durationMs: number }>
}

export interface MetricsClientOptions {
  outbound: Outbound
  /** Platforms at other addresses and with other timeouts, for tests. */
  platforms?: Platforms
  timeoutMs?: number
}

export const createMetricsClient = (options: MetricsClientOptions): MetricsClient => {
  const exchange = exchangeWith(options)
  const platformOf = (type: IntegrationType) =>
    (options.platforms ?? platforms)[type] as Platform<IntegrationType>
  return {
    async query(integration, question) {
      const platform = platformOf(integration.type)
      const request = platform.ask(integration.config, question)
      const response = await exchange(platform, integration, request)
      if (response.fault !== null) return { ...response, value: null }
      const reading: MetricReading = platform.read(response.body, question) ?? {
        fault: 'bad_answer',
      }
      const figure =
        'fault' in reading ? reading : aggregateSeries(reading.series, question.aggregation)
      const { retryAfterMs, durationMs } = response
      return 'fault' in figure
        ? { value: null, fault: figure.fault, retryAfterMs, durationMs }
        : { value: figure.value, fault: null, retryAfterMs, durationMs }
    },

    async test(integration) {
      const platform = platformOf(integration.type)
      const request = platform.trial(integration.config)
      const { fault, body, durationMs } = await exchange(platform, integration, request)
      return { fault: fault ?? platform.readTrial(body), durationMs }
    },
  }
}

interface ExchangeResult {
  body: unknown
  fault: MetricFault | null
  retryAfterMs: number | null
  durationMs: number
}

const exchangeWith =
  ({ outbound, timeoutMs = QUERY_TIMEOUT_MS }: MetricsClientOptions) =>
  async (
    platform: Platform<IntegrationType>,
    { config }: DecryptedIntegration,
    { method, path, body }: PlatformRequest,
  ): Promise<ExchangeResult> => {
    const url = platform.origin(config) + path
    // Only `https` URLs can be stored; a row with another scheme is rejected.
    if (!url.startsWith('https://')) {
      return { body: null, fault: 'blocked', retryAfterMs: null, durationMs: 0 }
    }
    const response = await outbound.request({
      url,
      method,
      headers: {
        accept: 'application/json',
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...platform.credentials(config),
      },
      body: body === undefined ? null : JSON.stringify(body),
      timeoutMs,
      connectTimeoutMs: Math.min(CONNECT_TIMEOUT_MS, timeoutMs),
      fresh: true,
      maxBodyBytes: MAX_BODY_BYTES,
      onOverflow: 'fail',
    })
    const { durationMs } = response
    if (!response.ok) return { body: null, fault: response.error, retryAfterMs: null, durationMs }
    const fault = faultOfStatus(response.status)
    if (fault !== null)
      return { body: null, fault, retryAfterMs: retryAfterOf(response), durationMs }
    const parsed = parse(response.body)
    const bodyFault = parsed === undefined ? 'bad_answer' : null
    return { body: parsed, fault: bodyFault, retryAfterMs: null, durationMs }
  }

const statusFaults: Readonly<Record<number, MetricFault>> = {
  400: 'query_error',
  401: 'auth_failed',
  403: 'auth_failed',
  408: 'timeout',
  422: 'query_error',
  429: 'rate_limited',
  504: 'timeout',
}

const faultOfStatus = (status: number): MetricFault | null =>
  status >= 200 && status < 300 ? null : (statusFaults[status] ?? 'bad_answer')

const retryAfterOf = ({ status, headers }: OutboundSuccess): number | null => {
  if (status !== 429 && status !== 503) return null
  const text = headers['retry-after']
  if (text === undefined) return status === 429 ? DEFAULT_RETRY_AFTER_MS : null
  const waitMs = /^\d+$/.test(text) ? Number(text) * 1000 : Date.parse(text) - Date.now()
  if (Number.isNaN(waitMs)) return DEFAULT_RETRY_AFTER_MS
  return Math.min(Math.max(waitMs, 0), MAX_RETRY_AFTER_MS)
}

/** Maximum steps to parse a response, about 10 ms; a response has some hundred points at most. */
const MAX_STEPS = 5_000_000

/** Parsed body; undefined when it is not JSON or exceeds the steps. */
const parse = (body: Buffer): unknown => {
  try {
    return parseUntrustedJson(body.toString(), new StepBudget(MAX_STEPS))
  } catch (error) {
    if (error instanceof StepBudgetError) return undefined
    throw error
  }
}
