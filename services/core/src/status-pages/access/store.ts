/**
 * Counters of password attempts in SQL: one row per page, however many addresses attempts come
 * from.
 */
import type { Scope } from '@status-page/postgres'
import { and, eq, sql } from 'drizzle-orm'
import { pageAccessAttempts as table } from '../../tables.ts'

export interface PasswordAttempts {
  attempts: number
  windowStartedAt: Date
}

/** Counts an attempt before its password is checked; an expired window starts again at one. */
export const countPasswordAttempt = async (
  { tx, organizationId, now }: Scope,
  statusPageId: string,
  windowMs: number,
): Promise<PasswordAttempts> => {
  const since = new Date(now.getTime() - windowMs).toISOString()
  const isOpen = sql`${table.windowStartedAt} > ${since}::timestamptz`
  const [row] = await tx
    .insert(table)
    .values({ organizationId, statusPageId, windowStartedAt: now, attempts: 1 })
    .onConflictDoUpdate({
      target: [table.organizationId, table.statusPageId],
      set: {
        attempts: sql`CASE WHEN ${isOpen} THEN ${table.attempts} + 1 ELSE 1 END`,
        windowStartedAt: sql`CASE WHEN ${isOpen} THEN ${table.windowStartedAt}
          ELSE excluded.window_started_at END`,
      },
    })
    .returning({ attempts: table.attempts, windowStartedAt: table.windowStartedAt })
  if (row === undefined) throw new Error('the upsert returned no row')
  return row
}

/** Removes a successful attempt from the count. */
export const removePasswordAttempt = async (
  { tx, organizationId }: Scope,
  statusPageId: string,
): Promise<void> => {
  await tx
    .update(table)
    .set({ attempts: sql`greatest(${table.attempts} - 1, 0)` })
    .where(and(eq(table.organizationId, organizationId), eq(table.statusPageId, statusPageId)))
}
