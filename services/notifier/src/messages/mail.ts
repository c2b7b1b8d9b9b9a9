/** Content of a mail, and the texts in it. */
import { linkUrls } from '@status-page/html'

export interface MailContent {
  subject: string
  text: string
  html: string
  /** Headers in addition to those of every mail. */
  headers: Readonly<Record<string, string>>
  /** Calendar entry to add or to cancel. */
  calendar?: CalendarPart | null
}

export interface CalendarPart {
  method: 'PUBLISH' | 'CANCEL'
  /** Calendar entry in the iCalendar format (RFC 5545). */
  content: string
}

/**
 * One pass per entity: a callback per character took three times as long on texts with many of
 * them.
 */
export const escapeHtml = (text: string): string =>
  text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;')

/** Escapes the text and adds line breaks and links. */
export const htmlParagraphs = (text: string): string =>
  linkUrls(text).toString().replaceAll('\n', '<br>')

/** Subject with the state first, so that lists of mails show it. */
export const mailSubject = (
  { headline, title }: { headline: string; title: string },
  senderName: string,
): string => toOneLine(`[${headline}] ${title} - ${senderName}`)

export const toOneLine = (text: string): string => text.replace(/[\p{Cc}\u2028\u2029]+/gu, ' ')
