/** SQL of the audit log. Rows are inserted, read and deleted by retention, never updated. */
import {
  type AuditEntry,
  type auditOperations,
  limitAndOffset,
  type Query,
  sortOrderOf,
} from '@status-page/contracts'
import { equalsFilter, type RawSystemScope, type Scope } from '@status-page/postgres'
import { and, asc, desc, eq, getTableColumns, gte, lt, type SQL, sql } from 'drizzle-orm'
import { auditLog } from '../tables.ts'
import type { EntryCursor } from './export.ts'

export type EntryRow = typeof auditLog.$inferSelect
type ListQuery = Query<typeof auditOperations.list>

const matchesQuery = ({ organizationId }: Scope, query: ListQuery): SQL | undefined =>
  and(
    eq(auditLog.organizationId, organizationId),
    ...(['action', 'entityType', 'entityId', 'userId', 'apiKeyId'] as const).map((field) =>
      equalsFilter(auditLog[field], query[field]),
    ),
    query.from === undefined ? undefined : gte(auditLog.occurredAt, new Date(query.from)),
    query.to === undefined ? undefined : lt(auditLog.occurredAt, new Date(query.to)),
  )

const order = (query: ListQuery): [SQL, SQL] => {
  const direction = sortOrderOf(query) === 'asc' ? asc : desc
  return [direction(auditLog.occurredAt), direction(auditLog.id)]
}

export const listEntries = async (
  scope: Scope,
  query: ListQuery,
): Promise<{ rows: EntryRow[]; total: number }> => {
  const { limit, offset } = limitAndOffset(query)
  const where = matchesQuery(scope, query)
  const rows = await scope.tx
    .select()
    .from(auditLog)
    .where(where)
    .orderBy(...order(query))
    .limit(limit)
    .offset(offset)
  return { rows, total: await scope.tx.$count(auditLog, where) }
}

/**
 * Entries after a cursor in the order of the list; `occurredAtText` is the time as Postgres writes it.
 */
export const entriesAfter = (
  scope: Scope,
  query: ListQuery,
  { after, limit }: { after: EntryCursor | null; limit: number },
): Promise<(EntryRow & { occurredAtText: string })[]> => {
  const operator = sql.raw(sortOrderOf(query) === 'asc' ? '>' : '<')
  const afterCursor =
    after === null
      ? undefined
      : sql`(${auditLog.occurredAt}, ${auditLog.id}) ${operator}
          (${after.occurredAt}::timestamptz, ${after.id}::uuid)`
  return scope.tx
    .select({
      ...getTableColumns(auditLog),
      occurredAtText: sql<string>`${auditLog.occurredAt}::text`,
    })
    .from(auditLog)
    .where(and(matchesQuery(scope, query), afterCursor))
    .orderBy(...order(query))
    .limit(limit)
}

export const insertEntry = async (
  { tx, organizationId }: Scope,
  entry: AuditEntry,
): Promise<void> => {
  const { id, action, entityType, entityId, entityName, actorType, userId, apiKeyId } = entry
  const { changes, ipAddress, userAgent, requestId, occurredAt } = entry
  await tx.insert(auditLog).values({
    organizationId,
    id,
    action,
    entityType,
    entityId,
    entityName,
    actorType,
    userId,
    apiKeyId,
    changes,
    ipAddress,
    userAgent,
    requestId,
    occurredAt: new Date(occurredAt),
  })
}

/** Deletes one batch of entries beyond the retention; returns their number. */
export const deleteEntries = async (
  { sql }: RawSystemScope,
  { retentionDays, limit }: { retentionDays: number; limit: number },
): Promise<number> => {
  const deleted = await sql`
    DELETE FROM audit_log WHERE (organization_id, id) IN (
      SELECT organization_id, id FROM audit_log
      WHERE occurred_at < now() - make_interval(days => ${retentionDays})
      ORDER BY occurred_at LIMIT ${limit})`
  return deleted.count
}
