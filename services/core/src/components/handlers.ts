/**
 * Handlers of summary events from monitor and integrations; statuses are handled with incidents.
 */

import { eventHandler } from '@status-page/bus'
import { checkSummarised, metricSummarised } from '@status-page/contracts'
import { saveQuarterHourMeans } from '../status-pages/metrics/store.ts'
import { saveCheckSummaries, saveMetricValues } from './store.ts'

export const componentHandlers = [
  eventHandler({
    consumer: 'core-components',
    on: [checkSummarised],
    handle: async (scope, { data }) => {
      await saveCheckSummaries(scope, data.components)
    },
  }),
  eventHandler({
    consumer: 'core-metrics',
    on: [metricSummarised],
    handle: async (scope, { data }) => {
      await saveMetricValues(scope, data.components)
      await saveQuarterHourMeans(scope, data.queries ?? [])
    },
  }),
]
