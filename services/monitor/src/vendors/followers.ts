/** Rows of the components that follow pages of vendors. A writer of reports has locked the row. */
import type { VendorReport } from '@status-page/contracts'
import { asWorkerRaw, type Database, type Scope, tenantTable } from '@status-page/postgres'
import { eq, inArray, sql } from 'drizzle-orm'
import { type FollowedUpstream, vendorFollowers, vendorPages } from '../tables.ts'
import type { VendorPage } from './report.ts'

export interface Follower {
  componentId: string
  version: number
  name: string
  isEnabled: boolean
  /** Null for a component that follows no page. */
  followed: { pageUrl: string; shard: number; upstream: FollowedUpstream } | null
}

/** Retention of tombstones; longer than an event about the component can be in flight. */
const TOMBSTONE_RETENTION = '90 days'

const rows = tenantTable(vendorFollowers)

/**
 * Stores the newer of the projection and the given state. Its report is published again, since core
 * drops the report with each change of the upstream.
 */
export const saveFollower = async (
  { tx, organizationId }: Scope,
  { componentId, version, name, isEnabled, followed }: Follower,
): Promise<void> => {
  if (followed !== null) {
    const { pageUrl: url, shard } = followed
    await tx.insert(vendorPages).values({ url, shard }).onConflictDoNothing()
  }
  const state = {
    version,
    name,
    isEnabled,
    pageUrl: followed?.pageUrl ?? null,
    upstream: followed?.upstream ?? null,
    report: null,
    dueAt: followed === null || !isEnabled ? null : sql`now()`,
    updatedAt: sql`now()`,
  }
  await tx
    .insert(vendorFollowers)
    .values({ organizationId, componentId, ...state })
    .onConflictDoUpdate({
      target: vendorFollowers.componentId,
      set: state,
      setWhere: sql`${vendorFollowers.version} < ${version}`,
    })
}

export type FollowerRow = typeof vendorFollowers.$inferSelect

/** Locks followers in order of their components. */
export const lockFollowers = (
  scope: Scope,
  componentIds: readonly string[],
): Promise<FollowerRow[]> =>
  rows
    .select(scope, inArray(vendorFollowers.componentId, [...componentIds]))
    .orderBy(vendorFollowers.componentId)
    .for('update')

/** Pages that have been polled, by their URL. */
export const findPolledPages = async (
  { tx }: Scope,
  urls: readonly string[],
): Promise<Map<string, VendorPage>> => {
  const { url, document, error, failedSince } = vendorPages
  const found = await tx
    .select({ url, document, error, failedSince })
    .from(vendorPages)
    .where(sql`${inArray(url, [...urls])} AND ${vendorPages.version} > 0`)
  return new Map(found.map((page) => [page.url, page]))
}

/** Saves the outcome of a comparison; `report` is null when it did not change. */
export const saveReport = (
  scope: Scope,
  { componentId, reportVersion }: FollowerRow,
  report: VendorReport | null,
): Promise<void> =>
  rows.update(
    scope,
    { dueAt: null, ...(report === null ? {} : { report, reportVersion: reportVersion + 1 }) },
    eq(vendorFollowers.componentId, componentId),
  )

/** Followers of one organization whose reports may have changed. */
export interface DueFollowers {
  organizationId: string
  componentIds: string[]
}

export const findDueFollowers = (database: Database, limit: number): Promise<DueFollowers[]> =>
  asWorkerRaw(
    database,
    ({ sql }) => sql<DueFollowers[]>`
      SELECT organization_id AS "organizationId", array_agg(component_id) AS "componentIds"
      FROM (
        SELECT organization_id, component_id FROM vendor_followers
        WHERE due_at IS NOT NULL ORDER BY due_at LIMIT ${limit}) due
      GROUP BY organization_id`,
  )

/** Deletes old tombstones; returns their number. */
export const deleteTombstones = (database: Database): Promise<number> =>
  asWorkerRaw(database, async ({ sql }) => {
    const { count } = await sql`
      DELETE FROM vendor_followers
      WHERE page_url IS NULL AND updated_at < now() - ${TOMBSTONE_RETENTION}::interval`
    return count
  })
