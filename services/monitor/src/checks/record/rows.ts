/** Rows of checks. */

import type { ProbeResult } from '@status-page/contracts'
import { sql } from 'drizzle-orm'
import type { checks } from '../../tables.ts'
import { columnOf, keyColumns, type RecordingScope } from '../../target-key.ts'
import { encodeConditionResults } from './condition-codec.ts'
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
  checkedAt: new Date(result.checkedAtMs),
  responseMs: result.responseMs,
  dnsMs: result.timings.dns,
  connectMs: result.timings.connect,
  tlsMs: result.timings.tls,
  firstByteMs: result.timings.firstByte,
  statusCode: result.statusCode,
  isManual: when.trigger === 'manual',
  location: when.location,
  status: result.status,
  error: result.error,
  conditionResults: result.conditionResults,
})

/**
 * Inserts checks of different targets in one statement, with the hours whose roll-up they are late
 * for; returns the components whose slot had no check.
 */
export const insertChecks = async (
  { tx }: Pick<RecordingScope, 'tx'>,
  rows: readonly CheckRow[],
): Promise<Set<string>> => {
  if (rows.length === 0) return new Set()
  const column = (read: (row: CheckRow) => string | number | null) => columnOf(rows, read)
  const stored = await tx.execute<{ component_id: string }>(sql`
    WITH stored AS (
      INSERT INTO checks (organization_id, component_id, slot_at, checked_at, response_ms, dns_ms,
        connect_ms, tls_ms, first_byte_ms, status_code, is_manual, location, status, error,
        condition_results)
      SELECT organization_id, component_id, slot_at::timestamptz, checked_at::timestamptz,
        response_ms, dns_ms, connect_ms, tls_ms, first_byte_ms, status_code, is_manual::boolean,
        location, status, error, condition_results
      FROM unnest(${keyColumns(rows)}, ${column((row) => row.slotAt.toISOString())}::text[],
        ${column((row) => row.checkedAt.toISOString())}::text[],
        ${column((row) => row.responseMs)}::int[], ${column((row) => row.dnsMs)}::int[],
        ${column((row) => row.connectMs)}::int[], ${column((row) => row.tlsMs)}::int[],
        ${column((row) => row.firstByteMs)}::int[], ${column((row) => row.statusCode)}::smallint[],
        ${column((row) => String(row.isManual))}::text[], ${column((row) => row.location)}::text[],
        ${column((row) => row.status)}::text[], ${column((row) => row.error)}::text[],
        ${column((row) => encodeConditionResults(row.conditionResults))}::text[])
        AS c(organization_id, component_id, slot_at, checked_at, response_ms, dns_ms, connect_ms,
          tls_ms, first_byte_ms, status_code, is_manual, location, status, error,
          condition_results)
      ON CONFLICT DO NOTHING
      RETURNING organization_id, component_id, location, slot_at),
    late AS (
      INSERT INTO late_rollups (organization_id, component_id, location, hour_at)
      SELECT DISTINCT organization_id, component_id, location, date_trunc('hour', slot_at, 'UTC')
      FROM stored WHERE slot_at < now() - ${LATE_AFTER}::interval
      ON CONFLICT DO NOTHING)
    SELECT component_id FROM stored`)
  return new Set(stored.map(({ component_id }) => component_id))
}
