/** Parts of messages that the chats share: title, text, template and escaped Markdown. */
import { type MarkupDialect, renderMessage } from '@status-page/markdown'
import { coveredUpdatesLine, type MessageContext } from '../messages/context.ts'
import { toOneLine } from '../messages/mail.ts'
import type { MessageContent } from '../messages/message-content.ts'
import { plainMessage } from '../messages/message-text.ts'
import { plainPlaceholderValues, renderText } from '../messages/template.ts'
import { escapeAndTruncate } from '../messages/truncate.ts'

/** Markdown of the text, escaped and truncated to the length. */
export const fitMarkdown = (text: string, max: number): string =>
  escapeAndTruncate(text, max, escapeMarkdown, MARKDOWN_PIECES)

/** Backslashes are parsed before any markup. A link that cannot contain markup stays whole. */
const MARKDOWN_PIECES = /https?:\/\/[\w\-./?=&%#:~+,;]+|./gsu
const escapeMarkdown = (piece: string): string =>
  /^[\\*_~`|>#[\]()<@{}!+-]$/.test(piece) ? `\\${piece}` : piece
const MARKDOWN_SIGNS = /https?:\/\/[\w\-./?=&%#:~+,;]+|[\\*_~`|>#[\]()<@{}!+-]/gu
export const escapeMarkdownText = (text: string): string =>
  text.replaceAll(MARKDOWN_SIGNS, escapeMarkdown)

export const titleOf = ({ summary }: MessageContent): string => toOneLine(summary)

/** Markup of a chat, and the maximum length of a text in it. */
export interface ChatMarkup {
  dialect: MarkupDialect
  escape(text: string): string
  escapeAndTruncate(text: string, max: number): string
  max: number
}

export const chatMarkdown = (dialect: MarkupDialect, max: number): ChatMarkup => ({
  dialect,
  escape: escapeMarkdownText,
  escapeAndTruncate: fitMarkdown,
  max,
})

/**
 * Message and number of covered updates. A message that is too long is truncated without its
 * marks, because a mark without its end would be shown as text.
 */
export const textOf = (
  content: MessageContent,
  context: MessageContext,
  markup: ChatMarkup,
): string => {
  const covered = coveredUpdatesLine(context)
  const message = renderedMessage(content, markup)
  if (message !== null) {
    const text = paragraphs(message, covered === null ? null : markup.escape(covered))
    if (text.length <= markup.max) return text
  }
  return markup.escapeAndTruncate(paragraphs(plainMessage(content), covered), markup.max)
}

const paragraphs = (...texts: (string | null)[]): string =>
  texts.filter((text) => text !== null && text !== '').join('\n\n')

/** Message with its marks; null for a plain text. */
const renderedMessage = (
  { message, isMarkdown }: MessageContent,
  { dialect }: ChatMarkup,
): string | null => (isMarkdown ? renderMessage(message, dialect) : null)

/** Text of the channel's template, whose message has no marks if it would be too long with them. */
export const templated = (
  content: MessageContent,
  { messageTemplate }: MessageContext,
  markup: ChatMarkup,
): string | null => {
  if (messageTemplate === null) return null
  const values = plainPlaceholderValues(content)
  const message = renderedMessage(content, markup)
  if (message !== null) {
    const text = renderText(messageTemplate, values, markup.escape, { message })
    if (text.length <= markup.max) return text
  }
  return renderText(messageTemplate, values, markup.escape)
}

export const json = (value: object): Buffer => Buffer.from(JSON.stringify(value))
