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
  isByName: boolean
  /** Of an incident, for the channels that look at it. */
  impact: Impact | null
  /** Affected unmuted components and all their ancestors; a scope that names one of them matches. */
  scopeIds: readonly string[]
  statusPageIds: readonly string[]
  /** Kinds of destination that it is not for. */
  exceptTypes: readonly ChannelType[]
  /** `suppressed` when every affected component is muted: recorded, never sent. */
  state: Extract<DeliveryState, 'pending' | 'suppressed'>
  /** Why it is suppressed; null when it is not. */
  silence: Extract<DeliveryReason, 'muted' | 'flapping'> | null
}

/** Kinds that select an event, where its own is not the one. */
const selectedBy: Record<string, readonly string[]> = {
  'incident.reopened': ['incident.created', 'incident.updated'],
  'maintenance.updated': ['maintenance.scheduled'],
  'maintenance.reminder': ['maintenance.scheduled'],
}

/** A program that is told in time needs no reminder. */
const notFor: Record<string, readonly ChannelType[]> = { 'maintenance.reminder': ['webhook'] }
const REMINDER = 'maintenance.reminder'

/** Null when nobody may get it. Channels get what subscribers are spared. */
export const matchOf = (
  kind: string,
  fact: IncidentEventData | MaintenanceEventData,
): Match | null => {
  if (kind === 'incident.deleted') return null
  const isNews = !('news' in fact) || kind !== 'maintenance.updated' || fact.news !== null
  const speaking = fact.components.filter(({ isMuted }) => !isMuted)
  const isMuted = speaking.length === 0 && fact.components.length > 0
  return {
    selectors: fact.notifySubscribers && isNews ? (selectedBy[kind] ?? [kind]) : [],
    channelSelector: kind === REMINDER ? 'maintenance.scheduled' : kind,
    isByName: isNamed(kind),
    impact: 'impact' in fact ? fact.impact : null,
    scopeIds: scopeIdsOf(fact),
    statusPageIds: isMuted ? fact.statusPageIds : speakingPageIds(fact),
    exceptTypes: notFor[kind] ?? [],
    ...unless(isMuted ? 'muted' : null),
  }
}

/** Without the pages that show muted components alone. */
const speakingPageIds = (fact: IncidentEventData | MaintenanceEventData): string[] => {
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
  isByName: false,
  impact: null,
  scopeIds: [componentId, ...(copy?.ancestorIds ?? [])],
  statusPageIds: [],
  exceptTypes: [],
  ...unless(copy?.isMuted === true ? 'muted' : isFlapping ? 'flapping' : null),
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
  isByName: true,
  impact,
  scopeIds,
  statusPageIds: [],
  exceptTypes: [],
  ...unless(isMuted ? 'muted' : null),
})

const isNamed = (kind: string): boolean => namedChannelEvents.some((one) => one === kind)

const unless = (silence: Match['silence']): Pick<Match, 'state' | 'silence'> => ({
  state: silence === null ? 'pending' : 'suppressed',
  silence,
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
const GATHER_SECONDS = 30

export const isAboutMonitor = (kind: string): boolean => kind.startsWith('monitor.')

export const holdSecondsOf = (kind: string): number => (isAboutMonitor(kind) ? GATHER_SECONDS : 0)

export const priorityOf = (kind: string): number => priorities[kind] ?? LOWEST_PRIORITY
