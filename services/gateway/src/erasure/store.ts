/** SQL of organization deletions and of the receipts of the services. */
import { services } from '@status-page/contracts'
import type { Database, Scope, SystemScope } from '@status-page/postgres'
import { sha256 } from '@status-page/secrets'
import { and, eq, isNotNull, isNull, lte, sql } from 'drizzle-orm'
import { apiKeys, erasureReceipts, organizations, retiredSlugs, sessions } from '../tables.ts'

export interface DeletionRequest {
  requestedBy: string | null
  dueAt: Date
}

export const requestDeletion = async (
  { tx, now, organizationId }: Scope,
  { requestedBy, dueAt }: DeletionRequest,
): Promise<void> => {
  await tx
    .update(organizations)
    .set({ deletionRequestedAt: now, deletionRequestedBy: requestedBy, deletionDueAt: dueAt })
    .where(eq(organizations.id, organizationId))
}

/** Returns false when the deletion has already started. */
export const withdrawDeletion = async ({ tx, organizationId }: Scope): Promise<boolean> => {
  const rows = await tx
    .update(organizations)
    .set({ deletionRequestedAt: null, deletionRequestedBy: null, deletionDueAt: null })
    .where(and(eq(organizations.id, organizationId), isNull(organizations.deletionStartedAt)))
    .returning({ id: organizations.id })
  return rows.length === 1
}

/**
 * Returns the version for the event, or null when the deletion was withdrawn or has already
 * started.
 */
export const startDeletion = async ({ tx, now, organizationId }: Scope): Promise<number | null> => {
  const [row] = await tx
    .update(organizations)
    .set({ deletionStartedAt: now, version: sql`${organizations.version} + 1` })
    .where(
      and(
        eq(organizations.id, organizationId),
        lte(organizations.deletionDueAt, now),
        isNull(organizations.deletionStartedAt),
      ),
    )
    .returning({ version: organizations.version })
  if (row === undefined) return null
  await tx.delete(sessions).where(eq(sessions.organizationId, organizationId))
  await tx.delete(apiKeys).where(eq(apiKeys.organizationId, organizationId))
  return row.version
}

/** Organizations whose withdrawal period has ended, the longest due first. */
export const dueDeletions = async ({ tx, now }: SystemScope, limit: number): Promise<string[]> => {
  const { id, deletionDueAt, deletionStartedAt } = organizations
  const rows = await tx
    .select({ id })
    .from(organizations)
    .where(and(lte(deletionDueAt, now), isNull(deletionStartedAt)))
    .orderBy(deletionDueAt, id)
    .limit(limit)
  return rows.map((row) => row.id)
}

/** Organizations of which every service, this one included, has sent its receipt. */
export const removableOrganizations = async (
  { tx }: SystemScope,
  limit: number,
): Promise<string[]> => {
  const { id, deletionStartedAt } = organizations
  const receipts = sql`(SELECT count(*) FROM ${erasureReceipts}
    WHERE ${erasureReceipts.organizationId} = ${id})`
  const rows = await tx
    .select({ id })
    .from(organizations)
    .where(and(isNotNull(deletionStartedAt), sql`${receipts} >= ${services.length}`))
    .orderBy(deletionStartedAt, id)
    .limit(limit)
  return rows.map((row) => row.id)
}

export const saveReceipt = async (
  { tx, now, organizationId }: Scope,
  { service, deletedRows }: { service: string; deletedRows: number },
): Promise<void> => {
  await tx
    .insert(erasureReceipts)
    .values({ organizationId, service, deletedRows, completedAt: now })
    .onConflictDoNothing()
}

/**
 * Deletes the organization's row, the last one; a digest of the slug stays, so that it is never
 * reused.
 */
export const removeOrganization = async ({ tx, organizationId }: Scope): Promise<void> => {
  const [row] = await tx
    .delete(organizations)
    .where(eq(organizations.id, organizationId))
    .returning({ slug: organizations.slug })
  if (row === undefined) return
  await tx
    .insert(retiredSlugs)
    .values({ slugDigest: sha256(row.slug) })
    .onConflictDoNothing()
}

/**
 * Organizations whose deletion is running or completed within the period, with the time of the last
 * progress in Unix milliseconds.
 */
export const organizationsDeletedWithin = async (
  { batchSql }: Database,
  withinMs: number,
): Promise<[string, number][]> => {
  const rows = await batchSql<{ organization_id: string; at: string }[]>`
    SELECT organization_id, floor(extract(epoch FROM coalesce(completed_at, now())) * 1000)::text AS at
    FROM erasure WHERE coalesce(completed_at, now()) > now() - ${withinMs}::float8 * interval '1 ms'`
  return rows.map(({ organization_id, at }) => [organization_id, Number(at)])
}
