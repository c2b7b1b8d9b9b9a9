/** Management of a subscription by its owner. The token is the only credential. */
import { type Actor, AppError, orNotFound, type SubscriptionPatch } from '@status-page/contracts'
import { type Database, read, type Scope, transact } from '@status-page/postgres'
import { hashToken } from '@status-page/secrets'
import { listAllComponents } from '../../components/store.ts'
import { type ComponentChoice, changeSelection } from '../../subscribers/confirmation/rules.ts'
import { auditSubscriber, subscriberEvent } from '../../subscribers/rules.ts'
import * as subscriberStore from '../../subscribers/store.ts'
import { endSubscription, type SubscriptionEnd } from '../../subscribers/subscription-end.ts'
import type { StatusPageRow, SubscriberRow } from '../../tables.ts'
import { createPageView } from '../access/page-access.ts'
import { findPublicIncident } from '../public/page-queries.ts'
import { type ShownComponent, shownComponents } from '../settings/shown-components.ts'
import { findPages, listPublishedPages } from '../settings/store.ts'

export interface ManageDeps {
  database: Database
  baseUrl: string
}

/** Subscriber with its page and the components to choose from. */
export interface ManagedSubscription extends ManagedSubscriber {
  choices: ComponentChoice[]
  /** Title of the only incident of the subscription; null without one. */
  incidentTitle: string | null
}

export interface ManagedSubscriber {
  row: SubscriberRow
  /** Page of the subscription; null for all pages. */
  page: StatusPageRow | null
}

/**
 * Builds the patch from the current subscription. Its component ids are validated against the
 * choices in the same transaction.
 */
export type SubscriptionPatchBuilder = (managed: ManagedSubscription) => SubscriptionPatch

export const findManagedSubscription = async (
  deps: ManageDeps,
  token: string,
): Promise<ManagedSubscription> => {
  const { id, organizationId } = await holderOf(deps.database, token)
  return read(deps.database, organizationId, async (scope) =>
    managedOf(deps, scope, orNotFound(await subscriberStore.findSubscriber(scope, id))),
  )
}

export const updateSubscription = async (
  deps: ManageDeps,
  token: string,
  { actor, chosen }: { actor: Actor; chosen: SubscriptionPatchBuilder },
): Promise<ManagedSubscription> => {
  const { id, organizationId } = await holderOf(deps.database, token)
  return transact(deps.database, { organizationId, actor }, async (scope) => {
    const before = orNotFound(await subscriberStore.lockSubscriber(scope, id))
    const managed = await managedOf(deps, scope, before)
    const after = changeSelection(before, chosen(managed), managed.choices, scope.now)
    if (after === before) return { result: managed }
    await subscriberStore.saveSubscriber(scope, after)
    return {
      result: { ...managed, row: after },
      events: [subscriberEvent('updated', after)],
      audit: [auditSubscriber('update', before, after)],
    }
  })
}

/** Idempotent, since a mail program and the reader may both unsubscribe. */
export const unsubscribe = async (
  database: Database,
  token: string,
  actor: Actor,
): Promise<ManagedSubscriber> => {
  const { id, organizationId } = await holderOf(database, token)
  return transact(database, { organizationId, actor }, async (scope) => {
    const before = orNotFound(await subscriberStore.lockSubscriber(scope, id))
    const ending = { status: 'unsubscribed', reason: 'link', at: scope.now } as const
    const after = endSubscription(before, ending, scope.now)
    const page = await findSubscriptionPage(scope, before)
    if (after === null) return { result: { row: before, page } }
    const others = await endVouchedFor(scope, before, ending)
    const ended = [{ before, after }, ...others]
    for (const change of ended) await subscriberStore.saveSubscriber(scope, change.after)
    return {
      result: { row: after, page },
      events: ended.map((change) => subscriberEvent('updated', change.after)),
      audit: ended.map((change) => auditSubscriber('update', change.before, change.after)),
    }
  })
}

/** Ends the other subscriptions of the address that end with this one. */
const endVouchedFor = async (
  scope: Scope,
  ended: SubscriberRow,
  ending: SubscriptionEnd,
): Promise<{ before: SubscriberRow; after: SubscriberRow }[]> => {
  // The end of a subscription to one incident concerns that incident alone.
  if (ended.incidentId !== null) return []
  const same = await subscriberStore.lockSubscriptionsOfAddress(scope, ended)
  return same.flatMap((before) => {
    const after = isVouchedFor(before) ? endSubscription(before, ending, scope.now) : null
    return after === null || before.id === ended.id ? [] : [{ before, after }]
  })
}

/**
 * True for subscriptions that the organization added and the owner never confirmed. They end with
 * the subscription that the owner ends; those that the owner requested on other pages stay.
 */
const isVouchedFor = ({ source, confirmedAt }: SubscriberRow): boolean =>
  source !== 'self_signup' && confirmedAt === null

const holderOf = async (
  database: Database,
  token: string,
): Promise<subscriberStore.SubscriberReference> =>
  orNotFound(await subscriberStore.findSubscriberByToken(database, hashToken(token)))

export const findSubscriptionPage = async (
  scope: Scope,
  { statusPageId }: SubscriberRow,
): Promise<StatusPageRow | null> => {
  const [page] = statusPageId === null ? [] : await findPages(scope, [statusPageId])
  return page ?? null
}

/** Title of the incident on the page; null where the page no longer shows it. */
export const findFollowedIncident = async (
  { baseUrl }: Pick<ManageDeps, 'baseUrl'>,
  scope: Scope,
  { row: { incidentId }, page }: ManagedSubscriber,
): Promise<string | null> => {
  if (incidentId === null || !page?.isPublished) return null
  try {
    const view = await createPageView(scope, page, baseUrl)
    return (await findPublicIncident(view, incidentId)).title
  } catch (error) {
    if (error instanceof AppError && error.code === 'NOT_FOUND') return null
    throw error
  }
}

/**
 * Content of the subscriber's page; without a page, the components of all public pages, and none
 * for a subscription to one incident.
 */
const managedOf = async (
  deps: ManageDeps,
  scope: Scope,
  row: SubscriberRow,
): Promise<ManagedSubscription> => {
  const page = await findSubscriptionPage(scope, row)
  if (row.incidentId !== null) {
    const incidentTitle = await findFollowedIncident(deps, scope, { row, page })
    return { row, page, choices: [], incidentTitle }
  }
  const pages = row.statusPageId === null ? await publicPages(scope) : [page ?? []].flat()
  const all = await listAllComponents(scope)
  const choices = new Map<string, ComponentChoice>()
  for (const page of pages.filter(({ isPublished }) => isPublished)) {
    for (const choice of indented(shownComponents(page, all))) {
      if (!choices.has(choice.id)) choices.set(choice.id, choice)
    }
  }
  return { row, page, choices: [...choices.values()], incidentTitle: null }
}

const publicPages = async (scope: Scope): Promise<StatusPageRow[]> =>
  (await listPublishedPages(scope)).filter(({ visibility }) => visibility === 'public')

/** Choices in order, parents before their children. */
const indented = (shown: readonly ShownComponent[]): ComponentChoice[] => {
  const depths = new Map<string, number>()
  return shown.map(({ component: { id }, parentId, name }) => {
    const depth = parentId === null ? 0 : (depths.get(parentId) ?? 0) + 1
    depths.set(id, depth)
    return { id, name, depth }
  })
}
