/** Document of a single card, without the layout of a status page, in the language of the visitor. */
import type { Locale } from '@status-page/contracts'
import { contentSecurityPolicy } from './content-security-policy.ts'
import { html, type Markup, trustedMarkup } from './markup.ts'
import type { RenderedHtml } from './reply.ts'
import { pageStyleSheet } from './style.ts'
import { noTheme } from './theme.ts'

/** Language and text direction of a document. */
export interface DocumentLanguage {
  locale: Locale
  direction: 'ltr' | 'rtl'
}

const style = pageStyleSheet(noTheme)

const headers = {
  'content-security-policy': contentSecurityPolicy(style),
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-store',
  'x-robots-tag': 'noindex',
}

/** Without an icon, browsers request `/favicon.ico` of the origin. */
export const standalonePage = (
  { locale, direction }: DocumentLanguage,
  title: string,
  content: Markup,
  icon: string | null = null,
): RenderedHtml => {
  const body = html`<!doctype html>
<html lang="${locale}" dir="${direction}" data-mode="system">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1">
<meta name="robots" content="noindex">
<title>${title}</title>
${icon !== null && html`<link rel="icon" href="${icon}">`}
<style>${trustedMarkup(style)}</style>
</head>
<body><main class="w narrow"><div class="card form"><h1>${title}</h1>${content}</div></main></body>
</html>
`
  return { body: body.toString(), headers: { ...headers, 'content-language': locale } }
}
