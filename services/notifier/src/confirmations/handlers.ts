/**
 * Delivers a confirmation request to the address that it concerns: immediately, outside all limits,
 * until the request expires.
 */
import { type EventHandler, eventHandler } from '@status-page/bus'
import { subscriberConfirmationRequested } from '@status-page/contracts'
import { findDestination } from '../audiences/store.ts'
import { saveSubscribers } from '../audiences/subscriber.ts'
import { channels } from '../channels/index.ts'
import { addDelivery } from '../deliveries/fan-out/add-delivery.ts'
import { saveFanOutEvent, wakeDeliveryWorkers } from '../deliveries/fan-out/fan-out.ts'

/** Confirmation requests precede every other delivery. */
const HIGHEST_PRIORITY = 0

export const confirmationHandler: EventHandler = eventHandler({
  consumer: 'notifier-confirmations',
  on: [subscriberConfirmationRequested],
  requiresOrdering: { catchUp: { aggregates: true } },
  async handle(scope, event) {
    const { subscriber, subscriberVersion, expiresAt } = event.data
    // The event includes the subscriber, whose own event may not have arrived yet.
    await saveSubscribers(scope, [{ subscriber, version: subscriberVersion }])
    const destination = await findDestination(scope, subscriber.id)
    if (destination === null) return
    const latest = Date.parse(event.occurredAt) + channels[subscriber.type].lifetimeMs
    await saveFanOutEvent(scope, event)
    await addDelivery(scope, event, destination, {
      priority: HIGHEST_PRIORITY,
      expiresAt: new Date(Math.min(latest, Date.parse(expiresAt))),
    })
    await wakeDeliveryWorkers(scope)
  },
})
