/** SQL of all integrations of an organization, and marks of applied batches. */
import { resourceTable, type Scope } from '@status-page/postgres'
import { and, eq, inArray, lt } from 'drizzle-orm'
import { type IntegrationRow, integrationBatches, integrations } from '../../tables.ts'

/** Retention of marks; longer than any apply stays open. */
const MARK_RETENTION_MS = 7 * 86_400_000

/** Marks the batch; false when it is marked already. */
export const markBatchApplied = async (scope: Scope, id: string): Promise<boolean> => {
  const { tx, organizationId, now } = scope
  const old = lt(integrationBatches.createdAt, new Date(now.getTime() - MARK_RETENTION_MS))
  await tx
    .delete(integrationBatches)
    .where(and(eq(integrationBatches.organizationId, organizationId), old))
  const marked = await tx
    .insert(integrationBatches)
    .values({ organizationId, id, createdAt: now })
    .onConflictDoNothing()
    .returning({ id: integrationBatches.id })
  return marked.length > 0
}

const table = resourceTable(integrations)

export const allIntegrations = (scope: Scope): Promise<IntegrationRow[]> =>
  table.select(scope).orderBy(integrations.name, integrations.id)

export const lockIntegrations = async (
  scope: Scope,
  ids: readonly string[],
): Promise<Map<string, IntegrationRow>> => {
  if (ids.length === 0) return new Map()
  const rows = await table
    .select(scope, inArray(integrations.id, [...ids]))
    .orderBy(integrations.id)
    .for('update')
  return new Map(rows.map((row) => [row.id, row]))
}
