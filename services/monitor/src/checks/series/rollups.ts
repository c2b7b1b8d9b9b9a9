/**
 * Series of response times: each finished interval of five minutes or one hour becomes one row. The
 * holder of a shard writes it; the progress is stored, so that the next holder continues.
 */

import { DEFAULT_LOCATION, PRIVATE_LOCATION_PREFIX } from '@status-page/contracts'
import {
  asWorkerRaw,
  type Database,
  type Job,
  type RawSystemScope,
  settleEach,
} from '@status-page/postgres'
import type { Shards } from '@status-page/schedule'
import { SETTLE_SECONDS } from '../record/late-results.ts'

export const FIVE_MINUTES_MS = 300_000
export const HOUR_MS = 3_600_000
const INTERVAL_MS = 15_000
/** Shards per statement, some thousands of targets at most. */
const SHARDS_PER_STATEMENT = 8
/** Maximum interval per statement; a shard that is further behind is due again at once. */
const MAX_STRETCH_MS = 2 * HOUR_MS
/** Maximum backlog: single checks are not retained longer. */
const MAX_BEHIND_MS = 31 * 24 * HOUR_MS
const LATE_HOURS_PER_RUN = 500

export interface RollupsOptions {
  database: Database
  location: string
  shards: Pick<Shards, 'held' | 'now'>
}

export const rollupWork = ({ database, location, shards }: RollupsOptions): Job => {
  /** Known progress by shard, to skip queries for shards that are not due. */
  const rolledUntil = new Map<number, number>()
  return {
    name: 'rollups',
    intervalMs: INTERVAL_MS,
    async run() {
      const until = startOf(shards.now() - SETTLE_SECONDS * 1000, FIVE_MINUTES_MS)
      const due = shards.held().filter((shard) => (rolledUntil.get(shard) ?? 0) < until)
      const starts = due.keys().filter((index) => index % SHARDS_PER_STATEMENT === 0)
      let behind = 0
      await settleEach(starts, async (start) => {
        const some = due.slice(start, start + SHARDS_PER_STATEMENT)
        const left = await rollUp(database, { location, until, shards: some })
        if (left === 0) for (const shard of some) rolledUntil.set(shard, until)
        behind += left
      })
      return behind + (await rollUpLate(database, until))
    },
  }
}

interface Stretch {
  location: string
  shards: readonly number[]
  /** Epoch milliseconds, a multiple of five minutes. */
  until: number
}

/**
 * Rolls up the backlog to `until` or to the limit of one statement; returns the number of shards
 * that are still behind. A half-finished run of a killed replica is repeated. The replicas of the
 * default location also roll up private locations, which have no replicas.
 */
export const rollUp = (database: Database, stretch: Stretch): Promise<number> =>
  asWorkerRaw(database, async ({ sql }) => {
    const { location, until } = stretch
    const due = await claimDue(sql, stretch)
    if (due.length === 0) return 0
    const fromMs = Math.min(...due.map((behind) => behind.fromMs))
    const toMs = Math.min(until, fromMs + MAX_STRETCH_MS)
    const [from, to] = [new Date(fromMs).toISOString(), new Date(toMs).toISOString()]
    const shards = sql`${due.map(({ shard }) => shard)}::smallint[]`
    await writeRows(
      sql,
      sql`SELECT t.organization_id, t.component_id, l.location,
          ${from}::timestamptz AS from_at, ${to}::timestamptz AS to_at
        FROM targets t, LATERAL (
          SELECT ${location}::text AS location
          UNION ALL
          SELECT own.location FROM unnest(t.locations) AS own(location)
          WHERE ${location === DEFAULT_LOCATION} AND starts_with(own.location, ${PRIVATE_LOCATION_PREFIX})
        ) l
        WHERE t.shard = ANY (${shards}) AND t.deleted_at IS NULL`,
    )
    await sql`UPDATE rollup_progress
      SET rolled_until = greatest(rolled_until, ${to}::timestamptz)
      WHERE location = ${location} AND shard = ANY (${shards})`
    return toMs < until ? due.length : 0
  })

/** Rolls up hours again whose checks were stored late; returns the number of hours. */
export const rollUpLate = (database: Database, until: number): Promise<number> =>
  asWorkerRaw(database, async ({ sql }) => {
    const to = new Date(until).toISOString()
    await sql`SET LOCAL jit = off`
    const late = await sql<LateRow[]>`
      DELETE FROM late_rollups WHERE (organization_id, component_id, location, hour_at) IN (
        SELECT organization_id, component_id, location, hour_at FROM late_rollups
        WHERE hour_at < ${to}::timestamptz
        LIMIT ${LATE_HOURS_PER_RUN} FOR UPDATE SKIP LOCKED)
      RETURNING organization_id, component_id, location, hour_at::text AS hour_at`
    if (late.length === 0) return 0
    const column = (read: (row: LateRow) => string) => late.map(read)
    await writeRows(
      sql,
      sql`SELECT organization_id, component_id, location, hour_at AS from_at,
          least(hour_at + interval '1 hour', ${to}::timestamptz) AS to_at
        FROM unnest(${column((row) => row.organization_id)}::uuid[],
          ${column((row) => row.component_id)}::uuid[], ${column((row) => row.location)}::text[],
          ${column((row) => row.hour_at)}::timestamptz[]
        ) AS l(organization_id, component_id, location, hour_at)`,
    )
    return late.length
  })

