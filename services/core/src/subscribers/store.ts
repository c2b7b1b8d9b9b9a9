/** SQL of subscribers. */
import { conflict, type Query, type subscriberOperations } from '@status-page/contracts'
import {
  asLookup,
  containsFilter,
  type Database,
  equalsFilter,
  resourceTable,
  type Scope,
  type SystemScope,
  violatedUniqueConstraint,
} from '@status-page/postgres'
import { eq, getTableColumns, inArray, isNull, type SQL, sql } from 'drizzle-orm'
import { type SubscriberRow, subscribers } from '../tables.ts'
import { subscriptionKeyOf } from './csv/import-rules.ts'

/** Maximum number of rows per statement. */
const CHUNK_ROWS = 1_000
/** Attempts while concurrent requests add and remove the same address. */
const INSERT_ATTEMPTS = 3

const table = resourceTable(subscribers)

export const { find: findSubscriber, lock: lockSubscriber, remove: removeSubscriber } = table

type ListQuery = Query<typeof subscriberOperations.list>

export const listSubscribers = (scope: Scope, query: ListQuery) =>
  table.listBy(scope, query, sortKeys[query.sortBy], filters(query))

const sortKeys: Record<ListQuery['sortBy'], SQL> = {
  createdAt: sql`${subscribers.createdAt}`,
  email: sql`CASE WHEN ${subscribers.type} = 'email' THEN ${subscribers.address} END`,
  type: sql`${subscribers.type}`,
}

const filters = (query: ListQuery): (SQL | undefined)[] => [
  equalsFilter(subscribers.type, query.type),
  equalsFilter(subscribers.status, query.status),
  equalsFilter(subscribers.source, query.source),
  query.componentId === undefined
    ? undefined
    : // The first condition matches the partial index. The second must not be an index condition,
      // because that could reveal rows of other tenants.
      sql`${subscribers.componentIds} <> '{}' AND ${query.componentId}::uuid = ANY (${subscribers.componentIds})`,
  equalsFilter(subscribers.statusPageId, query.statusPageId),
  equalsFilter(subscribers.incidentId, query.incidentId),
  containsFilter(subscribers.address, query.search),
]

type SubscriberAddressKey = Pick<
  SubscriberRow,
  'type' | 'addressDigest' | 'statusPageId' | 'incidentId'
>

/** Locks the subscriber with the same type, address, page and incident. */
export const lockSubscriberOnPage = async (
  scope: Scope,
  { type, addressDigest, statusPageId, incidentId }: SubscriberAddressKey,
): Promise<SubscriberRow | undefined> => {
  const [row] = await table
    .select(
      scope,
      eq(subscribers.type, type),
      eq(subscribers.addressDigest, addressDigest),
      statusPageId === null
        ? isNull(subscribers.statusPageId)
        : eq(subscribers.statusPageId, statusPageId),
      incidentId === null ? isNull(subscribers.incidentId) : eq(subscribers.incidentId, incidentId),
    )
    .for('update')
  return row
}

/** Locks all subscriptions of one address, in the order of their ids. */
export const lockSubscriptionsOfAddress = (
  scope: Scope,
  { type, addressDigest }: Pick<SubscriberRow, 'type' | 'addressDigest'>,
): Promise<SubscriberRow[]> =>
  table
    .select(scope, eq(subscribers.type, type), eq(subscribers.addressDigest, addressDigest))
    .orderBy(subscribers.id)
    .for('update')

/** Existing subscribers of the addresses, by `subscriptionKeyOf`; locked in the order of their ids. */
export const lockSubscribersByKey = async (
  scope: Scope,
  keys: readonly SubscriberAddressKey[],
): Promise<Map<string, SubscriberRow>> => {
  const ids = await idsOf(scope, keys)
  const found = new Map<string, SubscriberRow>()
  for (let start = 0; start < ids.length; start += CHUNK_ROWS) {
    const rows = await table
      .select(scope, inArray(subscribers.id, ids.slice(start, start + CHUNK_ROWS)))
      .orderBy(subscribers.id)
      .for('update')
    for (const row of rows) found.set(subscriptionKeyOf(row), row)
  }
  return found
}

