/** Uptime computed from status history: arithmetic in whole milliseconds, rounded down. */
import { type ComponentStatus, componentStatuses, statusesBySeverity } from '@status-page/contracts'

/** `endedAt` is null while the interval is open. Times are milliseconds since 1970. */
export interface StatusInterval {
  status: ComponentStatus
  startedAt: number
  endedAt: number | null
}

export interface TimeSpan {
  from: number
  to: number
}

/** Tenths of a second of downtime per second of each status; whole numbers keep the sum exact. */
const downtimeTenths: Record<ComponentStatus, number> = {
  operational: 0,
  degraded_performance: 0,
  under_maintenance: 0,
  partial_outage: 3,
  major_outage: 10,
}
const TENTHS = 10
/** Hundredths of a percent in 100 %. */
const BASIS_POINTS = 10_000

export const UPTIME_DAYS = 90
export const DAY_MS = 86_400_000
const MINUTE_MS = 60_000
const SECOND_MS = 1_000

/** Start of the known history: the creation, or an outage before it that was entered later. */
export const historyStart = (createdAt: Date, intervals: readonly StatusInterval[]): number =>
  Math.min(createdAt.getTime(), intervals[0]?.startedAt ?? Number.POSITIVE_INFINITY)

/** Percentage with two decimals, rounded down; null for an empty window. */
export const uptimePercentage = (
  intervals: readonly StatusInterval[],
  { from, to }: TimeSpan,
): number | null => {
  const window = TENTHS * (to - from)
  if (window <= 0) return null
  const downtime = weightedDowntime(intervals, { from, to })
  return Math.floor(((window - downtime) * BASIS_POINTS) / window) / 100
}

export type CalendarDay = TimeSpan & { date: string }

/**
 * One entry per day; `days` are consecutive, oldest first. Downtime counts up to the last whole
 * minute, so that the ETag of a public response stays valid for a minute of an outage.
 */
export const uptimeByDay = (
  intervals: readonly StatusInterval[],
  days: readonly CalendarDay[],
  now: number,
) => dailyUptime(intervals, days, { shownTo: now, countedTo: startOfMinute(now) })

/** Start of the current minute; minutes begin at the same time in every time zone. */
export const startOfMinute = (time: number): number => time - (time % MINUTE_MS)

/** Same as `uptimeByDay`, with downtime to the millisecond. */
export const uptimeByDayInMs = (
  intervals: readonly StatusInterval[],
  days: readonly CalendarDay[],
  now: number,
) => dailyUptime(intervals, days, { shownTo: now, countedTo: now })

const dailyUptime = (
  intervals: readonly StatusInterval[],
  days: readonly CalendarDay[],
  { shownTo, countedTo }: { shownTo: number; countedTo: number },
) =>
  days.map(({ date, from, to }) => {
    const span = { from, to: Math.min(to, shownTo) }
    const overlapping = intervals.filter((interval) => overlap(interval, span) > 0)
    const status = worstStatus(overlapping.map((interval) => interval.status))
    const downtime = weightedDowntime(overlapping, { from, to: Math.min(to, countedTo) })
    const downtimeSeconds = downtime / (TENTHS * SECOND_MS)
    return { date, status: status ?? ('no_data' as const), downtimeSeconds }
  })

/** Seconds of downtime per second of each status. */
export const downtimeWeights = mapStatuses((status) => downtimeTenths[status] / TENTHS)

/** Seconds of each status in the span. */
export const secondsByStatus = (intervals: readonly StatusInterval[], span: TimeSpan) =>
  mapStatuses((status) => {
    const milliseconds = intervals
      .filter((interval) => interval.status === status)
      .reduce((sum, interval) => sum + Math.max(0, overlap(interval, span)), 0)
    return milliseconds / SECOND_MS
  })

export const downtimeSeconds = (intervals: readonly StatusInterval[], span: TimeSpan): number =>
  weightedDowntime(intervals, span) / (TENTHS * SECOND_MS)

/**
 * Worst status of several histories over time: the status of a parent, derived from its
 * descendants.
 */
export const worstStatusOverTime = (
  histories: readonly (readonly StatusInterval[])[],
): StatusInterval[] => {
  if (histories.length === 1) return [...(histories[0] ?? [])]
  const edges = histories
    .flat()
    .flatMap(({ status, startedAt, endedAt }) => [
      { at: startedAt, status, step: 1 },
      { at: endedAt ?? Infinity, status, step: -1 },
    ])
    .sort((left, right) => (left.at === right.at ? 0 : left.at - right.at))
  /** Number of histories that show each status at the edge. */
  const showing = mapStatuses(() => 0)
  const worst: StatusInterval[] = []
  for (const [index, { at, status, step }] of edges.entries()) {
    showing[status] += step
    const next = edges[index + 1]
    if (next === undefined || next.at === at) continue
    const shown = statusesBySeverity.find((status) => showing[status] > 0)
    const endedAt = next.at === Infinity ? null : next.at
    if (shown !== undefined) worst.push({ status: shown, startedAt: at, endedAt })
  }
  return worst
}

export const worstStatus = (statuses: readonly ComponentStatus[]): ComponentStatus | undefined =>
  statusesBySeverity.find((status) => statuses.includes(status))

const overlap = ({ startedAt, endedAt }: StatusInterval, { from, to }: TimeSpan): number =>
  Math.min(endedAt ?? to, to) - Math.max(startedAt, from)

const weightedDowntime = (intervals: readonly StatusInterval[], span: TimeSpan): number =>
  intervals.reduce(
    (sum, interval) => sum + downtimeTenths[interval.status] * Math.max(0, overlap(interval, span)),
    0,
  )

function mapStatuses(convert: (status: ComponentStatus) => number) {
  const entries = componentStatuses.map((status) => [status, convert(status)])
  return Object.fromEntries(entries) as Record<ComponentStatus, number>
}
