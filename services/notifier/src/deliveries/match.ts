/** Who an event is for: what the fan-out selects by, as values. */
import {
  type ChannelType,
  type DeliveryReason,
  type DeliveryState,
  type Impact,
  type IncidentEventData,
  type MaintenanceEventData,
  type MonitorFact,
  mutedPageIds,
  namedChannelEvents,
  scopeIdsOf,
} from '@status-page/contracts'

export interface Match {
  /** A subscriber that selected one of these kinds gets the event; none: it is not for them. */
  selectors: readonly string[]
  /** A channel that selected this kind, or none at all, gets it. */
  channelSelector: string
  /** Channels that selected no kinds do not get it. */
  isOnlyByName: boolean
  /** Of an incident, for the channels that look at it. */
  impact: Impact | null
  /** Affected unmuted components and all their ancestors; a scope that names one of them matches. */
  scopeIds: readonly string[]
  statusPageIds: readonly string[]
  /** Kinds of destination that it is not for. */
  excludedTypes: readonly ChannelType[]
  /** `suppressed` when every affected component is muted: recorded, never sent. */
  state: Extract<DeliveryState, 'pending' | 'suppressed'>
  /** Why it is suppressed; null when it is not. */
  deliveryReason: Extract<DeliveryReason, 'muted' | 'flapping'> | null
}

/** Kinds that select an event, where its own is not the one. */
const selectorsByKind: Record<string, readonly string[]> = {
  'incident.reopened': ['incident.created', 'incident.updated'],
  'maintenance.updated': ['maintenance.scheduled'],
  'maintenance.reminder': ['maintenance.scheduled'],
}

/** A program that is told in time needs no reminder. */
const excludedTypesByKind: Record<string, readonly ChannelType[]> = {
  'maintenance.reminder': ['webhook'],
}
const REMINDER = 'maintenance.reminder'

/** Null when nobody may get it. Channels get what subscribers are spared. */
export const matchOf = (
  kind: string,
  fact: IncidentEventData | MaintenanceEventData,
): Match | null => {
  if (kind === 'incident.deleted') return null
  const isAnnounced = !('news' in fact) || kind !== 'maintenance.updated' || fact.news !== null
  const unmuted = fact.components.filter(({ isMuted }) => !isMuted)
  const isMuted = unmuted.length === 0 && fact.components.length > 0
  return {
    selectors: fact.notifySubscribers && isAnnounced ? (selectorsByKind[kind] ?? [kind]) : [],
    channelSelector: kind === REMINDER ? 'maintenance.scheduled' : kind,
    isOnlyByName: isNamed(kind),
    impact: 'impact' in fact ? fact.impact : null,
    scopeIds: scopeIdsOf(fact),
    statusPageIds: isMuted ? fact.statusPageIds : unmutedPageIds(fact),
    excludedTypes: excludedTypesByKind[kind] ?? [],
    ...stateFor(isMuted ? 'muted' : null),
  }
}

/** Without the pages that show muted components alone. */
const unmutedPageIds = (fact: IncidentEventData | MaintenanceEventData): string[] => {
  const muted = mutedPageIds(fact, (position) => fact.components[position]?.isMuted === true)
  return fact.statusPageIds.filter((id) => !muted.includes(id))
}

/** Monitors speak to channels only. The component is as our copy knows it; `isFlapping`: it has been said. */
export const monitorMatchOf = (
  kind: string,
  { componentId }: MonitorFact,
  copy: { isMuted: boolean; ancestorIds: readonly string[] } | null,
  isFlapping: boolean,
): Match => ({
  selectors: [],
  channelSelector: kind,
  isOnlyByName: false,
  impact: null,
  scopeIds: [componentId, ...(copy?.ancestorIds ?? [])],
  statusPageIds: [],
  excludedTypes: [],
  ...stateFor(copy?.isMuted === true ? 'muted' : isFlapping ? 'flapping' : null),
})

/** Events about service levels, certificates and drafts, for channels that name their kind. */
export const namedMatchOf = (
  kind: string,
  {
    scopeIds,
    impact,
    isMuted,
  }: { scopeIds: readonly string[]; impact: Impact | null; isMuted: boolean },
): Match => ({
  selectors: [],
  channelSelector: kind,
  isOnlyByName: true,
  impact,
  scopeIds,
  statusPageIds: [],
  excludedTypes: [],
  ...stateFor(isMuted ? 'muted' : null),
})

const isNamed = (kind: string): boolean => namedChannelEvents.some((one) => one === kind)

const stateFor = (
  deliveryReason: Match['deliveryReason'],
): Pick<Match, 'state' | 'deliveryReason'> => ({
  state: deliveryReason === null ? 'pending' : 'suppressed',
  deliveryReason,
})

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
  'incident-draft.publishing': 10,
  'incident-draft.created': 20,
  'incident.update-overdue': 20,
  'sla.breached': 20,
  'sla.response-breached': 20,
  'sla.resolution-breached': 20,
}
const LOWEST_PRIORITY = 50
/** Smaller ones are outside of the limits and of digests: account mail, on-call messages, confirmations. */
export const FIRST_LIMITED_PRIORITY = 10

/** Of SQL's LIKE. */
export const MONITOR_KINDS = 'monitor.%'

/** So long are messages about monitors gathered: what comes together is told together. */
const MONITOR_DIGEST_DELAY_SECONDS = 30

export const isAboutMonitor = (kind: string): boolean => kind.startsWith('monitor.')

export const digestDelaySecondsOf = (kind: string): number =>
  isAboutMonitor(kind) ? MONITOR_DIGEST_DELAY_SECONDS : 0

export const priorityOf = (kind: string): number => priorities[kind] ?? LOWEST_PRIORITY
