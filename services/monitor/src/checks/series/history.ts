/** Queries over stored checks: the newest ones, lists, summaries and series of response times. */
import type {
  componentCheckOperations,
  Query,
  ResponseTimePoint,
  SeriesRange,
} from '@status-page/contracts'
import { limitAndOffset, sortOrderOf } from '@status-page/contracts'
import { equalsFilter, type Scope } from '@status-page/postgres'
import { and, asc, count, desc, eq, gte, lt, type SQL, sql } from 'drizzle-orm'
import { checkHours, checkRollups, checks } from '../../tables.ts'
import type { CheckRow } from '../record/rows.ts'

/** Newest checks of each target by slot: one index range scan per target. */
export const listNewest = async (
  { organizationId, tx }: Scope,
  componentIds: readonly string[],
  perTarget: number,
): Promise<CheckRow[]> => {
  if (componentIds.length === 0) return []
  const ids = sql`${`{${componentIds.join(',')}}`}::uuid[]`
  const newest = tx
    .select()
    .from(checks)
    .where(and(eq(checks.organizationId, organizationId), sql`${checks.componentId} = wanted.id`))
    .orderBy(sql`${checks.slotAt} DESC`)
    .limit(perTarget)
    .as('newest')
  return tx
    .select(newest._.selectedFields)
    .from(sql`unnest(${ids}) AS wanted(id)`)
    .innerJoinLateral(newest, sql`true`) as unknown as Promise<CheckRow[]>
}

/** Time of the newest check by component. */
export const lastCheckTimes = async (
  { organizationId, tx }: Scope,
  componentIds: readonly string[],
): Promise<Map<string, Date>> => {
  const rows = await tx.execute<{ id: string; checked_at: string }>(sql`
    SELECT wanted.id, newest.checked_at
    FROM unnest(${sql.param([...componentIds])}::uuid[]) AS wanted(id)
    CROSS JOIN LATERAL (
      SELECT checked_at FROM checks
      WHERE organization_id = ${organizationId} AND component_id = wanted.id
      ORDER BY slot_at DESC LIMIT 1) AS newest`)
  return new Map(rows.map(({ id, checked_at: checkedAt }) => [id, new Date(checkedAt)]))
}

const FIGURE_HOURS = 24

/**
 * Mean response time in ms of the successful checks of the last day, by component; null for checks
 * without one, such as heartbeats.
 */
export const averageResponseTimes = async (
  { organizationId, tx }: Scope,
  componentIds: readonly string[],
): Promise<Map<string, number | null>> => {
  if (componentIds.length === 0) return new Map()
  const ids = sql`${sql.param([...componentIds])}::uuid[]`
  const rows = await tx.execute<{ id: string; mean: number | null }>(sql`
    WITH wanted AS (
      SELECT organization_id, component_id, shard FROM targets
      WHERE organization_id = ${organizationId} AND component_id = ANY(${ids})),
    sums AS (
      SELECT component_id, response_ms_sum AS ms, successes FROM check_hours
      WHERE organization_id = ${organizationId} AND component_id = ANY(${ids})
        AND p50_ms IS NOT NULL
        AND hour_at > now() - ${FIGURE_HOURS} * interval '1 hour'
      UNION ALL
      SELECT r.component_id, r.mean_ms::bigint * r.successes, r.successes
      FROM wanted w ${runningHour('w')}
      UNION ALL
      SELECT w.component_id, c.response_ms, 1
      FROM wanted w JOIN rollup_progress p ON p.shard = w.shard
      JOIN checks c ON c.organization_id = w.organization_id AND c.component_id = w.component_id
        AND c.location = p.location AND c.status = 'SUCCESS'
        AND c.slot_at >= greatest(p.rolled_until, now() - ${NOT_ROLLED_UP}::interval))
    SELECT component_id AS id, round(sum(ms) / nullif(sum(successes), 0))::float8 AS mean
    FROM sums WHERE ms IS NOT NULL GROUP BY component_id`)
  return new Map(rows.map(({ id, mean }) => [id, mean]))
}

/** Bound on the checks that are read one by one; a roll-up is at most seven minutes behind. */
const NOT_ROLLED_UP = '30 minutes'

/**
 * Joins the rows of five minutes `r` of the hour that has no hourly row yet. `alias` names rows with
 * the key and the shard of a target.
 */
const runningHour = (alias: string): SQL => {
  const target = sql.identifier(alias)
  return sql`JOIN rollup_progress p ON p.shard = ${target}.shard
      JOIN check_rollups r ON r.organization_id = ${target}.organization_id
        AND r.component_id = ${target}.component_id AND r.location = p.location
        AND r.at >= date_trunc('hour', p.rolled_until, 'UTC')
        AND r.at > now() - interval '1 day'`
}

export type ChecksQuery = Query<typeof componentCheckOperations.checks>

export const listChecks = async (
  { organizationId, tx }: Scope,
  componentId: string,
  query: ChecksQuery,
): Promise<{ rows: CheckRow[]; total: number }> => {
  const { limit, offset } = limitAndOffset(query)
  const direction = sortOrderOf(query) === 'asc' ? asc : desc
  const where = and(
    eq(checks.organizationId, organizationId),
    eq(checks.componentId, componentId),
    ...[
      query.status && eq(checks.status, query.status),
      query.trigger && eq(checks.isManual, query.trigger === 'manual'),
      query.location && eq(checks.location, query.location),
      query.from && gte(checks.checkedAt, new Date(query.from)),
      query.to && lt(checks.checkedAt, new Date(query.to)),
      ...nearSlots(query),
    ].filter((condition): condition is SQL => condition !== undefined && condition !== ''),
  )
  const bounded = tx
    .select({ one: sql`1` })
    .from(checks)
    .where(where)
    .limit(offset + limit + COUNTED_BEYOND)
    .as('bounded')
  const [counted] = await tx.select({ total: count() }).from(bounded)
  const rows = await tx
    .select()
    .from(checks)
    .where(and(where, nearestSlots(where, sortOrderOf(query), offset + limit)))
    .orderBy(direction(checks.checkedAt), direction(checks.slotAt), direction(checks.location))
    .limit(limit)
    .offset(offset)
  return { rows, total: counted?.total ?? 0 }
}

