/** Queries over stored values: the newest ones, lists in the shape of checks, and series. */
import {
  type CheckStatus,
  limitAndOffset,
  MAX_METRIC_VALUES,
  type MetricPoint,
  type MetricSeries,
  type MetricValue,
  type metricOperations,
  presentSeriesRange,
  type Query,
  type SeriesRange,
  sortOrderOf,
} from '@status-page/contracts'
import { type Scope, tenantTable } from '@status-page/postgres'
import {
  and,
  asc,
  count,
  desc,
  eq,
  gt,
  gte,
  inArray,
  isNotNull,
  lt,
  type SQL,
  sql,
} from 'drizzle-orm'
import { metricRollups, metricValues, type ValueRow } from '../tables.ts'

const DAY_MS = 86_400_000

const ofMetric = ({ organizationId }: Scope, metricId: string) =>
  and(eq(metricValues.organizationId, organizationId), eq(metricValues.metricId, metricId))

/** Values of the last day, oldest first, limited to the newest ones. */
export const recentValues = async (scope: Scope, metricId: string): Promise<MetricValue[]> => {
  const since = new Date(scope.now.getTime() - DAY_MS)
  const rows = await scope.tx
    .select({ polledAt: metricValues.polledAt, value: metricValues.value })
    .from(metricValues)
    .where(
      and(
        ofMetric(scope, metricId),
        gte(metricValues.slotAt, since),
        isNotNull(metricValues.value),
      ),
    )
    .orderBy(desc(metricValues.slotAt))
    .limit(MAX_METRIC_VALUES)
  return rows
    .toReversed()
    .map(({ polledAt, value }) => ({ timestamp: polledAt.toISOString(), value: value as number }))
}

/** Newest values of each metric, newest first: one index range scan per metric. */
export const newestValues = async (
  { organizationId, tx }: Scope,
  metricIds: readonly string[],
  perMetric: number,
): Promise<ValueRow[]> => {
  if (metricIds.length === 0 || perMetric === 0) return []
  const newest = tx
    .select()
    .from(metricValues)
    .where(
      and(
        eq(metricValues.organizationId, organizationId),
        sql`${metricValues.metricId} = wanted.id`,
      ),
    )
    .orderBy(desc(metricValues.slotAt))
    .limit(perMetric)
    .as('newest')
  return tx
    .select(newest._.selectedFields)
    .from(sql`unnest(${sql.param([...metricIds])}::uuid[]) AS wanted(id)`)
    .innerJoinLateral(newest, sql`true`)
    .orderBy(desc(newest.slotAt)) as unknown as Promise<ValueRow[]>
}

type ChecksQuery = Query<typeof metricOperations.list>

/** Lists values of the schedule as checks of the only location. */
export const listValues = async (scope: Scope, metricId: string, query: ChecksQuery) => {
  const { limit, offset } = limitAndOffset(query)
  const direction = sortOrderOf(query) === 'asc' ? asc : desc
  const where = and(ofMetric(scope, metricId), ...filters(query))
  const [counted] = await scope.tx.select({ total: count() }).from(metricValues).where(where)
  const rows = await scope.tx
    .select()
    .from(metricValues)
    .where(where)
    .orderBy(direction(metricValues.slotAt))
    .limit(limit)
    .offset(offset)
  return { rows, total: counted?.total ?? 0 }
}

const statusFilters: Record<CheckStatus, SQL> = {
  SUCCESS: sql`${metricValues.status} = 'ok'`,
  DEGRADED: sql`${metricValues.status} = 'warning'`,
  FAILURE: sql`${metricValues.status} = 'critical'`,
  TIMEOUT: sql`${metricValues.error} = 'timeout'`,
  ERROR: sql`${metricValues.status} IN ('no_data', 'error')
    AND ${metricValues.error} IS DISTINCT FROM 'timeout'`,
}

const filters = ({ status, trigger, location, from, to }: ChecksQuery): (SQL | undefined)[] => [
  status === undefined ? undefined : statusFilters[status],
  trigger === 'manual' ? sql`false` : undefined,
  location === undefined || location === 'default' ? undefined : sql`false`,
  from === undefined ? undefined : gte(metricValues.polledAt, new Date(from)),
  to === undefined ? undefined : lt(metricValues.polledAt, new Date(to)),
  // Restricts the scan to partitions near the slots: a value arrives soon after its slot.
  from === undefined ? undefined : gte(metricValues.slotAt, new Date(Date.parse(from) - DAY_MS)),
  to === undefined ? undefined : lt(metricValues.slotAt, new Date(to)),
]

/** Points of the range, oldest first; none without a metric. */
export const readSeries = async (
  scope: Scope,
  metricId: string | null,
  range: SeriesRange,
): Promise<Omit<MetricSeries, 'queryId'>> => ({
  ...presentSeriesRange(range),
  points: metricId === null ? [] : await listPoints(scope, metricId, range),
})

/** One point per interval that has polls, oldest first. */
const listPoints = async (
  scope: Scope,
  metricId: string,
  { from, to, resolution }: SeriesRange,
): Promise<MetricPoint[]> => {
  const rows = await tenantTable(metricRollups)
    .select(
      scope,
      eq(metricRollups.metricId, metricId),
      eq(metricRollups.seconds, resolution),
      gte(metricRollups.at, from),
      lt(metricRollups.at, to),
    )
    .orderBy(metricRollups.at)
  return rows.map(({ at, polls, values, sum, min, max }) => ({
    timestamp: at.toISOString(),
    polls,
    values,
    average: values === 0 ? null : sum / values,
    minimum: min,
    maximum: max,
  }))
}

const FIVE_MINUTES_SECONDS = 300
const QUARTER_MS = 900_000

/** Means of the current and the previous quarter of an hour, oldest first. */
export const newestMeans = async (
  { organizationId, tx, now }: Scope,
  metricIds: readonly string[],
): Promise<Map<string, MetricValue[]>> => {
  if (metricIds.length === 0) return new Map()
  const since = (Math.floor(now.getTime() / QUARTER_MS) - 1) * QUARTER_MS
  const at = sql<Date>`date_bin('15 minutes', ${metricRollups.at}, 'epoch'::timestamptz)`.mapWith(
    metricRollups.at,
  )
  const rows = await tx
    .select({
      metricId: metricRollups.metricId,
      at,
      mean: sql<number>`sum(${metricRollups.sum}) / sum(${metricRollups.values})`,
    })
    .from(metricRollups)
    .where(
      and(
        eq(metricRollups.organizationId, organizationId),
        inArray(metricRollups.metricId, [...metricIds]),
        eq(metricRollups.seconds, FIVE_MINUTES_SECONDS),
        gte(metricRollups.at, new Date(since)),
        lt(metricRollups.at, new Date(since + 2 * QUARTER_MS)),
        gt(metricRollups.values, 0),
      ),
    )
    .groupBy(metricRollups.metricId, sql`2`)
    .orderBy(sql`2`)
  const byMetric = Map.groupBy(rows, ({ metricId }) => metricId)
  return new Map(
    [...byMetric].map(([id, means]) => [
      id,
      means.map(({ at, mean }) => ({ timestamp: at.toISOString(), value: mean })),
    ]),
  )
}
