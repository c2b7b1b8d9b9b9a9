/**
 * Statements of jobs across organizations: loading targets by shard and storing results in batches.
 */
import { asWorkerRaw, type Database, type RawSystemScope } from '@status-page/postgres'
import type { WantedItems } from '@status-page/schedule'
import { type CheckDefinition, type LoadedTarget, Shared } from '../../targets/target.ts'
import { type Runs, resident, type TargetState } from '../../verdicts/rules.ts'
import { type Certificate, warnedOf } from '../../verdicts/verdict.ts'
import { LATE_AFTER } from '../series/late-results.ts'
import type { CheckRow } from './rows.ts'

interface TargetRow {
  organization_id: string
  component_id: string
  version: number
  shard: number
  url: string
  interval_seconds: number
  /** JSON of a `CheckDefinition`. */
  definition: string
  certificate_expires_at: Date | null
  warned_expires_at: Date | null
  certificate_warned_days: number | null
  revision: number
  derived_status: TargetState['derivedStatus']
  runs: Partial<Runs>
}

/** Enabled targets of the shards, or of the ids, that are checked from the location. */
export const loadTargets = (
  database: Database,
  location: string,
  wanted: WantedItems,
): Promise<LoadedTarget[]> =>
  asWorkerRaw(database, async ({ sql }) => {
    const which =
      'shards' in wanted
        ? sql`t.shard = ANY (${[...wanted.shards]}::smallint[])`
        : sql`t.component_id = ANY (${[...wanted.ids]}::uuid[])`
    const rows = await sql<TargetRow[]>`
      SELECT t.organization_id, t.component_id, t.version, t.shard, t.url, t.interval_seconds,
        json_build_object('method', t.method, 'headers', t.headers, 'body', t.body,
          'timeoutMs', t.timeout_ms, 'conditions', t.conditions,
          'failureThreshold', t.failure_threshold,
          'recoveryThreshold', t.recovery_threshold)::text AS definition,
        s.revision, s.derived_status, s.runs, s.certificate_expires_at,
        v.warned_expires_at, v.certificate_warned_days
      FROM targets t
      JOIN target_states s USING (organization_id, component_id)
      JOIN target_verdicts v USING (organization_id, component_id)
      WHERE ${which} AND s.location = ${location} AND t.is_enabled AND t.deleted_at IS NULL`
    return rows.map(loadedTarget)
  })

const definitions = new Shared<CheckDefinition>()
const organizationIds = new Shared<string>()
const noCertificate: Certificate = Object.freeze({ expiresAt: null, warned: null })

const loadedTarget = (row: TargetRow): LoadedTarget => {
  const definition = definitions.of(row.definition, JSON.parse)
  const expiresAt = row.certificate_expires_at
  const warned = warnedOf(row.warned_expires_at, row.certificate_warned_days)
  return {
    id: row.component_id,
    organizationId: organizationIds.of(row.organization_id, String),
    version: row.version,
    shard: row.shard,
    url: row.url,
    intervalMs: row.interval_seconds * 1000,
    definition,
    certificate: expiresAt === null && warned === null ? noCertificate : { expiresAt, warned },
    state: resident({ derivedStatus: row.derived_status, runs: row.runs }, definition),
    revision: row.revision,
  }
}

/** Versions of the enabled targets of the shards, to find what a lost notification left out. */
export const loadVersions = (
  database: Database,
  location: string,
  shards: readonly number[],
): Promise<Map<string, number>> =>
  asWorkerRaw(database, async ({ sql }) => {
    const rows = await sql<{ component_id: string; version: number }[]>`
      SELECT t.component_id, t.version FROM targets t
      JOIN target_states s USING (organization_id, component_id)
      WHERE t.shard = ANY (${[...shards]}::smallint[]) AND s.location = ${location}
        AND t.is_enabled AND t.deleted_at IS NULL`
    return new Map(rows.map(({ component_id, version }) => [component_id, version]))
  })

/** Bound on the partitions that are searched: no check interval exceeds one day. */
const RECENT = '2 days'

