/** Turns account events into one mail delivery for the person they concern. */
import { type EventHandler, eventHandler } from '@status-page/bus'
import {
  accountInvited,
  accountResetRequested,
  accountTestRequested,
  accountVerificationRequested,
  accountWarned,
} from '@status-page/contracts'
import { addDelivery, saveMailDestination } from '../deliveries/fan-out/add-delivery.ts'
import { saveFanOutEvent, wakeDeliveryWorkers } from '../deliveries/fan-out/fan-out.ts'

/** Account mail precedes every other delivery. */
const HIGHEST_PRIORITY = 0

export const accountHandlers: readonly EventHandler[] = [
  eventHandler({
    consumer: 'notifier-accounts',
    on: [
      accountInvited,
      accountResetRequested,
      accountVerificationRequested,
      accountTestRequested,
      accountWarned,
    ],
    requiresOrdering: { catchUp: { aggregates: true } },
    async handle(scope, event) {
      const { data } = event
      const expiry = 'expiresAt' in data ? { expiresAt: new Date(data.expiresAt) } : {}
      const destination = await saveMailDestination(scope, data)
      await saveFanOutEvent(scope, event)
      await addDelivery(scope, event, destination, { priority: HIGHEST_PRIORITY, ...expiry })
      await wakeDeliveryWorkers(scope)
    },
  }),
]
