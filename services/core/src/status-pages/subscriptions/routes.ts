/** Public operations of subscriptions: subscribe, confirm, manage. */
import {
  AppError,
  locales,
  orNotFound,
  subscriptionOperations,
  successReply,
} from '@status-page/contracts'
import { HTML_CONTENT_TYPE, type RenderedHtml, visitorLocale } from '@status-page/html'
import { read } from '@status-page/postgres'
import {
  type Call,
  createRoutes,
  type Handlers,
  isRaw,
  type RawReply,
  type Route,
  rawReply,
} from '@status-page/service'
import { decryptManageToken } from '../../subscribers/confirmation/confirmation-request.ts'
import { isInactiveSubscriber, presentSubscription } from '../../subscribers/confirmation/rules.ts'
import { findSubscriber } from '../../subscribers/store.ts'
import type { StatusPageRow } from '../../tables.ts'
import { type PageAccessDeps, requirePageAccess } from '../access/page-access.ts'
import { pageLocales } from '../page-language.ts'
import { type ConfirmDeps, confirmSubscription, findPendingConfirmation } from './confirm.ts'
import { parseSubscriptionForm, type SubscriptionFormValues } from './form.ts'
import {
  findFollowedIncident,
  findManagedSubscription,
  findSubscriptionPage,
  type ManagedSubscription,
  type SubscriptionPatchBuilder,
  unsubscribe,
  updateSubscription,
} from './managed-subscription.ts'
import * as pages from './page.ts'
import { type SignUpDeps, signUp } from './sign-up.ts'
import type { PageSubscriber } from './subscriber-page.ts'

type SubscriptionDeps = SignUpDeps & PageAccessDeps & ConfirmDeps

const OK = 200
const BAD_REQUEST = 400
const NOT_FOUND = 404

export const subscriptionRoutes = (deps: SubscriptionDeps): Route[] => {
  const { sealer } = deps
  return createRoutes(subscriptionOperations, {
    ...pageHandlers(deps),

    subscribe: async (call) => {
      const { body, actor } = call
      const page = await requirePageAccess(deps, call)
      await signUp(deps, { page, body, actor })
      return { status: 'unconfirmed' as const }
    },

    confirm: async ({ body, actor }) => {
      const row = await confirmSubscription(deps, body, actor)
      return { status: 'active' as const, manageToken: decryptManageToken(sealer, row) }
    },

    read: async ({ params: { token } }) => present(await findManagedSubscription(deps, token)),

    update: async ({ params: { token }, body, actor }) =>
      present(await updateSubscription(deps, token, { actor, chosen: () => body })),

    unsubscribe: async ({ params: { token }, actor }) => {
      await unsubscribe(deps.database, token, actor)
      return successReply
    },
  })
}

type PageHandlers = Pick<
  Handlers<typeof subscriptionOperations>,
  | ('confirmPage' | 'confirmForm')
  | ('managePage' | 'manageForm')
  | ('unsubscribeForm' | 'unsubscribePage')
>

const pageHandlers = (deps: SubscriptionDeps): PageHandlers => {
  const { database, sealer, baseUrl } = deps
  const readerOf = createReaderOf(baseUrl)
  return {
    confirmPage: (call) =>
      respondWithPage(call, async () => {
        const { token } = call.params
        const { row, page, incidentTitle } = await findSubscriberToConfirm(deps, token)
        return pages.confirmPage(readerOf(call, page), token, { row, incidentTitle })
      }),

    confirmForm: (call) =>
      respondWithPage(call, async () => {
        const row = await confirmSubscription(deps, call.params, call.actor)
        const page = await read(database, row.organizationId, (scope) =>
          findSubscriptionPage(scope, row),
        )
        return pages.confirmedPage(readerOf(call, page), row, decryptManageToken(sealer, row))
      }),

    managePage: (call) =>
      respondWithPage(call, async () => {
        const { token } = call.params
        const managed = await findManagedSubscription(deps, token)
        return pages.managePage(readerOf(call, managed.page), token, managed)
      }),

    manageForm: (call) =>
      respondWithPage(call, async () => {
        const { params, body, rawBody, actor } = call
        const { token } = params
        const before = await findManagedSubscription(deps, token)
        const reader = readerOf(call, before.page)
        if (isInactiveSubscriber(before.row)) return pages.managePage(reader, token, before)
        const form = parseSubscriptionForm(body.scope, rawBody)
        const problem = problemOf(form)
        if (problem !== null) {
          const notice = { kind: problem, submitted: submittedSelection(form) }
          return reply(pages.managePage(reader, token, before, notice), BAD_REQUEST)
        }
        const managed = await updateSubscription(deps, token, {
          actor,
          chosen: buildPatchFrom(form),
        })
        return pages.managePage(reader, token, managed, { kind: 'saved' })
      }),

    ...unsubscribeHandlers(deps, readerOf),
  }
}

