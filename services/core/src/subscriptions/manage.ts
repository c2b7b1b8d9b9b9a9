/** A subscriber's own choices. The token is the credential, and the only one. */
import { type Actor, notFound, type SubscriptionPatch } from '@status-page/contracts'
import { type Database, read, type Scope, transact } from '@status-page/postgres'
import { hashToken } from '@status-page/secrets'
import { allComponents } from '../components/store.ts'
import { type ShownComponent, shownComponents } from '../public/projection.ts'
import { findPages, publishedPages } from '../status-pages/store.ts'
import { endSubscription } from '../subscribers/ending.ts'
import { auditSubscriber, stateSubscriber } from '../subscribers/rules.ts'
import * as subscriberStore from '../subscribers/store.ts'
import type { StatusPageRow, SubscriberRow } from '../tables.ts'
import { type Choice, chooseAnew } from './rules.ts'

/** A subscriber with what there is to choose from. */
export interface Managed extends ManagedSubscriber {
  choices: Choice[]
}

export interface ManagedSubscriber {
  row: SubscriberRow
  /** What they subscribed to; null: to all pages. */
  page: StatusPageRow | null
}

/** Ids of a patch are judged by the choices at the same moment. */
export type Chosen = (managed: Managed) => SubscriptionPatch

export const look = async (database: Database, token: string): Promise<Managed> => {
  const { id, organizationId } = await holderOf(database, token)
  return read(database, organizationId, async (scope) => {
    const row = await subscriberStore.findSubscriber(scope, id)
    if (row === undefined) throw notFound()
    return managedOf(scope, row)
  })
}

export const choose = async (
  database: Database,
  token: string,
  { actor, chosen }: { actor: Actor; chosen: Chosen },
): Promise<Managed> => {
  const { id, organizationId } = await holderOf(database, token)
  return transact(database, { organizationId, actor }, async (scope) => {
    const before = await subscriberStore.lockSubscriber(scope, id)
    if (before === undefined) throw notFound()
    const managed = await managedOf(scope, before)
    const after = chooseAnew(before, chosen(managed), managed.choices, scope.now)
    if (after === before) return { result: managed, events: [], audit: [] }
    await subscriberStore.saveSubscriber(scope, after)
    return {
      result: { ...managed, row: after },
      events: [stateSubscriber('updated', after)],
      audit: [auditSubscriber('update', before, after)],
    }
  })
}

/** May be repeated: a mail program and a reader may both say it. */
export const unsubscribe = async (
  database: Database,
  token: string,
  actor: Actor,
): Promise<ManagedSubscriber> => {
  const { id, organizationId } = await holderOf(database, token)
  return transact(database, { organizationId, actor }, async (scope) => {
    const before = await subscriberStore.lockSubscriber(scope, id)
    if (before === undefined) throw notFound()
    const ending = { status: 'unsubscribed', reason: 'link', at: scope.now } as const
    const after = endSubscription(before, ending, scope.now)
    const page = await pageOf(scope, before)
    if (after === null) return { result: { row: before, page }, events: [], audit: [] }
    const others = (await subscriberStore.lockAddress(scope, before)).flatMap((other) => {
      const ended = isVouchedFor(other) ? endSubscription(other, ending, scope.now) : null
      return ended === null || other.id === id ? [] : [{ before: other, after: ended }]
    })
    const ended = [{ before, after }, ...others]
    for (const one of ended) await subscriberStore.saveSubscriber(scope, one.after)
    return {
      result: { row: after, page },
      events: ended.map((one) => stateSubscriber('updated', one.after)),
      audit: ended.map((one) => auditSubscriber('update', one.before, one.after)),
    }
  })
}

/**
 * A subscription that the organization made and the owner of the address never confirmed: it ends with the one
 * that the owner ends, while those that the owner asked for on other pages stay.
 */
const isVouchedFor = ({ source, confirmedAt }: SubscriberRow): boolean =>
  source !== 'self_signup' && confirmedAt === null

const holderOf = async (database: Database, token: string): Promise<subscriberStore.Found> => {
  const found = await subscriberStore.findByToken(database, hashToken(token))
  if (found === undefined) throw notFound()
  return found
}

export const pageOf = async (
  scope: Scope,
  { statusPageId }: SubscriberRow,
): Promise<StatusPageRow | null> => {
  const [page] = statusPageId === null ? [] : await findPages(scope, [statusPageId])
  return page ?? null
}

/** What the subscriber's page shows; without a page, what the published ones show that are public. */
const managedOf = async (scope: Scope, row: SubscriberRow): Promise<Managed> => {
  const page = await pageOf(scope, row)
  const pages = row.statusPageId === null ? await publicPages(scope) : [page ?? []].flat()
  const all = await allComponents(scope)
  const choices = new Map<string, Choice>()
  for (const page of pages.filter(({ isPublished }) => isPublished)) {
    for (const choice of indented(shownComponents(page, all))) {
      if (!choices.has(choice.id)) choices.set(choice.id, choice)
    }
  }
  return { row, page, choices: [...choices.values()] }
}

const publicPages = async (scope: Scope): Promise<StatusPageRow[]> =>
  (await publishedPages(scope)).filter(({ visibility }) => visibility === 'public')

/** They come parents first. */
const indented = (shown: readonly ShownComponent[]): Choice[] => {
  const depths = new Map<string, number>()
  return shown.map(({ component: { id }, parentId, name }) => {
    const depth = parentId === null ? 0 : (depths.get(parentId) ?? 0) + 1
    depths.set(id, depth)
    return { id, name, depth }
  })
}
