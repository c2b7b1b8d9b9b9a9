/** From the points of a platform to one figure. Pure. */
import type { MetricAggregation, MetricFault } from '@status-page/contracts'
import type { Point, Series } from './platform.ts'

export type Figure = { value: number } | { fault: MetricFault }

/** NaN and the infinities are no values: a series that has nothing else has none. */
export const figureOf = (series: readonly Series[], aggregation: MetricAggregation): Figure => {
  if (series.length > 1) return { fault: 'several_series' }
  const points = (series[0] ?? []).filter(({ value }) => Number.isFinite(value))
  const newest = points.reduce<Point | null>(
    (last, point) => (last === null || point.atMs >= last.atMs ? point : last),
    null,
  )
  if (newest === null) return { fault: 'no_data' }
  const value = aggregate[aggregation](points, newest)
  return Number.isFinite(value) ? { value } : { fault: 'no_data' }
}

const sumOf = (points: Series) => points.reduce((sum, { value }) => sum + value, 0)

const aggregate: Record<MetricAggregation, (points: Series, newest: Point) => number> = {
  last: (_points, newest) => newest.value,
  avg: (points) => sumOf(points) / points.length,
  min: (points) => Math.min(...points.map(({ value }) => value)),
  max: (points) => Math.max(...points.map(({ value }) => value)),
  sum: sumOf,
}
