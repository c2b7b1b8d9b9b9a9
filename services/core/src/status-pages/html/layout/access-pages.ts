/**
 * Documents for visitors without access and for unknown pages. They contain nothing of a page, not
 * even its name or language; the language is the browser's.
 */
import type { Locale } from '@status-page/contracts'
import { html, type RenderedHtml, standalonePage } from '@status-page/html'
import { documentLanguage, textsByLocale } from '@status-page/html/texts'

export const notFoundPage = (locale: Locale): RenderedHtml => {
  const { unknown, unknownIntro } = textsByLocale[locale].statusPage
  return standalonePage(documentLanguage(locale), unknown, html`<p class="q">${unknownIntro}</p>`)
}

export type AccessProblem = 'wrongPassword' | 'tooMany'

/** Password form that posts to `action`. */
export const passwordForm = (
  locale: Locale,
  action: string,
  problem: AccessProblem | null,
): RenderedHtml => {
  const texts = textsByLocale[locale].statusPage
  const isWrong = problem !== null && html` aria-invalid="true" aria-describedby="problem"`
  return standalonePage(
    documentLanguage(locale),
    texts.closed,
    html`<p class="q">${texts.passwordIntro}</p>${problem !== null && html`<p class="note down" role="alert" id="problem">${texts[problem]}</p>`}
<form method="post" action="${action}"><label for="password">${texts.password}</label>
<div class="fld"><input id="password" name="password" type="password" autocomplete="current-password" required${isWrong}><button class="b">${texts.open}</button></div></form>`,
  )
}
