/** Webhooks: a signed request with the same bytes on every attempt, at most 15 s in total. */
import { channelSecrets } from '@status-page/contracts'
import { checkHeaders, type Outbound, type OutboundResult } from '@status-page/outbound'
import { signatureHeaders } from '@status-page/secrets'
import { confirmationBody } from '../messages/confirmation.ts'
import { placeholderValues, renderBody } from '../messages/template.ts'
import { templateIssues } from '../messages/template-limits.ts'
import { webhookBody } from '../messages/webhook-body.ts'
import {
  type ChannelKind,
  channelOfType,
  HOUR_MS,
  type OutgoingMessage,
  type RenderInput,
  type Sender,
} from './channel.ts'
import { originLabelOf, resultWithoutResponse, retryAfterMsOf, sendRequest } from './http.ts'
import type { SendResult } from './send-result.ts'

export const webhook: ChannelKind<'webhook'> = {
  secrets: channelSecrets.webhook,
  sentSecrets: { target: 'url', fields: ['headers'] },
  targetOf: ({ url }) => ({ kind: 'url', field: 'url', url }),
  issuesOf({ headers, bodyTemplate }) {
    const verdict = checkHeaders(headers)
    return [
      ...(verdict.ok ? [] : [{ field: 'headers', message: `headers ${verdict.message}` }]),
      ...templateIssues('bodyTemplate', bodyTemplate),
    ]
  },
  recipientFormat: null,
  operatorTransport: null,
  worker: {
    name: 'webhook',
    batch: 1_024,
    maxWaitMs: 5_000,
    queues: {
      maxInFlight: 128,
      maxPerHost: 32,
      maxSlow: 256,
      maxSlowPerHost: 64,
      slowAfterMs: 100,
    },
  },
  lifetimeMs: 72 * HOUR_MS,
  labelOf: originLabelOf,
  render: (input) => ({ body: renderWebhook(input) }),
  renderConfirmation: (request, context) => ({ body: confirmationBody(request, context) }),
  createSender: ({ outbound, userAgent }) => webhookSender(outbound, userAgent),
}

const renderWebhook = ({ event, content, config }: RenderInput<'webhook'>): Buffer => {
  const template = config?.bodyTemplate ?? null
  return template === null
    ? webhookBody(event)
    : Buffer.from(renderBody(template, placeholderValues(content)))
}

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
