/**
 * Carries on-call alerts to the people whom their events name: after account mail, before all else,
 * and outside the limits, because one that waits is not worth sending.
 */
import { type Reaction, reaction } from '@status-page/bus'
import {
  oncallAcknowledged,
  oncallEscalated,
  oncallResolved,
  oncallTriggered,
} from '@status-page/contracts'
import { addPersonalMail, savePerson } from '../accounts/store.ts'
import { isOldNews, keepEvent, ringDeliveries, supersede } from '../deliveries/fan-out.ts'
import { lifetimesMs } from '../deliveries/rules.ts'

/** Account mail has 0, the most urgent incident news 10. */
const PRIORITY = 5

const nothingElse = { result: undefined, events: [], audit: [] }

export const alertReaction: Reaction = reaction({
  consumer: 'notifier-alerts',
  on: [oncallTriggered, oncallEscalated, oncallAcknowledged, oncallResolved],
  speaksToPeople: { catchUp: { aggregates: true } },
  async handle(scope, event) {
    const { recipients } = event.data.alert
    if (recipients.length === 0 || (await isOldNews(scope, event))) return nothingElse
    const expiresAt = new Date(Date.parse(event.occurredAt) + lifetimesMs.email)
    await keepEvent(scope, event)
    for (const person of recipients) {
      const destinationId = await savePerson(scope, person)
      await addPersonalMail(scope, event, destinationId, { priority: PRIORITY, expiresAt })
    }
    await supersede(scope, event.id)
    await ringDeliveries(scope)
    return nothingElse
  },
})
