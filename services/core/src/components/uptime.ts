/** Uptime from the history of what was shown: arithmetic in whole milliseconds, rounded down. */
import { type ComponentStatus, componentStatuses, severities } from '@status-page/contracts'

/** `endedAt` is null while it lasts. Times are milliseconds since 1970. */
export interface Interval {
  status: ComponentStatus
  startedAt: number
  endedAt: number | null
}

export interface Span {
  from: number
  to: number
}

/** Tenths of a second of downtime that one second counts for; whole numbers keep the sum exact. */
const downtimeTenths: Record<ComponentStatus, number> = {
  operational: 0,
  degraded_performance: 0,
  under_maintenance: 0,
  partial_outage: 3,
  major_outage: 10,
}
const TENTHS = 10
/** Hundredths of a percent in the whole. */
const BASIS_POINTS = 10_000

export const UPTIME_DAYS = 90
export const DAY_MS = 86_400_000
const MINUTE_MS = 60_000
const SECOND_MS = 1_000

/** Two decimals, rounded down; null for an empty window. */
export const uptimePercentage = (
  intervals: readonly Interval[],
  { from, to }: Span,
): number | null => {
  const window = TENTHS * (to - from)
  if (window <= 0) return null
  const downtime = weightedDowntime(intervals, { from, to })
  return Math.floor(((window - downtime) * BASIS_POINTS) / window) / 100
}

export type Day = Span & { date: string }

/**
 * One entry a day; `days` follow one another, oldest first. Downtime counts up to the last whole
 * minute, so that a public answer keeps its tag for a minute of an outage, not for a moment.
 */
export const uptimeByDay = (intervals: readonly Interval[], days: readonly Day[], now: number) =>
  barsOf(intervals, days, { shownTo: now, countedTo: wholeMinute(now) })

/** The last one that is over; minutes are those of every time zone. */
export const wholeMinute = (time: number): number => time - (time % MINUTE_MS)

/** As `uptimeByDay`, to the millisecond. */
export const exactUptimeByDay = (
  intervals: readonly Interval[],
  days: readonly Day[],
  now: number,
) => barsOf(intervals, days, { shownTo: now, countedTo: now })

const barsOf = (
  intervals: readonly Interval[],
  days: readonly Day[],
  { shownTo, countedTo }: { shownTo: number; countedTo: number },
) =>
  days.map(({ date, from, to }) => {
    const span = { from, to: Math.min(to, shownTo) }
    const touching = intervals.filter((interval) => overlap(interval, span) > 0)
    const status = worstStatus(touching.map((interval) => interval.status))
    const downtime = weightedDowntime(touching, { from, to: Math.min(to, countedTo) })
    const downtimeSeconds = downtime / (TENTHS * SECOND_MS)
    return { date, status: status ?? ('no_data' as const), downtimeSeconds }
  })

/** Seconds of downtime that one second of each status counts for. */
export const uptimeWeights = mapStatuses((status) => downtimeTenths[status] / TENTHS)

/** Seconds of each status in the span. */
export const secondsByStatus = (intervals: readonly Interval[], span: Span) =>
  mapStatuses((status) => {
    const milliseconds = intervals
      .filter((interval) => interval.status === status)
      .reduce((sum, interval) => sum + Math.max(0, overlap(interval, span)), 0)
    return milliseconds / SECOND_MS
  })

export const downtimeSeconds = (intervals: readonly Interval[], span: Span): number =>
  weightedDowntime(intervals, span) / (TENTHS * SECOND_MS)

/** The worst of several histories over time: what a parent showed, from those below it. */
export const worstOverTime = (histories: readonly (readonly Interval[])[]): Interval[] => {
  if (histories.length === 1) return [...(histories[0] ?? [])]
  const all = histories.flat()
  const bounds = [
    ...new Set(all.flatMap(({ startedAt, endedAt }) => [startedAt, endedAt ?? Infinity])),
  ]
  bounds.sort((left, right) => left - right)
  const starts = all.toSorted((left, right) => left.startedAt - right.startedAt)
  let active: Interval[] = []
  let next = 0
  return bounds.slice(0, -1).flatMap((from, index) => {
    const to = bounds[index + 1] as number
    active = active.filter(({ endedAt }) => endedAt === null || endedAt > from)
    while (next < starts.length && (starts[next] as Interval).startedAt <= from) {
      const interval = starts[next++] as Interval
      if (interval.endedAt === null || interval.endedAt > from) active.push(interval)
    }
    const status = worstStatus(active.map((interval) => interval.status))
    if (status === undefined) return []
    return [{ status, startedAt: from, endedAt: to === Infinity ? null : to }]
  })
}

export const worstStatus = (statuses: readonly ComponentStatus[]): ComponentStatus | undefined =>
  severities.find((status) => statuses.includes(status))

const overlap = ({ startedAt, endedAt }: Interval, { from, to }: Span): number =>
  Math.min(endedAt ?? to, to) - Math.max(startedAt, from)

const weightedDowntime = (intervals: readonly Interval[], span: Span): number =>
  intervals.reduce(
    (sum, interval) => sum + downtimeTenths[interval.status] * Math.max(0, overlap(interval, span)),
    0,
  )

function mapStatuses(figureOf: (status: ComponentStatus) => number) {
  const entries = componentStatuses.map((status) => [status, figureOf(status)])
  return Object.fromEntries(entries) as Record<ComponentStatus, number>
}
