/** Who an incident event is for: what the fan-out selects by, as values. */
import { type DeliveryState, type IncidentFact, scopeIdsOf } from '@status-page/contracts'

export interface Match {
  /** A destination that selected one of these kinds gets the event. */
  selectors: readonly string[]
  /** Affected unmuted components and all their ancestors; a scope that names one of them matches. */
  scopeIds: readonly string[]
  statusPageIds: readonly string[]
  /** `suppressed` when every affected component is muted: recorded, never sent. */
  state: Extract<DeliveryState, 'pending' | 'suppressed'>
}

/** Kinds beside its own that select an event. */
const selectedBy: Record<string, readonly string[]> = {
  'incident.reopened': ['incident.created', 'incident.updated'],
}

/** Null when no subscriber may get it. */
export const matchOf = (kind: string, incident: IncidentFact): Match | null => {
  if (!incident.notifySubscribers || kind === 'incident.deleted') return null
  const speaking = incident.components.filter(({ isMuted }) => !isMuted)
  return {
    selectors: selectedBy[kind] ?? [kind],
    scopeIds: scopeIdsOf(incident),
    statusPageIds: incident.statusPageIds,
    state: speaking.length === 0 && incident.components.length > 0 ? 'suppressed' : 'pending',
  }
}

/** Lower goes first; a waiting delivery climbs ten points every ten minutes. */
const priorities: Record<string, number> = {
  'incident.created': 10,
  'incident.reopened': 10,
  'incident.resolved': 10,
  'maintenance.started': 20,
  'maintenance.completed': 20,
  'incident.updated': 30,
  'maintenance.scheduled': 40,
  'maintenance.updated': 40,
}
const LOWEST_PRIORITY = 50

export const priorityOf = (kind: string): number => priorities[kind] ?? LOWEST_PRIORITY
