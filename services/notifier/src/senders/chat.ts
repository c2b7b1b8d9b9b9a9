/** The three chats: one POST each, and an outcome table of each one's own words. */
import type { ChannelType } from '@status-page/contracts'
import type { Outbound, OutboundResult } from '@status-page/outbound'
import type { SendResult } from '../deliveries/rules.ts'
import { exchange, retryAfterMsOf, verdictOfSilence } from './http.ts'
import { ownChannelOf, type Sender } from './sender.ts'

type ChatType = Extract<ChannelType, 'slack' | 'discord' | 'teams'>
type Answered = Extract<OutboundResult, { ok: true }>

interface Chat {
  /** Where a message is posted to. */
  urlOf(webhookUrl: string): string
  /** Whether the webhook will never work again. */
  isGone(answer: Answered): boolean
  /** Milliseconds that a 429 asks for. */
  waitMsOf(answer: Answered, now: Date): number | undefined
}

/** Slack's own words for a webhook that is gone, and for the rest; they tell nothing of what was sent. */
const slackGone: ReadonlySet<string> = new Set([
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
const slackWords: ReadonlySet<string> = new Set([
  ...slackGone,
  'invalid_payload',
  'invalid_blocks',
  'no_text',
  'user_not_found',
  'rollup_error',
  'posting_to_general_channel_denied',
  'too_many_attachments',
  'missing_text_or_fallback',
])
const MAX_WORD_BYTES = 64

const wordOf = ({ body }: Answered): string => body.subarray(0, MAX_WORD_BYTES).toString().trim()

const headerWait = (answer: Answered, now: Date) =>
  retryAfterMsOf(answer.headers['retry-after'], now)

const chats: Record<ChatType, Chat> = {
  slack: {
    urlOf: (webhookUrl) => webhookUrl,
    isGone: (answer) => [403, 404, 410].includes(answer.status) && slackGone.has(wordOf(answer)),
    waitMsOf: headerWait,
  },
  discord: {
    // Else a message that was not saved gives no error.
    urlOf(webhookUrl) {
      const url = new URL(webhookUrl)
      url.searchParams.set('wait', 'true')
      return url.href
    },
    // Ten thousand of these in ten minutes would ban our address.
    isGone: ({ status }) => [401, 403, 404].includes(status),
    waitMsOf: (answer, now) => secondsIn(answer) ?? headerWait(answer, now),
  },
  teams: {
    urlOf: (webhookUrl) => webhookUrl,
    isGone: ({ status }) => [404, 410].includes(status),
    waitMsOf: headerWait,
  },
}

export const chatSender = (outbound: Outbound, type: ChatType, userAgent: string): Sender => ({
  hasTransport: () => true,
  async send(message) {
    if (message.body === null) throw new Error('a chat message without a body')
    const { config } = ownChannelOf(message, type)
    const answer = await exchange(outbound, {
      url: chats[type].urlOf(config.webhookUrl),
      method: 'POST',
      headers: { 'content-type': 'application/json; charset=utf-8', 'user-agent': userAgent },
      body: message.body,
      pool: type,
    })
    return chatVerdict(type, answer, new Date())
  },
})

export const chatVerdict = (type: ChatType, answer: OutboundResult, now: Date): SendResult => {
  if (!answer.ok) return verdictOfSilence(answer)
  const { status: statusCode } = answer
  if (statusCode >= 200 && statusCode < 300) return { class: 'delivered', statusCode }
  const chat = chats[type]
  const said = { statusCode, ...detailOf(type, answer) }
  if (chat.isGone(answer)) {
    return { class: 'gone', outcome: 'rejected', end: 'endpoint_gone', ...said }
  }
  if (statusCode === 400 || statusCode === 413) {
    return { class: 'event', outcome: 'rejected', ...said }
  }
  if (statusCode !== 429) return { class: 'endpoint', outcome: 'rejected', ...said }
  const retryAfterMs = chat.waitMsOf(answer, now)
  return {
    class: 'endpoint',
    outcome: 'rate_limited',
    ...said,
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  }
}

/** One word of Slack's vocabulary; whatever else a far end says stays unsaid. */
const detailOf = (type: ChatType, answer: Answered): { detail?: string } => {
  const word = wordOf(answer)
  return type === 'slack' && slackWords.has(word) ? { detail: word } : {}
}

/** `retry_after` of a JSON answer, seconds with a fraction. */
const secondsIn = ({ body }: Answered): number | undefined => {
  try {
    const { retry_after: seconds } = JSON.parse(body.toString()) as { retry_after?: unknown }
    return typeof seconds === 'number' && seconds >= 0 ? Math.ceil(seconds * 1000) : undefined
  } catch {
    return undefined
  }
}
