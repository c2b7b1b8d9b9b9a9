/** The row that a check becomes, with the figures of its hour. */
import { newId, type Scope } from '@status-page/postgres'
import { sql } from 'drizzle-orm'
import { checkHours, checks } from '../tables.ts'
import { LATE_AFTER } from './late.ts'
import type { Result } from './rules.ts'

export type CheckRow = typeof checks.$inferSelect

export const checkRowOf = (
  target: { organizationId: string; componentId: string },
  result: Result,
  when: { slotMs: number; location: string; trigger: 'schedule' | 'manual' },
): CheckRow => ({
  organizationId: target.organizationId,
  componentId: target.componentId,
  slotAt: new Date(when.slotMs),
  location: when.location,
  trigger: when.trigger,
  id: newId(),
  checkedAt: new Date(result.checkedAtMs),
  status: result.status,
  statusCode: result.statusCode,
  responseMs: result.responseMs,
  error: result.error,
  conditionResults: result.conditionResults,
  dnsMs: result.timings.dns,
  connectMs: result.timings.connect,
  tlsMs: result.timings.tls,
  firstByteMs: result.timings.firstByte,
})

/** Stores the check; false if its slot already has one. */
export const insertCheck = async ({ tx }: Scope, row: CheckRow): Promise<boolean> => {
  const stored = await tx
    .insert(checks)
    .values(row)
    .onConflictDoNothing()
    .returning({ id: checks.id })
  if (stored.length === 0) return false
  const isSuccess = row.status === 'SUCCESS'
  await tx.execute(sql`INSERT INTO rollup_late (organization_id, component_id, location, hour_at)
    SELECT ${row.organizationId}, ${row.componentId}, ${row.location},
      ${startOfHour(row.slotAt).toISOString()}::timestamptz
    WHERE ${row.slotAt.toISOString()}::timestamptz < now() - ${LATE_AFTER}::interval
    ON CONFLICT DO NOTHING`)
  await tx
    .insert(checkHours)
    .values({
      organizationId: row.organizationId,
      componentId: row.componentId,
      hourAt: startOfHour(row.slotAt),
      location: row.location,
      checks: 1,
      successes: isSuccess ? 1 : 0,
      responseMsSum: isSuccess ? (row.responseMs ?? 0) : 0,
    })
    .onConflictDoUpdate({
      target: [
        checkHours.organizationId,
        checkHours.componentId,
        checkHours.hourAt,
        checkHours.location,
      ],
      set: {
        checks: sql`${checkHours.checks} + excluded.checks`,
        successes: sql`${checkHours.successes} + excluded.successes`,
        responseMsSum: sql`${checkHours.responseMsSum} + excluded.response_ms_sum`,
      },
    })
  return true
}

const HOUR_MS = 3_600_000

const startOfHour = (time: Date): Date => new Date(Math.floor(time.getTime() / HOUR_MS) * HOUR_MS)
