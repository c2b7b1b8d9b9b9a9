/** Core's copy of the integrations, used to validate METRIC components. */
import type { Scope } from '@status-page/postgres'
import { and, eq, inArray, sql } from 'drizzle-orm'
import { type IntegrationProjectionRow, integrations } from '../tables.ts'

/** Ignores versions older than the stored one. */
export const saveIntegration = async (
  { tx, organizationId }: Scope,
  row: Omit<IntegrationProjectionRow, 'organizationId'>,
): Promise<void> => {
  const { isRemoved, version } = row
  await tx
    .insert(integrations)
    .values({ ...row, organizationId })
    .onConflictDoUpdate({
      target: [integrations.organizationId, integrations.id],
      set: { isRemoved, version },
      setWhere: sql`${integrations.version} < excluded.version`,
    })
}

/** Returns the ids that belong to existing integrations. */
export const findIntegrations = async (
  { tx, organizationId }: Scope,
  ids: readonly string[],
): Promise<Set<string>> => {
  const rows = await tx
    .select({ id: integrations.id })
    .from(integrations)
    .where(
      and(
        eq(integrations.organizationId, organizationId),
        inArray(integrations.id, [...ids]),
        eq(integrations.isRemoved, false),
      ),
    )
  return new Set(rows.map(({ id }) => id))
}
