/** Queries over stored values: the newest ones, lists in the shape of checks, and series. */
import {
  type CheckStatus,
  invalid,
  limitAndOffset,
  MAX_METRIC_VALUES,
  type MetricPoint,
  type MetricValue,
  type metricOperations,
  type metricQueryOperations,
  type Query,
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

const FIVE_MINUTES = 300
const HOUR = 3600

/** Maximum range by resolution: about 2,000 points. */
const MAX_RANGE_MS: Record<number, number> = {
  [FIVE_MINUTES]: 7 * DAY_MS,
  [HOUR]: 366 * DAY_MS,
}
const FINE_RANGE_MS = 2 * DAY_MS

export const seriesOf = (query: Query<typeof metricQueryOperations.series>, now: Date) => {
  const to = query.to === undefined ? now : new Date(query.to)
  const from = query.from === undefined ? new Date(to.getTime() - DAY_MS) : new Date(query.from)
  const rangeMs = to.getTime() - from.getTime()
  if (rangeMs < 0) throw invalid({ field: 'from', message: 'from must not be after to' })
  const chosen = rangeMs <= FINE_RANGE_MS ? FIVE_MINUTES : HOUR
  const seconds = query.resolution === undefined ? chosen : Number(query.resolution)
  const maxMs = MAX_RANGE_MS[seconds] ?? 0
  if (rangeMs > maxMs) {
    const message = `from must be at most ${maxMs / DAY_MS} days before to at this resolution`
    throw invalid({ field: 'from', message })
  }
  return { from, to, seconds }
}

/** One point per interval that has polls, oldest first. */
export const listPoints = async (
  scope: Scope,
  metricId: string,
  { from, to, seconds }: ReturnType<typeof seriesOf>,
): Promise<MetricPoint[]> => {
  const rows = await tenantTable(metricRollups)
    .select(
      scope,
      eq(metricRollups.metricId, metricId),
      eq(metricRollups.seconds, seconds),
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
        eq(metricRollups.seconds, FIVE_MINUTES),
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