/**
 * Ids in ascending order. The organization's subscribers are read once and hashed: without
 * statistics on a new table, ten thousand index lookups were planned over the wrong index and took
 * a minute.
 */
const idsOf = async (
  { organizationId, tx }: Scope,
  keys: readonly SubscriberAddressKey[],
): Promise<string[]> => {
  const types = sql.param(keys.map(({ type }) => type))
  const digests = sql.param(keys.map(({ addressDigest }) => addressDigest))
  await tx.execute(sql`SELECT set_config('enable_nestloop', 'off', true)`)
  const rows = await tx.execute<{ id: string }>(sql`
    SELECT DISTINCT s.id FROM subscribers s
    JOIN unnest(${types}::text[], ${digests}::text[]) AS address (type, digest)
      ON address.type = s.type AND address.digest = s.address_digest
    WHERE s.organization_id = ${organizationId} ORDER BY s.id`)
  await tx.execute(sql`SELECT set_config('enable_nestloop', 'on', true)`)
  return rows.map(({ id }) => id)
}

/** Inserts rows and returns the ids of those that did not exist. */
export const insertSubscribers = async (
  { tx }: Scope,
  rows: readonly SubscriberRow[],
): Promise<Set<string>> => {
  const inserted = new Set<string>()
  for (let start = 0; start < rows.length; start += CHUNK_ROWS) {
    const chunk = JSON.stringify(rows.slice(start, start + CHUNK_ROWS).map(stored))
    // One JSON parameter: a list of values has a parameter per cell and takes ten times as long to
    // build as to store.
    const response = await tx.execute<{ id: string }>(sql`
      INSERT INTO subscribers (${columnNames}) SELECT ${columnNames} FROM jsonb_populate_recordset(NULL::subscribers, ${chunk}::jsonb)
      ON CONFLICT DO NOTHING RETURNING id`)
    for (const { id } of response) inserted.add(id)
  }
  return inserted
}

const columns = Object.entries(getTableColumns(subscribers))

const columnNames = sql.join(
  columns.map(([, { name }]) => sql.identifier(name)),
  sql`, `,
)

const stored = (row: SubscriberRow): Record<string, unknown> =>
  Object.fromEntries(
    columns.map(([name, { name: column }]) => [column, row[name as keyof typeof row]]),
  )

/** Saves the changes of an import to existing subscribers. */
export const saveImportedChanges = async (
  { organizationId, tx }: Scope,
  rows: readonly SubscriberRow[],
): Promise<void> => {
  for (let start = 0; start < rows.length; start += CHUNK_ROWS) {
    const chunk = JSON.stringify(rows.slice(start, start + CHUNK_ROWS).map(stored))
    await tx.execute(sql`
      UPDATE subscribers s SET component_ids = r.component_ids, events = r.events,
        version = r.version, updated_at = r.updated_at
      FROM jsonb_populate_recordset(NULL::subscribers, ${chunk}::jsonb) r
      WHERE s.organization_id = ${organizationId} AND s.id = r.id`)
  }
}

/** Position in an export. */
export type SubscriberCursor = Pick<SubscriberRow, 'createdAt' | 'id'>

/** Page of an export, oldest first, stable while rows are added. */
export const listSubscribersAfter = (
  scope: Scope,
  query: ListQuery,
  after: SubscriberCursor | null,
  limit: number,
): Promise<SubscriberRow[]> =>
  table
    .select(
      scope,
      ...filters(query),
      after === null
        ? undefined
        : sql`(${subscribers.createdAt}, ${subscribers.id}) > (${after.createdAt.toISOString()}::timestamptz, ${after.id}::uuid)`,
    )
    .orderBy(subscribers.createdAt, subscribers.id)
    .limit(limit)

/** Returns false if a subscriber with the same type, address, page and incident exists. */
export const insertSubscriber = async ({ tx }: Scope, row: SubscriberRow): Promise<boolean> => {
  const inserted = await tx
    .insert(subscribers)
    .values(row)
    .onConflictDoNothing()
    .returning({ id: subscribers.id })
  return inserted.length > 0
}

