/** Event handler that maintains core's copy of the metric queries shown on pages. */
import { eventHandler } from '@status-page/bus'
import { metricQueryCreated, metricQueryDeleted, metricQueryUpdated } from '@status-page/contracts'
import { saveMetric } from './store.ts'

export const pageMetricHandler = eventHandler({
  consumer: 'core-metric-queries',
  on: [metricQueryCreated, metricQueryUpdated, metricQueryDeleted],
  handle: async (scope, { kind, aggregate: { version }, data: { metricQuery } }) => {
    const isGone = kind === metricQueryDeleted.kind
    await saveMetric(scope, isGone ? { ...metricQuery, isShown: false } : metricQuery, version)
  },
})
