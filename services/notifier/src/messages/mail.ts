/** Content of a mail and the HTML frame around it: one column, readable in light and dark mode. */

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

export interface MailFrame {
  /** Sender's name, also shown above the headline. */
  senderName: string
  headline: string
  /** Colour of the bar at the top. */
  colour: string
  title: string
  /** HTML with escaped texts. */
  content: string
  footer: string
  language: { tag: string; direction: 'ltr' | 'rtl' }
  /** Main action, as a button below the content. */
  action?: { url: string; label: string } | null
}

/**
 * Light colours are also set as attributes, which every mail client supports; dark ones by a style
 * that most support. Without the style the attributes remain readable.
 */
const styleOf = (start: 'left' | 'right', end: 'left' | 'right') => `
body{margin:0;padding:24px 12px;background:#f3f4f6;color:#1c1e21;font:16px/1.55 system-ui,-apple-system,"Segoe UI",Roboto,sans-serif}
.card{max-width:560px;margin:0 auto;background:#fff;border-radius:10px;overflow:hidden;border:1px solid #e2e4e8}
.bar{height:6px}
.inner{padding:24px 28px}
.from{margin:0;color:#5c626b;font-size:14px}
h1{margin:4px 0 16px;text-align:${start};font-size:21px;line-height:1.3;overflow-wrap:anywhere}
p{margin:0 0 14px;text-align:${start};overflow-wrap:anywhere}
a{color:#1f5fa8}
.facts{margin:16px 0;border-collapse:collapse;width:100%;font-size:15px}
.facts th{padding:6px 0;padding-${end}:16px;text-align:${start};vertical-align:top;font-weight:400;color:#5c626b;white-space:nowrap}
.facts td{padding:6px 0;width:100%;text-align:${start};overflow-wrap:anywhere}
.action{display:inline-block;margin:4px 0 2px;padding:10px 20px;border-radius:6px;background:#1f5fa8;color:#fff;font-weight:600;text-decoration:none}
.footer{max-width:560px;margin:16px auto 0;padding:0 28px;color:#5c626b;font-size:13px}
.footer a{color:inherit}
@media (prefers-color-scheme:dark){
body{background:#131417;color:#e8eaed}
.card{background:#1e2024;border-color:#33363c}
.from,.facts th,.footer{color:#a6adb7}
a{color:#8ab8f0}
.action{background:#2f6fbd;color:#fff}
}`

export const mailFrameHtml = (mail: MailFrame): string => {
  const { tag, direction } = mail.language
  const style = direction === 'rtl' ? styleOf('right', 'left') : styleOf('left', 'right')
  return `<!doctype html>
<html lang="${tag}" dir="${direction}"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width"><meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark"><title>${escapeHtml(mail.title)}</title>
<style>${style}</style></head>
<body dir="${direction}"><div class="card"><div class="bar" style="background:${mail.colour}"></div><div class="inner">
<p class="from" dir="auto">${escapeHtml(mail.senderName)}</p>
<h1>${escapeHtml(mail.headline)}</h1>
${mail.content}
${buttonOf(mail.action ?? null)}</div></div>
<p class="footer">${mail.footer}</p></body></html>`
}

/**
 * Colours are repeated as attributes: a link without a colour is unreadable on many backgrounds.
 */
const buttonOf = (action: { url: string; label: string } | null): string =>
  action === null
    ? ''
    : `<p><a class="action" style="background:#1f5fa8;color:#ffffff" href="${escapeHtml(action.url)}">${escapeHtml(action.label)}</a></p>
`

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

/** Escapes first, then adds line breaks and links, so that no text becomes markup. */
export const htmlParagraphs = (text: string): string =>
  escapeHtml(text)
    .replace(
      /\bhttps?:\/\/[^\s<>"']+/g,
      (url) => `<a href="${url}" rel="noopener nofollow ugc">${url}</a>`,
    )
    .replaceAll('\n', '<br>')

export const toOneLine = (text: string): string => text.replace(/[\p{Cc}\u2028\u2029]+/gu, ' ')

export const formatUtc = (at: Date): string =>
  `${at.toISOString().slice(0, 16).replace('T', ' ')} UTC`
