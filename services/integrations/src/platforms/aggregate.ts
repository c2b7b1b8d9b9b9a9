/** Aggregates the points of a platform to one value. Pure. */
import {
  MAX_METRIC_MAGNITUDE,
  type MetricAggregation,
  type MetricFault,
  MIN_METRIC_MAGNITUDE,
} from '@status-page/contracts'
import type { PlatformSeries, Point } from './platform.ts'

export type AggregatedValue = { value: number } | { fault: MetricFault }

/** Returns the value of the series; NaN and infinities are ignored. */
export const aggregateSeries = (
  series: readonly PlatformSeries[],
  aggregation: MetricAggregation,
): AggregatedValue => {
  if (series.length > 1) return { fault: 'several_series' }
  const points = (series[0] ?? []).filter(({ value }) => Number.isFinite(value))
  const newest = points.reduce<Point | null>(
    (last, point) => (last === null || point.atMs >= last.atMs ? point : last),
    null,
  )
  return newest === null
    ? { fault: 'no_data' }
    : withinRange(aggregate[aggregation](points, newest))
}

/** Bounds a value so that sums and means in Postgres neither overflow nor underflow. */
const withinRange = (value: number): AggregatedValue => {
  const magnitude = Math.abs(value)
  // The negated comparison also rejects infinities, which a sum of finite points can be.
  if (!(magnitude <= MAX_METRIC_MAGNITUDE)) return { fault: 'out_of_range' }
  return { value: magnitude < MIN_METRIC_MAGNITUDE ? 0 : value }
}

const sumOf = (points: PlatformSeries) => points.reduce((sum, { value }) => sum + value, 0)

/** A loop, because a platform may return more points than a call takes arguments. */
const bestOf = (points: PlatformSeries, better: (a: number, b: number) => number) =>
  points.reduce((best, { value }) => better(best, value), points[0]?.value ?? Number.NaN)

const aggregate: Record<MetricAggregation, (points: PlatformSeries, newest: Point) => number> = {
  last: (_points, newest) => newest.value,
  avg: (points) => sumOf(points) / points.length,
  min: (points) => bestOf(points, Math.min),
  max: (points) => bestOf(points, Math.max),
  sum: sumOf,
}
