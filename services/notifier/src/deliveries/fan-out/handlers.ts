/**
 * Turns events about incidents, maintenances, monitors and events selected by name into deliveries,
 * one per matching destination, in the transaction of the event.
 */
import { type EventHandler, eventHandler } from '@status-page/bus'
import {
  type Envelope,
  incidentDeleted,
  incidentEvents,
  incidentUpdateOverdue,
  type MonitorEventData,
  maintenanceEvents,
  maintenanceReminder,
  monitorDegraded,
  monitorDown,
  monitorEvents,
  monitorRecovered,
  type OutageConfirmed,
  outageConfirmed,
} from '@status-page/contracts'
import type { Database, Scope } from '@status-page/postgres'
import { listComponents } from '../../audiences/store.ts'
import { completeFanOut, fanOutInChunks } from './chunked-fan-out.ts'
import { isSuperseded, listLaterMonitorEvents, saveFanOutEvent } from './fan-out.ts'
import { recordFlap, resumeRecovery, suppressUnannouncedRecovery } from './flaps.ts'
import { staleLocationHandler } from './locations.ts'
import { monitorRecipientMatchOf, type RecipientMatch, recipientMatchOf } from './match.ts'
import { namedEventHandler } from './named-events.ts'
import { cancelDeliveriesAboutAggregate } from './supersede.ts'
import { vendorStatusHandler } from './vendor-status.ts'

export const deliveryHandlers: readonly EventHandler[] = [
  eventHandler({
    consumer: 'notifier-deliveries',
    on: [...incidentEvents, incidentDeleted, incidentUpdateOverdue],
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
    on: [...maintenanceEvents, maintenanceReminder],
    requiresOrdering: { catchUp: { aggregates: true, subscribersVia: 'notifier-audiences' } },
    async handle(scope, event) {
      await notify(scope, event, recipientMatchOf(event.kind, event.data.maintenance))
    },
    prepare: (database, event) =>
      prepareFanOut(database, event, recipientMatchOf(event.kind, event.data.maintenance)),
  }),
  eventHandler({
    consumer: 'notifier-monitors',
    on: [...monitorEvents, outageConfirmed],
    requiresOrdering: { catchUp: { aggregates: true } },
    async handle(scope, event) {
      if (event.kind === 'outage.confirmed') {
        await notifyOfConfirmed(scope, monitorEventOf(event, event.data.outage))
        return
      }
      if (await isSuperseded(scope, event)) return
      const [copy] = await listComponents(scope, [event.data.monitor.componentId])
      // The outage of a dependency may explain this one: core decides, and confirms it otherwise.
      if (event.kind !== 'monitor.recovered' && copy?.hasDependencies === true) {
        await saveFanOutEvent(scope, event)
        return
      }
      await notifyOfMonitor(scope, event)
      if (event.kind === 'monitor.recovered') await suppressUnannouncedRecovery(scope, event)
    },
  }),
  namedEventHandler,
  vendorStatusHandler,
  staleLocationHandler,
]

/** The event of the monitor that a confirmed outage began with, at the time of the confirmation. */
const monitorEventOf = (
  confirmation: Envelope,
  { eventId, monitorVersion, monitor }: OutageConfirmed['outage'],
): Envelope<{ monitor: MonitorEventData }> => ({
  ...confirmation,
  id: eventId,
  kind: (monitor.derivedStatus === 'major_outage' ? monitorDown : monitorDegraded).kind,
  aggregate: { type: 'monitor', id: monitor.componentId, version: monitorVersion },
  data: { monitor },
})

/** Notifies of an outage that still lasts, or has ended before its confirmation. */
const notifyOfConfirmed = async (
  scope: Scope,
  outage: Envelope<{ monitor: MonitorEventData }>,
): Promise<void> => {
  const [recovery, ...others] = await listLaterMonitorEvents(scope, outage)
  if (recovery === undefined) return notifyOfMonitor(scope, outage)
  const isEnded = recovery.kind === monitorRecovered.kind && others.length === 0
  // A later outage has its own confirmation, and flapping its own summary.
  if (!isEnded || recovery.isFlapping) return
  await notifyOfMonitor(scope, outage)
  await resumeRecovery(scope, { outageId: outage.id, recoveryId: recovery.eventId })
}

const notifyOfMonitor = async (
  scope: Scope,
  event: Envelope<{ monitor: MonitorEventData }>,
): Promise<void> => {
  const { monitor } = event.data
  const isAnnounced = await recordFlap(scope, event.id, monitor)
  const [copy] = await listComponents(scope, [monitor.componentId])
  const match = monitorRecipientMatchOf(event.kind, monitor, copy ?? null, isAnnounced)
  await completeFanOut(scope, event, match)
}

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