/** Returns null when inserted, otherwise the existing subscriber with the same key, locked. */
export const insertOrLockSubscriber = async (
  scope: Scope,
  row: SubscriberRow,
): Promise<SubscriberRow | null> => {
  for (let attempt = 1; attempt <= INSERT_ATTEMPTS; attempt++) {
    if (await insertSubscriber(scope, row)) return null
    const same = await lockSubscriberOnPage(scope, row)
    // A concurrent removal has completed, so the insert is tried again.
    if (same !== undefined) return same
  }
  throw conflict('duplicate', 'A subscriber with this address already exists')
}

export const saveSubscriber = async (scope: Scope, row: SubscriberRow): Promise<void> => {
  // `lastNotifiedAt` is written by `saveNotificationTimes` only, which may run concurrently.
  const { lastNotifiedAt: _lastNotifiedAt, ...values } = row
  try {
    await table.update(scope, values, eq(subscribers.id, row.id))
  } catch (error) {
    if (violatedUniqueConstraint(error) !== 'subscribers_address') throw error
    throw conflict('duplicate', 'A subscriber with this address already exists')
  }
}

/** Saves the times of notifications to existing subscribers; older times are ignored. */
export const saveNotificationTimes = async (
  { organizationId, tx }: Scope,
  notified: readonly { id: string; lastNotifiedAt: string }[],
): Promise<void> => {
  await tx.execute(sql`
    UPDATE subscribers s SET last_notified_at = n."lastNotifiedAt"
    FROM jsonb_to_recordset(${JSON.stringify(notified)}::jsonb)
      AS n(id uuid, "lastNotifiedAt" timestamptz)
    WHERE s.organization_id = ${organizationId} AND s.id = n.id
      AND (s.last_notified_at IS NULL OR s.last_notified_at < n."lastNotifiedAt")`)
}

/** Deletes and returns the subscribers of a page that is deleted. */
export const removeSubscribersOfPage = (
  scope: Scope,
  statusPageId: string,
): Promise<SubscriberRow[]> =>
  scope.tx
    .delete(subscribers)
    .where(table.own(scope, eq(subscribers.statusPageId, statusPageId)))
    .returning()

export interface EndedIncident {
  organizationId: string
  incidentId: string
}

/** Incidents with subscribers of their own that were resolved before `before`, or deleted. */
export const listEndedIncidents = async (
  { tx }: SystemScope,
  before: Date,
  limit: number,
): Promise<EndedIncident[]> =>
  tx.execute<EndedIncident & Record<string, unknown>>(sql`
    SELECT DISTINCT s.organization_id AS "organizationId", s.incident_id AS "incidentId"
    FROM subscribers s
    LEFT JOIN incidents i ON i.organization_id = s.organization_id AND i.id = s.incident_id
    WHERE s.incident_id IS NOT NULL
      AND (i.id IS NULL OR i.resolved_at < ${before.toISOString()}::timestamptz)
    ORDER BY 1, 2 LIMIT ${limit}`)

/** Deletes and returns up to `limit` subscribers of one incident. */
export const removeSubscribersOfIncident = (
  scope: Scope,
  incidentId: string,
  limit: number,
): Promise<SubscriberRow[]> => {
  const batch = scope.tx
    .select({ id: subscribers.id })
    .from(subscribers)
    .where(table.own(scope, eq(subscribers.incidentId, incidentId)))
    .orderBy(subscribers.id)
    .limit(limit)
    .for('update')
  return scope.tx
    .delete(subscribers)
    .where(table.own(scope, inArray(subscribers.id, batch)))
    .returning()
}

export interface SubscriberReference {
  id: string
  organizationId: string
}

/** Finds the subscriber of a token in any organization. */
export const findSubscriberByToken = (
  database: Database,
  digest: string,
): Promise<SubscriberReference | undefined> =>
  asLookup(database, async ({ tx }) => {
    const [found] = await tx
      .select({ id: subscribers.id, organizationId: subscribers.organizationId })
      .from(subscribers)
      .where(eq(subscribers.manageTokenDigest, digest))
    return found
  })
