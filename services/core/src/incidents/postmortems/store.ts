/** Postmortems in SQL; writers must hold the lock on the incident. */
import type { Scope } from '@status-page/postgres'
import { and, eq, inArray } from 'drizzle-orm'
import { type PostmortemRow, postmortems } from '../../tables.ts'
import { newestWithinBytes, postmortemTexts } from '../../update-bounds.ts'

/** Postmortems by incident id; `maxBytes` limits their total size. */
export const postmortemsOf = async (
  scope: Scope,
  incidentIds: readonly string[],
  maxBytes?: number,
): Promise<Map<string, PostmortemRow>> => {
  const { tx, organizationId } = scope
  if (incidentIds.length === 0) return new Map()
  const rows = await tx
    .select()
    .from(postmortems)
    .where(
      and(
        eq(postmortems.organizationId, organizationId),
        inArray(postmortems.incidentId, [...incidentIds]),
        newestWithinBytes(scope, postmortemTexts, incidentIds, maxBytes),
      ),
    )
  return new Map(rows.map((row) => [row.incidentId, row]))
}

export const findPostmortem = async (
  scope: Scope,
  incidentId: string,
): Promise<PostmortemRow | undefined> => (await postmortemsOf(scope, [incidentId])).get(incidentId)

export const savePostmortem = async ({ tx }: Scope, row: PostmortemRow): Promise<void> => {
  await tx.insert(postmortems).values(row).onConflictDoUpdate({ target: postmortems.id, set: row })
}

export const removePostmortem = async (
  { tx, organizationId }: Scope,
  id: string,
): Promise<void> => {
  await tx
    .delete(postmortems)
    .where(and(eq(postmortems.organizationId, organizationId), eq(postmortems.id, id)))
}
