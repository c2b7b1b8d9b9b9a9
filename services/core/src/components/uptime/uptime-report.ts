/** Report that explains an uptime percentage: window, weights, seconds, exclusions, days. */
import { comparisonIssue, invalid, MAX_UPTIME_DAYS, type Uptime } from '@status-page/contracts'
import { daysInSpan } from './days.ts'
import {
  DAY_MS,
  downtimeSeconds,
  downtimeWeights,
  historyStart,
  type StatusInterval,
  secondsByStatus,
  type TimeSpan,
  UPTIME_DAYS,
  uptimeByDayInMs,
  uptimePercentage,
} from './uptime.ts'

const SECOND_MS = 1_000

/** Requested span: the last 90 days by default, at most 366 days. */
export const requestedSpan = (query: { from?: string; to?: string }, now: Date): TimeSpan => {
  const to = query.to === undefined ? now.getTime() : Date.parse(query.to)
  const from = query.from === undefined ? to - UPTIME_DAYS * DAY_MS : Date.parse(query.from)
  if (from > to) throw invalid(comparisonIssue('from', 'notAfter', 'to'))
  if (to - from > MAX_UPTIME_DAYS * DAY_MS) {
    const message = `from and to can be at most ${MAX_UPTIME_DAYS} days apart`
    throw invalid({ field: 'from', message })
  }
  return { from, to }
}

export const uptimeReport = (input: {
  component: { id: string; createdAt: Date }
  intervals: readonly StatusInterval[]
  requested: TimeSpan
  timezone: string
  now: Date
}): Uptime => {
  const { component, intervals, requested, timezone, now } = input
  const end = Math.max(requested.from, Math.min(requested.to, now.getTime()))
  const start = Math.min(
    end,
    Math.max(requested.from, historyStart(component.createdAt, intervals)),
  )
  const window = { from: start, to: end }
  return {
    componentId: component.id,
    from: toIsoTime(requested.from),
    to: toIsoTime(requested.to),
    timezone,
    windowStart: toIsoTime(start),
    windowEnd: toIsoTime(end),
    percentage: uptimePercentage(intervals, window),
    weights: downtimeWeights,
    seconds: secondsByStatus(intervals, window),
    downtimeSeconds: downtimeSeconds(intervals, window),
    exclusions: [
      { reason: 'before_creation' as const, seconds: (start - requested.from) / SECOND_MS },
      { reason: 'future' as const, seconds: (requested.to - end) / SECOND_MS },
    ].filter(({ seconds }) => seconds > 0),
    days: uptimeByDayInMs(intervals, daysInSpan({ from: requested.from, to: end }, timezone), end),
  }
}

const toIsoTime = (milliseconds: number): string => new Date(milliseconds).toISOString()
