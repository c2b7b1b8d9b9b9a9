/** Outcome table of webhook responses. */
import type { OutboundResult } from '@status-page/outbound'
import type { SendResult } from '../deliveries/rules.ts'
import { resultWithoutResponse, retryAfterMsOf } from './http.ts'

/** Statuses that refuse this payload rather than the endpoint. */
const refusedPayload: ReadonlySet<number> = new Set([400, 409, 413, 415, 422])

export const webhookResult = (response: OutboundResult, now: Date): SendResult => {
  if (!response.ok) return resultWithoutResponse(response)
  const { status: statusCode } = response
  if (statusCode >= 200 && statusCode < 300) return { class: 'delivered', statusCode }
  if (statusCode === 410) {
    return { class: 'gone', outcome: 'rejected', statusCode, suppressionReason: 'endpoint_gone' }
  }
  if (refusedPayload.has(statusCode)) return { class: 'event', outcome: 'rejected', statusCode }
  const mayRetryAfter = statusCode === 429 || statusCode === 503
  const retryAfterMs = mayRetryAfter
    ? retryAfterMsOf(response.headers['retry-after'], now)
    : undefined
  return {
    class: 'endpoint',
    outcome: statusCode === 429 ? 'rate_limited' : 'rejected',
    statusCode,
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  }
}
