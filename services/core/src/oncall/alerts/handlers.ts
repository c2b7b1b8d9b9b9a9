/**
 * Event handler that raises and resolves alerts. Events of one resource are handled in order, so
 * that a recovery never overtakes its outage.
 */
import { type EnvelopeOf, eventHandler } from '@status-page/bus'
import {
  certificateExpiring,
  type IncidentEventData,
  incidentDeleted,
  incidentDraftClosed,
  incidentDraftCreated,
  incidentDraftPublishing,
  incidentEvents,
  incidentUpdateOverdue,
  type MonitorEventData,
  monitorDown,
  monitorRecovered,
  type OutcomeDrafts,
  outageConfirmed,
  outageEnded,
  slaEvents,
} from '@status-page/contracts'
import type { Scope } from '@status-page/postgres'
import { ancestorsOf, findComponents } from '../../components/store.ts'
import { findIncident } from '../../incidents/store.ts'
import type { ComponentRow } from '../../tables.ts'
import { combineDrafts, noChanges, raiseAlerts, resolveAlerts } from './changes.ts'
import {
  type AlertCause,
  causeOfIncident,
  causeOfMonitor,
  componentKey,
  incidentKey,
} from './rules.ts'
import {
  onCertificate,
  onDraft,
  onDraftClosed,
  onIncidentEnd,
  onIncidentUpdate,
  onOverdueUpdate,
  onSlaStatus,
  onSlaTarget,
} from './selected-events.ts'
import { setAlertUrl } from './store.ts'

const handledEvents = [
  monitorDown,
  monitorRecovered,
  outageConfirmed,
  outageEnded,
  ...incidentEvents,
  incidentDeleted,
  incidentUpdateOverdue,
  ...slaEvents,
  certificateExpiring,
  incidentDraftCreated,
  incidentDraftPublishing,
  incidentDraftClosed,
] as const

type HandledEvent = EnvelopeOf<(typeof handledEvents)[number]>

export const alertHandler = eventHandler({
  consumer: 'core-oncall',
  on: handledEvents,
  requiresOrdering: { catchUp: { aggregates: true } },
  handle: (scope, event) => changesFor(scope, event),
})

const changesFor = (scope: Scope, event: HandledEvent): Promise<OutcomeDrafts> => {
  switch (event.kind) {
    case 'monitor.down':
    case 'monitor.recovered':
      return onMonitor(scope, event.kind, event.data.monitor)
    case 'outage.confirmed':
      return onConfirmedOutage(scope, event.data.outage.monitor)
    case 'outage.ended':
      return resolveAlerts(scope, componentKey(event.data.outage.componentId))
    case 'sla.at-risk':
    case 'sla.breached':
    case 'sla.recovered':
      return onSlaStatus(scope, event.kind, event.data.sla)
    case 'sla.response-breached':
    case 'sla.resolution-breached':
      return onSlaTarget(scope, event.kind, event.data)
    case 'certificate.expiring':
      return onCertificate(scope, event.data.certificate, event.occurredAt)
    case 'incident.update-overdue':
      return onOverdueUpdate(scope, event.data.incident, event.occurredAt)
    case 'incident-draft.created':
    case 'incident-draft.publishing':
      return onDraft(scope, event.kind, event.data.draft)
    case 'incident-draft.closed':
      return onDraftClosed(scope, event.data.draft.id)
    default:
      return onIncident(scope, event.kind, event.data.incident)
  }
}

const onMonitor = async (
  scope: Scope,
  kind: 'monitor.down' | 'monitor.recovered',
  monitor: MonitorEventData,
): Promise<OutcomeDrafts> => {
  const { componentId } = monitor
  if (kind === 'monitor.recovered') return resolveAlerts(scope, componentKey(componentId))
  const component = (await findComponents(scope, [componentId])).get(componentId)
  // An outage that a dependency may explain raises an alert when it is confirmed.
  if (component === undefined || component.dependsOn.length > 0) return noChanges
  return raiseForMonitor(scope, monitor, component)
}

/** An outage that ended before its confirmation raises no alert, and neither does a degradation. */
const onConfirmedOutage = async (
  scope: Scope,
  monitor: MonitorEventData,
): Promise<OutcomeDrafts> => {
  if (monitor.derivedStatus !== 'major_outage') return noChanges
  const component = (await findComponents(scope, [monitor.componentId])).get(monitor.componentId)
  const isFailing = component?.claims.some(({ source }) => source === 'monitor') === true
  return component !== undefined && isFailing
    ? raiseForMonitor(scope, monitor, component)
    : noChanges
}

const raiseForMonitor = async (
  scope: Scope,
  monitor: MonitorEventData,
  component: ComponentRow,
): Promise<OutcomeDrafts> => {
  const { id: componentId } = component
  const above = (await ancestorsOf(scope, [componentId])).get(componentId) ?? []
  const ancestorIds = above.map(({ id }) => id)
  const cause = causeOfMonitor(monitor, { isMuted: component.isMuted, ancestorIds })
  return raise(scope, cause, { onlyFirst: false })
}

const onIncident = async (
  scope: Scope,
  kind: string,
  incident: IncidentEventData,
): Promise<OutcomeDrafts> => {
  if (kind === 'incident.resolved' || kind === 'incident.deleted') {
    const ended = await resolveAlerts(scope, incidentKey(incident.id))
    return combineDrafts([ended, await onIncidentEnd(scope, incident.id)])
  }
  const updated = await onIncidentUpdate(scope, incident)
  return combineDrafts([updated, await onOpenIncident(scope, kind, incident)])
}

const onOpenIncident = async (
  scope: Scope,
  kind: string,
  incident: IncidentEventData,
): Promise<OutcomeDrafts> => {
  const row = await findIncident(scope, incident.id)
  if (row === undefined) return noChanges
  if (row.isAutoCreated) {
    // The monitor's alert covers this incident, but was raised before there was a page to link to.
    const keys = incident.components.map(({ id }) => componentKey(id))
    if (incident.url !== null) await setAlertUrl(scope, keys, incident.url)
    return noChanges
  }
  // An update raises alerts only in schedules without an earlier alert of the incident, for example
  // after a higher impact or added components.
  return raise(scope, causeOfIncident(incident), { onlyFirst: kind === 'incident.updated' })
}

const raise = async (
  scope: Scope,
  cause: AlertCause | null,
  { onlyFirst }: { onlyFirst: boolean },
): Promise<OutcomeDrafts> =>
  cause === null ? noChanges : raiseAlerts(scope, cause, { onlyFirst, event: null })
