/** Computes the criteria by which the fan-out selects the recipients of an event. */
import {
  type ChannelType,
  type DeliveryReason,
  type DeliveryState,
  type Impact,
  type IncidentEventData,
  incidentCreated,
  type MaintenanceEventData,
  type MonitorEventData,
  mutedPageIds,
  namedChannelEvents,
  scopeIdsOf,
} from '@status-page/contracts'

export interface RecipientMatch {
  /** Subscribers that selected one of these kinds receive the event; empty: no subscriber does. */
  selectors: readonly string[]
  /** Channels that selected this kind, or no kinds, receive the event. */
  channelSelector: string
  /** Channels that selected no kinds do not receive the event. */
  requiresNamedSelector: boolean
  /** Impact of the incident, for channels that filter by impact. */
  impact: Impact | null
  /**
   * Affected unmuted components and all their ancestors; a scope matches when it includes one of
   * them.
   */
  scopeIds: readonly string[]
  statusPageIds: readonly string[]
  /** Incident of the event, for subscribers to it alone; null for other events. */
  incidentId: string | null
  /** True when only destinations without an earlier notification of the incident match. */
  isCatchUp: boolean
  /** Destination types that do not receive the event. */
  excludedTypes: readonly ChannelType[]
  /** `suppressed` when every affected component is muted: recorded, never sent. */
  state: Extract<DeliveryState, 'pending' | 'suppressed'>
  /** Reason for the suppression; null when pending. */
  deliveryReason: Extract<DeliveryReason, 'muted' | 'flapping'> | null
}

/** Kinds that select an event, where they differ from its own kind. */
const selectorsByKind: Record<string, readonly string[]> = {
  'incident.reopened': ['incident.created', 'incident.updated'],
  'maintenance.updated': ['maintenance.scheduled'],
  'maintenance.reminder': ['maintenance.scheduled'],
}

/** Channel types without reminders: the program behind a webhook already has the schedule. */
const excludedTypesByKind: Record<string, readonly ChannelType[]> = {
  'maintenance.reminder': ['webhook'],
}
const REMINDER = 'maintenance.reminder'

/**
 * Returns null when the event has no recipients. Channels also receive events that subscribers do
 * not.
 */
export const recipientMatchOf = (
  kind: string,
  data: IncidentEventData | MaintenanceEventData,
): RecipientMatch | null => {
  if (kind === 'incident.deleted') return null
  const isAnnounced = !('news' in data) || kind !== 'maintenance.updated' || data.news !== null
  const isCatchUp = 'isCatchUp' in data && data.isCatchUp === true
  const selectingKind = isCatchUp ? incidentCreated.kind : kind
  const unmuted = data.components.filter(({ isMuted }) => !isMuted)
  const isMuted = unmuted.length === 0 && data.components.length > 0
  return {
    selectors:
      data.notifySubscribers && isAnnounced
        ? (selectorsByKind[selectingKind] ?? [selectingKind])
        : [],
    channelSelector: kind === REMINDER ? 'maintenance.scheduled' : selectingKind,
    requiresNamedSelector: isNamed(kind),
    impact: 'impact' in data ? data.impact : null,
    scopeIds: scopeIdsOf(data),
    statusPageIds: isMuted ? data.statusPageIds : unmutedPageIds(data),
    incidentId: 'impact' in data ? data.id : null,
    isCatchUp,
    excludedTypes: excludedTypesByKind[kind] ?? [],
    ...stateFor(isMuted ? 'muted' : null),
  }
}

/** Pages that show at least one unmuted component. */
const unmutedPageIds = (data: IncidentEventData | MaintenanceEventData): string[] => {
  const muted = mutedPageIds(data, (position) => data.components[position]?.isMuted === true)
  return data.statusPageIds.filter((id) => !muted.includes(id))
}

/**
 * Monitor events are for channels only. `copy` is the local copy of the component; `isFlapping`
 * means that flapping was announced.
 */
export const monitorRecipientMatchOf = (
  kind: string,
  { componentId }: MonitorEventData,
  copy: { isMuted: boolean; ancestorIds: readonly string[] } | null,
  isFlapping: boolean,
): RecipientMatch => ({
  selectors: [],
  channelSelector: kind,
  requiresNamedSelector: false,
  impact: null,
  scopeIds: [componentId, ...(copy?.ancestorIds ?? [])],
  statusPageIds: [],
  incidentId: null,
  isCatchUp: false,
  excludedTypes: [],
  ...stateFor(copy?.isMuted === true ? 'muted' : isFlapping ? 'flapping' : null),
})

/**
 * Events about service levels, certificates and drafts, for channels that select their kind by
 * name.
 */
export const namedEventRecipientMatchOf = (
  kind: string,
  {
    scopeIds,
    impact,
    isMuted,
  }: { scopeIds: readonly string[]; impact: Impact | null; isMuted: boolean },
): RecipientMatch => ({
  selectors: [],
  channelSelector: kind,
  requiresNamedSelector: true,
  impact,
  scopeIds,
  statusPageIds: [],
  incidentId: null,
  isCatchUp: false,
  excludedTypes: [],
  ...stateFor(isMuted ? 'muted' : null),
})

const isNamed = (kind: string): boolean => namedChannelEvents.some((one) => one === kind)

const stateFor = (
  deliveryReason: RecipientMatch['deliveryReason'],
): Pick<RecipientMatch, 'state' | 'deliveryReason'> => ({
  state: deliveryReason === null ? 'pending' : 'suppressed',
  deliveryReason,
})

/** Lower values go first; a pending delivery gains ten points every ten minutes. */
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
/**
 * Lowest priority value that limits and digests apply to; below it are account mail, alerts and
 * confirmation requests.
 */
export const FIRST_LIMITED_PRIORITY = 10

/** LIKE pattern of the event kinds about monitors. */
export const MONITOR_KINDS = 'monitor.%'

/** Delay of monitor messages, during which events are combined into a digest. */
const MONITOR_DIGEST_DELAY_SECONDS = 30

export const isMonitorEventKind = (kind: string): boolean => kind.startsWith('monitor.')

export const digestDelaySecondsOf = (kind: string): number =>
  isMonitorEventKind(kind) ? MONITOR_DIGEST_DELAY_SECONDS : 0

export const priorityOf = (kind: string): number => priorities[kind] ?? LOWEST_PRIORITY
