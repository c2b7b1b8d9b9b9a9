/** Discord channels: a webhook. */
import { noTheme, stateColour } from '@status-page/html'
import { discordMarkdown } from '@status-page/markdown'
import type { MessageContext } from '../messages/context.ts'
import { toOneLine } from '../messages/mail.ts'
import type { MessageContent } from '../messages/message-content.ts'
import { truncateText } from '../messages/truncate.ts'
import { type ChatProduct, chatChannel, type ReceivedResponse, retryAfterHeaderMs } from './chat.ts'
import { chatMarkdown, fitMarkdown, json, templated, textOf, titleOf } from './chat-message.ts'

const limits = { title: 256, description: 4_000, name: 256, value: 1_024, username: 80 }

const markup = chatMarkdown(discordMarkdown, limits.description)

export const discordProduct: ChatProduct<'discord'> = {
  type: 'discord',
  // Without `wait`, a message that was not saved returns no error.
  urlOf(webhookUrl) {
    const url = new URL(webhookUrl)
    url.searchParams.set('wait', 'true')
    return url.href
  },
  // Ten thousand of these responses within ten minutes would ban our address.
  isWebhookDeleted: ({ status }) => [401, 403, 404].includes(status),
  retryAfterMs: (response, now) => secondsIn(response) ?? retryAfterHeaderMs(response, now),
  bodyOf: (content, context) => discordBody(content, context),
}

export const discord = chatChannel(discordProduct)

/** `retry_after` of a JSON response: seconds with a fraction. */
const secondsIn = ({ body }: ReceivedResponse): number | undefined => {
  try {
    const { retry_after: seconds } = JSON.parse(body.toString()) as { retry_after?: unknown }
    return typeof seconds === 'number' && seconds >= 0 ? Math.ceil(seconds * 1000) : undefined
  } catch {
    return undefined
  }
}

/** Discord body, which never mentions users, whatever the text contains. */
export const discordBody = (content: MessageContent, context: MessageContext): Buffer => {
  const own = templated(content, context, markup)
  return json({
    username: truncateText(toOneLine(context.senderName), limits.username),
    allowed_mentions: { parse: [] },
    embeds: [
      {
        ...(own === null ? { title: fitMarkdown(titleOf(content), limits.title) } : {}),
        ...(content.url === null ? {} : { url: content.url }),
        description:
          own === null ? textOf(content, context, markup) : truncateText(own, limits.description),
        color: Number.parseInt(
          stateColour(context.appearance?.theme ?? noTheme, content.colourStatus).slice(1),
          16,
        ),
        timestamp: content.occurredAt.toISOString(),
        fields:
          own === null
            ? content.facts.map(([name, value]) => ({
                name: fitMarkdown(name, limits.name),
                value: fitMarkdown(toOneLine(value), limits.value),
                inline: value.length <= INLINE_CHARACTERS,
              }))
            : [],
      },
    ],
  })
}

/** Maximum length of a fact shown inline. */
const INLINE_CHARACTERS = 30
