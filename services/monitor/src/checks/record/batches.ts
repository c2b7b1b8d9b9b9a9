/** Statements of jobs across organizations that store results in batches. */
import {
  asWorkerRaw,
  type Database,
  databaseErrorOf,
  type RawSystemScope,
} from '@status-page/postgres'
import type { TargetState } from '../../verdicts/rules.ts'
import { encodeConditionResults } from './condition-codec.ts'
import { LATE_AFTER } from './late-results.ts'
import type { CheckRow } from './rows.ts'

/** Bound on the partitions that are searched: no check interval exceeds one day. */
const RECENT = '2 days'

/** Returns the newest stored slot of each component that is not after the given one. */
export const findLastSlots = (
  database: Database,
  slots: readonly { organizationId: string; componentId: string; slotMs: number }[],
  location: string,
): Promise<Map<string, number>> =>
  asWorkerRaw(database, async ({ sql }) => {
    const rows = await sql<{ componentId: string; slotMs: number }[]>`
      SELECT w.component_id AS "componentId",
        extract(epoch FROM last.slot_at)::float8 * 1000 AS "slotMs"
      FROM unnest(
        ${slots.map(({ organizationId }) => organizationId)}::uuid[],
        ${slots.map(({ componentId }) => componentId)}::uuid[],
        ${slots.map(({ slotMs }) => new Date(slotMs).toISOString())}::timestamptz[]
      ) AS w(organization_id, component_id, slot_at)
      CROSS JOIN LATERAL (
        SELECT c.slot_at FROM checks c WHERE c.organization_id = w.organization_id
          AND c.component_id = w.component_id AND c.slot_at <= w.slot_at
          AND c.slot_at > now() - ${RECENT}::interval
          AND c.location = ${location} AND NOT c.is_manual
        ORDER BY c.slot_at DESC LIMIT 1) last`
    return new Map(rows.map(({ componentId, slotMs }) => [componentId, Math.round(slotMs)]))
  })

/** State change without an event: the run of results grew or restarted. */
export interface MovedState {
  componentId: string
  /** Slot of the result that changed the state last. */
  slotMs: number
  shard: number
  epoch: number
  /** Revision that was read; the update is skipped when the row has another one. */
  revision: number
  state: TargetState
}

interface Batch {
  rows: CheckRow[]
  moved: MovedState[]
  location: string
}

/**
 * Stores results and the changed states in one statement. A state changes only under the current
 * lease and from the revision that was read; otherwise the results of its target are not stored and
 * are evaluated again. Returns the components whose states changed. JSON and booleans are passed as
 * text: the driver would declare a list of them as one value.
 *
 * A slot has a result already only after a change of replicas or an unknown commit, so that the
 * first attempt expects none: `ON CONFLICT` writes a WAL record more per row.
 */
export const storeBatch = async (database: Database, batch: Batch): Promise<Set<string>> => {
  try {
    return await tryStore(database, batch, 'fail')
  } catch (error) {
    if (databaseErrorOf(error)?.code !== UNIQUE_VIOLATION) throw error
    return tryStore(database, batch, 'skip')
  }
}

const UNIQUE_VIOLATION = '23505'

const tryStore = (
  database: Database,
  { rows, moved, location }: Batch,
  onStoredSlot: 'fail' | 'skip',
): Promise<Set<string>> =>
  asWorkerRaw(database, async ({ sql }) => {
    const done = await sql<{ component_id: string }[]>`
      WITH moved AS (
        UPDATE target_states s SET revision = s.revision + 1, derived_status = m.derived_status,
          runs = m.runs::jsonb, updated_at = now()
        FROM unnest(${stateColumns(sql, moved)})
          AS m(component_id, slot_at, shard, epoch, revision, derived_status, runs)
        JOIN shard_lease l ON l.location = ${location} AND l.shard = m.shard AND l.epoch = m.epoch
        WHERE s.component_id = m.component_id AND s.location = ${location}
          AND s.revision = m.revision
          AND NOT EXISTS (SELECT FROM checks c WHERE c.organization_id = s.organization_id
            AND c.component_id = s.component_id AND c.slot_at = m.slot_at
            AND c.slot_at > now() - ${RECENT}::interval
            AND c.location = ${location} AND NOT c.is_manual)
        RETURNING s.component_id),
      stored AS (
        INSERT INTO checks (organization_id, component_id, slot_at, checked_at, response_ms,
          dns_ms, connect_ms, tls_ms, first_byte_ms, status_code, is_manual, location, status,
          error, condition_results)
        SELECT organization_id, component_id, slot_at, checked_at, response_ms, dns_ms, connect_ms,
          tls_ms, first_byte_ms, status_code, is_manual::boolean, location, status, error,
          condition_results
        FROM unnest(${checkColumns(sql, rows)}) AS c(organization_id, component_id, slot_at,
          checked_at, response_ms, dns_ms, connect_ms, tls_ms, first_byte_ms, status_code,
          is_manual, location, status, error, condition_results)
        WHERE component_id <> ALL (${moved.map(({ componentId }) => componentId)}::uuid[])
          OR component_id IN (SELECT component_id FROM moved)
        ${onStoredSlot === 'skip' ? sql`ON CONFLICT DO NOTHING` : sql``}
        RETURNING organization_id, component_id, slot_at),
      late AS (
        INSERT INTO late_rollups (organization_id, component_id, location, hour_at)
        SELECT DISTINCT organization_id, component_id, ${location},
          date_trunc('hour', slot_at, 'UTC')
        FROM stored WHERE slot_at < now() - ${LATE_AFTER}::interval
        ON CONFLICT DO NOTHING)
      SELECT component_id FROM moved`
    return new Set(done.map(({ component_id }) => component_id))
  })

type Sql = RawSystemScope['sql']

const checkColumns = (sql: Sql, rows: readonly CheckRow[]) => {
  const column = <T>(read: (row: CheckRow) => T) => rows.map(read) as never
  return sql`
    ${column((row) => row.organizationId)}::uuid[],
    ${column((row) => row.componentId)}::uuid[],
    ${column((row) => row.slotAt.toISOString())}::timestamptz[],
    ${column((row) => row.checkedAt.toISOString())}::timestamptz[],
    ${column((row) => row.responseMs)}::int[],
    ${column((row) => row.dnsMs)}::int[],
    ${column((row) => row.connectMs)}::int[],
    ${column((row) => row.tlsMs)}::int[],
    ${column((row) => row.firstByteMs)}::int[],
    ${column((row) => row.statusCode)}::smallint[],
    ${column((row) => String(row.isManual))}::text[],
    ${column((row) => row.location)}::text[],
    ${column((row) => row.status)}::text[],
    ${column((row) => row.error)}::text[],
    ${column((row) => encodeConditionResults(row.conditionResults))}::text[]`
}

const stateColumns = (sql: Sql, moved: readonly MovedState[]) => {
  const column = <T>(read: (row: MovedState) => T) => moved.map(read) as never
  return sql`
    ${column((row) => row.componentId)}::uuid[],
    ${column((row) => new Date(row.slotMs).toISOString())}::timestamptz[],
    ${column((row) => row.shard)}::smallint[],
    ${column((row) => row.epoch)}::bigint[],
    ${column((row) => row.revision)}::int[],
    ${column((row) => row.state.derivedStatus)}::text[],
    ${column((row) => JSON.stringify(row.state.runs))}::text[]`
}
