/** Webhooks: a signed POST of the same bytes on every attempt, fifteen seconds in all. */
import type { Outbound } from '@status-page/outbound'
import { signatureHeaders } from '@status-page/secrets'
import type { Message, Send } from './sender.ts'
import { webhookVerdict } from './webhook-verdict.ts'

const TIMEOUT_MS = 15_000
const CONNECT_TIMEOUT_MS = 5_000
const FIRST_BYTE_TIMEOUT_MS = 10_000
const MAX_ANSWER_BYTES = 16 * 1024

export const webhookSender =
  (outbound: Outbound, userAgent: string): Send =>
  async (message) => {
    const answer = await outbound.request({
      url: message.address,
      method: 'POST',
      headers: headersOf(message, userAgent, new Date()),
      body: bodyOf(message),
      timeoutMs: TIMEOUT_MS,
      connectTimeoutMs: CONNECT_TIMEOUT_MS,
      firstByteTimeoutMs: FIRST_BYTE_TIMEOUT_MS,
      maxBodyBytes: MAX_ANSWER_BYTES,
      pool: 'webhook',
    })
    return webhookVerdict(answer, new Date())
  }

const bodyOf = (message: Message): Buffer => {
  if (message.body === null) throw new Error('a webhook without a body')
  return message.body
}

export const headersOf = (message: Message, userAgent: string, now: Date) => {
  const id = `evt_${message.eventId}`
  const timestamp = Math.floor(now.getTime() / 1000)
  const signatures =
    message.secret === null
      ? {}
      : signatureHeaders(
          { current: message.secret, previous: message.previousSecret },
          { id, timestamp, body: bodyOf(message) },
        )
  return {
    'content-type': 'application/json; charset=utf-8',
    'user-agent': userAgent,
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    'x-event-sequence': String(message.sequence),
    'x-delivery-attempt': String(message.attempt),
    ...signatures,
  }
}
