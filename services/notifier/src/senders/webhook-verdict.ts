/** The outcome table of a webhook: what its answer means. */
import type { OutboundResult } from '@status-page/outbound'
import type { SendResult } from '../deliveries/rules.ts'
import { retryAfterMsOf, verdictOfSilence } from './http.ts'

/** Statuses that refuse this payload rather than the endpoint. */
const refusedPayload: ReadonlySet<number> = new Set([400, 409, 413, 415, 422])

export const webhookVerdict = (answer: OutboundResult, now: Date): SendResult => {
  if (!answer.ok) return verdictOfSilence(answer)
  const { status: statusCode } = answer
  if (statusCode >= 200 && statusCode < 300) return { class: 'delivered', statusCode }
  if (statusCode === 410) {
    return { class: 'gone', outcome: 'rejected', statusCode, end: 'endpoint_gone' }
  }
  if (refusedPayload.has(statusCode)) return { class: 'event', outcome: 'rejected', statusCode }
  const asksToWait = statusCode === 429 || statusCode === 503
  const retryAfterMs = asksToWait ? retryAfterMsOf(answer.headers['retry-after'], now) : undefined
  return {
    class: 'endpoint',
    outcome: statusCode === 429 ? 'rate_limited' : 'rejected',
    statusCode,
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  }
}
