/** Acceptance of an invitation: with a session, after a login, or with a new account. */
import {
  AppError,
  type accountPageOperations,
  invitationAcceptOperations,
} from '@status-page/contracts'
import { fillPlaceholders, html, type Markup } from '@status-page/html'
import { asLookup } from '@status-page/postgres'
import type { Call, Handlers, RawReply } from '@status-page/service'
import { accept, type InvitationOffer, invitationOfferOf } from '../access/invitations/accept.ts'
import { accountById } from '../identity/users/account-store.ts'
import { apiCallOf } from './api-call.ts'
import type { AccountPageDeps } from './deps.ts'
import {
  accountPage,
  basePathOf,
  invalidLinkPage,
  isolated,
  isTokenRefusal,
  redirectBelow,
  responseOf,
} from './document.ts'
import { type FormValues, formMarkup } from './form.ts'
import { inputs } from './form-inputs.ts'
import { type FormRefusal, formRefusalOf } from './form-refusal.ts'
import { ssoPath } from './sso.ts'
import { type AccountVisitor, pathWithNext, visitorOf } from './visitor.ts'

type Ops = typeof accountPageOperations
type Invitations = Pick<Handlers<Ops>, 'invitation' | 'acceptInvitation'>

const UNAUTHORIZED = 401
const accountInputs = [inputs.name, inputs.chosenPassword]
const acceptCall = apiCallOf(invitationAcceptOperations.accept)
const pathOf = (token: string) => `/invitations/${encodeURIComponent(token)}`

export const invitationHandlers = (deps: AccountPageDeps): Invitations => ({
  invitation: (call) => showInvitation(deps, call, {}),
  acceptInvitation: (call) => acceptInvitation(deps, call),
})

type InvitationCall = Call<Ops['invitation']> | Call<Ops['acceptInvitation']>

interface InvitationForm {
  values?: FormValues
  problem?: FormRefusal
  /** True once the account of the invitation was found to have a second factor. */
  needsCode?: boolean
}

const acceptInvitation = async (
  deps: AccountPageDeps,
  call: Call<Ops['acceptInvitation']>,
): Promise<RawReply> => {
  const visitor = visitorOf(deps, call)
  const { token } = call.params
  const { name, password, code } = call.body
  try {
    const values = { token, name, password, code: code?.trim() }
    const { identity, isSsoRequired } = await accept(acceptCall(call, values), deps.account)
    const { slug } = identity.organization
    return redirectBelow(
      deps.baseUrl,
      isSsoRequired ? ssoPath(slug, { notice: 'invitation' }) : deps.homePath,
    )
  } catch (error) {
    if (isTokenRefusal(error)) return invalidLinkPage(visitor)
    const form = refusedForm(error, visitor, code !== undefined)
    if (form === null) throw error
    return showInvitation(deps, call, { ...form, values: { name } })
  }
}

/** Form after an error of the JSON operation; null for an error that is none of the form's. */
const refusedForm = (
  error: unknown,
  visitor: AccountVisitor,
  hasCode: boolean,
): InvitationForm | null => {
  if (!(error instanceof AppError)) return null
  const { problems, invitation } = visitor.texts
  const problem = (alert: string, fields: FormRefusal['fields'] = new Map()): FormRefusal => ({
    status: error.status,
    headers: {},
    alert,
    fields,
  })
  if (error.code === 'TWO_FACTOR_REQUIRED')
    return { needsCode: true, problem: problem(visitor.texts.signIn.codeIntro) }
  if (error.code === 'CONFLICT') return { problem: problem(invitation.member) }
  // The page then shows the link to the login.
  if (error.code === 'UNAUTHORIZED') return { problem: problem(problems.wrongLogin) }
  if (error.code === 'VALIDATION_ERROR' && fieldOf(error) === 'email')
    return { problem: problem(invitation.notAllowed) }
  const needsCode = hasCode || fieldOf(error) === 'code'
  const refusal = formRefusalOf(error, visitor, [...accountInputs, inputs.code])
  return refusal === null ? null : { needsCode, problem: refusal }
}

const fieldOf = ({ details }: AppError): string | undefined =>
  (details as { field?: string } | undefined)?.field

const showInvitation = async (
  deps: AccountPageDeps,
  call: InvitationCall,
  form: InvitationForm,
): Promise<RawReply> => {
  const visitor = visitorOf(deps, call)
  const { token } = call.params
  const offer = await invitationOfferOf(call, token, deps.account)
  if (offer === null) return invalidLinkPage(visitor)
  const { title, address } = visitor.texts.invitation
  return accountPage(visitor, {
    title: title.replace('{}', () => offer.organizationName),
    content: html`<p class="q">${fillPlaceholders(address, isolated(offer.email))}</p>
${await actionsOf(deps, call, offer, form)}`,
    ...(form.problem?.status === UNAUTHORIZED && form.needsCode !== true
      ? { status: UNAUTHORIZED }
      : responseOf(form.problem)),
  })
}

/** Ways to accept that the offer leaves. */
const actionsOf = async (
  deps: AccountPageDeps,
  call: InvitationCall,
  { email, needs }: InvitationOffer,
  form: InvitationForm,
): Promise<Markup> => {
  const { texts } = visitorOf(deps, call)
  const base = basePathOf(deps.baseUrl)
  const path = pathOf(call.params.token)
  const fields =
    needs === 'join' ? [] : [...accountInputs, ...(form.needsCode ? [inputs.code] : [])]
  const acceptForm = formMarkup(texts, {
    action: `${base}${path}`,
    submit: texts.invitation.accept,
    inputs: fields,
    values: form.values ?? {},
    problem: form.problem ?? null,
  })
  if (needs === 'join' || needs === 'register') return acceptForm
  const login = html`<p><a class="b" href="${base}${pathWithNext('/sign-in', path)}">${fillPlaceholders(texts.invitation.signIn, html`<bdi>${email}</bdi>`)}</a></p>`
  const first = (await otherAccountForm(deps, call, path)) ?? login
  if (needs === 'login') return first
  return html`${first}
<details class="more"${form.problem && html` open`}><summary>${texts.invitation.notMine}</summary>${acceptForm}</details>`
}

/** Form that ends the session of another account; null without one. */
const otherAccountForm = async (
  deps: AccountPageDeps,
  call: InvitationCall,
  path: string,
): Promise<Markup | null> => {
  const { account, baseUrl } = deps
  const { texts } = visitorOf(deps, call)
  const { userId } = call.actor
  if (userId === null) return null
  const signedIn = await asLookup(account.database, (systemScope) =>
    accountById(systemScope, userId),
  )
  return html`<p>${fillPlaceholders(texts.invitation.otherAccount, isolated(signedIn?.email ?? ''))}</p>
<form class="more" method="post" action="${basePathOf(baseUrl)}/sign-out"><input type="hidden" name="next" value="${path}"><button class="b">${texts.signIn.signOut}</button></form>`
}
