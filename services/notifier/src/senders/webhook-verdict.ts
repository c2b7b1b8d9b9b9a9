/** The outcome table of a webhook: what its answer means. */
import type { OutboundAnswer } from '@status-page/outbound'
import type { Verdict } from '../deliveries/rules.ts'

/** Statuses that refuse this payload rather than the endpoint. */
const refusedPayload: ReadonlySet<number> = new Set([400, 409, 413, 415, 422])

export const webhookVerdict = (answer: OutboundAnswer, now: Date): Verdict => {
  if (!answer.ok) {
    if (answer.error === 'blocked') return { class: 'blocked' }
    // An endless answer after a status is no answer: the receiver is at fault, not the payload.
    const outcome = answer.error === 'too_large' ? 'protocol_error' : answer.error
    return { class: 'endpoint', outcome, statusCode: null }
  }
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

/** Seconds or an HTTP date (RFC 9110, 10.2.3); anything else is ignored. */
export const retryAfterMsOf = (value: string | undefined, now: Date): number | undefined => {
  if (value === undefined) return undefined
  if (/^\d{1,9}$/.test(value)) return Number(value) * 1000
  const at = Date.parse(value)
  return Number.isNaN(at) ? undefined : Math.max(0, at - now.getTime())
}
