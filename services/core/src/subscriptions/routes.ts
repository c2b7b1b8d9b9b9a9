/** Public operations of subscriptions: subscribe, confirm, manage. */
import { AppError, notFound, subscriptionOperations, successReply } from '@status-page/contracts'
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
import { HTML_CONTENT_TYPE } from '../pages/html-errors.ts'
import type { RenderedHtml } from '../pages/layout.ts'
import { visitorLocale } from '../pages/standalone-page.ts'
import type { PageSubscriber } from '../pages/subscriber-page.ts'
import { type PageAccessDeps, requirePageAccess } from '../public/page-access.ts'
import { findSubscriber } from '../subscribers/store.ts'
import type { StatusPageRow } from '../tables.ts'
import { type ConfirmDeps, confirmSubscription, findPendingConfirmation } from './confirm.ts'
import { decryptManageToken } from './confirmation-request.ts'
import { parseSubscriptionForm, type SubscriptionFormValues } from './form.ts'
import {
  findManaged,
  findSubscriptionPage,
  type ManagedSubscriber,
  type ManagedSubscription,
  type SubscriptionPatchBuilder,
  unsubscribe,
  updateSubscription,
} from './managed-subscription.ts'
import * as pages from './page.ts'
import { isInactiveSubscriber, presentSubscription } from './rules.ts'
import { type SignUpDeps, signUp } from './sign-up.ts'

type SubscriptionDeps = SignUpDeps & PageAccessDeps & ConfirmDeps

const OK = 200
const BAD_REQUEST = 400
const NOT_FOUND = 404

export const subscriptionRoutes = (deps: SubscriptionDeps): Route[] => {
  const { database, sealer } = deps
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

    read: async ({ params: { token } }) => present(await findManaged(database, token)),

    update: async ({ params: { token }, body, actor }) =>
      present(await updateSubscription(database, token, { actor, chosen: () => body })),

    unsubscribe: async ({ params: { token }, actor }) => {
      await unsubscribe(database, token, actor)
      return successReply
    },
  })
}

type Pages = Pick<
  Handlers<typeof subscriptionOperations>,
  | ('confirmPage' | 'confirmForm')
  | ('managePage' | 'manageForm')
  | ('unsubscribeForm' | 'unsubscribePage')
>

const pageHandlers = (deps: SubscriptionDeps): Pages => {
  const { database, sealer, baseUrl } = deps
  const readerOf = (call: Asking, page: StatusPageRow | null): PageSubscriber => ({
    page,
    baseUrl,
    locale: page?.locale ?? localeOf(call),
  })
  return {
    confirmPage: (call) =>
      asPage(call, async () => {
        const { token } = call.params
        const { row, page } = await question(deps, token)
        return pages.confirmPage(readerOf(call, page), token, row)
      }),

    confirmForm: (call) =>
      asPage(call, async () => {
        const row = await confirmSubscription(deps, call.params, call.actor)
        const page = await read(database, row.organizationId, (scope) =>
          findSubscriptionPage(scope, row),
        )
        return pages.confirmedPage(readerOf(call, page), row, decryptManageToken(sealer, row))
      }),

    managePage: (call) =>
      asPage(call, async () => {
        const { token } = call.params
        const managed = await findManaged(database, token)
        return pages.managePage(readerOf(call, managed.page), token, managed)
      }),

    manageForm: (call) =>
      asPage(call, async () => {
        const { params, body, rawBody, actor } = call
        const { token } = params
        const before = await findManaged(database, token)
        const reader = readerOf(call, before.page)
        if (isInactiveSubscriber(before.row)) return pages.managePage(reader, token, before)
        const ticked = parseSubscriptionForm(body.scope, rawBody)
        const problem = problemOf(ticked)
        if (problem !== null) {
          const notice = { kind: problem, submitted: submittedChoice(ticked) }
          return reply(pages.managePage(reader, token, before, notice), BAD_REQUEST)
        }
        const managed = await updateSubscription(database, token, {
          actor,
          chosen: chosenBy(ticked),
        })
        return pages.managePage(reader, token, managed, { kind: 'saved' })
      }),

    // GET changes nothing, because mail programs and scanners open every URL.
    unsubscribeForm: (call) =>
      asPage(call, async () => {
        const { token } = call.params
        const managed = await findManaged(database, token)
        return pages.unsubscribePage(readerOf(call, managed.page), token, managed)
      }),

    unsubscribePage: (call) =>
      asPage(call, async () => {
        const { row, page } = await unsubscribe(database, call.params.token, call.actor)
        return pages.unsubscribedPage(readerOf(call, page), row)
      }),
  }
}

const present = ({ row, choices }: ManagedSubscription) => presentSubscription(row, choices)

const question = async (
  { database }: SubscriptionDeps,
  token: string,
): Promise<ManagedSubscriber> => {
  const asked = await findPendingConfirmation(database, token)
  if (asked === null) throw notFound()
  return read(database, asked.organizationId, async (scope) => {
    const row = await findSubscriber(scope, asked.subscriberId)
    if (row === undefined) throw notFound()
    return { row, page: await findSubscriptionPage(scope, row) }
  })
}

const problemOf = ({
  componentIds,
  events,
  isContradictory,
}: SubscriptionFormValues): pages.FormProblem | null => {
  if (isContradictory) return 'bothChosen'
  if (events.length === 0) return 'noEvents'
  return componentIds?.length === 0 ? 'noneChosen' : null
}

const submittedChoice = ({
  returnedScope,
  tickedIds,
  events,
}: SubscriptionFormValues): pages.SubscriptionSelection => ({
  scope: returnedScope,
  componentIds: tickedIds,
  events,
})

/** Chosen components that the page no longer shows have no checkbox and stay chosen. */
const chosenBy =
  ({ componentIds, events }: SubscriptionFormValues): SubscriptionPatchBuilder =>
  ({ row, choices }) => {
    const shown = new Set(choices.map(({ id }) => id))
    const kept = row.componentIds.filter((id) => !shown.has(id))
    return { events, componentIds: componentIds === null ? [] : [...componentIds, ...kept] }
  }

type Asking = Pick<Call, 'headers'>

/** Responds with a page to an invalid link. */
const asPage = async (
  call: Asking,
  work: () => Promise<RenderedHtml | RawReply>,
): Promise<RawReply> => {
  try {
    const made = await work()
    return isRaw(made) ? made : reply(made, OK)
  } catch (error) {
    const isRefused = error instanceof AppError && refused.has(error.code)
    if (!isRefused) throw error
    const status = error.code === 'NOT_FOUND' ? NOT_FOUND : BAD_REQUEST
    return reply(pages.invalidLinkPage(localeOf(call)), status)
  }
}

const refused: ReadonlySet<string> = new Set(['NOT_FOUND', 'VALIDATION_ERROR'])

const localeOf = ({ headers }: Asking) => visitorLocale(headers['accept-language'])

const reply = ({ body, headers }: RenderedHtml, status: number): RawReply =>
  rawReply({ status, contentType: HTML_CONTENT_TYPE, headers, body })
