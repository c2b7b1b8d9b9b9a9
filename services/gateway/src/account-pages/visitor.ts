/** Visitor of an account page: language of the browser, session, and the paths of the site. */
import type { Locale } from '@status-page/contracts'
import { visitorLocale } from '@status-page/html'
import { type AccountTexts, textsByLocale } from '@status-page/html/texts'
import type { Call } from '@status-page/service'
import { pathAfterLogin } from '../identity/saml/rules.ts'
import type { AccountPageDeps } from './deps.ts'

export interface AccountVisitor {
  baseUrl: string
  locale: Locale
  texts: AccountTexts
  isSignedIn: boolean
}

export const visitorOf = (
  { baseUrl }: Pick<AccountPageDeps, 'baseUrl'>,
  { headers, actor }: Pick<Call, 'headers' | 'actor'>,
): AccountVisitor => {
  const locale = visitorLocale(headers['accept-language'])
  const { accountPages: texts } = textsByLocale[locale]
  return { baseUrl, locale, texts, isSignedIn: actor.userId !== null }
}

export const ACCOUNT_PATH = '/account'
export const NEW_PAGE_PATH = '/account/new-page'
export const TWO_FACTOR_PATH = '/account/two-factor'

/** Path that follows the login; the start page would lead back to the login. */
export const nextPath = (next: string | undefined): string => {
  const path = pathAfterLogin(next)
  return path === '/' ? ACCOUNT_PATH : path
}

/** Path with `next` as its query, unless it is the default. */
export const pathWithNext = (path: string, next: string | undefined): string => {
  const wanted = nextPath(next)
  return wanted === ACCOUNT_PATH ? path : `${path}?next=${encodeURIComponent(wanted)}`
}