/** Returns those of the given slots that already have a stored check. */
export const findStored = (
  database: Database,
  slots: readonly { organizationId: string; componentId: string; slotMs: number }[],
  location: string,
): Promise<Set<string>> =>
  asWorkerRaw(database, async ({ sql }) => {
    const rows = await sql<{ component_id: string }[]>`
      SELECT w.component_id FROM unnest(
        ${slots.map(({ organizationId }) => organizationId)}::uuid[],
        ${slots.map(({ componentId }) => componentId)}::uuid[],
        ${slots.map(({ slotMs }) => new Date(slotMs).toISOString())}::timestamptz[]
      ) AS w(organization_id, component_id, slot_at)
      WHERE EXISTS (SELECT FROM checks c WHERE c.organization_id = w.organization_id
        AND c.component_id = w.component_id AND c.slot_at = w.slot_at
        AND c.slot_at > now() - ${RECENT}::interval
        AND c.location = ${location} AND c.trigger = 'schedule')`
    return new Set(rows.map(({ component_id }) => component_id))
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
 * Stores results, their hourly summaries and the changed states in one statement. A state changes
 * only under the current lease and from the revision that was read; otherwise the results of its
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
        RETURNING organization_id, component_id, slot_at, status, response_ms),
      ${summaries(sql, location)}
      SELECT component_id FROM moved`
    return new Set(done.map(({ component_id }) => component_id))
  })

type Sql = RawSystemScope['sql']

/** Hourly summaries of the stored checks, and the hours whose rollup they change afterwards. */
const summaries = (sql: Sql, location: string) => sql`
      hours AS (
        INSERT INTO check_hours AS h (organization_id, component_id, hour_at, checks, successes,
          response_ms_sum, location)
        SELECT organization_id, component_id, date_trunc('hour', slot_at, 'UTC'), count(*),
          count(*) FILTER (WHERE status = 'SUCCESS'),
          coalesce(sum(response_ms) FILTER (WHERE status = 'SUCCESS'), 0), ${location}
        FROM stored GROUP BY 1, 2, 3
        ON CONFLICT (organization_id, component_id, hour_at, location) DO UPDATE SET
          checks = h.checks + EXCLUDED.checks, successes = h.successes + EXCLUDED.successes,
          response_ms_sum = h.response_ms_sum + EXCLUDED.response_ms_sum),
      late AS (
        INSERT INTO late_rollups (organization_id, component_id, location, hour_at)
        SELECT DISTINCT organization_id, component_id, ${location},
          date_trunc('hour', slot_at, 'UTC')
        FROM stored WHERE slot_at < now() - ${LATE_AFTER}::interval
        ON CONFLICT DO NOTHING)`

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
    ${column((row) => JSON.stringify(row.conditionResults))}::text[],
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

const ERASE_ROWS = 5_000
/** Delay before checks of a deleted component are erased; checks in flight are stored by then. */
const ERASE_AFTER = '5 minutes'
/** Retention of tombstones; longer than an event about the component can be in flight. */
const TOMBSTONE_DAYS = 90

/** Deletes one batch of checks and summaries of deleted components; returns the number of rows. */
export const eraseDeleted = (database: Database): Promise<number> =>
  asWorkerRaw(database, async ({ sql }) => {
    const [tombstone] = await sql<{ organization_id: string; component_id: string }[]>`
      SELECT organization_id, component_id FROM targets
      WHERE deleted_at < now() - ${ERASE_AFTER}::interval AND erased_at IS NULL
      ORDER BY deleted_at LIMIT 1`
    if (tombstone === undefined) {
      const { count } = await sql`DELETE FROM targets
        WHERE deleted_at < now() - ${TOMBSTONE_DAYS} * interval '1 day' AND erased_at IS NOT NULL`
      return count
    }
    const { organization_id, component_id } = tombstone
    const { count } = await sql`
      DELETE FROM checks WHERE (organization_id, component_id, slot_at, location, trigger) IN (
        SELECT organization_id, component_id, slot_at, location, trigger FROM checks
        WHERE organization_id = ${organization_id} AND component_id = ${component_id}
        LIMIT ${ERASE_ROWS})`
    if (count === 0) {
      // Deletes rows that a check in flight inserted after the first deletion.
      for (const table of ['check_hours', 'check_rollups', 'late_rollups']) {
        await sql`DELETE FROM ${sql(table)}
          WHERE organization_id = ${organization_id} AND component_id = ${component_id}`
      }
      await sql`UPDATE targets SET erased_at = now() WHERE component_id = ${component_id}`
    }
    return count + 1
  })

/** Retention of hourly summaries: one year and a leap day. */
const HOURS_KEPT_DAYS = 367

/** Creates the partitions of the coming days and drops expired ones. */
export const keepPartitions = async (database: Database, keptDays: number): Promise<number> => {
  const [row] = await database.batchSql<{ changed: number }[]>`
    SELECT create_check_partitions(3) + drop_check_partitions(${keptDays}::int) AS changed`
  await asWorkerRaw(
    database,
    ({ sql }) =>
      sql`DELETE FROM check_hours WHERE hour_at < now() - ${HOURS_KEPT_DAYS} * interval '1 day'`,
  )
  return row?.changed ?? 0
}
