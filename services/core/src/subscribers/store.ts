/** Subscribers in SQL. */
import {
  type Query,
  sortOrderOf,
  type subscriberOperations,
  windowOf,
} from '@status-page/contracts'
import { crossLookup, type Database, type Scope } from '@status-page/postgres'
import { and, asc, count, desc, eq, isNull, type SQL, sql } from 'drizzle-orm'
import { type SubscriberRow, subscribers } from '../tables.ts'

const own = ({ organizationId }: Scope) => eq(subscribers.organizationId, organizationId)

type ListQuery = Query<typeof subscriberOperations.list>

export const listSubscribers = async (scope: Scope, query: ListQuery) => {
  const where = and(own(scope), ...filters(query))
  const { limit, offset } = windowOf(query)
  const direction = sortOrderOf(query) === 'asc' ? asc : desc
  const rows = await scope.tx
    .select()
    .from(subscribers)
    .where(where)
    .orderBy(direction(sortKeys[query.sortBy]), direction(subscribers.id))
    .limit(limit)
    .offset(offset)
  const [counted] = await scope.tx.select({ total: count() }).from(subscribers).where(where)
  return { rows, total: counted?.total ?? 0 }
}

const sortKeys: Record<ListQuery['sortBy'], SQL> = {
  createdAt: sql`${subscribers.createdAt}`,
  email: sql`CASE WHEN ${subscribers.type} = 'email' THEN ${subscribers.address} END`,
  type: sql`array_position('{email,sms,webhook}'::text[], ${subscribers.type})`,
}

const filters = (query: ListQuery): (SQL | undefined)[] => [
  query.type === undefined ? undefined : eq(subscribers.type, query.type),
  query.status === undefined ? undefined : eq(subscribers.status, query.status),
  query.source === undefined ? undefined : eq(subscribers.source, query.source),
  query.componentId === undefined
    ? undefined
    : sql`${query.componentId}::uuid = ANY (${subscribers.componentIds})`,
  query.statusPageId === undefined ? undefined : eq(subscribers.statusPageId, query.statusPageId),
  query.search === undefined
    ? undefined
    : sql`strpos(lower(${subscribers.address}), lower(${query.search})) > 0`,
]

export const findSubscriber = async (
  scope: Scope,
  id: string,
): Promise<SubscriberRow | undefined> => {
  const [row] = await scope.tx
    .select()
    .from(subscribers)
    .where(and(own(scope), eq(subscribers.id, id)))
  return row
}

export const lockSubscriber = async (
  scope: Scope,
  id: string,
): Promise<SubscriberRow | undefined> => {
  const [row] = await scope.tx
    .select()
    .from(subscribers)
    .where(and(own(scope), eq(subscribers.id, id)))
    .for('update')
  return row
}

/** The same type, address and page. */
export const lockSame = async (
  scope: Scope,
  { type, addressDigest, statusPageId }: SubscriberRow,
): Promise<SubscriberRow | undefined> => {
  const [row] = await scope.tx
    .select()
    .from(subscribers)
    .where(
      and(
        own(scope),
        eq(subscribers.type, type),
        eq(subscribers.addressDigest, addressDigest),
        statusPageId === null
          ? isNull(subscribers.statusPageId)
          : eq(subscribers.statusPageId, statusPageId),
      ),
    )
    .for('update')
  return row
}

/** False if one with the same type, address and page is there already. */
export const insertSubscriber = async ({ tx }: Scope, row: SubscriberRow): Promise<boolean> => {
  const inserted = await tx
    .insert(subscribers)
    .values(row)
    .onConflictDoNothing()
    .returning({ id: subscribers.id })
  return inserted.length > 0
}

export const saveSubscriber = async (scope: Scope, row: SubscriberRow): Promise<void> => {
  await scope.tx
    .update(subscribers)
    .set(row)
    .where(and(own(scope), eq(subscribers.id, row.id)))
}

export const removeSubscriber = async (
  scope: Scope,
  id: string,
): Promise<SubscriberRow | undefined> => {
  const [row] = await scope.tx
    .delete(subscribers)
    .where(and(own(scope), eq(subscribers.id, id)))
    .returning()
  return row
}

/** Those bound to a page that goes. */
export const removeBoundTo = (scope: Scope, statusPageId: string): Promise<SubscriberRow[]> =>
  scope.tx
    .delete(subscribers)
    .where(and(own(scope), eq(subscribers.statusPageId, statusPageId)))
    .returning()

export interface Found {
  id: string
  organizationId: string
}

/** Whose token it is, of any organization. */
export const findByToken = (database: Database, digest: string): Promise<Found | undefined> =>
  crossLookup(database, async ({ tx }) => {
    const [found] = await tx
      .select({ id: subscribers.id, organizationId: subscribers.organizationId })
      .from(subscribers)
      .where(eq(subscribers.manageTokenDigest, digest))
    return found
  })
