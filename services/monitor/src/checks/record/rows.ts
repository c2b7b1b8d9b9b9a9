/** Rows of checks. */

import type { ProbeResult } from '@status-page/contracts'
import { newId } from '@status-page/postgres'
import { sql } from 'drizzle-orm'
import { type checks, conditionTuplesOf } from '../../tables.ts'
import { columnOf, keyColumns, type RecordingScope } from '../../target-key.ts'
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

/**
 * Inserts checks of different targets in one statement, with the hours whose roll-up they are late
 * for; returns the ids of those whose slot had no check. JSON is passed as text.
 */
export const insertChecks = async (
  { tx }: Pick<RecordingScope, 'tx'>,
  rows: readonly CheckRow[],
): Promise<Set<string>> => {
  if (rows.length === 0) return new Set()
  const column = (read: (row: CheckRow) => string | number | null) => columnOf(rows, read)
  const stored = await tx.execute<{ id: string }>(sql`
    WITH stored AS (
      INSERT INTO checks (organization_id, component_id, slot_at, location, trigger, id,
        checked_at, status, status_code, response_ms, error, condition_results, dns_ms, connect_ms,
        tls_ms, first_byte_ms)
      SELECT organization_id, component_id, slot_at::timestamptz, location, trigger, id,
        checked_at::timestamptz, status, status_code, response_ms, error,
        condition_results::jsonb, dns_ms, connect_ms, tls_ms, first_byte_ms
      FROM unnest(${keyColumns(rows)}, ${column((row) => row.slotAt.toISOString())}::text[],
        ${column((row) => row.location)}::text[], ${column((row) => row.trigger)}::text[],
        ${column((row) => row.id)}::uuid[],
        ${column((row) => row.checkedAt.toISOString())}::text[],
        ${column((row) => row.status)}::text[], ${column((row) => row.statusCode)}::smallint[],
        ${column((row) => row.responseMs)}::int[], ${column((row) => row.error)}::text[],
        ${column((row) => JSON.stringify(conditionTuplesOf(row.conditionResults)))}::text[],
        ${column((row) => row.dnsMs)}::int[], ${column((row) => row.connectMs)}::int[],
        ${column((row) => row.tlsMs)}::int[], ${column((row) => row.firstByteMs)}::int[])
        AS c(organization_id, component_id, slot_at, location, trigger, id, checked_at, status,
          status_code, response_ms, error, condition_results, dns_ms, connect_ms, tls_ms,
          first_byte_ms)
      ON CONFLICT DO NOTHING
      RETURNING organization_id, component_id, location, slot_at, id),
    late AS (
      INSERT INTO late_rollups (organization_id, component_id, location, hour_at)
      SELECT DISTINCT organization_id, component_id, location, date_trunc('hour', slot_at, 'UTC')
      FROM stored WHERE slot_at < now() - ${LATE_AFTER}::interval
      ON CONFLICT DO NOTHING)
    SELECT id FROM stored`)
  return new Set(stored.map(({ id }) => id))
}
