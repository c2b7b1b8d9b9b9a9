/** Statements of jobs across organizations that store results in batches. */
import { asWorkerRaw, type Database, type RawSystemScope } from '@status-page/postgres'
import { conditionTuplesOf } from '../../tables.ts'
import type { TargetState } from '../../verdicts/rules.ts'
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
          AND c.location = ${location} AND c.trigger = 'schedule'
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

/**
 * Stores results and the changed states in one statement. A state changes only under the current lease and from the revision that was read; otherwise the results of its
 * target are not stored and are evaluated again. Returns the components whose states changed. JSON
 * is passed as text because the driver would treat a list of lists as one two-dimensional array.
 */
export const storeBatch = (
  database: Database,
  { rows, moved, location }: { rows: CheckRow[]; moved: MovedState[]; location: string },
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
            AND c.location = ${location} AND c.trigger = 'schedule')
        RETURNING s.component_id),
      stored AS (
        INSERT INTO checks (organization_id, component_id, slot_at, location, trigger, id,
          checked_at, status, status_code, response_ms, error, condition_results, dns_ms,
          connect_ms, tls_ms, first_byte_ms)
        SELECT organization_id, component_id, slot_at, location, trigger, id, checked_at, status,
          status_code, response_ms, error, condition_results::jsonb, dns_ms, connect_ms, tls_ms,
          first_byte_ms
        FROM unnest(${checkColumns(sql, rows)}) AS c(organization_id, component_id, slot_at,
          location, trigger, id, checked_at, status, status_code, response_ms, error,
          condition_results, dns_ms, connect_ms, tls_ms, first_byte_ms)
        WHERE component_id <> ALL (${moved.map(({ componentId }) => componentId)}::uuid[])
          OR component_id IN (SELECT component_id FROM moved)
        ON CONFLICT DO NOTHING
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
    ${column((row) => row.location)}::text[],
    ${column((row) => row.trigger)}::text[],
    ${column((row) => row.id)}::uuid[],
    ${column((row) => row.checkedAt.toISOString())}::timestamptz[],
    ${column((row) => row.status)}::text[],
    ${column((row) => row.statusCode)}::smallint[],
    ${column((row) => row.responseMs)}::int[],
    ${column((row) => row.error)}::text[],
    ${column((row) => JSON.stringify(conditionTuplesOf(row.conditionResults)))}::text[],
    ${column((row) => row.dnsMs)}::int[],
    ${column((row) => row.connectMs)}::int[],
    ${column((row) => row.tlsMs)}::int[],
    ${column((row) => row.firstByteMs)}::int[]`
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
