/** Single sign-on: finds the identity provider of an address or organization, and leads to it. */
import { AppError, type accountPageOperations, samlOperations } from '@status-page/contracts'
import { html } from '@status-page/html'
import { asLookup } from '@status-page/postgres'
import type { Call, Handlers, RawReply } from '@status-page/service'
import { serviceProviderUrls } from '../identity/saml/service-provider.ts'
import { hasEnabledProvider, slugByDomain } from '../identity/saml/store.ts'
import { apiCallOf } from './api-call.ts'
import type { AccountPageDeps } from './deps.ts'
import {
  accountPage,
  basePathOf,
  paragraph,
  redirectBelow,
  responseOf,
  signInLink,
} from './document.ts'
import { formMarkup } from './form.ts'
import { inputs } from './form-inputs.ts'
import type { FormRefusal } from './form-refusal.ts'
import { type AccountVisitor, nextPath, visitorOf } from './visitor.ts'

type Ops = typeof accountPageOperations
type Sso = Pick<Handlers<Ops>, 'sso' | 'submitSso'>

export const SSO_PATH = '/sign-in/sso'
const BAD_REQUEST = 400
const ssoInputs = [inputs.ssoAccount]
const detectCall = apiCallOf(samlOperations.detect)

export const ssoHandlers = (deps: AccountPageDeps): Sso => ({
  async sso(call) {
    const visitor = visitorOf(deps, call)
    const { organization, next, notice } = call.query
    const slug = organization === undefined ? null : await slugOf(deps, call, organization)
    return slug === null
      ? formPage(deps, visitor, { next })
      : providerPage(deps, visitor, { slug, next, isInvited: notice === 'invitation' })
  },

  async submitSso(call) {
    const visitor = visitorOf(deps, call)
    const { next } = call.body
    const ssoAccount = call.body.ssoAccount?.trim() ?? ''
    const slug = await slugOf(deps, call, ssoAccount)
    if (slug !== null) return redirectBelow(deps.baseUrl, ssoPath(slug, { next }))
    const { problems, sso } = visitor.texts
    const fields = new Map([['ssoAccount', ssoAccount === '' ? null : sso.unknown]])
    const problem = { status: BAD_REQUEST, alert: problems.fields, fields, headers: {} }
    return formPage(deps, visitor, { next, ssoAccount, problem })
  },
})

/** Returns whether the login form offers single sign-on. */
export const isSsoOffered = ({ account, baseUrl }: AccountPageDeps): Promise<boolean> =>
  isHttps(baseUrl)
    ? asLookup(account.database, (systemScope) => hasEnabledProvider(systemScope, null))
    : Promise.resolve(false)

/** Path of the page that leads to the identity provider of an organization. */
export const ssoPath = (
  organization: string,
  { next, notice }: { next?: string | undefined; notice?: 'invitation' },
): string => {
  const query = new URLSearchParams({ organization, next: nextPath(next) })
  if (notice !== undefined) query.set('notice', notice)
  return `${SSO_PATH}?${query}`
}

/** Identity providers accept https addresses only. */
const isHttps = (baseUrl: string): boolean => new URL(baseUrl).protocol === 'https:'

/** Slug of the organization with an enabled provider, by the domain of an address or by the slug. */
const slugOf = async (
  { account: { database }, baseUrl }: AccountPageDeps,
  call: Call,
  entered: string,
): Promise<string | null> => {
  if (!isHttps(baseUrl)) return null
  if (!entered.includes('@')) {
    const slug = entered.toLowerCase()
    const isKnown = await asLookup(database, (systemScope) => hasEnabledProvider(systemScope, slug))
    return isKnown ? slug : null
  }
  const email = emailOf(call, entered)
  if (email === null) return null
  const domain = email.slice(email.lastIndexOf('@') + 1)
  return asLookup(database, (systemScope) => slugByDomain(systemScope, domain))
}

const emailOf = (call: Call, entered: string): string | null => {
  try {
    return detectCall(call, { email: entered }).body.email
  } catch (error) {
    if (error instanceof AppError) return null
    throw error
  }
}

const formPage = (
  { baseUrl }: AccountPageDeps,
  visitor: AccountVisitor,
  form: { next: string | undefined; ssoAccount?: string; problem?: FormRefusal },
): RawReply => {
  const { next, ssoAccount, problem } = form
  const { texts } = visitor
  const base = basePathOf(baseUrl)
  const markup = formMarkup(texts, {
    action: `${base}${SSO_PATH}`,
    submit: texts.sso.submit,
    inputs: ssoInputs,
    hidden: { next },
    values: { ssoAccount },
    problem: problem ?? null,
  })
  return accountPage(visitor, {
    title: texts.sso.title,
    content: html`${paragraph(texts.sso.intro)}${markup}${signInLink(visitor)}`,
    ...responseOf(problem),
  })
}

/**
 * Continues by the header `Refresh`: the policy `form-action 'self'` also applies to redirects of a
 * submitted form, and the provider is another site.
 */
const providerPage = (
  { baseUrl }: AccountPageDeps,
  visitor: AccountVisitor,
  { slug, next, isInvited }: { slug: string; next: string | undefined; isInvited: boolean },
): RawReply => {
  const { sso } = visitor.texts
  const query = new URLSearchParams({ next: nextPath(next) })
  const url = `${serviceProviderUrls(baseUrl, slug).loginUrl}?${query}`
  return accountPage(visitor, {
    title: sso.title,
    content: html`${isInvited ? html`<p class="note ok" role="status">${sso.accepted}</p>` : paragraph(sso.redirecting)}
<p class="more"><a class="b" href="${url}">${sso.open}</a></p>`,
    headers: isInvited ? {} : { refresh: `0; url=${url}` },
  })
}
