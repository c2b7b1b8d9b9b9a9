/** Ids of batches that took effect, so that a repeated batch changes nothing. */
import { and, eq, lt } from 'drizzle-orm'
import type { PgColumn, PgTable } from 'drizzle-orm/pg-core'
import type { Scope } from './scope.ts'

type BatchTable = PgTable & { organizationId: PgColumn; id: PgColumn; createdAt: PgColumn }

/** Retention of the ids, longer than an apply stays open. */
const RETENTION_MS = 7 * 86_400_000

/** Records the id of a batch; false when the table has it already. */
export const recordAppliedBatch = async (
  { tx, organizationId, now }: Scope,
  table: BatchTable,
  id: string,
): Promise<boolean> => {
  const old = lt(table.createdAt, new Date(now.getTime() - RETENTION_MS))
  await tx.delete(table).where(and(eq(table.organizationId, organizationId), old))
  const recorded = await tx
    .insert(table as PgTable)
    .values({ organizationId, id, createdAt: now })
    .onConflictDoNothing()
    .returning({ id: table.id })
  return recorded.length > 0
}
