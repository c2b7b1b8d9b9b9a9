/** Turns account events into one mail delivery for the person they concern. */
import { type EventHandler, eventHandler } from '@status-page/bus'
import {
  accountInvited,
  accountResetRequested,
  accountVerificationRequested,
  accountWarned,
  type Outcome,
} from '@status-page/contracts'
import { saveFanOutEvent, wakeDeliveryWorkers } from '../deliveries/fan-out.ts'
import { deliveryLifetimesMs } from '../deliveries/rules.ts'
import { addMailDelivery, saveMailDestination } from './store.ts'

/** Account mail precedes every other delivery. */
const HIGHEST_PRIORITY = 0

const nothingElse: Outcome<void> = { result: undefined, events: [], audit: [] }

export const accountHandlers: readonly EventHandler[] = [
  eventHandler({
    consumer: 'notifier-accounts',
    on: [accountInvited, accountResetRequested, accountVerificationRequested, accountWarned],
    requiresOrdering: { catchUp: { aggregates: true } },
    async handle(scope, event) {
      const { data } = event
      const latest = new Date(Date.parse(event.occurredAt) + deliveryLifetimesMs.email)
      const expiresAt = 'expiresAt' in data ? new Date(data.expiresAt) : latest
      const destinationId = await saveMailDestination(scope, data)
      await saveFanOutEvent(scope, event)
      await addMailDelivery(scope, event, destinationId, { priority: HIGHEST_PRIORITY, expiresAt })
      await wakeDeliveryWorkers(scope)
      return nothingElse
    },
  }),
]
