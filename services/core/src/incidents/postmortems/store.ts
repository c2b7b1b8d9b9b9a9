/** Postmortems in SQL; writers must hold the lock on the incident. */
import { isAnyOf, resourceTable, type Scope } from '@status-page/postgres'
import { type PostmortemRow, postmortems } from '../../tables.ts'
import { newestWithinBytes, postmortemTexts } from '../../update-bounds.ts'

const table = resourceTable(postmortems)

export const { remove: removePostmortem } = table

/** Postmortems by incident id; `maxBytes` limits their total size. */
export const postmortemsOf = async (
  scope: Scope,
  incidentIds: readonly string[],
  maxBytes?: number,
): Promise<Map<string, PostmortemRow>> => {
  if (incidentIds.length === 0) return new Map()
  const rows = await table.select(
    scope,
    isAnyOf(postmortems.incidentId, incidentIds),
    newestWithinBytes(scope, postmortemTexts, incidentIds, maxBytes),
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
