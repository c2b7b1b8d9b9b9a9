/** Senders for Slack, Discord and Teams: one POST each, with an outcome table per product. */
import type { ChannelType } from '@status-page/contracts'
import type { Outbound, OutboundResult } from '@status-page/outbound'
import type { SendResult } from '../deliveries/rules.ts'
import { resultWithoutResponse, retryAfterMsOf, sendRequest } from './http.ts'
import { requireChannel, type Sender } from './sender.ts'

type ChatType = Extract<ChannelType, 'slack' | 'discord' | 'teams'>
type ReceivedResponse = Extract<OutboundResult, { ok: true }>

interface Chat {
  /** URL to which a message is posted. */
  urlOf(webhookUrl: string): string
  /** True when the webhook will never work again. */
  isWebhookDeleted(response: ReceivedResponse): boolean
  /** Delay requested by a 429, in ms. */
  retryAfterMs(response: ReceivedResponse, now: Date): number | undefined
}

/**
 * Slack's error codes for a webhook that no longer exists, and the other known ones; none repeats
 * the message.
 */
const slackGoneErrors: ReadonlySet<string> = new Set([
  'action_prohibited',
  'invalid_token',
  'no_service',
  'no_service_id',
  'no_team',
  'team_disabled',
  'no_active_hooks',
  'channel_not_found',
  'channel_is_archived',
])
const slackErrors: ReadonlySet<string> = new Set([
  ...slackGoneErrors,
  'invalid_payload',
  'invalid_blocks',
  'no_text',
  'user_not_found',
  'rollup_error',
  'posting_to_general_channel_denied',
  'too_many_attachments',
  'missing_text_or_fallback',
])
const MAX_ERROR_BYTES = 64

const errorCodeOf = ({ body }: ReceivedResponse): string =>
  body.subarray(0, MAX_ERROR_BYTES).toString().trim()

const retryAfterHeaderMs = (response: ReceivedResponse, now: Date) =>
  retryAfterMsOf(response.headers['retry-after'], now)

const chats: Record<ChatType, Chat> = {
  slack: {
    urlOf: (webhookUrl) => webhookUrl,
    isWebhookDeleted: (response) =>
      [403, 404, 410].includes(response.status) && slackGoneErrors.has(errorCodeOf(response)),
    retryAfterMs: retryAfterHeaderMs,
  },
  discord: {
    // Without `wait`, a message that was not saved returns no error.
    urlOf(webhookUrl) {
      const url = new URL(webhookUrl)
      url.searchParams.set('wait', 'true')
      return url.href
    },
    // Ten thousand of these responses within ten minutes would ban our address.
    isWebhookDeleted: ({ status }) => [401, 403, 404].includes(status),
    retryAfterMs: (response, now) => secondsIn(response) ?? retryAfterHeaderMs(response, now),
  },
  teams: {
    urlOf: (webhookUrl) => webhookUrl,
    isWebhookDeleted: ({ status }) => [404, 410].includes(status),
    retryAfterMs: retryAfterHeaderMs,
  },
}

export const chatSender = (outbound: Outbound, type: ChatType, userAgent: string): Sender => ({
  hasTransport: () => true,
  async send(message) {
    if (message.body === null) throw new Error('a chat message without a body')
    const { config } = requireChannel(message, type)
    const response = await sendRequest(outbound, {
      url: chats[type].urlOf(config.webhookUrl),
      method: 'POST',
      headers: { 'content-type': 'application/json; charset=utf-8', 'user-agent': userAgent },
      body: message.body,
      pool: type,
    })
    return chatResult(type, response, new Date())
  },
})

export const chatResult = (type: ChatType, response: OutboundResult, now: Date): SendResult => {
  if (!response.ok) return resultWithoutResponse(response)
  const { status: statusCode } = response
  if (statusCode >= 200 && statusCode < 300) return { class: 'delivered', statusCode }
  const chat = chats[type]
  const details = { statusCode, ...detailOf(type, response) }
  if (chat.isWebhookDeleted(response)) {
    return { class: 'gone', outcome: 'rejected', suppressionReason: 'endpoint_gone', ...details }
  }
  if (statusCode === 400 || statusCode === 413) {
    return { class: 'event', outcome: 'rejected', ...details }
  }
  if (statusCode !== 429) return { class: 'endpoint', outcome: 'rejected', ...details }
  const retryAfterMs = chat.retryAfterMs(response, now)
  return {
    class: 'endpoint',
    outcome: 'rate_limited',
    ...details,
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  }
}

/** One of Slack's known error codes; any other text of the response is dropped. */
const detailOf = (type: ChatType, response: ReceivedResponse): { detail?: string } => {
  const code = errorCodeOf(response)
  return type === 'slack' && slackErrors.has(code) ? { detail: code } : {}
}

/** `retry_after` of a JSON response: seconds with a fraction. */
const secondsIn = ({ body }: ReceivedResponse): number | undefined => {
  try {
    const { retry_after: seconds } = JSON.parse(body.toString()) as { retry_after?: unknown }
    return typeof seconds === 'number' && seconds >= 0 ? Math.ceil(seconds * 1000) : undefined
  } catch {
    return undefined
  }
}
