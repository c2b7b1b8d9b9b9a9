/** A subscriber's own choices. The token is the credential, and the only one. */
import { type Actor, notFound, type SubscriptionPatch } from '@status-page/contracts'
import { change, type Database, read, type Scope } from '@status-page/postgres'
import { hashToken } from '@status-page/secrets'
import { allComponents } from '../components/store.ts'
import { type Shown, shownComponents } from '../public/projection.ts'
import { findPages, publishedPages } from '../status-pages/store.ts'
import { endSubscription } from '../subscribers/ending.ts'
import { auditSubscriber, stateSubscriber } from '../subscribers/rules.ts'
import * as subscriberStore from '../subscribers/store.ts'
import type { SubscriberRow } from '../tables.ts'
import { type Choice, chooseAnew } from './rules.ts'

/** A subscriber with what there is to choose from. */
export interface Managed {
  row: SubscriberRow
  choices: Choice[]
}

/** Ids of a patch are judged by the choices at the same moment. */
export type Chosen = (managed: Managed) => SubscriptionPatch

export const look = async (database: Database, token: string): Promise<Managed> => {
  const { id, organizationId } = await holderOf(database, token)
  return read(database, organizationId, async (scope) => {
    const row = await subscriberStore.findSubscriber(scope, id)
    if (row === undefined) throw notFound()
    return { row, choices: await choicesOf(scope, row) }
  })
}

export const choose = async (
  database: Database,
  token: string,
  { actor, chosen }: { actor: Actor; chosen: Chosen },
): Promise<Managed> => {
  const { id, organizationId } = await holderOf(database, token)
  return change(database, { organizationId, actor }, async (scope) => {
    const before = await subscriberStore.lockSubscriber(scope, id)
    if (before === undefined) throw notFound()
    const choices = await choicesOf(scope, before)
    const after = chooseAnew(before, chosen({ row: before, choices }), choices, scope.now)
    if (after === before) return { result: { row: before, choices }, events: [], audit: [] }
    await subscriberStore.saveSubscriber(scope, after)
    return {
      result: { row: after, choices },
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
): Promise<SubscriberRow> => {
  const { id, organizationId } = await holderOf(database, token)
  return change(database, { organizationId, actor }, async (scope) => {
    const before = await subscriberStore.lockSubscriber(scope, id)
    if (before === undefined) throw notFound()
    const ending = { status: 'unsubscribed', reason: 'link', at: scope.now } as const
    const after = endSubscription(before, ending, scope.now)
    if (after === null) return { result: before, events: [], audit: [] }
    await subscriberStore.saveSubscriber(scope, after)
    return {
      result: after,
      events: [stateSubscriber('updated', after)],
      audit: [auditSubscriber('update', before, after)],
    }
  })
}

const holderOf = async (database: Database, token: string): Promise<subscriberStore.Found> => {
  const found = await subscriberStore.findByToken(database, hashToken(token))
  if (found === undefined) throw notFound()
  return found
}

/** What the subscriber's page shows; without a page, what any published one does. */
const choicesOf = async (scope: Scope, { statusPageId }: SubscriberRow): Promise<Choice[]> => {
  const pages =
    statusPageId === null ? await publishedPages(scope) : await findPages(scope, [statusPageId])
  const all = await allComponents(scope)
  const choices = new Map<string, Choice>()
  for (const page of pages.filter(({ isPublished }) => isPublished)) {
    for (const choice of indented(shownComponents(page, all))) {
      if (!choices.has(choice.id)) choices.set(choice.id, choice)
    }
  }
  return [...choices.values()]
}

/** They come parents first. */
const indented = (shown: readonly Shown[]): Choice[] => {
  const depths = new Map<string, number>()
  return shown.map(({ component: { id }, parentId, name }) => {
    const depth = parentId === null ? 0 : (depths.get(parentId) ?? 0) + 1
    depths.set(id, depth)
    return { id, name, depth }
  })
}
