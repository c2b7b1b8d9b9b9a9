/** What was written of which page, in SQL. */
import type { Crossing, Scope } from '@status-page/postgres'
import { and, eq, type SQL, sql } from 'drizzle-orm'
import { type PageExportRow, pageExports } from '../tables.ts'

export type DueExport = Pick<PageExportRow, 'organizationId' | 'statusPageId'>

/** Published pages for everybody that no export knows yet. */
export const addNewPages = async ({ tx, now }: Crossing): Promise<void> => {
  await tx.execute(sql`
    INSERT INTO page_exports (organization_id, status_page_id, slug, files, next_at)
    SELECT organization_id, id, slug, '{}', ${now.toISOString()}::timestamptz FROM status_pages p
    WHERE is_published AND visibility = 'public' AND NOT EXISTS (
      SELECT FROM page_exports e
      WHERE e.organization_id = p.organization_id AND e.status_page_id = p.id)
    ON CONFLICT DO NOTHING`)
}

export const leaseExports = async (
  { tx, now }: Crossing,
  { limit, leaseSeconds }: { limit: number; leaseSeconds: number },
): Promise<DueExport[]> => {
  const at = sql`${now.toISOString()}::timestamptz`
  const rows = await tx.execute<{ organization_id: string; status_page_id: string }>(sql`
    UPDATE page_exports SET next_at = ${at} + make_interval(secs => ${leaseSeconds})
    WHERE (organization_id, status_page_id) IN (
      SELECT organization_id, status_page_id FROM page_exports
      WHERE next_at <= ${at} ORDER BY next_at LIMIT ${limit} FOR UPDATE SKIP LOCKED)
    RETURNING organization_id, status_page_id`)
  return rows.map((row) => ({
    organizationId: row.organization_id,
    statusPageId: row.status_page_id,
  }))
}

/** What another page has written where this one stood: it may have taken over the slug. */
export const filesOfOthers = async (
  { tx }: Crossing,
  { slug, statusPageId }: Pick<PageExportRow, 'slug' | 'statusPageId'>,
): Promise<Set<string>> => {
  const rows = await tx.execute<{ path: string }>(sql`
    SELECT jsonb_object_keys(files) AS path FROM page_exports
    WHERE slug = ${slug} AND status_page_id <> ${statusPageId}`)
  return new Set(rows.map(({ path }) => path))
}

export const findExport = async (
  scope: Scope,
  statusPageId: string,
): Promise<PageExportRow | undefined> => {
  const [row] = await scope.tx.select().from(pageExports).where(one(scope, statusPageId))
  return row
}

export const saveExport = async (scope: Scope, row: PageExportRow): Promise<void> => {
  await scope.tx.update(pageExports).set(row).where(one(scope, row.statusPageId))
}

export const removeExport = async (scope: Scope, statusPageId: string): Promise<void> => {
  await scope.tx.delete(pageExports).where(one(scope, statusPageId))
}

const one = ({ organizationId }: Scope, statusPageId: string): SQL | undefined =>
  and(eq(pageExports.organizationId, organizationId), eq(pageExports.statusPageId, statusPageId))
