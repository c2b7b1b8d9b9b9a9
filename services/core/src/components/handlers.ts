/**
 * Handlers of summary events from monitor and integrations; statuses are handled with incidents.
 */

import { eventHandler } from '@status-page/bus'
import { checkSummarised, metricSummarised } from '@status-page/contracts'
import { saveMeans } from '../page-metrics/store.ts'
import { saveSummaries, saveValues } from './store.ts'

export const componentHandlers = [
  eventHandler({
    consumer: 'core-components',
    on: [checkSummarised],
    handle: async (scope, { data }) => {
      await saveSummaries(scope, data.components)
      return { result: undefined, events: [], audit: [] }
    },
  }),
  eventHandler({
    consumer: 'core-metrics',
    on: [metricSummarised],
    handle: async (scope, { data }) => {
      await saveValues(scope, data.components)
      await saveMeans(scope, data.queries ?? [])
      return { result: undefined, events: [], audit: [] }
    },
  }),
]
