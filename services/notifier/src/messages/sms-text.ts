/** Text messages about events: at most two segments, and the link is never truncated. */
import { type MessageContext, manageUrlOf } from './context.ts'
import { isolateDirection } from './facts.ts'
import { toOneLine } from './mail.ts'
import type { MessageContent } from './message-content.ts'
import { plainMessage } from './message-text.ts'
import { plainPlaceholderValues, renderText } from './template.ts'
import { truncateText } from './truncate.ts'

/** Maximum length of a text message: two segments of 153 septets; in UCS-2 two of 67 units. */
const MAX_GSM = 306
const MAX_UCS2 = 134
/** Maximum length of the organization's name before a maintenance window. */
const MAX_SENDER = 40
/** Maximum length of input; more is truncated in either alphabet. */
const MAX_READ = 2 * MAX_GSM

/** Characters of the GSM alphabet (GSM 03.38); those of EXTENDED take two septets. */
const BASIC =
  '@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !"#¤%&\'()*+,-./0123456789:;<=>?¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà'
const EXTENDED = '\f^{}\\[~]|€'
const basic: ReadonlySet<string> = new Set(BASIC)
const extended: ReadonlySet<string> = new Set(EXTENDED)

/** ASCII replacements of typographic characters, any of which would halve the room. */
const plainSigns: Readonly<Record<string, string>> = {
  '“': '"',
  '”': '"',
  '„': '"',
  '‘': "'",
  '’': "'",
  '–': '-',
  '—': '-',
  '…': '...',
  '\u00a0': ' ',
}

export const eventText = (content: MessageContent, context: MessageContext): string => {
  const { messageTemplate } = context
  if (messageTemplate !== null) return templatedText(content, messageTemplate)
  const link = content.url ?? manageUrlOf(context) ?? ''
  const message = plainMessage(content)
  const about = message === '' ? content.title : `${content.title}. ${message}`
  const textOf = (lead: string, end: string) =>
    smsText(toOneLine(context.language.titled(lead, about)), end)
  const lead = leadOf(content, context)
  const text = textOf(lead, link)
  if (text.includes(smsText(content.window ?? content.headline, ''))) return text
  // A maintenance message needs its window more than its link, others the link more than a sender.
  return content.window === null ? textOf(content.headline, link) : textOf(lead, '')
}

/**
 * Organization, headline and maintenance window; they precede the title, so that no title truncates
 * them.
 */
const leadOf = (
  { headline, window }: MessageContent,
  { senderName, language }: MessageContext,
): string => {
  if (window === null) return `[${senderName}] ${headline}`
  const sender = truncateText(senderName, MAX_SENDER)
  const when = language.direction === 'rtl' ? isolateDirection(window) : window
  return `[${sender}] ${headline} ${when}`
}

/**
 * Text of the channel's template, followed by the link where the template has none or would
 * truncate it.
 */
const templatedText = (content: MessageContent, template: string): string => {
  const values = plainPlaceholderValues(content)
  const { url } = values
  const own = renderText(template, values, toOneLine)
  const text = smsText(own, '')
  if (url === '' || text.includes(url)) return text
  const words = own.includes(url) ? renderText(template, { ...values, url: '' }, toOneLine) : own
  return smsText(words, url)
}

/** Truncates the text to leave room for the link. */
export const smsText = (text: string, link: string): string => {
  const plain = text
    .slice(0, MAX_READ)
    .replaceAll(/[“”„‘’–—…\u00a0]/g, (sign) => plainSigns[sign] ?? sign)
  const end = link === '' ? '' : ` ${link}`
  const isGsm = septetsOf(plain + end) !== null
  return isGsm ? withinSeptets(plain, end) : truncateText(plain, MAX_UCS2 - end.length) + end
}

const ELLIPSIS = '...'

const withinSeptets = (text: string, end: string): string => {
  const room = MAX_GSM - (septetsOf(end) ?? 0)
  if ((septetsOf(text) ?? 0) <= room) return text + end
  let used = ELLIPSIS.length
  let length = 0
  for (const sign of text) {
    used += septetsOfSign(sign)
    if (used > room) break
    length += sign.length
  }
  return text.slice(0, length) + ELLIPSIS + end
}

const septetsOfSign = (sign: string): number => (extended.has(sign) ? 2 : 1)

/** Number of septets; null when the alphabet lacks a character. */
const septetsOf = (text: string): number | null => {
  let septets = 0
  for (const sign of text) {
    if (!basic.has(sign) && !extended.has(sign)) return null
    septets += septetsOfSign(sign)
  }
  return septets
}
