/** Reset of a forgotten password: request of the mail, and the new password. */
import { type accountPageOperations, passwordOperations } from '@status-page/contracts'
import { html } from '@status-page/html'
import { asLookup } from '@status-page/postgres'
import { hashToken } from '@status-page/secrets'
import type { Call, Handlers, RawReply } from '@status-page/service'
import { requestPasswordReset, resetPassword } from '../identity/password/reset.ts'
import { userIdOfResetToken } from '../identity/password/store.ts'
import { apiCallOf } from './api-call.ts'
import type { AccountPageDeps } from './deps.ts'
import {
  accountPage,
  basePathOf,
  invalidLinkPage,
  isTokenRefusal,
  paragraph,
  redirectBelow,
  responseOf,
  signInLink,
} from './document.ts'
import { type FormValues, formMarkup } from './form.ts'
import { inputs } from './form-inputs.ts'
import { type FormRefusal, formRefusalOf } from './form-refusal.ts'
import { type AccountVisitor, visitorOf } from './visitor.ts'

type Ops = typeof accountPageOperations
type Passwords = Pick<
  Handlers<Ops>,
  'forgotPassword' | 'submitForgotPassword' | 'resetPassword' | 'submitResetPassword'
>

const FORGOT = '/forgot-password'
const emailInputs = [inputs.email]
const passwordInputs = [inputs.newPassword]
const forgotCall = apiCallOf(passwordOperations.forgot)
const resetCall = apiCallOf(passwordOperations.reset)

export const passwordHandlers = (deps: AccountPageDeps): Passwords => ({
  async forgotPassword(call) {
    const visitor = visitorOf(deps, call)
    return call.query.sent === true ? sentPage(visitor) : forgotPage(deps, visitor, {})
  },

  async submitForgotPassword(call) {
    const visitor = visitorOf(deps, call)
    const email = call.body.email?.trim()
    try {
      await requestPasswordReset(forgotCall(call, { email }), deps.account)
    } catch (error) {
      const problem = formRefusalOf(error, visitor, emailInputs)
      if (problem === null) throw error
      return forgotPage(deps, visitor, { values: { email }, problem })
    }
    return redirectBelow(deps.baseUrl, `${FORGOT}?sent=true`)
  },

  async resetPassword(call) {
    const visitor = visitorOf(deps, call)
    const { token } = call.params
    const userId = await asLookup(deps.account.database, (systemScope) =>
      userIdOfResetToken(systemScope, hashToken(token)),
    )
    return userId === null ? invalidLinkPage(visitor) : resetPage(deps, visitor, { token })
  },

  submitResetPassword: (call) => submitReset(deps, call),
})

const submitReset = async (
  deps: AccountPageDeps,
  call: Call<Ops['submitResetPassword']>,
): Promise<RawReply> => {
  const visitor = visitorOf(deps, call)
  const { token } = call.params
  const { newPassword } = call.body
  try {
    await resetPassword(resetCall(call, { token, newPassword }), deps.account)
  } catch (error) {
    if (isTokenRefusal(error)) return invalidLinkPage(visitor)
    const problem = formRefusalOf(error, visitor, passwordInputs)
    if (problem === null) throw error
    return resetPage(deps, visitor, { token, problem })
  }
  return redirectBelow(deps.baseUrl, '/sign-in?notice=password')
}

const forgotPage = (
  { baseUrl }: AccountPageDeps,
  visitor: AccountVisitor,
  { values = {}, problem }: { values?: FormValues; problem?: FormRefusal },
): RawReply => {
  const { texts } = visitor
  const { forgot, forgotIntro, send } = texts.reset
  const base = basePathOf(baseUrl)
  const form = formMarkup(texts, {
    action: `${base}${FORGOT}`,
    submit: send,
    inputs: emailInputs,
    values,
    problem: problem ?? null,
  })
  return accountPage(visitor, {
    title: forgot,
    content: html`${paragraph(forgotIntro)}${form}${signInLink(visitor)}`,
    ...responseOf(problem),
  })
}

const sentPage = (visitor: AccountVisitor): RawReply => {
  const { sent, sentIntro } = visitor.texts.reset
  return accountPage(visitor, { title: sent, content: paragraph(sentIntro) })
}

const resetPage = (
  { baseUrl }: AccountPageDeps,
  visitor: AccountVisitor,
  { token, problem }: { token: string; problem?: FormRefusal },
): RawReply => {
  const { texts } = visitor
  const { title, submit } = texts.reset
  const content = formMarkup(texts, {
    action: `${basePathOf(baseUrl)}/reset-password/${encodeURIComponent(token)}`,
    submit,
    inputs: passwordInputs,
    problem: problem ?? null,
  })
  return accountPage(visitor, { title, content, ...responseOf(problem) })
}
