/** The operations of a subscriber's own door, and of the way to one. */
import { AppError, notFound, subscriptionOperations, success } from '@status-page/contracts'
import { read } from '@status-page/postgres'
import { type RawReply, type Route, raw, route } from '@status-page/service'
import { enterPage, type GateDoors } from '../public/gate.ts'
import { findPages } from '../status-pages/store.ts'
import { findSubscriber } from '../subscribers/store.ts'
import { manageTokenOf } from './asking.ts'
import { confirm, questionOf } from './confirm.ts'
import { formOf, type Ticked } from './form.ts'
import { type Chosen, choose, look, type Managed, unsubscribe } from './manage.ts'
import * as pages from './page.ts'
import { isOver, presentSubscription } from './rules.ts'
import { type SignUpDoors, signUp } from './sign-up.ts'

type SubscriptionDoors = SignUpDoors & GateDoors

const BAD_REQUEST = 400
const NOT_FOUND = 404

export const subscriptionRoutes = (doors: SubscriptionDoors): Route[] => {
  const { database, sealer } = doors
  return route(subscriptionOperations, {
    subscribe: async (call) => {
      const { body, actor } = call
      const page = await enterPage(doors, call)
      await signUp(doors, { page, body, actor })
      return { status: 'unconfirmed' as const }
    },

    confirm: async ({ body, actor }) => {
      const row = await confirm(database, body, actor)
      return { status: 'active' as const, manageToken: manageTokenOf(sealer, row) }
    },

    read: async ({ params: { token } }) => present(await look(database, token)),

    update: async ({ params: { token }, body, actor }) =>
      present(await choose(database, token, { actor, chosen: () => body })),

    unsubscribe: async ({ params: { token }, actor }) => {
      await unsubscribe(database, token, actor)
      return success
    },

    confirmPage: ({ params: { token } }) => asPage(() => question(doors, token)),

    confirmForm: ({ params: { token }, actor }) =>
      asPage(async () => {
        const row = await confirm(database, { token }, actor)
        return pages.confirmedHtml(row, manageTokenOf(sealer, row))
      }),

    managePage: ({ params: { token } }) =>
      asPage(async () => pages.manageHtml(token, await look(database, token))),

    manageForm: ({ params: { token }, body: { scope }, rawBody, actor }) =>
      asPage(async () => {
        const before = await look(database, token)
        if (isOver(before.row)) return pages.manageHtml(token, before)
        const ticked = formOf(scope, rawBody)
        const problem = problemOf(ticked)
        if (problem !== null) return page(pages.manageHtml(token, before, problem), BAD_REQUEST)
        const managed = await choose(database, token, { actor, chosen: chosenBy(ticked) })
        return pages.manageHtml(token, managed, 'saved')
      }),

    // Looking at it changes nothing: mail programs and scanners open every address.
    unsubscribeForm: ({ params: { token } }) =>
      asPage(async () => pages.unsubscribeHtml(token, await look(database, token))),

    unsubscribePage: ({ params: { token }, actor }) =>
      asPage(async () => pages.endedHtml(await unsubscribe(database, token, actor))),
  })
}

const present = ({ row, choices }: Managed) => presentSubscription(row, choices)

const question = async ({ database }: SubscriptionDoors, token: string): Promise<string> => {
  const asked = await questionOf(database, token)
  if (asked === null) throw notFound()
  return read(database, asked.organizationId, async (scope) => {
    const row = await findSubscriber(scope, asked.subscriberId)
    if (row === undefined) throw notFound()
    const [about] = row.statusPageId === null ? [] : await findPages(scope, [row.statusPageId])
    return pages.confirmHtml(token, row, about?.name ?? null)
  })
}

const problemOf = ({ componentIds, events }: Ticked) => {
  if (events.length === 0) return 'no-events'
  return componentIds?.length === 0 ? 'no-components' : null
}

/** What was chosen earlier and is shown no more has no box: it stays. */
const chosenBy =
  ({ componentIds, events }: Ticked): Chosen =>
  ({ row, choices }) => {
    const shown = new Set(choices.map(({ id }) => id))
    const kept = row.componentIds.filter((id) => !shown.has(id))
    return { events, componentIds: componentIds === null ? [] : [...componentIds, ...kept] }
  }

/** For people: a link that leads nowhere says so, as a page. */
const asPage = async (work: () => Promise<string | RawReply>): Promise<RawReply> => {
  try {
    const made = await work()
    return typeof made === 'string' ? page(made, 200) : made
  } catch (error) {
    const isRefused = error instanceof AppError && refused.has(error.code)
    if (!isRefused) throw error
    return page(pages.deadLinkHtml, error.code === 'NOT_FOUND' ? NOT_FOUND : BAD_REQUEST)
  }
}

const refused: ReadonlySet<string> = new Set(['NOT_FOUND', 'VALIDATION_ERROR'])

const page = (body: string, status: number): RawReply =>
  raw({ status, contentType: 'text/html; charset=utf-8', headers: pages.pageHeaders, body })
