/** Slack channels, and products with the same protocol: an incoming webhook. */
import { slackMrkdwn } from '@status-page/markdown'
import { linkLabelOf, type MessageContext, subscriptionReason } from '../messages/context.ts'
import { toOneLine } from '../messages/mail.ts'
import type { MessageContent } from '../messages/message-content.ts'
import { escapeAndTruncate, truncateText } from '../messages/truncate.ts'
import { type ChatProduct, chatChannel, errorCodeOf, retryAfterHeaderMs } from './chat.ts'
import { type ChatMarkup, json, templated, textOf, titleOf } from './chat-message.ts'

const limits = { header: 150, section: 3_000, field: 1_000, value: 1_900, text: 6_000 }

/**
 * Slack's error codes for a webhook that no longer exists, and the other known ones; none repeats
 * the message.
 */
const goneErrors: ReadonlySet<string> = new Set([
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
const knownErrors: ReadonlySet<string> = new Set([
  ...goneErrors,
  'invalid_payload',
  'invalid_blocks',
  'no_text',
  'user_not_found',
  'rollup_error',
  'posting_to_general_channel_denied',
  'too_many_attachments',
  'missing_text_or_fallback',
])

export const slackProduct: ChatProduct<'slack'> = {
  type: 'slack',
  isWebhookDeleted: (response) =>
    [403, 404, 410].includes(response.status) && goneErrors.has(errorCodeOf(response)),
  retryAfterMs: retryAfterHeaderMs,
  detailOf(response) {
    const code = errorCodeOf(response)
    return knownErrors.has(code) ? code : null
  },
  bodyOf: (content, context, config) => slackBody(content, context, config?.channel),
}

export const slack = chatChannel(slackProduct)

/**
 * Slack body. `text` is complete by itself, because other products with the same protocol ignore
 * blocks.
 */
export const slackBody = (
  content: MessageContent,
  context: MessageContext,
  channel: string | null | undefined,
): Buffer => {
  const own = templated(content, context, slackMarkup)
  const text = own ?? textOf(content, context, slackMarkup)
  const link = slackLink(content, context)
  const title = escapeAndTruncate(titleOf(content), limits.field, escapeSlack)
  return json({
    ...(channel ? { channel } : {}),
    text: truncateText(
      linesOf(own === null ? title : '', text, own === null ? link : ''),
      limits.text,
    ),
    unfurl_links: false,
    blocks: [
      ...(own === null ? slackHead(content) : []),
      ...(text === '' ? [] : [{ type: 'section', text: markdown(text) }]),
      {
        type: 'context',
        elements: [markdown(linesOf(link, escapeSlackText(subscriptionReason(context))))],
      },
    ],
  })
}

const slackHead = (content: MessageContent) => [
  {
    type: 'header',
    text: { type: 'plain_text', text: truncateText(titleOf(content), limits.header), emoji: false },
  },
  {
    type: 'section',
    fields: content.facts.map(([name, value]) => ({
      type: 'mrkdwn',
      text: `*${escapeSlackText(name)}*\n${escapeAndTruncate(toOneLine(value), limits.value, escapeSlack)}`,
    })),
  },
]

const linesOf = (...lines: string[]): string => lines.filter((line) => line !== '').join('\n')

const markdown = (text: string) => ({ type: 'mrkdwn', text: truncateText(text, limits.section) })

const slackLink = (content: MessageContent, context: MessageContext): string =>
  content.url === null
    ? ''
    : `<${escapeSlackText(content.url)}|${escapeSlackText(linkLabelOf(content, context))}>`

const slackEntities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' }
const escapeSlack = (sign: string): string => slackEntities[sign] ?? sign
const escapeSlackText = (text: string): string => text.replaceAll(/[&<>]/g, escapeSlack)

const slackMarkup: ChatMarkup = {
  dialect: slackMrkdwn,
  escape: escapeSlackText,
  escapeAndTruncate: (text, max) => escapeAndTruncate(text, max, escapeSlack),
  max: limits.section,
}
