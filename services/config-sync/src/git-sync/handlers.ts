/** Schedules a write-back after a change of components or integrations. */
import { eventHandler } from '@status-page/bus'
import {
  componentCreated,
  componentDeleted,
  componentUpdated,
  integrationCreated,
  integrationDeleted,
  integrationUpdated,
} from '@status-page/contracts'
import { scheduleWriteBack } from './write-back.ts'

export const writeBackHandler = eventHandler({
  consumer: 'config-sync-write-back',
  on: [
    componentCreated,
    componentUpdated,
    componentDeleted,
    integrationCreated,
    integrationUpdated,
    integrationDeleted,
  ],
  handle: async (scope) => {
    await scheduleWriteBack(scope)
    return { result: undefined, events: [], audit: [] }
  },
})
