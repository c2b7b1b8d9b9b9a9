/** Status history of components in SQL: periods without gaps, the last of which is open. */
import {
  type Cooperative,
  type componentOperations,
  limitAndOffset,
  type Query,
} from '@status-page/contracts'
import { equalsFilter, type PipelinedScope, preparedQuery, type Scope } from '@status-page/postgres'
import { runCooperatively, runToEnd } from '@status-page/service'
import { and, asc, count, desc, eq, gt, isNull, lt, or, type SQL, sql } from 'drizzle-orm'
import { componentStatusIntervals as periods } from '../../tables.ts'
import { DAY_MS, type StatusInterval, type TimeSpan } from './uptime.ts'

export type StatusPeriodRow = typeof periods.$inferSelect

type ListQuery = Query<typeof componentOperations.statusHistory>

export const listStatusPeriods = async (scope: Scope, componentId: string, query: ListQuery) => {
  const where = and(
    eq(periods.organizationId, scope.organizationId),
    eq(periods.componentId, componentId),
    ...filters(query),
  )
  const { limit, offset } = limitAndOffset(query)
  const direction = query.sortOrder === 'asc' ? asc : desc
  const rows = await scope.tx
    .select()
    .from(periods)
    .where(where)
    .orderBy(direction(periods.startedAt))
    .limit(limit)
    .offset(offset)
  const [counted] = await scope.tx.select({ total: count() }).from(periods).where(where)
  return { rows, total: counted?.total ?? 0 }
}

/** `from` and `to` select the periods that overlap the span. */
const filters = ({ status, source, from, to }: ListQuery): (SQL | undefined)[] => [
  equalsFilter(periods.status, status),
  equalsFilter(periods.source, source),
  from === undefined ? undefined : or(isNull(periods.endedAt), gt(periods.endedAt, new Date(from))),
  to === undefined ? undefined : lt(periods.startedAt, new Date(to)),
]

export interface StatusIntervalWithSource extends StatusInterval {
  source: StatusPeriodRow['source']
}

/** Maximum number of rows that are processed at once, without a wait for a slice. */
const MAX_UNSLICED_ROWS = 200

/**
 * Returns the periods that overlap the span, oldest first, and an empty list for a component
 * without history. Periods have no gaps, so the first is the last one to start by `from`: one index
 * lookup, however long the history is. A plain join would be planned over the whole history.
 */
export const statusPeriodsInSpan = async (
  scope: Scope,
  ids: readonly string[],
  { from, to }: TimeSpan,
): Promise<Map<string, StatusIntervalWithSource[]>> =>
  // The requested span may end beyond the range of a timestamp; history ends now.
  queryPeriods(scope, ids, { from, to: Math.min(to, scope.now.getTime()) })

const queryPeriods = async (
  scope: PipelinedScope,
  ids: readonly string[],
  { from, to }: TimeSpan,
): Promise<Map<string, StatusIntervalWithSource[]>> => {
  if (ids.length === 0) return new Map()
  const [start, end] = [from, to].map((time) => new Date(time).toISOString())
  const { organizationId } = scope
  const rows = await selectPeriods(scope, { organizationId, ids: [...ids], start, end })
  const histories = historiesFrom(rows, ids)
  return rows.length > MAX_UNSLICED_ROWS ? runCooperatively(histories) : runToEnd(histories)
}

const selectPeriods = preparedQuery((tx) =>
  tx
    .select({
      componentId: sql<string>`i.component_id`,
      status: sql<StatusInterval['status']>`i.status`,
      source: sql<StatusPeriodRow['source']>`i.source`,
      startedAt: sql<string>`i.started_at`,
      endedAt: sql<string | null>`i.ended_at`,
    })
    .from(sql`unnest(${sql.placeholder('ids')}::uuid[]) AS wanted(id)
      CROSS JOIN LATERAL (SELECT coalesce(max(f.started_at), '-infinity') AS at
        FROM component_status_intervals f
        WHERE f.organization_id = ${sql.placeholder('organizationId')}
          AND f.component_id = wanted.id
          AND f.started_at <= ${sql.placeholder('start')}::timestamptz) AS first
      CROSS JOIN LATERAL (
        SELECT component_id, status, source, started_at, ended_at FROM component_status_intervals
        WHERE organization_id = ${sql.placeholder('organizationId')} AND component_id = wanted.id
          AND started_at >= first.at AND started_at < ${sql.placeholder('end')}::timestamptz
        ORDER BY started_at OFFSET 0) AS i`),
)

function* historiesFrom(
  rows: readonly PeriodRow[],
  ids: readonly string[],
): Cooperative<Map<string, StatusIntervalWithSource[]>> {
  const histories = new Map<string, StatusIntervalWithSource[]>(ids.map((id) => [id, []]))
  for (const row of rows) {
    histories.get(row.componentId)?.push({
      status: row.status,
      source: row.source,
      startedAt: Date.parse(row.startedAt),
      endedAt: row.endedAt === null ? null : Date.parse(row.endedAt),
    })
    yield
  }
  return histories
}

/** Status history from `from` until now. */
export const statusHistorySince = (
  scope: Scope,
  ids: readonly string[],
  from: Date,
): Promise<Map<string, StatusIntervalWithSource[]>> =>
  statusPeriodsInSpan(scope, ids, { from: from.getTime(), to: scope.now.getTime() })

/** Maximum difference between the clocks of this process and of the database. */
const MAX_CLOCK_DIFFERENCE_MS = DAY_MS

/**
 * Status history of at least `days` until now, for a scope that has no time of the database yet. The
 * first period may end before them.
 */
export const statusHistoryOfDays = (
  scope: PipelinedScope,
  ids: readonly string[],
  { days, processNow }: { days: number; processNow: Date },
): Promise<Map<string, StatusIntervalWithSource[]>> =>
  queryPeriods(scope, ids, {
    from: processNow.getTime() - days * DAY_MS - MAX_CLOCK_DIFFERENCE_MS,
    to: processNow.getTime() + MAX_CLOCK_DIFFERENCE_MS,
  })

type PeriodRow = Awaited<ReturnType<typeof selectPeriods>>[number]
