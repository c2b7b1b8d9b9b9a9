/** Message bodies for Slack, Discord and Teams, within their limits and escaped for each. */
import { coveredUpdatesLine, type MessageContext, subscriptionReason } from './context.ts'
import { toOneLine } from './mail.ts'
import type { MessageContent } from './message-content.ts'
import { placeholderValues, renderText } from './template.ts'
import { escapeAndTruncate, truncateText } from './truncate.ts'

const slack = { header: 150, section: 3_000, field: 1_000, value: 1_900, text: 6_000 }
const discord = { title: 256, description: 4_000, name: 256, value: 1_024, username: 80 }
/** Teams limits a whole card to 28 KB. */
const teams = { title: 500, text: 6_000, value: 1_000 }

/**
 * Slack body. `text` is complete by itself, because other products with the same protocol ignore
 * blocks.
 */
export const slackBody = (
  content: MessageContent,
  context: MessageContext,
  channel: string | null | undefined,
): Buffer => {
  const own = templated(content, context, escapeSlackText)
  const text = own ?? escapeAndTruncate(textOf(content, context), slack.section, escapeSlack)
  const link = slackLink(content, context)
  const title = escapeAndTruncate(titleOf(content), slack.field, escapeSlack)
  return json({
    ...(channel ? { channel } : {}),
    text: truncateText(
      linesOf(own === null ? title : '', text, own === null ? link : ''),
      slack.text,
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
    text: { type: 'plain_text', text: truncateText(titleOf(content), slack.header), emoji: false },
  },
  {
    type: 'section',
    fields: content.facts.map(([name, value]) => ({
      type: 'mrkdwn',
      text: `*${escapeSlackText(name)}*\n${escapeAndTruncate(toOneLine(value), slack.value, escapeSlack)}`,
    })),
  },
]

const linesOf = (...lines: string[]): string => lines.filter((line) => line !== '').join('\n')

const markdown = (text: string) => ({ type: 'mrkdwn', text: truncateText(text, slack.section) })

const slackLink = ({ url, noun }: MessageContent, { language }: MessageContext): string =>
  url === null ? '' : `<${escapeSlackText(url)}|${escapeSlackText(language.view[noun])}>`

const slackEntities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' }
const escapeSlack = (sign: string): string => slackEntities[sign] ?? sign
const escapeSlackText = (text: string): string => text.replaceAll(/[&<>]/g, escapeSlack)

/** Discord body, which never mentions users, whatever the text contains. */
export const discordBody = (content: MessageContent, context: MessageContext): Buffer => {
  const fit = (text: string, max: number) =>
    escapeAndTruncate(text, max, escapeMarkdown, MARKDOWN_PIECES)
  const own = templated(content, context, escapeMarkdownText)
  return json({
    username: truncateText(toOneLine(context.senderName), discord.username),
    allowed_mentions: { parse: [] },
    embeds: [
      {
        ...(own === null ? { title: fit(titleOf(content), discord.title) } : {}),
        ...(content.url === null ? {} : { url: content.url }),
        description:
          own === null
            ? fit(textOf(content, context), discord.description)
            : truncateText(own, discord.description),
        color: Number.parseInt(content.colour.slice(1), 16),
        timestamp: content.occurredAt.toISOString(),
        fields:
          own === null
            ? content.facts.map(([name, value]) => ({
                name: fit(name, discord.name),
                value: fit(toOneLine(value), discord.value),
                inline: value.length <= INLINE_CHARACTERS,
              }))
            : [],
      },
    ],
  })
}

/** Maximum length of a fact shown inline. */
const INLINE_CHARACTERS = 30

const teamsTitle = { type: 'TextBlock', size: 'Large', weight: 'Bolder', wrap: true }

export const teamsBody = (content: MessageContent, context: MessageContext): Buffer => {
  const fit = (text: string, max: number) =>
    escapeAndTruncate(text, max, escapeMarkdown, MARKDOWN_PIECES)
  const own = templated(content, context, escapeMarkdownText)
  const text =
    own === null ? fit(textOf(content, context), teams.text) : truncateText(own, teams.text)
  const facts = content.facts.map(([title, value]) => ({
    title: fit(title, teams.value),
    value: fit(toOneLine(value), teams.value),
  }))
  const card = {
    $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
    type: 'AdaptiveCard',
    version: '1.4',
    msteams: { width: 'Full' },
    body: [
      ...(own === null ? [{ ...teamsTitle, text: fit(titleOf(content), teams.title) }] : []),
      ...(own === null ? [{ type: 'FactSet', facts }] : []),
      ...(text === '' ? [] : [{ type: 'TextBlock', wrap: true, text }]),
    ],
    actions:
      content.url === null
        ? []
        : [
            {
              type: 'Action.OpenUrl',
              title: context.language.view[content.noun],
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

/** Backslashes are parsed before any markup. A link that cannot contain markup stays whole. */
const MARKDOWN_PIECES = /https?:\/\/[\w\-./?=&%#:~+,;]+|./gsu
const escapeMarkdown = (piece: string): string =>
  /^[\\*_~`|>#[\]()<@{}!+-]$/.test(piece) ? `\\${piece}` : piece
const MARKDOWN_SIGNS = /https?:\/\/[\w\-./?=&%#:~+,;]+|[\\*_~`|>#[\]()<@{}!+-]/gu
const escapeMarkdownText = (text: string): string => text.replaceAll(MARKDOWN_SIGNS, escapeMarkdown)

const titleOf = ({ summary }: MessageContent): string => toOneLine(summary)

const textOf = ({ message }: MessageContent, context: MessageContext): string =>
  [message, coveredUpdatesLine(context)].filter((line) => line !== null && line !== '').join('\n\n')

const templated = (
  content: MessageContent,
  { messageTemplate }: MessageContext,
  escapeText: (text: string) => string,
): string | null =>
  messageTemplate === null
    ? null
    : renderText(messageTemplate, placeholderValues(content), escapeText)

const json = (value: object): Buffer => Buffer.from(JSON.stringify(value))
