/** Registration of an account with its organization. */
import { type accountPageOperations, authOperations } from '@status-page/contracts'
import { html } from '@status-page/html'
import type { Call, Handlers, RawReply } from '@status-page/service'
import { register } from '../identity/account/register.ts'
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
import { type FormValues, formMarkup } from './form.ts'
import { inputs } from './form-inputs.ts'
import { type FormRefusal, formRefusalOf } from './form-refusal.ts'
import { type AccountVisitor, visitorOf } from './visitor.ts'

type Ops = typeof accountPageOperations
type Registration = Pick<Handlers<Ops>, 'register' | 'submitRegister'>

const REGISTER = '/register'
const FORBIDDEN = 403
const registerInputs = [inputs.organizationName, inputs.name, inputs.email, inputs.chosenPassword]
const registerCall = apiCallOf(authOperations.register)

export const registrationHandlers = (deps: AccountPageDeps): Registration => ({
  async register(call) {
    const visitor = visitorOf(deps, call)
    if (!deps.account.isRegistrationOpen) return closedPage(visitor)
    if (visitor.isSignedIn) return redirectBelow(deps.baseUrl, deps.homePath)
    return registerPage(deps, visitor, {})
  },

  submitRegister: (call) => submitRegister(deps, call),
})

const submitRegister = async (
  deps: AccountPageDeps,
  call: Call<Ops['submitRegister']>,
): Promise<RawReply> => {
  const visitor = visitorOf(deps, call)
  if (!deps.account.isRegistrationOpen) return closedPage(visitor)
  const values = { ...call.body, email: call.body.email?.trim() }
  try {
    await register(registerCall(call, values), deps.account)
  } catch (error) {
    const problem = formRefusalOf(error, visitor, registerInputs)
    if (problem === null) throw error
    return registerPage(deps, visitor, { values, problem })
  }
  return redirectBelow(deps.baseUrl, deps.firstPath)
}

const registerPage = (
  { baseUrl }: AccountPageDeps,
  visitor: AccountVisitor,
  { values = {}, problem }: { values?: FormValues; problem?: FormRefusal },
): RawReply => {
  const { texts } = visitor
  const { title, submit, haveAccount } = texts.register
  const base = basePathOf(baseUrl)
  const form = formMarkup(texts, {
    action: `${base}${REGISTER}`,
    submit,
    inputs: registerInputs,
    values,
    problem: problem ?? null,
  })
  return accountPage(visitor, {
    title,
    content: html`${form}${signInLink(visitor, haveAccount)}`,
    ...responseOf(problem),
  })
}

const closedPage = (visitor: AccountVisitor): RawReply => {
  const { closed, closedIntro, haveAccount } = visitor.texts.register
  return accountPage(visitor, {
    title: closed,
    content: html`${paragraph(closedIntro)}${signInLink(visitor, haveAccount)}`,
    status: FORBIDDEN,
  })
}
