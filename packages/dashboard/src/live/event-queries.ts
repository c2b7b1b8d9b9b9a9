/** Cached reads that an event changes, by its kind. */
import type { StreamedKind } from '@status-page/contracts'
import type { QueryKey } from '@tanstack/react-query'

/** Event of the stream: its kind and the id of its subject, such as an incident. */
export interface LiveEvent {
  kind: string
  subjectId: string
}

type KeysOf = (subjectId: string) => readonly QueryKey[]

const overview: QueryKey = ['overview']
const components: QueryKey = ['components']

const ofIncident: KeysOf = (id) => [
  overview,
  components,
  ['incidents', 'list'],
  ['incidents', 'open'],
  ['incidents', 'detail', id],
]
const ofDraft: KeysOf = () => [overview, ['incident-drafts']]
const ofMaintenance: KeysOf = () => [overview, components, ['maintenances']]
const ofMonitor: KeysOf = () => [overview, components]
const ofServiceLevel: KeysOf = () => [overview, ['slas']]
const ofAlert: KeysOf = () => [overview, ['oncall-alerts']]

/** Complete by its type: a new kind of the contract does not compile without its reads. */
const queriesByKind: Record<StreamedKind, KeysOf> = {
  'incident.created': ofIncident,
  'incident.updated': ofIncident,
  'incident.resolved': ofIncident,
  'incident.reopened': ofIncident,
  'incident.update-overdue': ofIncident,
  'incident-draft.created': ofDraft,
  'incident-draft.publishing': ofDraft,
  'maintenance.scheduled': ofMaintenance,
  'maintenance.started': ofMaintenance,
  'maintenance.updated': ofMaintenance,
  'maintenance.completed': ofMaintenance,
  'monitor.down': ofMonitor,
  'monitor.degraded': ofMonitor,
  'monitor.recovered': ofMonitor,
  'certificate.expiring': () => [components],
  'sla.at-risk': ofServiceLevel,
  'sla.breached': ofServiceLevel,
  'sla.recovered': ofServiceLevel,
  'sla.response-breached': ofServiceLevel,
  'sla.resolution-breached': ofServiceLevel,
  'oncall.triggered': ofAlert,
  'oncall.escalated': ofAlert,
  'oncall.acknowledged': ofAlert,
  'oncall.resolved': ofAlert,
}

/** Reads that any event can change. */
export const liveQueries: readonly QueryKey[] = [
  overview,
  components,
  ['incidents'],
  ['incident-drafts'],
  ['maintenances'],
  ['slas'],
  ['oncall-alerts'],
  ['deliveries'],
]

const isKnownKind = (kind: string): kind is StreamedKind => Object.hasOwn(queriesByKind, kind)

/** Reads that the event changes; every live read for a kind of a newer version of the service. */
export const queriesOf = ({ kind, subjectId }: LiveEvent): readonly QueryKey[] =>
  isKnownKind(kind) ? queriesByKind[kind](subjectId) : liveQueries

/** Reads that deliveries change. */
export const deliveryQueries: readonly QueryKey[] = [overview, ['deliveries']]

/** Returns whether the service creates deliveries after the event; they emit no event. */
export const hasDeliveries = ({ kind }: LiveEvent): boolean => !kind.startsWith('incident-draft.')

/** Event of the data of a message; null if they are not those of an event. */
export const liveEventOf = (data: string): LiveEvent | null => {
  try {
    const { event, ...fields } = JSON.parse(data) as Record<string, unknown>
    const subject = Object.values(fields).find(hasId)
    return typeof event === 'string' ? { kind: event, subjectId: subject?.id ?? '' } : null
  } catch {
    return null
  }
}

const hasId = (value: unknown): value is { id: string } =>
  typeof value === 'object' && value !== null && 'id' in value && typeof value.id === 'string'
