/** Turns incident events into deliveries: one a matching destination, in the event's own transaction. */
import { type Reaction, reaction } from '@status-page/bus'
import {
  canarySent,
  incidentCreated,
  incidentDeleted,
  incidentReopened,
  incidentResolved,
  incidentUpdated,
  type Outcome,
} from '@status-page/contracts'
import {
  cancelAggregate,
  fanOut,
  isOldNews,
  keepEvent,
  ringDeliveries,
  supersede,
} from './fan-out.ts'
import { matchOf, priorityOf } from './match.ts'

const nothingElse: Outcome<void> = { result: undefined, events: [], audit: [] }

export const deliveryReactions: readonly Reaction[] = [
  reaction({
    consumer: 'notifier-deliveries',
    on: [incidentCreated, incidentUpdated, incidentResolved, incidentReopened, incidentDeleted],
    speaksToPeople: { catchUp: { aggregates: true, subscribersVia: 'notifier-audiences' } },
    async handle(scope, event) {
      if (event.kind === 'incident.deleted') {
        // Kept, because what is on its way now may fail and come up again.
        await keepEvent(scope, event)
        await cancelAggregate(scope, event.aggregate.id)
        return nothingElse
      }
      // Only a requeued event comes late: all others wait for their predecessors.
      if (await isOldNews(scope, event)) return nothingElse
      const match = matchOf(event.kind, event.data.incident)
      if (match === null) return nothingElse
      await keepEvent(scope, event)
      await fanOut(scope, event, match, priorityOf(event.kind))
      await supersede(scope, event.id)
      await ringDeliveries(scope)
      return nothingElse
    },
  }),
  reaction({
    consumer: 'notifier-canary',
    on: [canarySent],
    handle: async () => nothingElse,
  }),
]
