/** Series of a graph over time: all share their times, and a time without a value is null. */
import type { Schemas } from '@status-page/client'

export type ResponseTimeData = Schemas['ResponseTimes']
export type ValueData = Pick<Schemas['ComponentValues'], 'points' | 'resolution'>

export type Threshold = 'warning' | 'critical'

export interface Series {
  label: string
  values: (number | null)[]
  /** Level whose limit the line is; absent for measured values. */
  threshold?: Threshold
}

export interface Chart {
  /** Unix times in seconds, ascending. */
  times: number[]
  series: Series[]
}

const SECOND_MS = 1_000
const HALF_HOUR_SECONDS = 1_800

/** Mean per location; with a single location also its 95th percentile. */
export const responseTimeSeries = (
  { points, resolution }: ResponseTimeData,
  labels: { average: string; p95: string },
): Chart => {
  const times = gridOf(points, resolution)
  const index = new Map(times.map((time, position) => [time, position]))
  const valuesOf = (field: 'average' | 'p95', location: string) => {
    const values = times.map((): number | null => null)
    for (const point of points) {
      const position = index.get(secondsOf(point.timestamp))
      if (point.location === location && position !== undefined) values[position] = point[field]
    }
    return values
  }
  const locations = [...new Set(points.map(({ location }) => location))]
  const [only] = locations
  if (locations.length === 1 && only !== undefined) {
    return {
      times,
      series: [
        { label: labels.average, values: valuesOf('average', only) },
        { label: labels.p95, values: valuesOf('p95', only) },
      ],
    }
  }
  return {
    times,
    series: locations.map((label) => ({ label, values: valuesOf('average', label) })),
  }
}

/** The chart with an hour around a single point, so that thresholds are lines. */
export const withTimeRange = ({ times, series }: Chart): Chart => {
  const [time] = times
  if (time === undefined || times.length > 1) return { times, series }
  return {
    times: [time - HALF_HOUR_SECONDS, time, time + HALF_HOUR_SECONDS],
    series: series.map((one) => {
      const end = one.threshold === undefined ? null : (one.values[0] ?? null)
      return { ...one, values: [end, ...one.values, end] }
    }),
  }
}

/** Positions of values without a value before and after them. */
export const isolatedOf = (values: readonly (number | null)[]): number[] =>
  values.flatMap((value, at) =>
    value !== null && values[at - 1] == null && values[at + 1] == null ? [at] : [],
  )

const secondsOf = (iso: string): number => Date.parse(iso) / SECOND_MS

/** All times between the first and the last point, so that a pause is a gap in the line. */
const gridOf = (points: readonly { timestamp: string }[], resolution: number): number[] => {
  const known = points.map(({ timestamp }) => secondsOf(timestamp))
  const first = Math.min(...known)
  const count = known.length === 0 ? 0 : Math.round((Math.max(...known) - first) / resolution) + 1
  return Array.from({ length: count }, (_, position) => first + position * resolution)
}

/** Mean over all successful checks, and the highest 95th percentile; null without any. */
export const summaryOf = ({
  points,
}: Pick<ResponseTimeData, 'points'>): { average: number; p95: number } | null => {
  let sum = 0
  let successes = 0
  let p95 = 0
  for (const point of points) {
    if (point.average === null) continue
    sum += point.average * point.successes
    successes += point.successes
    p95 = Math.max(p95, point.p95 ?? 0)
  }
  return successes === 0 ? null : { average: Math.round(sum / successes), p95 }
}

/** Means of the values, and thresholds as lines over the whole time. */
export const valueSeries = (
  { points, resolution }: ValueData,
  label: string,
  thresholds: readonly { threshold: Threshold; label: string; value: number | null }[],
): Chart => {
  const times = gridOf(points, resolution)
  const means = new Map(points.map(({ timestamp, average }) => [secondsOf(timestamp), average]))
  const lines = thresholds.flatMap(({ value, ...line }) =>
    value === null ? [] : [{ ...line, values: times.map(() => value) }],
  )
  return { times, series: [{ label, values: times.map((at) => means.get(at) ?? null) }, ...lines] }
}

/** Extremes of the values, and the mean of the latest point; null without values. */
export const valueSummaryOf = ({
  points,
}: Pick<ValueData, 'points'>): { minimum: number; maximum: number; latest: number } | null => {
  const measured = points.filter(({ average }) => average !== null)
  const latest = measured.at(-1)?.average
  if (latest === null || latest === undefined) return null
  return {
    minimum: Math.min(...measured.map(({ minimum }) => minimum ?? Infinity)),
    maximum: Math.max(...measured.map(({ maximum }) => maximum ?? -Infinity)),
    latest,
  }
}

export interface ChartRow {
  /** Unix time in seconds. */
  time: number
  values: (number | null)[]
}

/** Rows of a table: means of consecutive times, so that there are at most `maxRows`. */
export const rowsOf = ({ times, series }: Chart, maxRows: number): ChartRow[] => {
  const size = Math.max(1, Math.ceil(times.length / maxRows))
  const rows: ChartRow[] = []
  for (let start = 0; start < times.length; start += size) {
    const values = series.map((one) => meanOf(one.values.slice(start, start + size)))
    const time = times[start]
    if (time !== undefined && values.some((value) => value !== null)) rows.push({ time, values })
  }
  return rows
}

const meanOf = (values: readonly (number | null)[]): number | null => {
  const known = values.filter((value) => value !== null)
  if (known.length === 0) return null
  return known.reduce((sum, value) => sum + value, 0) / known.length
}
