/** Time range and width of the points of a series, such as response times or values of a metric. */
import { invalid } from './error.ts'
import { comparisonIssue } from './rule-issues.ts'

const FIVE_MINUTES_SECONDS = 300
const HOUR_SECONDS = 3600
const DAY_MS = 86_400_000

/** Maximum range by width of a point: about 2,000 points. */
const MAX_RANGE_MS: Record<number, number> = {
  [FIVE_MINUTES_SECONDS]: 7 * DAY_MS,
  [HOUR_SECONDS]: 366 * DAY_MS,
}
/** Longest range that has points of five minutes by default. */
const FINE_RANGE_MS = 2 * DAY_MS

export interface SeriesRange {
  from: Date
  to: Date
  /** Width of a point in seconds. */
  resolution: number
}

/** Range of a query, by default the day before `now`; 400 for a range with too many points. */
export const seriesRangeOf = (
  query: Partial<Record<keyof SeriesRange, string>>,
  now: Date,
): SeriesRange => {
  const to = query.to === undefined ? now : new Date(query.to)
  const from = query.from === undefined ? new Date(to.getTime() - DAY_MS) : new Date(query.from)
  const rangeMs = to.getTime() - from.getTime()
  if (rangeMs < 0) throw invalid(comparisonIssue('from', 'notAfter', 'to'))
  const chosen = rangeMs <= FINE_RANGE_MS ? FIVE_MINUTES_SECONDS : HOUR_SECONDS
  const resolution = query.resolution === undefined ? chosen : Number(query.resolution)
  const maxMs = MAX_RANGE_MS[resolution] ?? 0
  if (rangeMs > maxMs) {
    const message = `from must be at most ${maxMs / DAY_MS} days before to at this resolution`
    throw invalid({ field: 'from', message })
  }
  return { from, to, resolution }
}

/** Fields of the range in a reply. */
export const presentSeriesRange = ({ from, to, resolution }: SeriesRange) => ({
  from: from.toISOString(),
  to: to.toISOString(),
  resolution,
})
