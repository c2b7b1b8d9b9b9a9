/** Postmortems in SQL; whoever writes one holds its incident's lock. */
import type { Scope } from '@status-page/postgres'
import { and, eq, inArray } from 'drizzle-orm'
import { type PostmortemRow, postmortems } from '../tables.ts'
import { postmortemTexts, within } from '../update-bounds.ts'

/** By the incident's id; with `maxBytes` those that fit together. */
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
        within(scope, postmortemTexts, incidentIds, maxBytes),
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
