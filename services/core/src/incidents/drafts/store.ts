/** SQL of incident drafts. */
import type { incidentDraftOperations, Query } from '@status-page/contracts'
import { resourceTable, type Scope, type SystemScope } from '@status-page/postgres'
import { and, eq, gt, isNull, lt, sql } from 'drizzle-orm'
import { type IncidentDraftRow, incidentDrafts, incidentUpdates } from '../../tables.ts'

const table = resourceTable(incidentDrafts)

export const { find: findDraft, lock: lockDraft, insert: insertDraft, save: saveDraft } = table

/** Locks the draft about the present disruption that the vendor of the component reports. */
export const lockVendorDraft = async (
  scope: Scope,
  componentId: string,
): Promise<IncidentDraftRow | undefined> => {
  const isOpen = isNull(incidentDrafts.alertResolvedAt)
  const isOfComponent = eq(incidentDrafts.vendorComponentId, componentId)
  const [row] = await table.select(scope, isOfComponent, isOpen).for('update')
  return row
}

type ListQuery = Query<typeof incidentDraftOperations.list>

export const listDrafts = (scope: Scope, query: ListQuery) => {
  const { status } = query
  const filters = status === undefined ? [] : [eq(incidentDrafts.status, status)]
  return table.list(scope, query, filters)
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
