/** Events and impacts that a channel can select. */
import type { SelectableChannelEvent } from '@status-page/contracts'
import type { ChannelData } from './draft.ts'

/** Complete by type, so that a new event of the contract does not compile without its option. */
const events: Record<SelectableChannelEvent, true> = {
  'incident.created': true,
  'incident.updated': true,
  'incident.resolved': true,
  'incident.reopened': true,
  'maintenance.scheduled': true,
  'maintenance.started': true,
  'maintenance.updated': true,
  'maintenance.completed': true,
  'monitor.down': true,
  'monitor.recovered': true,
  'monitor.degraded': true,
  'sla.at-risk': true,
  'sla.breached': true,
  'sla.recovered': true,
  'sla.response-breached': true,
  'sla.resolution-breached': true,
  'certificate.expiring': true,
  'incident.update-overdue': true,
  'incident-draft.created': true,
  'incident-draft.publishing': true,
}
export const selectableEvents = Object.keys(events) as SelectableChannelEvent[]

export const impacts = ['minor', 'major', 'critical'] as const satisfies ChannelData['impacts']
