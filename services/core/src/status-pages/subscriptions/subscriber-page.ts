/**
 * Personal page of a subscriber, addressed by a secret link, in the layout and language of its
 * status page. It is not cached, sends no referrer and has no script.
 */
import type { Locale } from '@status-page/contracts'
import {
  contentSecurityPolicy,
  html,
  type Markup,
  pageStyleSheet,
  type RenderedHtml,
  standalonePage,
  trustedMarkup,
} from '@status-page/html'
import { documentLanguage } from '@status-page/html/texts'
import type { StatusPageRow } from '../../tables.ts'
import { pageNameOrLogo } from '../html/layout/layout.ts'
import { pageUrls } from '../html/layout/urls.ts'

export interface PageSubscriber {
  /** Null for a subscription to no page or to several. */
  page: StatusPageRow | null
  /** Language of the page, otherwise of the browser. */
  locale: Locale
  baseUrl: string
}

const headers = {
  'cache-control': 'no-store',
  'referrer-policy': 'no-referrer',
  'x-robots-tag': 'noindex',
}

export const subscriberPage = (
  reader: PageSubscriber,
  title: string,
  content: Markup,
): RenderedHtml => {
  const { page, locale, baseUrl } = reader
  if (page === null) return withHeaders(standalonePage(documentLanguage(locale), title, content))
  const style = pageStyleSheet(page.theme)
  const { url } = pageUrls(page, {}, baseUrl)
  const name = pageNameOrLogo(page)
  const body = html`<!doctype html>
<html lang="${locale}" dir="${documentLanguage(locale).direction}" data-mode="${page.theme.mode}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1">
<meta name="robots" content="noindex">
<title>${title} – ${page.name}</title>
<style>${trustedMarkup(style)}</style>
</head>
<body class="slim">
<header><div class="w"><h1>${page.isPublished ? html`<a href="${url('')}">${name}</a>` : name}</h1></div></header>
<main class="w"><div class="card form"><h2>${title}</h2>
${content}</div></main>
</body>
</html>
`
  return withHeaders({
    body: body.toString(),
    headers: {
      'content-security-policy': contentSecurityPolicy(style),
      'content-language': locale,
    },
  })
}

const withHeaders = ({ body, headers: own }: RenderedHtml): RenderedHtml => ({
  body,
  headers: { ...own, ...headers },
})
