/**
 * Delivers on-call alerts to the people and channels that their events name. They follow account
 * mail, precede everything else, and are exempt from the limits, because a delayed alert is
 * worthless.
 */
import { type EventHandler, eventHandler } from '@status-page/bus'
import {
  oncallAcknowledged,
  oncallEscalated,
  oncallResolved,
  oncallTriggered,
} from '@status-page/contracts'
import { addDelivery, saveMailDestination } from '../deliveries/fan-out/add-delivery.ts'
import {
  isSuperseded,
  saveFanOutEvent,
  wakeDeliveryWorkers,
} from '../deliveries/fan-out/fan-out.ts'
import { supersedePendingDeliveries } from '../deliveries/fan-out/supersede.ts'
import { listDestinations } from '../notification-channels/destinations.ts'

/** Account mail has priority 0, the most urgent incident event 10. */
const PRIORITY = 5

export const alertHandler: EventHandler = eventHandler({
  consumer: 'notifier-alerts',
  on: [oncallTriggered, oncallEscalated, oncallAcknowledged, oncallResolved],
  requiresOrdering: { catchUp: { aggregates: true } },
  async handle(scope, event) {
    const { recipients, channelIds } = event.data.alert
    const hasNoRecipients = recipients.length === 0 && channelIds.length === 0
    if (hasNoRecipients || (await isSuperseded(scope, event))) return
    await saveFanOutEvent(scope, event)
    for (const person of recipients) {
      const destination = await saveMailDestination(scope, person)
      await addDelivery(scope, event, destination, { priority: PRIORITY })
    }
    for (const destination of await listDestinations(scope, channelIds)) {
      await addDelivery(scope, event, destination, { priority: PRIORITY })
    }
    await supersedePendingDeliveries(scope, event.id)
    await wakeDeliveryWorkers(scope)
  },
})
