/** HTTP request of a webhook or chat message: at most 15 s in total and 16 KiB of the response. */
import type { Outbound, OutboundMethod, OutboundResult } from '@status-page/outbound'
import type { SendResult } from './send-result.ts'

const TIMEOUT_MS = 15_000
const CONNECT_TIMEOUT_MS = 5_000
const FIRST_BYTE_TIMEOUT_MS = 10_000
const MAX_RESPONSE_BYTES = 16 * 1024

export interface HttpMessage {
  url: string
  method: OutboundMethod
  headers: Record<string, string>
  body: Buffer
  /** Connection pool; each type has its own. */
  pool: string
}

export const sendRequest = (outbound: Outbound, request: HttpMessage): Promise<OutboundResult> =>
  outbound.request({
    ...request,
    timeoutMs: TIMEOUT_MS,
    connectTimeoutMs: CONNECT_TIMEOUT_MS,
    firstByteTimeoutMs: FIRST_BYTE_TIMEOUT_MS,
    maxBodyBytes: MAX_RESPONSE_BYTES,
  })

/** Result of a request without a response. */
export const resultWithoutResponse = ({
  error,
}: Extract<OutboundResult, { ok: false }>): SendResult => {
  if (error === 'blocked') return { class: 'blocked' }
  // An endless response counts as none: the receiver is at fault, not the payload.
  const outcome = error === 'too_large' ? 'protocol_error' : error
  return { class: 'endpoint', outcome, statusCode: null }
}

/** Seconds or an HTTP date (RFC 9110, 10.2.3); anything else is ignored. */
export const retryAfterMsOf = (value: string | undefined, now: Date): number | undefined => {
  if (value === undefined) return undefined
  if (/^\d{1,9}$/.test(value)) return Number(value) * 1000
  const at = Date.parse(value)
  return Number.isNaN(at) ? undefined : Math.max(0, at - now.getTime())
}

/** Label of an endpoint: its origin. */
export const originLabelOf = (address: string): string =>
  URL.canParse(address) ? `${new URL(address).origin}/***` : ''
