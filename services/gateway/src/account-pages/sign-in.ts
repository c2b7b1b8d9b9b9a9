/** Login in one or two steps, and logout. */
import { AppError, type accountPageOperations, authOperations } from '@status-page/contracts'
import { html } from '@status-page/html'
import type { Call, Handlers, RawReply } from '@status-page/service'
import { login, logout } from '../identity/login/login.ts'
import { apiCallOf } from './api-call.ts'
import type { AccountPageDeps } from './deps.ts'
import { accountPage, basePathOf, paragraph, redirectBelow, responseOf } from './document.ts'
import { type FormValues, formMarkup } from './form.ts'
import { inputs } from './form-inputs.ts'
import { type FormRefusal, formRefusalOf } from './form-refusal.ts'
import { isSsoOffered, SSO_PATH } from './sso.ts'
import { ACCOUNT_PATH, type AccountVisitor, nextPath, pathWithNext, visitorOf } from './visitor.ts'

type Ops = typeof accountPageOperations
type SignIn = Pick<Handlers<Ops>, 'signIn' | 'submitSignIn' | 'code' | 'submitCode' | 'signOut'>

const SIGN_IN = '/sign-in'
const CODE = '/sign-in/code'
const loginInputs = [inputs.email, inputs.password]
const codeInputs = [inputs.code]
const loginCall = apiCallOf(authOperations.login)

/** Path after the login: the wanted one, or the home of the user. */
const landingPath = ({ homePath }: AccountPageDeps, next: string | undefined): string =>
  next === undefined ? homePath : nextPath(next)

export const signInHandlers = (deps: AccountPageDeps): SignIn => {
  const to = (path: string) => redirectBelow(deps.baseUrl, path)
  return {
    async signIn(call) {
      const visitor = visitorOf(deps, call)
      const { next, notice } = call.query
      if (visitor.isSignedIn) return to(landingPath(deps, next))
      return signInPage(deps, visitor, { next, hasNewPassword: notice === 'password' })
    },

    submitSignIn: (call) => submitSignIn(deps, call),

    async code(call) {
      const { next } = call.query
      if (pendingLoginOf(deps, call) === null) return to(pathWithNext(SIGN_IN, next))
      return codePage(deps, visitorOf(deps, call), { next })
    },

    submitCode: (call) => submitCode(deps, call),

    async signOut(call) {
      await logout(call, deps.account)
      const next = nextPath(call.body.next)
      return to(next === ACCOUNT_PATH ? SIGN_IN : next)
    },
  }
}

const submitSignIn = async (
  deps: AccountPageDeps,
  call: Call<Ops['submitSignIn']>,
): Promise<RawReply> => {
  const visitor = visitorOf(deps, call)
  const { next, password } = call.body
  const email = call.body.email?.trim()
  try {
    await login(loginCall(call, { email, password }), deps.account)
  } catch (error) {
    if (error instanceof AppError && error.code === 'TWO_FACTOR_REQUIRED') {
      call.addCookie(deps.pendingLogin.set({ email: email ?? '', password: password ?? '' }))
      return redirectBelow(deps.baseUrl, pathWithNext(CODE, next))
    }
    const problem = formRefusalOf(error, visitor, loginInputs)
    if (problem === null) throw error
    return signInPage(deps, visitor, { next, values: { email }, problem })
  }
  return redirectBelow(deps.baseUrl, landingPath(deps, next))
}

const submitCode = async (
  deps: AccountPageDeps,
  call: Call<Ops['submitCode']>,
): Promise<RawReply> => {
  const visitor = visitorOf(deps, call)
  const { code, next } = call.body
  const pending = pendingLoginOf(deps, call)
  if (pending === null) return redirectBelow(deps.baseUrl, pathWithNext(SIGN_IN, next))
  try {
    await login(loginCall(call, { ...pending, code: code?.trim() }), deps.account)
  } catch (error) {
    const problem = codeProblemOf(error, visitor)
    if (problem === null) throw error
    return codePage(deps, visitor, { next, problem })
  }
  call.addCookie(deps.pendingLogin.clear())
  return redirectBelow(deps.baseUrl, landingPath(deps, next))
}

const pendingLoginOf = ({ pendingLogin }: AccountPageDeps, { headers }: Call) =>
  pendingLogin.read(headers.cookie as string | undefined)

const BAD_REQUEST = 400

/** An absent code is an invalid entry of this form. */
const codeProblemOf = (error: unknown, visitor: AccountVisitor): FormRefusal | null => {
  const isMissing = error instanceof AppError && error.code === 'TWO_FACTOR_REQUIRED'
  if (!isMissing) return formRefusalOf(error, visitor, codeInputs)
  const { fields: alert } = visitor.texts.problems
  return { status: BAD_REQUEST, alert, fields: new Map([['code', null]]), headers: {} }
}

interface LoginForm {
  next: string | undefined
  values?: FormValues
  problem?: FormRefusal
  hasNewPassword?: boolean
}

const UNAUTHORIZED = 401

const signInPage = async (
  deps: AccountPageDeps,
  visitor: AccountVisitor,
  { next, values = {}, problem, hasNewPassword = false }: LoginForm,
): Promise<RawReply> => {
  const { texts } = visitor
  const { title, submit, forgot, register, passwordChanged, sso, ssoRequired } = texts.signIn
  const hasSso = await isSsoOffered(deps)
  const base = basePathOf(deps.baseUrl)
  const form = formMarkup(texts, {
    action: `${base}${SIGN_IN}`,
    submit,
    inputs: loginInputs,
    hidden: { next },
    values,
    problem: problem ?? null,
  })
  return accountPage(visitor, {
    title,
    content: html`${hasNewPassword && html`<p class="note ok" role="status">${passwordChanged}</p>`}
${form}
${hasSso && problem?.status === UNAUTHORIZED && paragraph(ssoRequired)}
${hasSso && html`<p class="more"><a class="b plain" href="${base}${pathWithNext(SSO_PATH, next)}">${sso}</a></p>`}
<p class="more links"><a href="${base}/forgot-password">${forgot}</a>
${deps.account.isRegistrationOpen && html`<a href="${base}/register">${register}</a>`}</p>`,
    ...responseOf(problem),
  })
}

const codePage = (
  deps: AccountPageDeps,
  visitor: AccountVisitor,
  { next, problem }: LoginForm,
): RawReply => {
  const { texts } = visitor
  const { code, codeIntro, submit, startOver } = texts.signIn
  const base = basePathOf(deps.baseUrl)
  const form = formMarkup(texts, {
    action: `${base}${CODE}`,
    submit,
    inputs: codeInputs,
    hidden: { next },
    problem: problem ?? null,
  })
  return accountPage(visitor, {
    title: code,
    content: html`${paragraph(codeIntro)}${form}
<p class="more"><a href="${base}${pathWithNext(SIGN_IN, next)}">${startOver}</a></p>`,
    ...responseOf(problem),
  })
}
