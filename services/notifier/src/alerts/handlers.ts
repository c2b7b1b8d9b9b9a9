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
import { addMailDelivery, saveMailDestination } from '../accounts/store.ts'
import {
  isSuperseded,
  saveFanOutEvent,
  supersedePendingDeliveries,
  wakeDeliveryWorkers,
} from '../deliveries/fan-out.ts'
import { deliveryLifetimesMs } from '../deliveries/rules.ts'
import { listDestinations } from '../notification-channels/destinations.ts'
import type { DestinationType } from '../tables.ts'

/** Account mail has priority 0, the most urgent incident event 10. */
const PRIORITY = 5

const nothingElse = { result: undefined, events: [], audit: [] }

export const alertHandler: EventHandler = eventHandler({
  consumer: 'notifier-alerts',
  on: [oncallTriggered, oncallEscalated, oncallAcknowledged, oncallResolved],
  requiresOrdering: { catchUp: { aggregates: true } },
  async handle(scope, event) {
    const { recipients, channelIds } = event.data.alert
    const hasNoRecipients = recipients.length === 0 && channelIds.length === 0
    if (hasNoRecipients || (await isSuperseded(scope, event))) return nothingElse
    const expiryOf = (type: DestinationType) =>
      new Date(Date.parse(event.occurredAt) + deliveryLifetimesMs[type])
    await saveFanOutEvent(scope, event)
    for (const person of recipients) {
      const destinationId = await saveMailDestination(scope, person)
      const expiresAt = expiryOf('email')
      await addMailDelivery(scope, event, destinationId, { priority: PRIORITY, expiresAt })
    }
    for (const { id, type } of await listDestinations(scope, channelIds)) {
      await addMailDelivery(scope, event, id, { priority: PRIORITY, expiresAt: expiryOf(type) })
    }
    await supersedePendingDeliveries(scope, event.id)
    await wakeDeliveryWorkers(scope)
    return nothingElse
  },
})
