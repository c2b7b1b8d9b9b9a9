/** State of static exports by page, in SQL. */
import type { Scope, SystemScope } from '@status-page/postgres'
import { and, eq, type SQL, sql } from 'drizzle-orm'
import { type PageExportRow, pageExports } from '../../tables.ts'

/** Latest events that are read for changes; more of them within a poll delay an export. */
const MAX_EVENTS = 20_000
/** Time after which no transaction commits an event any more. */
const MAX_TRANSACTION_SECONDS = 60

export type DueExport = Pick<PageExportRow, 'organizationId' | 'statusPageId'>

/** Adds public pages that have no export yet. */
export const addMissingExports = async ({ tx, now }: SystemScope): Promise<void> => {
  await tx.execute(sql`
    INSERT INTO page_exports (organization_id, status_page_id, slug, files, next_at)
    SELECT organization_id, id, slug, '{}', ${now.toISOString()}::timestamptz FROM status_pages p
    WHERE is_published AND visibility = 'public' AND NOT EXISTS (
      SELECT FROM page_exports e
      WHERE e.organization_id = p.organization_id AND e.status_page_id = p.id)
    ON CONFLICT DO NOTHING`)
}

/**
 * Makes exports due, ahead of the unchanged ones, whose organization has an event since their
 * content was read, or whose page is not public any more; at most one per page and `intervalMs`.
 */
export const advanceChangedExports = async (
  { tx, now }: SystemScope,
  intervalMs: number,
): Promise<void> => {
  const at = sql`${now.toISOString()}::timestamptz`
  const interval = sql`make_interval(secs => ${intervalMs / 1_000}::float8)`
  await tx.execute(sql`
    WITH changed AS (
      SELECT organization_id, max(occurred_at) AS occurred_at
      FROM (SELECT organization_id, occurred_at FROM outbox ORDER BY seq DESC LIMIT ${MAX_EVENTS}) latest
      GROUP BY organization_id)
    UPDATE page_exports e SET next_at = e.exported_at
    WHERE e.owner IS NULL AND e.cleared_at IS NULL AND e.next_at > ${at} + ${interval}
      AND e.exported_at <= ${at} - ${interval}
      AND (EXISTS (SELECT FROM changed c WHERE c.organization_id = e.organization_id
          AND c.occurred_at > e.exported_at - make_interval(secs => ${MAX_TRANSACTION_SECONDS}::int))
        OR NOT EXISTS (SELECT FROM status_pages p WHERE p.organization_id = e.organization_id
          AND p.id = e.status_page_id AND p.slug = e.slug
          AND p.is_published AND p.visibility = 'public'))`)
}

/** Leases the export that has been due for longest to `owner`; undefined when none is due. */
export const leaseExport = async (
  { tx, now }: SystemScope,
  { owner, leaseSeconds }: ExportLease,
): Promise<DueExport | undefined> => {
  const at = sql`${now.toISOString()}::timestamptz`
  const [row] = await tx.execute<{ organization_id: string; status_page_id: string }>(sql`
    UPDATE page_exports
    SET next_at = ${at} + make_interval(secs => ${leaseSeconds}::int), owner = ${owner}
    WHERE (organization_id, status_page_id) IN (
      SELECT organization_id, status_page_id FROM page_exports
      WHERE next_at <= ${at} ORDER BY next_at LIMIT 1 FOR UPDATE SKIP LOCKED)
    RETURNING organization_id, status_page_id`)
  if (row === undefined) return undefined
  return { organizationId: row.organization_id, statusPageId: row.status_page_id }
}

export interface ExportLease {
  owner: string
  leaseSeconds: number
}

export interface LeaseRenewal {
  /** True when this owner still held the lease, which was then renewed. */
  isOwner: boolean
  /** Slug of the page while it is published and public, else null. */
  publicSlug: string | null
}

/** Renews the lease and reads the visibility of the page, in one statement. */
export const renewLease = async (
  { tx, now, organizationId }: Scope,
  { statusPageId, owner, leaseSeconds }: ExportLease & { statusPageId: string },
): Promise<LeaseRenewal> => {
  const [row] = await tx.execute<{ is_owner: boolean; public_slug: string | null }>(sql`
    WITH renewed AS (
      UPDATE page_exports
      SET next_at = ${now.toISOString()}::timestamptz + make_interval(secs => ${leaseSeconds}::int)
      WHERE organization_id = ${organizationId} AND status_page_id = ${statusPageId}
        AND owner = ${owner}
      RETURNING status_page_id)
    SELECT EXISTS (SELECT FROM renewed) AS is_owner, (
      SELECT slug FROM status_pages
      WHERE organization_id = ${organizationId} AND id = ${statusPageId}
        AND is_published AND visibility = 'public') AS public_slug`)
  return { isOwner: row?.is_owner ?? false, publicSlug: row?.public_slug ?? null }
}

/** Releases the lease; any run can lease the export after `delayMs`. */
export const releaseLease = async (
  scope: Scope,
  { statusPageId, owner, delayMs }: DueExport & { owner: string; delayMs: number },
): Promise<void> => {
  await scope.tx
    .update(pageExports)
    .set({ owner: null, nextAt: new Date(scope.now.getTime() + delayMs) })
    .where(ownedBy(scope, statusPageId, owner))
}

/**
 * Revokes the leases of all exports that list this file and marks it as unwritten, after a write
 * that may have replaced their version of it.
 */
export const markFileUnwritten = async (
  { tx, now }: SystemScope,
  { slug, path }: { slug: string; path: string },
): Promise<void> => {
  await tx.execute(sql`
    UPDATE page_exports
    SET files = files || jsonb_build_object(${path}::text, ''), owner = NULL,
      next_at = ${now.toISOString()}::timestamptz
    WHERE slug = ${slug} AND jsonb_exists(files, ${path})`)
}

/** Files of other pages in the same folder, since another page may have taken over the slug. */
export const listFilesOfOtherPages = async (
  { tx }: SystemScope,
  { slug, statusPageId }: Pick<PageExportRow, 'slug' | 'statusPageId'>,
): Promise<Set<string>> => {
  const rows = await tx.execute<{ path: string }>(sql`
    SELECT jsonb_object_keys(files) AS path FROM page_exports
    WHERE slug = ${slug} AND status_page_id <> ${statusPageId} AND cleared_at IS NULL`)
  return new Set(rows.map(({ path }) => path))
}

export const findExport = async (
  scope: Scope,
  statusPageId: string,
): Promise<PageExportRow | undefined> => {
  const [row] = await scope.tx.select().from(pageExports).where(isOfPage(scope, statusPageId))
  return row
}

/** Returns false and saves nothing when the lease was lost. */
export const saveExport = async (scope: Scope, row: PageExportRow): Promise<boolean> => {
  const saved = await scope.tx
    .update(pageExports)
    .set(row)
    .where(ownedBy(scope, row.statusPageId, row.owner))
    .returning({ id: pageExports.statusPageId })
  return saved.length > 0
}

export const removeExport = async (scope: Scope, row: PageExportRow): Promise<void> => {
  await scope.tx.delete(pageExports).where(ownedBy(scope, row.statusPageId, row.owner))
}

const isOfPage = ({ organizationId }: Scope, statusPageId: string): SQL | undefined =>
  and(eq(pageExports.organizationId, organizationId), eq(pageExports.statusPageId, statusPageId))

const ownedBy = (scope: Scope, statusPageId: string, owner: string | null): SQL | undefined =>
  and(isOfPage(scope, statusPageId), owner === null ? sql`false` : eq(pageExports.owner, owner))
