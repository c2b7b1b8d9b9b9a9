/** Graph over time. Its library is loaded with the first graph. */
import { lazy, Suspense } from 'react'
import classes from './detail.module.css'
import type { TimeSeriesChartProps } from './time-series-chart.tsx'

const TimeSeriesChart = lazy(async () => {
  const { TimeSeriesChart: component } = await import('./time-series-chart.tsx')
  return { default: component }
})

export const LazyChart = (props: TimeSeriesChartProps) => (
  <Suspense fallback={<div className={classes.plot} />}>
    <TimeSeriesChart {...props} />
  </Suspense>
)
