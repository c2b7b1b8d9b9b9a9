/**
 * Turns events about incidents, maintenances, monitors and events selected by name into deliveries,
 * one per matching destination, in the transaction of the event.
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
} from '@status-page/contracts'
import type { Database, Scope } from '@status-page/postgres'
import { listComponents } from '../../audiences/store.ts'
import { completeFanOut, fanOutInChunks } from './chunked-fan-out.ts'
import { isSuperseded, saveFanOutEvent } from './fan-out.ts'
import { recordFlap, suppressUnannouncedRecovery } from './flaps.ts'
import { monitorRecipientMatchOf, type RecipientMatch, recipientMatchOf } from './match.ts'
import { namedEventHandler } from './named-events.ts'
import { cancelDeliveriesAboutAggregate } from './supersede.ts'
import { vendorStatusHandler } from './vendor-status.ts'

export const deliveryHandlers: readonly EventHandler[] = [
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
        // Stored, because a delivery in flight may fail and become pending again.
        await saveFanOutEvent(scope, event)
        await cancelDeliveriesAboutAggregate(scope, event.aggregate.id)
        return
      }
      await notify(scope, event, recipientMatchOf(event.kind, event.data.incident))
    },
    prepare: (database, event) =>
      prepareFanOut(database, event, recipientMatchOf(event.kind, event.data.incident)),
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
    async handle(scope, event) {
      await notify(scope, event, recipientMatchOf(event.kind, event.data.maintenance))
    },
    prepare: (database, event) =>
      prepareFanOut(database, event, recipientMatchOf(event.kind, event.data.maintenance)),
  }),
  eventHandler({
    consumer: 'notifier-monitors',
    on: [monitorDown, monitorDegraded, monitorRecovered],
    requiresOrdering: { catchUp: { aggregates: true } },
    async handle(scope, event) {
      const { monitor } = event.data
      if (await isSuperseded(scope, event)) return
      const isAnnounced = await recordFlap(scope, event.id, monitor)
      const [copy] = await listComponents(scope, [monitor.componentId])
      await notify(
        scope,
        event,
        monitorRecipientMatchOf(event.kind, monitor, copy ?? null, isAnnounced),
      )
      if (event.kind === 'monitor.recovered') await suppressUnannouncedRecovery(scope, event)
    },
  }),
  namedEventHandler,
  vendorStatusHandler,
]

const notify = async (
  scope: Scope,
  event: Envelope,
  match: RecipientMatch | null,
): Promise<void> => {
  // Only requeued events arrive late; all others are processed in order.
  if (match === null || (await isSuperseded(scope, event))) return
  await completeFanOut(scope, event, match)
}

const prepareFanOut = async (database: Database, event: Envelope, match: RecipientMatch | null) => {
  if (match !== null) await fanOutInChunks(database, event, match)
}