interface LateRow {
  organization_id: string
  component_id: string
  location: string
  hour_at: string
}

type Sql = RawSystemScope['sql']

/** Locks the shards that are behind; returns each with the start of its backlog. */
const claimDue = async (sql: Sql, { location, shards, until }: Stretch) => {
  const to = new Date(until).toISOString()
  const earliest = new Date(until - MAX_BEHIND_MS).toISOString()
  const newest = new Date(until - MAX_STRETCH_MS).toISOString()
  const list = [...shards]
  // JIT compilation of these statements would take longer than their execution.
  await sql`SET LOCAL jit = off`
  await sql`INSERT INTO rollup_progress (location, shard, rolled_until)
    SELECT ${location}, shard, ${newest}::timestamptz FROM unnest(${list}::smallint[]) AS shard
    ON CONFLICT DO NOTHING`
  return sql<{ shard: number; fromMs: number }[]>`
    SELECT shard, extract(epoch FROM greatest(rolled_until, ${earliest}::timestamptz))::float8 * 1000
      AS "fromMs"
    FROM rollup_progress
    WHERE location = ${location} AND shard = ANY (${list}::smallint[])
      AND rolled_until < ${to}::timestamptz
    ORDER BY shard FOR UPDATE`
}

/**
 * Rolls up the rows of `wanted`: organization_id, component_id, location, from_at, to_at. Scans the
 * key of each target; a plan over whole partitions would read all checks of a day.
 */
const writeRows = async (sql: Sql, wanted: ReturnType<Sql>): Promise<void> => {
  await sql`
    INSERT INTO check_rollups (organization_id, component_id, at, location, checks, successes,
      mean_ms, p50_ms, p95_ms, p99_ms)
    SELECT w.organization_id, w.component_id, f.at, w.location, f.checks, f.successes, f.mean_ms,
      f.percentiles[1], f.percentiles[2], f.percentiles[3]
    FROM (${wanted}) w CROSS JOIN LATERAL (
      SELECT date_bin('5 minutes', c.slot_at, 'epoch'::timestamptz) AS at, count(*) AS checks,
        count(*) FILTER (WHERE c.status = 'SUCCESS') AS successes,
        round(avg(c.response_ms) FILTER (WHERE c.status = 'SUCCESS'))::int AS mean_ms,
        ${percentiles(sql)} AS percentiles
      FROM checks c WHERE c.organization_id = w.organization_id
        AND c.component_id = w.component_id AND c.location = w.location
        AND c.slot_at >= w.from_at AND c.slot_at < w.to_at
      GROUP BY 1) f
    ON CONFLICT (organization_id, component_id, at, location) DO UPDATE SET
      checks = EXCLUDED.checks, successes = EXCLUDED.successes, mean_ms = EXCLUDED.mean_ms,
      p50_ms = EXCLUDED.p50_ms, p95_ms = EXCLUDED.p95_ms, p99_ms = EXCLUDED.p99_ms`
  await sql`
    INSERT INTO check_hours (organization_id, component_id, hour_at, location, checks, successes,
      response_ms_sum, p50_ms, p95_ms, p99_ms)
    SELECT w.organization_id, w.component_id, f.at, w.location, f.checks, f.successes, f.sum_ms,
      f.percentiles[1], f.percentiles[2], f.percentiles[3]
    FROM (${wanted}) w CROSS JOIN LATERAL (
      SELECT date_trunc('hour', c.slot_at, 'UTC') AS at, count(*) AS checks,
        count(*) FILTER (WHERE c.status = 'SUCCESS') AS successes,
        coalesce(sum(c.response_ms) FILTER (WHERE c.status = 'SUCCESS'), 0) AS sum_ms,
        ${percentiles(sql)} AS percentiles
      FROM checks c WHERE c.organization_id = w.organization_id
        AND c.component_id = w.component_id AND c.location = w.location
        AND c.slot_at >= date_trunc('hour', w.from_at, 'UTC')
        AND c.slot_at < date_trunc('hour', w.to_at, 'UTC')
      GROUP BY 1) f
    ON CONFLICT (organization_id, component_id, hour_at, location) DO UPDATE SET
      checks = EXCLUDED.checks, successes = EXCLUDED.successes,
      response_ms_sum = EXCLUDED.response_ms_sum, p50_ms = EXCLUDED.p50_ms,
      p95_ms = EXCLUDED.p95_ms, p99_ms = EXCLUDED.p99_ms`
}

const percentiles = (sql: Sql) =>
  sql`percentile_disc(ARRAY[0.5, 0.95, 0.99]) WITHIN GROUP (ORDER BY c.response_ms)
    FILTER (WHERE c.status = 'SUCCESS')`

const startOf = (timeMs: number, lengthMs: number): number =>
  Math.floor(timeMs / lengthMs) * lengthMs
