/** Forms without scripts: subscribing, and the password of a protected page. */
import {
  AppError,
  type Locale,
  notFound,
  type pageOperations,
  SignUp,
  type SubscriberType,
} from '@status-page/contracts'
import { HTML_CONTENT_TYPE, htmlReply, redirectTo } from '@status-page/html'
import {
  type Call,
  compileDecoder,
  compileValidator,
  type Handlers,
  type RawReply,
} from '@status-page/service'
import { decryptManageToken } from '../../subscribers/confirmation/confirmation-request.ts'
import {
  findPage,
  type PageAccessRequest,
  requirePageAccess,
  withPageAccess,
} from '../access/page-access.ts'
import { grantPageAccess, type PasswordAccessDeps } from '../access/password-access.ts'
import { createVisitorFrame } from '../html/layout/frame.ts'
import { passwordPrompt, withHtmlErrors } from '../html/layout/html-errors.ts'
import { documentHeaders, renderDocument } from '../html/layout/layout.ts'
import { pagePaths } from '../html/layout/urls.ts'
import { findPublicIncident } from '../public/page-queries.ts'
import { type ConfirmDeps, confirmSubscription } from './confirm.ts'
import { parseSubscriptionForm } from './form.ts'
import { type SignUpDeps, signUp } from './sign-up.ts'
import { type SubmittedForm, type SubscribeNotice, subscribeDocument } from './subscribe-page.ts'

export type FormDeps = PasswordAccessDeps & SignUpDeps & ConfirmDeps

type PageHandlers = Handlers<typeof pageOperations>
type Forms = Pick<PageHandlers, 'subscribePage' | 'subscribeForm' | 'accessPage' | 'accessForm'>
type Submitted = Call<typeof pageOperations.subscribeForm>

const BAD_REQUEST = 400
const TOO_MANY = 429
const OK = 200

export const formHandlers = (deps: FormDeps): Forms => {
  const { baseUrl } = deps
  return {
    subscribePage: (call) => {
      const { asked } = call.query
      const notice = asked === undefined ? null : ({ kind: 'asked', type: asked } as const)
      const { incidentId } = call.query
      return withHtmlErrors(call, baseUrl, () => subscribeForms(deps, call, { incidentId, notice }))
    },

    subscribeForm: (call) => withHtmlErrors(call, baseUrl, () => subscribe(deps, call)),

    accessPage: (call) =>
      withHtmlErrors(call, baseUrl, async () => {
        const { page } = await findPage(deps, call.params.slug)
        if (page?.visibility !== 'password') throw notFound()
        return passwordPrompt(call, baseUrl, null, OK)
      }),

    accessForm: async (call) => {
      try {
        for (const cookie of await grantPageAccess(deps, call)) call.addCookie(cookie)
      } catch (error) {
        if (!(error instanceof AppError)) throw error
        if (error.code === 'UNAUTHORIZED') return passwordPrompt(call, baseUrl, 'wrongPassword')
        if (error.code !== 'RATE_LIMIT_EXCEEDED')
          return withHtmlErrors(call, baseUrl, () => Promise.reject(error))
        return passwordPrompt(call, baseUrl, 'tooMany', TOO_MANY)
      }
      return redirectTo(pagePaths(call.params.slug, call.headers, baseUrl).path(''))
    },
  }
}

type SubscribeRequest = PageAccessRequest & { query: { locale?: Locale } }

/** Form of a page, or of one of its incidents, with the result of a submission. */
interface SubscribeView {
  incidentId: string | undefined
  notice: SubscribeNotice | null
}

const subscribeForms = (
  deps: FormDeps,
  call: SubscribeRequest,
  { incidentId, notice }: SubscribeView,
): Promise<RawReply> =>
  withPageAccess(deps, call, async (view) => {
    const incident = incidentId === undefined ? null : await findPublicIncident(view, incidentId)
    const frame = createVisitorFrame(view, call)
    const document = subscribeDocument(frame, [...view.shown.values()], { incident, notice })
    return {
      body: renderDocument(frame, document),
      headers: documentHeaders(frame),
      contentType: HTML_CONTENT_TYPE,
      maxAgeSeconds: 60,
    }
  })