const unsubscribeHandlers = (
  deps: SubscriptionDeps,
  readerOf: ReaderOf,
): Pick<PageHandlers, 'unsubscribeForm' | 'unsubscribePage'> => ({
  // GET changes nothing, because mail programs and scanners open every URL.
  unsubscribeForm: (call) =>
    respondWithPage(call, async () => {
      const { token } = call.params
      const managed = await findManagedSubscription(deps, token)
      return pages.unsubscribePage(readerOf(call, managed.page), token, managed)
    }),

  unsubscribePage: (call) =>
    respondWithPage(call, async () => {
      const { row, page } = await unsubscribe(deps.database, call.params.token, call.actor)
      return pages.unsubscribedPage(readerOf(call, page), row)
    }),
})

type ReaderOf = (call: CallHeaders, page: StatusPageRow | null) => PageSubscriber

const createReaderOf =
  (baseUrl: string): ReaderOf =>
  (call, page) => ({
    page,
    baseUrl,
    locale: visitorLocale(
      call.headers['accept-language'],
      page === null ? locales : pageLocales(page),
    ),
  })

const present = ({ row, choices }: ManagedSubscription) => presentSubscription(row, choices)

const findSubscriberToConfirm = async (
  deps: SubscriptionDeps,
  token: string,
): Promise<Omit<ManagedSubscription, 'choices'>> => {
  const confirmation = orNotFound(await findPendingConfirmation(deps.database, token))
  return read(deps.database, confirmation.organizationId, async (scope) => {
    const row = orNotFound(await findSubscriber(scope, confirmation.subscriberId))
    const page = await findSubscriptionPage(scope, row)
    return { row, page, incidentTitle: await findFollowedIncident(deps, scope, { row, page }) }
  })
}

const problemOf = ({
  componentIds,
  events,
  hasConflictingChoices,
}: SubscriptionFormValues): pages.FormProblem | null => {
  if (hasConflictingChoices) return 'bothChosen'
  if (events.length === 0) return 'noEvents'
  return componentIds?.length === 0 ? 'noneChosen' : null
}

const submittedSelection = ({
  returnedScope,
  tickedIds,
  events,
}: SubscriptionFormValues): pages.SubscriptionSelection => ({
  scope: returnedScope,
  componentIds: tickedIds,
  events,
})

/** Chosen components that the page no longer shows have no checkbox and stay chosen. */
const buildPatchFrom =
  ({ componentIds, events }: SubscriptionFormValues): SubscriptionPatchBuilder =>
  ({ row, choices }) => {
    const shown = new Set(choices.map(({ id }) => id))
    const hidden = row.componentIds.filter((id) => !shown.has(id))
    return { events, componentIds: componentIds === null ? [] : [...componentIds, ...hidden] }
  }

type CallHeaders = Pick<Call, 'headers'>

/** Responds with a page to an invalid link. */
const respondWithPage = async (
  call: CallHeaders,
  work: () => Promise<RenderedHtml | RawReply>,
): Promise<RawReply> => {
  try {
    const rendered = await work()
    return isRaw(rendered) ? rendered : reply(rendered, OK)
  } catch (error) {
    const isRefused = error instanceof AppError && linkErrorCodes.has(error.code)
    if (!isRefused) throw error
    const status = error.code === 'NOT_FOUND' ? NOT_FOUND : BAD_REQUEST
    return reply(pages.invalidLinkPage(localeOf(call)), status)
  }
}

const linkErrorCodes: ReadonlySet<string> = new Set(['NOT_FOUND', 'VALIDATION_ERROR'])

const localeOf = ({ headers }: CallHeaders) => visitorLocale(headers['accept-language'])

const reply = ({ body, headers }: RenderedHtml, status: number): RawReply =>
  rawReply({ status, contentType: HTML_CONTENT_TYPE, headers, body })
