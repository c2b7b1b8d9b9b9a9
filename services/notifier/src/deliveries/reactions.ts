/**
 * Turns events about incidents, maintenances and monitors into deliveries: one a
 * matching destination, in the event's own transaction.
 */
import { type Reaction, reaction } from '@status-page/bus'
import {
  canarySent,
  type Envelope,
  incidentCreated,
  incidentDeleted,
  incidentReopened,
  incidentResolved,
  incidentUpdated,
  maintenanceCompleted,
  maintenanceReminder,
  maintenanceScheduled,
  maintenanceStarted,
  maintenanceUpdated,
  monitorDegraded,
  monitorDown,
  monitorRecovered,
  type Outcome,
} from '@status-page/contracts'
import type { Scope } from '@status-page/postgres'
import { listComponents } from '../audiences/store.ts'
import {
  cancelAggregate,
  fanOut,
  isOldNews,
  keepEvent,
  ringDeliveries,
  supersede,
} from './fan-out.ts'
import { type Match, matchOf, monitorMatchOf, priorityOf } from './match.ts'

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
      return tell(scope, event, matchOf(event.kind, event.data.incident))
    },
  }),
  reaction({
    consumer: 'notifier-maintenances',
    on: [
      maintenanceScheduled,
      maintenanceStarted,
      maintenanceUpdated,
      maintenanceCompleted,
      maintenanceReminder,
    ],
    speaksToPeople: { catchUp: { aggregates: true, subscribersVia: 'notifier-audiences' } },
    handle: (scope, event) => tell(scope, event, matchOf(event.kind, event.data.maintenance)),
  }),
  reaction({
    consumer: 'notifier-monitors',
    on: [monitorDown, monitorDegraded, monitorRecovered],
    speaksToPeople: { catchUp: { aggregates: true } },
    async handle(scope, event) {
      const { monitor } = event.data
      const [copy] = await listComponents(scope, [monitor.componentId])
      return tell(scope, event, monitorMatchOf(event.kind, monitor, copy ?? null))
    },
  }),
  reaction({
    consumer: 'notifier-canary',
    on: [canarySent],
    handle: async () => nothingElse,
  }),
]

const tell = async (scope: Scope, event: Envelope, match: Match | null): Promise<Outcome<void>> => {
  // Only a requeued event comes late: all others wait for their predecessors.
  if (match === null || (await isOldNews(scope, event))) return nothingElse
  await keepEvent(scope, event)
  await fanOut(scope, event, match, priorityOf(event.kind))
  await supersede(scope, event.id)
  await ringDeliveries(scope)
  return nothingElse
}
