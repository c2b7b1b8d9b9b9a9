/** Mails the owners of an organization when the agents of a private location send no requests. */
import { type EventHandler, eventHandler } from '@status-page/bus'
import { locationStale } from '@status-page/contracts'
import { saveFanOutEvent, wakeDeliveryWorkers } from './fan-out.ts'
import { mailOwners } from './owners.ts'

export const staleLocationHandler: EventHandler = eventHandler({
  consumer: 'notifier-locations',
  on: [locationStale],
  async handle(scope, event) {
    await saveFanOutEvent(scope, event)
    await mailOwners(scope, event)
    await wakeDeliveryWorkers(scope)
  },
})
