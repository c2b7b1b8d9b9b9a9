/** Causes of alerts from events that schedules select by name. Pure. */
import {
  type AlertSeverity,
  type CertificateEventData,
  type DraftEventData,
  type DraftStatus,
  type Impact,
  type IncidentEventData,
  type OncallEvent,
  type SlaEventData,
  type SlaTargetEventData,
  scopeIdsOf,
} from '@status-page/contracts'
import { messagePlainText } from '@status-page/markdown'
import type { OncallAlertRow } from '../../tables.ts'
import { type AlertCause, shortReason } from './rules.ts'

export const eventKey = (kind: OncallEvent, id: string): string => `${kind}:${id}`

/** Key shared by both events of a draft, so that one draft raises one alert. */
export const draftKey = (id: string): string => `${DRAFT_KEY_START}${id}`
const DRAFT_KEY_START = 'incident-draft:'

/** Id of the draft that the alert is about, or null. */
export const draftIdOf = ({
  source,
  dedupKey,
}: Pick<OncallAlertRow, 'source' | 'dedupKey'>): string | null =>
  source === 'incident-draft' ? dedupKey.slice(DRAFT_KEY_START.length) : null

/** Keys of alerts that end with an incident. */
export const alertKeysOfIncident = (id: string): string[] => [
  eventKey('incident.update-overdue', id),
  eventKey('sla.response-breached', id),
  eventKey('sla.resolution-breached', id),
]

export type SlaStatusEvent = Extract<OncallEvent, 'sla.at-risk' | 'sla.breached'>
export type SlaTargetEvent = Extract<
  OncallEvent,
  'sla.response-breached' | 'sla.resolution-breached'
>

const withoutReferences = { componentId: null, incidentId: null, url: null }

export const causeOfSla = (
  kind: SlaStatusEvent,
  { id, name, targetPercentage, current }: SlaEventData,
  scopeIds: readonly string[],
): AlertCause => {
  const isBreached = kind === 'sla.breached'
  const { percentage, evaluatedAt } = current
  const measured = percentage === null ? '' : `${percentage} % measured, `
  return {
    ...withoutReferences,
    dedupKey: eventKey(kind, id),
    title: `${name} is ${isBreached ? 'breached' : 'at risk'}`,
    severity: isBreached ? 'critical' : 'warning',
    source: 'sla',
    reason: `Availability: ${measured}target ${targetPercentage} %`,
    since: new Date(evaluatedAt),
    scopeIds,
  }
}

const targets: Record<SlaTargetEvent, string> = {
  'sla.response-breached': 'Response',
  'sla.resolution-breached': 'Resolution',
}

export const causeOfSlaTarget = (
  kind: SlaTargetEvent,
  { sla, incident, dueAt }: SlaTargetEventData,
  scopeIds: readonly string[],
): AlertCause => ({
  ...withoutReferences,
  dedupKey: eventKey(kind, incident.id),
  title: `${targets[kind]} target missed: ${incident.title}`,
  severity: severityOf(incident.impact),
  source: 'sla',
  incidentId: incident.id,
  reason: `${sla.name}: due at ${utcMinute(dueAt)}`,
  since: new Date(dueAt),
  scopeIds,
})

/**
 * Every expiry warning of a certificate raises an alert of its own, so that a later warning
 * escalates again.
 */
export const causeOfCertificate = (
  { componentId, name, expiresAt, daysLeft }: CertificateEventData,
  { at, scopeIds }: { at: string; scopeIds: readonly string[] },
): AlertCause => ({
  ...withoutReferences,
  dedupKey: `${eventKey('certificate.expiring', componentId)}:${daysLeft}`,
  title: `Certificate of ${name} expires soon`,
  severity: daysLeft < 2 ? 'critical' : 'warning',
  source: 'certificate',
  componentId,
  reason: `Expires at ${utcMinute(expiresAt)}, days left: ${daysLeft}`,
  since: new Date(at),
  scopeIds,
})

/** Null when all components of the incident are muted. */
export const causeOfOverdueUpdate = (
  incident: IncidentEventData,
  { at }: { at: string },
): AlertCause | null => {
  const { id, title, impact, nextUpdateAt, url, components } = incident
  if (isMuted(components)) return null
  const dueAt = nextUpdateAt ?? at
  return {
    ...withoutReferences,
    dedupKey: eventKey('incident.update-overdue', id),
    title: `Update overdue: ${title}`,
    severity: severityOf(impact),
    source: 'incident',
    incidentId: id,
    url,
    reason: `Update was due at ${utcMinute(dueAt)}`,
    since: new Date(dueAt),
    scopeIds: scopeIdsOf(incident),
  }
}

/** Null when all components of the draft are muted. */
export const causeOfDraft = (draft: DraftEventData): AlertCause | null => {
  const { id, title, message, impact, publishAt, startedAt, components } = draft
  if (isMuted(components)) return null
  const plan =
    publishAt === null
      ? 'Waits until a member publishes it.'
      : `Will be published automatically at ${utcMinute(publishAt)} unless vetoed.`
  return {
    ...withoutReferences,
    dedupKey: draftKey(id),
    title: `Incident draft: ${title}`,
    severity: severityOf(impact),
    source: 'incident-draft',
    reason: shortReason(`${plan} ${messagePlainText(message)}`.trim()),
    since: new Date(startedAt),
    scopeIds: scopeIdsOf(draft),
  }
}

/** Reasons of the resolved alert of a draft; the plan to publish it is no longer true. */
export const draftOutcomes: Partial<Record<DraftStatus, string>> = {
  published: 'The draft was published.',
  vetoed: 'The draft was vetoed.',
  closed: 'The draft was closed, because its alert ended.',
}

const isMuted = (components: readonly { isMuted: boolean }[]): boolean =>
  components.length > 0 && components.every((component) => component.isMuted)

const severityOf = (impact: Impact): AlertSeverity =>
  impact === 'critical' ? 'critical' : 'warning'

/** Formats a timestamp like `2026-01-02 03:04 UTC`. */
const utcMinute = (timestamp: string): string => {
  const [day, time] = new Date(timestamp).toISOString().split('T') as [string, string]
  return `${day} ${time.slice(0, 5)} UTC`
}