/**
 * Restricts the scan to checks that can be among the first `wanted` by their start. The key is
 * ordered by slot, which is not after the start: few checks start later than a minute after it, and
 * those have an index of their own.
 */
const nearestSlots = (where: SQL | undefined, order: 'asc' | 'desc', wanted: number): SQL => {
  const nth = (direction: typeof asc, condition: SQL | undefined) =>
    sql`(SELECT ${checks.slotAt} FROM ${checks} WHERE ${condition}
      ORDER BY ${direction(checks.slotAt)} LIMIT 1 OFFSET ${wanted - 1})`
  const isLate = sql`${checks.checkedAt} - ${checks.slotAt} > interval '1 minute'`
  if (order === 'asc') {
    const last = nth(asc, sql`${where} AND NOT (${isLate})`)
    return sql`${checks.slotAt} <= coalesce(${last} + interval '1 minute', 'infinity')`
  }
  const last = sql`coalesce(${nth(desc, where)}, '-infinity')`
  return sql`(${checks.slotAt} >= ${last} - interval '1 minute'
    OR (${isLate} AND ${checks.checkedAt} >= ${last}))`
}

/**
 * Limit of exact counts. A month of checks every ten seconds is 259,000 rows; counting them took
 * ten times as long as reading a page. Pagination beyond the limit still reaches the last row.
 */
const COUNTED_BEYOND = 10_000

/** Restricts the scan to partitions near the slots: a check runs soon after its slot. */
const nearSlots = ({ from, to }: { from?: string; to?: string }): SQL[] => [
  ...(from === undefined ? [] : [gte(checks.slotAt, new Date(Date.parse(from) - DAY_MS))]),
  ...(to === undefined ? [] : [lt(checks.slotAt, new Date(to))]),
]

const DAY_MS = 86_400_000

interface SeriesQuery extends SeriesRange {
  location: string | undefined
}

/**
 * One point per interval that has checks, oldest first. The running hour has no percentiles, because
 * it is the sum of its finished intervals of five minutes.
 */
export const listPoints = async (
  scope: Scope,
  componentId: string,
  { from, to, resolution, location }: SeriesQuery,
): Promise<ResponseTimePoint[]> => {
  const { organizationId, tx } = scope
  const table = resolution === HOUR_SECONDS ? hours : fiveMinutes
  const rows = await tx
    .select(table.columns)
    .from(table.from)
    .where(
      and(
        eq(table.from.organizationId, organizationId),
        eq(table.from.componentId, componentId),
        gte(table.columns.at, from),
        lt(table.columns.at, to),
        equalsFilter(table.from.location, location),
      ),
    )
    .orderBy(asc(table.columns.at), asc(table.from.location))
  const points = rows.map(({ at, ...point }) => ({ timestamp: at.toISOString(), ...point }))
  if (resolution !== HOUR_SECONDS) return points
  return points.concat(await listRunningHours(scope, componentId, { from, to, location }))
}

/** One point per location; before a roll-up that is behind, one per hour that it has not reached. */
const listRunningHours = async (
  { organizationId, tx }: Scope,
  componentId: string,
  { from, to, location }: Omit<SeriesQuery, 'resolution'>,
): Promise<ResponseTimePoint[]> => {
  const rows = await tx.execute<RunningHour>(sql`
    SELECT date_trunc('hour', r.at, 'UTC') AS at, r.location, sum(r.checks)::int AS checks,
      sum(r.successes)::int AS successes,
      round(sum(r.mean_ms::bigint * r.successes) / nullif(sum(r.successes), 0))::int AS average
    FROM targets t ${runningHour('t')}
    WHERE t.organization_id = ${organizationId} AND t.component_id = ${componentId}
      AND r.location = coalesce(${location ?? null}, r.location)
    GROUP BY 1, 2 ORDER BY 1, 2`)
  return rows
    .map(({ at, ...point }) => ({ ...point, at: new Date(at), p50: null, p95: null, p99: null }))
    .filter(({ at }) => at >= from && at < to)
    .map(({ at, ...point }) => ({ timestamp: at.toISOString(), ...point }))
}

type RunningHour = Pick<ResponseTimePoint, 'location' | 'checks' | 'successes' | 'average'> & {
  at: string
}

const HOUR_SECONDS = 3600

const fiveMinutes = {
  from: checkRollups,
  columns: {
    at: checkRollups.at,
    location: checkRollups.location,
    checks: checkRollups.checks,
    successes: checkRollups.successes,
    average: checkRollups.meanMs,
    p50: checkRollups.p50Ms,
    p95: checkRollups.p95Ms,
    p99: checkRollups.p99Ms,
  },
}

const hours = {
  from: checkHours,
  columns: {
    at: checkHours.hourAt,
    location: checkHours.location,
    checks: checkHours.checks,
    successes: checkHours.successes,
    average: sql<number | null>`CASE WHEN ${checkHours.p50Ms} IS NOT NULL
      THEN round(${checkHours.responseMsSum}::numeric / ${checkHours.successes})::int END`,
    p50: checkHours.p50Ms,
    p95: checkHours.p95Ms,
    p99: checkHours.p99Ms,
  },
}
