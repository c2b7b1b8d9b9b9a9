/** Rows of checks. */

import type { ProbeResult } from '@status-page/contracts'
import { newId, type Scope } from '@status-page/postgres'
import { sql } from 'drizzle-orm'
import { checks } from '../../tables.ts'
import { LATE_AFTER } from './late-results.ts'

export type CheckRow = typeof checks.$inferSelect

export const checkRowOf = (
  target: { organizationId: string; componentId: string },
  result: ProbeResult,
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

/** Inserts checks of different targets; returns the ids of those whose slot had no check. */
export const insertChecks = async (
  { tx }: Pick<Scope, 'tx'>,
  rows: readonly CheckRow[],
): Promise<Set<string>> => {
  if (rows.length === 0) return new Set()
  const stored = await tx
    .insert(checks)
    .values([...rows])
    .onConflictDoNothing()
    .returning({ id: checks.id })
  const ids = new Set(stored.map(({ id }) => id))
  const added = rows.filter(({ id }) => ids.has(id))
  if (added.length === 0) return ids
  await tx.execute(sql`INSERT INTO late_rollups (organization_id, component_id, location, hour_at)
    SELECT c.organization_id, c.component_id, c.location, date_trunc('hour', slot_at, 'UTC')
    FROM unnest(${sql.param(added.map((row) => row.organizationId))}::uuid[],
      ${sql.param(added.map((row) => row.componentId))}::uuid[],
      ${sql.param(added.map((row) => row.location))}::text[],
      ${sql.param(added.map((row) => row.slotAt.toISOString()))}::text[])
      AS c(organization_id, component_id, location, slot),
      LATERAL (SELECT slot::timestamptz AS slot_at) AS at
    WHERE slot_at < now() - ${LATE_AFTER}::interval
    ON CONFLICT DO NOTHING`)
  return ids
}
