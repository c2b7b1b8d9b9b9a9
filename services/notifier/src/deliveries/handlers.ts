/**
 * Turns events about incidents, maintenances, monitors and what is selected by name into deliveries: one a
 * matching destination, in the event's own transaction.
 */
import { type EventHandler, eventHandler } from '@status-page/bus'
import {
  type Envelope,
  incidentCreated,
  incidentDeleted,
  incidentReopened,
  incidentResolved,
  incidentUpdated,
  incidentUpdateOverdue,
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
import type { Database, Scope } from '@status-page/postgres'
import { listComponents } from '../audiences/store.ts'
import { announce, fanOutInParts } from './chunked-fan-out.ts'
import { cancelAggregate, isOldNews, keepEvent } from './fan-out.ts'
import { noteFlap, silenceUnheard } from './flaps.ts'
import { type Match, matchOf, monitorMatchOf } from './match.ts'
import { namedEventReaction } from './named-events.ts'

const nothingElse: Outcome<void> = { result: undefined, events: [], audit: [] }

export const deliveryReactions: readonly EventHandler[] = [
  eventHandler({
    consumer: 'notifier-deliveries',
    on: [
      incidentCreated,
      incidentUpdated,
      incidentResolved,
      incidentReopened,
      incidentDeleted,
      incidentUpdateOverdue,
    ],
    requiresOrdering: { catchUp: { aggregates: true, subscribersVia: 'notifier-audiences' } },
    async handle(scope, event) {
      if (event.kind === 'incident.deleted') {
        // Kept, because what is on its way now may fail and come up again.
        await keepEvent(scope, event)
        await cancelAggregate(scope, event.aggregate.id)
        return nothingElse
      }
      return tell(scope, event, matchOf(event.kind, event.data.incident))
    },
    prepare: (database, event) =>
      tellMany(database, event, matchOf(event.kind, event.data.incident)),
  }),
  eventHandler({
    consumer: 'notifier-maintenances',
    on: [
      maintenanceScheduled,
      maintenanceStarted,
      maintenanceUpdated,
      maintenanceCompleted,
      maintenanceReminder,
    ],
    requiresOrdering: { catchUp: { aggregates: true, subscribersVia: 'notifier-audiences' } },
    handle: (scope, event) => tell(scope, event, matchOf(event.kind, event.data.maintenance)),
    prepare: (database, event) =>
      tellMany(database, event, matchOf(event.kind, event.data.maintenance)),
  }),
  eventHandler({
    consumer: 'notifier-monitors',
    on: [monitorDown, monitorDegraded, monitorRecovered],
    requiresOrdering: { catchUp: { aggregates: true } },
    async handle(scope, event) {
      const { monitor } = event.data
      if (await isOldNews(scope, event)) return nothingElse
      const isSaid = await noteFlap(scope, event.id, monitor)
      const [copy] = await listComponents(scope, [monitor.componentId])
      await tell(scope, event, monitorMatchOf(event.kind, monitor, copy ?? null, isSaid))
      if (event.kind === 'monitor.recovered') await silenceUnheard(scope, event)
      return nothingElse
    },
  }),
  namedEventReaction,
]

const tell = async (scope: Scope, event: Envelope, match: Match | null): Promise<Outcome<void>> => {
  // Only a requeued event comes late: all others wait for their predecessors.
  if (match === null || (await isOldNews(scope, event))) return nothingElse
  await announce(scope, event, match)
  return nothingElse
}

const tellMany = async (database: Database, event: Envelope, match: Match | null) => {
  if (match !== null) await fanOutInParts(database, event, match)
}
