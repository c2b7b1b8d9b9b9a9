/** News as a text message: at most two segments, and the link is never cut. */
import { type MessageContext, manageUrlOf } from './context.ts'
import { oneLine } from './mail.ts'
import type { News } from './news.ts'
import { renderText, valuesOf } from './template.ts'
import { truncated } from './truncate.ts'

/** Two segments of 153 septets; in UCS-2 two of 67 units. */
const MAX_GSM = 306
const MAX_UCS2 = 134
/** Of a text; what follows is cut in either alphabet. */
const MAX_READ = 2 * MAX_GSM

/** GSM 03.38; those of the second row take two septets. */
const BASIC =
  '@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !"#¤%&\'()*+,-./0123456789:;<=>?¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà'
const EXTENDED = '\f^{}\\[~]|€'
const basic: ReadonlySet<string> = new Set(BASIC)
const extended: ReadonlySet<string> = new Set(EXTENDED)

/** What typewriters have for what typographers write: one such sign would halve the room. */
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

export const newsText = (news: News, context: MessageContext): string => {
  const { messageTemplate, organizationName, language } = context
  const link = news.url ?? manageUrlOf(context) ?? ''
  if (messageTemplate !== null) {
    return smsText(renderText(messageTemplate, valuesOf(news), oneLine), '')
  }
  const { headline, title, message } = news
  const about = message === '' ? title : `${title}. ${message}`
  return smsText(oneLine(`[${organizationName}] ${language.titled(headline, about)}`), link)
}

/** As much of the text as leaves room for the link. */
export const smsText = (text: string, link: string): string => {
  const plain = text
    .slice(0, MAX_READ)
    .replaceAll(/[“”„‘’–—…\u00a0]/g, (sign) => plainSigns[sign] ?? sign)
  const end = link === '' ? '' : ` ${link}`
  const isGsm = septetsOf(plain + end) !== null
  return isGsm ? withinSeptets(plain, end) : truncated(plain, MAX_UCS2 - end.length) + end
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

/** Null when the alphabet lacks a sign. */
const septetsOf = (text: string): number | null => {
  let septets = 0
  for (const sign of text) {
    if (!basic.has(sign) && !extended.has(sign)) return null
    septets += septetsOfSign(sign)
  }
  return septets
}
