/** Webhook sender: a signed request with the same bytes on every attempt, at most 15 s in total. */
import type { Outbound } from '@status-page/outbound'
import { signatureHeaders } from '@status-page/secrets'
import { sendRequest } from './http.ts'
import { channelOfType, type OutgoingMessage, type Sender } from './sender.ts'
import { webhookResult } from './webhook-result.ts'

export const webhookSender = (outbound: Outbound, userAgent: string): Sender => ({
  hasTransport: () => true,
  async send(message) {
    const channel = channelOfType(message, 'webhook')
    const response = await sendRequest(outbound, {
      url: channel?.config.url ?? message.address,
      method: channel?.config.method ?? 'POST',
      headers: webhookRequestHeaders(message, userAgent, new Date()),
      body: bodyOf(message),
      pool: 'webhook',
    })
    return webhookResult(response, new Date())
  },
})

const bodyOf = (message: OutgoingMessage): Buffer => {
  if (message.body === null) throw new Error('a webhook without a body')
  return message.body
}

/**
 * Request headers. A channel may set its own content type and user agent, but not our id, time and
 * numbers.
 */
export const webhookRequestHeaders = (
  message: OutgoingMessage,
  userAgent: string,
  now: Date,
): Record<string, string> => {
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
    ...lowered(channelOfType(message, 'webhook')?.config.headers ?? {}),
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    'x-event-sequence': String(message.sequence),
    'x-delivery-attempt': String(message.attempt),
    ...signatures,
  }
}

const lowered = (headers: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
