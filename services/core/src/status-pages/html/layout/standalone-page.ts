/**
 * Documents for visitors without access and for unknown pages. They contain nothing of a page, not
 * even its name or language; the language is the browser's.
 */
import type { Locale } from '@status-page/contracts'
import { html, type Markup, trustedMarkup } from '../../../html.ts'
import { textsByLocale } from '../../locales/index.ts'
import { contentSecurityPolicy, type RenderedHtml } from './layout.ts'
import { pageStyleSheet } from './style.ts'
import { noTheme } from './theme.ts'

const style = pageStyleSheet(noTheme)

const headers = {
  'content-security-policy': contentSecurityPolicy(style),
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-store',
  'x-robots-tag': 'noindex',
}

/** First language of the browser that has a translation. */
export const visitorLocale = (acceptLanguage: string | string[] | undefined): Locale => {
  const wanted = String(acceptLanguage ?? '')
    .toLowerCase()
    .split(',')
  const known = wanted
    .map((one) => one.trim().slice(0, 2))
    .find((one) => Object.hasOwn(textsByLocale, one))
  return (known as Locale | undefined) ?? 'en'
}

/** Document in the visitor's language, without layout of a page. */
export const standalonePage = (locale: Locale, title: string, content: Markup): RenderedHtml => {
  const { direction } = textsByLocale[locale]
  const body = html`<!doctype html>
<html lang="${locale}" dir="${direction}" data-mode="system">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1">
<meta name="robots" content="noindex">
<title>${title}</title>
<style>${trustedMarkup(style)}</style>
</head>
<body><main class="w narrow"><div class="card form"><h1>${title}</h1>${content}</div></main></body>
</html>
`
  return { body: body.toString(), headers: { ...headers, 'content-language': locale } }
}

export const notFoundPage = (locale: Locale): RenderedHtml => {
  const { unknown, unknownIntro } = textsByLocale[locale]
  return standalonePage(locale, unknown, html`<p class="q">${unknownIntro}</p>`)
}

export type AccessProblem = 'wrongPassword' | 'tooMany'

/** Password form that posts to `action`. */
export const passwordForm = (
  locale: Locale,
  action: string,
  problem: AccessProblem | null,
): RenderedHtml => {
  const texts = textsByLocale[locale]
  const isWrong = problem !== null && html` aria-invalid="true" aria-describedby="problem"`
  return standalonePage(
    locale,
    texts.closed,
    html`<p class="q">${texts.passwordIntro}</p>${problem !== null && html`<p class="note down" role="alert" id="problem">${texts[problem]}</p>`}
<form method="post" action="${action}"><label for="password">${texts.password}</label>
<div class="fld"><input id="password" name="password" type="password" autocomplete="current-password" required${isWrong}><button class="b">${texts.open}</button></div></form>`,
  )
}
