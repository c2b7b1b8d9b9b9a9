/** Graph over time. Its library is loaded with the first graph. */
import { lazyPart } from '../modules/lazy-part.tsx'
import classes from './detail.module.css'

export const LazyChart = lazyPart(
  async () => (await import('./time-series-chart.tsx')).TimeSeriesChart,
  () => <div className={classes.plot} />,
)