const subscribe = async (deps: FormDeps, call: Submitted): Promise<RawReply> => {
  const { type, code } = call.body
  const page = await requirePageAccess(deps, call)
  if (type === 'sms' && code) return confirmCode(deps, call, code)
  const { scope = 'all' } = call.body
  const { componentIds, hasConflictingChoices } = parseSubscriptionForm(scope, call.rawBody)
  if (hasConflictingChoices) return refused(deps, call, 'bothChosen')
  if (componentIds?.length === 0) return refused(deps, call, 'noneChosen')
  const signUpBody = signUpFrom(call, componentIds)
  if (signUpBody === null) return refused(deps, call, 'wrongAddress')
  try {
    await signUp(deps, { page, body: signUpBody, actor: call.actor })
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    // The incident was resolved in the meantime, which the form states.
    if (error.code === 'CONFLICT') return refused(deps, call, null)
    if (error.code !== 'VALIDATION_ERROR') throw error
    return refused(deps, call, 'wrongAddress')
  }
  const { path } = pagePaths(call.params.slug, call.headers, deps.baseUrl, call.query.locale)
  const { incidentId } = call.body
  const incident = incidentId === undefined ? '' : `&incidentId=${incidentId}`
  return redirectTo(path(`/subscribe?asked=${type}${incident}`))
}

const decode = compileDecoder(SignUp)
const validate = compileValidator(SignUp, 'body')

/** Null when the address is invalid. A form without `scope` takes the defaults of the page. */
const signUpFrom = ({ body }: Submitted, componentIds: string[] | null): SignUp | null => {
  const selection = body.scope === undefined ? {} : { componentIds: componentIds ?? [] }
  const value = decode({
    type: body.type,
    [addressFields[body.type]]: typedIn(body),
    ...(body.incidentId === undefined ? selection : { incidentId: body.incidentId }),
  })
  return validate(value).length === 0 ? (value as SignUp) : null
}

const addressFields = {
  email: 'email',
  sms: 'phone',
  webhook: 'webhookUrl',
} as const satisfies Record<SubscriberType, string>

const enteredIn = (body: Submitted['body']): string => body[addressFields[body.type]] ?? ''

/** Removes spaces around addresses and in phone numbers. */
const typedIn = (body: Submitted['body']): string => {
  const text = enteredIn(body).trim()
  return body.type === 'sms' ? text.replaceAll(/[\s()/-]/g, '') : text
}

const confirmCode = async (deps: FormDeps, call: Submitted, code: string): Promise<RawReply> => {
  try {
    const response = { phone: typedIn(call.body), code: code.trim() }
    const row = await confirmSubscription(deps, response, call.actor)
    return redirectTo(`/subscriptions/${encodeURIComponent(decryptManageToken(deps.sealer, row))}`)
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'VALIDATION_ERROR') throw error
    return refused(deps, call, 'wrongCode')
  }
}

type Problem = Exclude<SubscribeNotice['kind'], 'asked'>

/** Returns the form with the submitted values and an error. */
const refused = async (
  deps: FormDeps,
  call: Submitted,
  kind: Problem | null,
): Promise<RawReply> => {
  const { type, incidentId } = call.body
  const submitted = { address: enteredIn(call.body), ...choiceOf(call) }
  const notice = kind === null ? null : { kind, type, submitted }
  const page = await subscribeForms(deps, call, { incidentId, notice })
  const { body, headers } = page
  return htmlReply(
    { body: String(body), headers: { ...headers, 'cache-control': 'no-store' } },
    BAD_REQUEST,
  )
}

/** Submitted choice of components; empty for a form without `scope`. */
const choiceOf = ({ body: { scope }, rawBody }: Submitted): Omit<SubmittedForm, 'address'> => {
  if (scope === undefined) return {}
  const { returnedScope, tickedIds } = parseSubscriptionForm(scope, rawBody)
  return { scope: returnedScope, componentIds: new Set(tickedIds) }
}
