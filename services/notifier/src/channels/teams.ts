/** Microsoft Teams channels: a webhook that receives Adaptive Cards. */
import { teamsMarkdown } from '@status-page/markdown'
import { linkLabelOf, type MessageContext } from '../messages/context.ts'
import { toOneLine } from '../messages/mail.ts'
import type { MessageContent } from '../messages/message-content.ts'
import { truncateText } from '../messages/truncate.ts'
import { type ChatProduct, chatChannel, retryAfterHeaderMs } from './chat.ts'
import { chatMarkdown, fitMarkdown, json, templated, textOf, titleOf } from './chat-message.ts'

/** Teams limits a whole card to 28 KB. */
const limits = { title: 500, text: 6_000, value: 1_000 }

const markup = chatMarkdown(teamsMarkdown, limits.text)

export const teamsProduct: ChatProduct<'teams'> = {
  type: 'teams',
  isWebhookDeleted: ({ status }) => [404, 410].includes(status),
  retryAfterMs: retryAfterHeaderMs,
  bodyOf: (content, context) => teamsBody(content, context),
}

export const teams = chatChannel(teamsProduct)

const teamsTitle = { type: 'TextBlock', size: 'Large', weight: 'Bolder', wrap: true }

export const teamsBody = (content: MessageContent, context: MessageContext): Buffer => {
  const own = templated(content, context, markup)
  const text = own === null ? textOf(content, context, markup) : truncateText(own, limits.text)
  const facts = content.facts.map(([title, value]) => ({
    title: fitMarkdown(title, limits.value),
    value: fitMarkdown(toOneLine(value), limits.value),
  }))
  const card = {
    $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
    type: 'AdaptiveCard',
    version: '1.4',
    msteams: { width: 'Full' },
    body: [
      ...(own === null
        ? [{ ...teamsTitle, text: fitMarkdown(titleOf(content), limits.title) }]
        : []),
      ...(own === null ? [{ type: 'FactSet', facts }] : []),
      ...(text === '' ? [] : [{ type: 'TextBlock', wrap: true, text }]),
    ],
    actions:
      content.url === null
        ? []
        : [
            {
              type: 'Action.OpenUrl',
              title: linkLabelOf(content, context),
              url: content.url,
            },
          ],
  }
  return json({
    type: 'message',
    attachments: [
      { contentType: 'application/vnd.microsoft.card.adaptive', contentUrl: null, content: card },
    ],
  })
}
