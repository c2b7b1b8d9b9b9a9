/** Message of an event as plain text and as HTML; its marks are those of `@status-page/markdown`. */
import { messageHtml, messagePlainText } from '@status-page/markdown'
import { LRUCache } from 'lru-cache'
import type { MessageContent } from './content-fields.ts'
import { escapeHtml, htmlParagraphs } from './mail.ts'
import { escapeAndTruncateBytes, truncateBytes } from './truncate.ts'

/**
 * Maximum size of a message in each part of a mail. Both parts together stay below 102 kB, above
 * which Gmail hides the rest of a mail.
 */
const MAX_MAIL_BYTES = 32 * 1024

/**
 * Renderings of recent messages: thousands of subscribers receive the same one, and a rendering
 * takes up to 10 ms.
 */
const renderings = new LRUCache<string, { text: string; html: string }>({
  max: 32,
  memoMethod: (message) => ({ text: messagePlainText(message), html: messageHtml(message) }),
})

type Message = Pick<MessageContent, 'message' | 'isMarkdown'>

/** Returns the message without marks. */
export const plainMessage = ({ message, isMarkdown }: Message): string =>
  isMarkdown ? renderings.memo(message).text : message

export const mailMessageText = (content: Message): string =>
  truncateBytes(plainMessage(content), MAX_MAIL_BYTES)

/** Returns the HTML of the message; one that is too long is truncated without its marks. */
export const mailMessageHtml = (content: Message): string => {
  const { message, isMarkdown } = content
  if (isMarkdown) {
    const html = `<div dir="auto" style="text-align:start">${renderings.memo(message).html}</div>`
    if (isWithinMail(html)) return html
  }
  const text = plainMessage(content)
  const html = plainTextHtml(text)
  return isWithinMail(html)
    ? html
    : `<p dir="auto" style="text-align:start">${escapeAndTruncateBytes(text, MAX_MAIL_BYTES, escapeLines)}</p>`
}

const isWithinMail = (html: string): boolean => Buffer.byteLength(html) <= MAX_MAIL_BYTES

/** Returns a paragraph with the line breaks and the links of a plain text. */
export const plainTextHtml = (text: string): string =>
  `<p dir="auto" style="text-align:start">${htmlParagraphs(text)}</p>`

const escapeLines = (text: string): string => escapeHtml(text).replaceAll('\n', '<br>')
