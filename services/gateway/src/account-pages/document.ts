/** Documents of the account pages, in the style of a status page and without scripts. */
import { AppError } from '@status-page/contracts'
import {
  html,
  htmlReply,
  type Markup,
  type MarkupValue,
  redirectTo,
  standalonePage,
} from '@status-page/html'
import { documentLanguage } from '@status-page/html/texts'
import type { RawReply } from '@status-page/service'
import { FAVICON_PATH } from '../edge/service-icon.ts'
import type { FormRefusal } from './form-refusal.ts'
import type { AccountVisitor } from './visitor.ts'

const headers = {
  // With `no-referrer`, browsers would send the Origin `null` with a form.
  'referrer-policy': 'same-origin',
  vary: 'accept, accept-language, cookie',
}

export interface AccountDocument {
  title: string
  content: Markup
  status?: number
  headers?: Record<string, string>
}

export const renderAccountPage = (
  { locale, baseUrl }: AccountVisitor,
  { title, content, headers: more = {} }: AccountDocument,
) => {
  const icon = `${basePathOf(baseUrl)}${FAVICON_PATH}`
  const page = standalonePage(documentLanguage(locale), title, content, icon)
  return { body: page.body, headers: { ...page.headers, ...headers, ...more } }
}

export const accountPage = (visitor: AccountVisitor, document: AccountDocument): RawReply =>
  htmlReply(renderAccountPage(visitor, document), document.status)

/** Redirects to a path of this site, below the path of its base URL. */
export const redirectBelow = (baseUrl: string, path: string): RawReply =>
  redirectTo(`${basePathOf(baseUrl)}${path}`)

/** Path of the base URL without its final slash; usually empty. */
export const basePathOf = (baseUrl: string): string => new URL(baseUrl).pathname.replace(/\/+$/, '')

/** Status and headers of a page with a refused form. */
export const responseOf = (refusal: FormRefusal | undefined) =>
  refusal === undefined ? {} : { status: refusal.status, headers: refusal.headers }

/** Returns whether a JSON operation refused the token of a mailed link. */
export const isTokenRefusal = (error: unknown): boolean =>
  error instanceof AppError &&
  error.code === 'VALIDATION_ERROR' &&
  (error.details as { field?: string } | undefined)?.field === 'token'

const NOT_FOUND = 404

export const invalidLinkPage = (visitor: AccountVisitor): RawReply => {
  const { title, intro } = visitor.texts.invalidLink
  const content = html`${paragraph(intro)}${signInLink(visitor)}`
  return accountPage(visitor, { title, content, status: NOT_FOUND })
}

export const signInLink = (
  { baseUrl, texts }: AccountVisitor,
  text = texts.signIn.title,
): Markup => html`
<p class="more"><a href="${basePathOf(baseUrl)}/sign-in">${text}</a></p>`

export const paragraph = (text: MarkupValue): Markup => html`<p class="q">${text}</p>`

/** Name or address, isolated from the text direction of the sentence. */
export const isolated = (text: string): Markup => html`<strong><bdi>${text}</bdi></strong>`
