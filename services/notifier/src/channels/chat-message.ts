/** Parts of messages that the chats share: title, text, template and escaped Markdown. */
import { coveredUpdatesLine, type MessageContext } from '../messages/context.ts'
import { toOneLine } from '../messages/mail.ts'
import type { MessageContent } from '../messages/message-content.ts'
import { placeholderValues, renderText } from '../messages/template.ts'
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

export const textOf = ({ message }: MessageContent, context: MessageContext): string =>
  [message, coveredUpdatesLine(context)].filter((line) => line !== null && line !== '').join('\n\n')

export const templated = (
  content: MessageContent,
  { messageTemplate }: MessageContext,
  escapeText: (text: string) => string,
): string | null =>
  messageTemplate === null
    ? null
    : renderText(messageTemplate, placeholderValues(content), escapeText)

export const json = (value: object): Buffer => Buffer.from(JSON.stringify(value))
