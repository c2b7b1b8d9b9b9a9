/** Who an event is for: what the fan-out selects by, as values. */
import {
  type DeliveryState,
  type IncidentFact,
  type MaintenanceFact,
  type SubscriberType,
  scopeIdsOf,
} from '@status-page/contracts'

export interface Match {
  /** A destination that selected one of these kinds gets the event. */
  selectors: readonly string[]
  /** Affected unmuted components and all their ancestors; a scope that names one of them matches. */
  scopeIds: readonly string[]
  statusPageIds: readonly string[]
  /** Kinds of destination that it is not for. */
  exceptTypes: readonly SubscriberType[]
  /** `suppressed` when every affected component is muted: recorded, never sent. */
  state: Extract<DeliveryState, 'pending' | 'suppressed'>
}

/** Kinds that select an event, where its own is not the one. */
const selectedBy: Record<string, readonly string[]> = {
  'incident.reopened': ['incident.created', 'incident.updated'],
  'maintenance.updated': ['maintenance.scheduled'],
  'maintenance.reminder': ['maintenance.scheduled'],
}

/** A program that is told in time needs no reminder. */
const notFor: Record<string, readonly SubscriberType[]> = { 'maintenance.reminder': ['webhook'] }

/** Null when no subscriber may get it. */
export const matchOf = (kind: string, fact: IncidentFact | MaintenanceFact): Match | null => {
  if (!fact.notifySubscribers || kind === 'incident.deleted') return null
  const isNews = !('news' in fact) || kind !== 'maintenance.updated' || fact.news !== null
  if (!isNews) return null
  const speaking = fact.components.filter(({ isMuted }) => !isMuted)
  return {
    selectors: selectedBy[kind] ?? [kind],
    scopeIds: scopeIdsOf(fact),
    statusPageIds: fact.statusPageIds,
    exceptTypes: notFor[kind] ?? [],
    state: speaking.length === 0 && fact.components.length > 0 ? 'suppressed' : 'pending',
  }
}

/** Lower goes first; a waiting delivery climbs ten points every ten minutes. */
const priorities: Record<string, number> = {
  'incident.created': 10,
  'incident.reopened': 10,
  'incident.resolved': 10,
  'maintenance.started': 20,
  'maintenance.reminder': 20,
  'maintenance.completed': 20,
  'incident.updated': 30,
  'maintenance.scheduled': 40,
  'maintenance.updated': 40,
}
const LOWEST_PRIORITY = 50

export const priorityOf = (kind: string): number => priorities[kind] ?? LOWEST_PRIORITY
