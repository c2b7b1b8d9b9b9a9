/** What the monitor tells of components, apart from their status. */

import { reaction } from '@status-page/bus'
import { checkSummarised } from '@status-page/contracts'
import { saveSummaries } from './store.ts'

export const componentReactions = [
  reaction({
    consumer: 'core-components',
    on: [checkSummarised],
    handle: async (scope, { data }) => {
      await saveSummaries(scope, data.components)
      return { result: undefined, events: [], audit: [] }
    },
  }),
]
