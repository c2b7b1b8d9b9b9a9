/** Creation of the first account by the link that the service prints. */
import { AppError, type accountPageOperations, authOperations } from '@status-page/contracts'
import { html } from '@status-page/html'
import type { Call, Handlers, RawReply } from '@status-page/service'
import { registerFirstOwner } from '../identity/account/register.ts'
import { apiCallOf } from './api-call.ts'
import type { AccountPageDeps } from './deps.ts'
import {
  accountPage,
  basePathOf,
  invalidLinkPage,
  paragraph,
  redirectBelow,
  responseOf,
} from './document.ts'
import { type FormValues, formMarkup } from './form.ts'
import { inputs } from './form-inputs.ts'
import { type FormRefusal, formRefusalOf } from './form-refusal.ts'
import { type AccountVisitor, visitorOf } from './visitor.ts'

type Ops = typeof accountPageOperations
type Setup = Pick<Handlers<Ops>, 'setup' | 'submitSetup'>

const SETUP = '/setup'
const CONFLICT = 409
const setupInputs = [inputs.organizationName, inputs.name, inputs.email, inputs.chosenPassword]
const registerCall = apiCallOf(authOperations.register)

export const setupHandlers = (deps: AccountPageDeps): Setup => ({
  async setup(call) {
    const visitor = visitorOf(deps, call)
    const { token = '' } = call.query
    try {
      await deps.setupLink.verify(token)
    } catch (error) {
      return refusedLink(deps, visitor, error)
    }
    return setupPage(deps, visitor, { token })
  },

  submitSetup: (call) => submitSetup(deps, call),
})

const submitSetup = async (
  deps: AccountPageDeps,
  call: Call<Ops['submitSetup']>,
): Promise<RawReply> => {
  const visitor = visitorOf(deps, call)
  const { token, ...entered } = call.body
  const values = { ...entered, email: entered.email?.trim() }
  try {
    await deps.setupLink.verify(token)
    const registration = registerCall(call, values)
    await registerFirstOwner(registration, { token, link: deps.setupLink }, deps.account)
  } catch (error) {
    const isOfForm = error instanceof AppError && error.code !== 'CONFLICT'
    const problem = isOfForm ? formRefusalOf(error, visitor, setupInputs) : null
    if (problem === null) return refusedLink(deps, visitor, error)
    return setupPage(deps, visitor, { token, values, problem })
  }
  return redirectBelow(deps.baseUrl, deps.firstPath)
}

/** Page of a token that is unknown, or of one whose account exists. */
const refusedLink = (deps: AccountPageDeps, visitor: AccountVisitor, error: unknown): RawReply => {
  if (!(error instanceof AppError)) throw error
  if (error.code === 'NOT_FOUND') return invalidLinkPage(visitor)
  if (error.code !== 'CONFLICT') throw error
  const { setup, signIn } = visitor.texts
  return accountPage(visitor, {
    title: setup.done,
    content: html`${paragraph(setup.doneIntro)}
<p class="more"><a class="b" href="${basePathOf(deps.baseUrl)}/sign-in">${signIn.title}</a></p>`,
    status: CONFLICT,
  })
}

interface SetupForm {
  token: string
  values?: FormValues
  problem?: FormRefusal
}

const setupPage = (
  deps: AccountPageDeps,
  visitor: AccountVisitor,
  { token, values = {}, problem }: SetupForm,
): RawReply => {
  const { texts } = visitor
  const { title, intro, submit } = texts.setup
  const form = formMarkup(texts, {
    action: `${basePathOf(deps.baseUrl)}${SETUP}`,
    submit,
    inputs: setupInputs,
    hidden: { token },
    values,
    problem: problem ?? null,
  })
  return accountPage(visitor, {
    title,
    content: html`${paragraph(intro)}${form}`,
    ...responseOf(problem),
  })
}
