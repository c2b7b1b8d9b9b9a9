/** Passwords tried for a page, in SQL: one row a page, however many addresses they come from. */
import type { Scope } from '@status-page/postgres'
import { sql } from 'drizzle-orm'

export interface Attempts {
  attempts: number
  windowStartedAt: Date
}

/** Counts this one too, before its password is looked at; a window that is over begins anew. */
export const countAttempt = async (
  { tx, organizationId, now }: Scope,
  pageId: string,
  windowMs: number,
): Promise<Attempts> => {
  const at = now.toISOString()
  const since = new Date(now.getTime() - windowMs).toISOString()
  const rows = await tx.execute<{ attempts: number; window_started_at: string }>(sql`
    INSERT INTO page_access_attempts AS known
      (organization_id, status_page_id, window_started_at, attempts)
    VALUES (${organizationId}, ${pageId}, ${at}::timestamptz, 1)
    ON CONFLICT (organization_id, status_page_id) DO UPDATE SET
      attempts = CASE WHEN known.window_started_at > ${since}::timestamptz
        THEN known.attempts + 1 ELSE 1 END,
      window_started_at = CASE WHEN known.window_started_at > ${since}::timestamptz
        THEN known.window_started_at ELSE EXCLUDED.window_started_at END
    RETURNING attempts, window_started_at`)
  const [row] = rows
  if (row === undefined) throw new Error('the row is inserted or updated')
  return { attempts: row.attempts, windowStartedAt: new Date(row.window_started_at) }
}

/** The password was right: it is not held against the page. */
export const forgiveAttempt = async (
  { tx, organizationId }: Scope,
  pageId: string,
): Promise<void> => {
  await tx.execute(sql`UPDATE page_access_attempts SET attempts = greatest(attempts - 1, 0)
    WHERE organization_id = ${organizationId} AND status_page_id = ${pageId}`)
}
