/** What a mail says, and the HTML around it: one column, readable in light and dark. */

export interface MailContent {
  subject: string
  text: string
  html: string
  /** Beyond those that every mail carries. */
  headers: Readonly<Record<string, string>>
}

export interface MailFrame {
  /** Above the headline, and the sender's name. */
  organizationName: string
  headline: string
  /** Of the bar beside the headline. */
  colour: string
  title: string
  /** Markup already; texts in it are escaped. */
  content: string
  footer: string
}

export const frame = (mail: MailFrame): string => `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark"><title>${escapeHtml(mail.title)}</title></head>
<body style="margin:0;padding:24px;font:16px/1.5 system-ui,sans-serif">
<div style="max-width:560px;margin:0 auto">
<p style="margin:0;opacity:.7">${escapeHtml(mail.organizationName)}</p>
<h1 style="margin:4px 0 16px;font-size:22px;line-height:1.3;border-left:4px solid ${mail.colour};padding-left:12px">${escapeHtml(mail.headline)}</h1>
${mail.content}
<p style="margin-top:32px;font-size:13px;opacity:.7">${mail.footer}</p>
</div></body></html>`

const entities: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

export const escapeHtml = (text: string): string =>
  text.replace(/[&<>"']/g, (sign) => entities[sign] ?? sign)

/** Escaped first, then line breaks and links, so that nothing of the text becomes markup. */
export const paragraphs = (text: string): string =>
  escapeHtml(text)
    .replace(
      /\bhttps?:\/\/[^\s<>"']+/g,
      (url) => `<a href="${url}" rel="noopener nofollow ugc">${url}</a>`,
    )
    .replaceAll('\n', '<br>')

export const oneLine = (text: string): string => text.replace(/[\p{Cc}\u2028\u2029]+/gu, ' ')

export const utc = (at: Date): string => `${at.toISOString().slice(0, 16).replace('T', ' ')} UTC`
