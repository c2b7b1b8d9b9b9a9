/** SQL of incident drafts. */
import {
  type incidentDraftOperations,
  limitAndOffset,
  type Query,
  sortOrderOf,
} from '@status-page/contracts'
import type { Scope, SystemScope } from '@status-page/postgres'
import { and, asc, count, desc, eq, gt, lt, sql } from 'drizzle-orm'
import { type IncidentDraftRow, incidentDrafts, incidentUpdates } from '../../tables.ts'

const own = ({ organizationId }: Scope) => eq(incidentDrafts.organizationId, organizationId)

type ListQuery = Query<typeof incidentDraftOperations.list>

export const listDrafts = async (scope: Scope, query: ListQuery) => {
  const { status } = query
  const where = and(
    own(scope),
    status === undefined ? undefined : eq(incidentDrafts.status, status),
  )
  const { limit, offset } = limitAndOffset(query)
  const direction = sortOrderOf(query) === 'asc' ? asc : desc
  const rows = await scope.tx
    .select()
    .from(incidentDrafts)
    .where(where)
    .orderBy(direction(incidentDrafts[query.sortBy]), direction(incidentDrafts.id))
    .limit(limit)
    .offset(offset)
  const [counted] = await scope.tx.select({ total: count() }).from(incidentDrafts).where(where)
  return { rows, total: counted?.total ?? 0 }
}

export const findDraft = async (
  scope: Scope,
  id: string,
): Promise<IncidentDraftRow | undefined> => {
  const [row] = await scope.tx
    .select()
    .from(incidentDrafts)
    .where(and(own(scope), eq(incidentDrafts.id, id)))
  return row
}

export const lockDraft = async (
  scope: Scope,
  id: string,
): Promise<IncidentDraftRow | undefined> => {
  const [row] = await scope.tx
    .select()
    .from(incidentDrafts)
    .where(and(own(scope), eq(incidentDrafts.id, id)))
    .for('update')
  return row
}

export const insertDraft = async ({ tx }: Scope, row: IncidentDraftRow): Promise<void> => {
  await tx.insert(incidentDrafts).values(row)
}

export const saveDraft = async (scope: Scope, row: IncidentDraftRow): Promise<void> => {
  await scope.tx
    .update(incidentDrafts)
    .set(row)
    .where(and(own(scope), eq(incidentDrafts.id, row.id)))
}

export const findDueDrafts = ({ tx, now }: SystemScope, limit: number) =>
  tx
    .select({ organizationId: incidentDrafts.organizationId, id: incidentDrafts.id })
    .from(incidentDrafts)
    .where(lt(incidentDrafts.publishAt, now))
    .orderBy(incidentDrafts.publishAt)
    .limit(limit)

/** Deletes at most `limit` drafts and returns their number. */
export const deleteOldDrafts = async (
  { tx }: SystemScope,
  { before, limit }: { before: Date; limit: number },
): Promise<number> => {
  const deleted = await tx.execute(sql`
    DELETE FROM incident_drafts WHERE id IN (SELECT id FROM incident_drafts
      WHERE updated_at < ${before.toISOString()}::timestamptz LIMIT ${limit})`)
  return deleted.count
}

/** Checks whether a user has posted an update after the first one. */
export const hasUpdateByUser = async (scope: Scope, incidentId: string): Promise<boolean> => {
  const rows = await scope.tx
    .select({ id: incidentUpdates.id })
    .from(incidentUpdates)
    .where(
      and(
        eq(incidentUpdates.organizationId, scope.organizationId),
        eq(incidentUpdates.incidentId, incidentId),
        eq(incidentUpdates.byPerson, true),
        gt(incidentUpdates.incidentVersion, 1),
      ),
    )
    .limit(1)
  return rows.length > 0
}
