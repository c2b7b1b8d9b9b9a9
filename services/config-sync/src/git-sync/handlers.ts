/** Schedules a write-back after a change of a resource that a document can contain. */
import { eventHandler } from '@status-page/bus'
import {
  componentCreated,
  componentDeleted,
  componentUpdated,
  integrationCreated,
  integrationDeleted,
  integrationUpdated,
} from '@status-page/contracts'
import { sections } from '../configuration/definitions/sections.ts'
import { scheduleWriteBack } from './write-back.ts'

export const writeBackHandler = eventHandler({
  consumer: 'config-sync-write-back',
  isBatched: true,
  on: [
    componentCreated,
    componentUpdated,
    componentDeleted,
    integrationCreated,
    integrationUpdated,
    integrationDeleted,
    ...new Set(sections.flatMap(({ events }) => events)),
  ],
  handle: async (scope) => {
    await scheduleWriteBack(scope)
  },
})
