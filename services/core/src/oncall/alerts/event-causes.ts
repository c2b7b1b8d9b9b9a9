/** Causes of alerts from events that schedules select by name. Pure. */
import {
  type AlertDetails,
  type AlertSeverity,
  type CertificateEventData,
  type DraftEventData,
  type Impact,
  type IncidentEventData,
  type OncallEvent,
  type SlaEventData,
  type SlaTargetEventData,
  scopeIdsOf,
} from '@status-page/contracts'
import { messagePlainText } from '@status-page/markdown'
import type { IncidentDraftRow, OncallAlertRow } from '../../tables.ts'
import { type AlertDescription, describeAlert } from './descriptions.ts'
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
  const { percentage, evaluatedAt } = current
  return {
    ...withoutReferences,
    ...describeAlert({ event: kind, name, percentage, targetPercentage }),
    dedupKey: eventKey(kind, id),
    severity: kind === 'sla.breached' ? 'critical' : 'warning',
    source: 'sla',
    since: new Date(evaluatedAt),
    scopeIds,
  }
}

export const causeOfSlaTarget = (
  kind: SlaTargetEvent,
  { sla, incident, dueAt }: SlaTargetEventData,
  scopeIds: readonly string[],
): AlertCause => ({
  ...withoutReferences,
  ...describeAlert({ event: kind, name: incident.title, slaName: sla.name, dueAt }),
  dedupKey: eventKey(kind, incident.id),
  severity: severityOf(incident.impact),
  source: 'sla',
  incidentId: incident.id,
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
  ...describeAlert({ event: 'certificate.expiring', name, dueAt: expiresAt }),
  dedupKey: `${eventKey('certificate.expiring', componentId)}:${daysLeft}`,
  severity: daysLeft < 2 ? 'critical' : 'warning',
  source: 'certificate',
  componentId,
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
    ...describeAlert({ event: 'incident.update-overdue', name: title, dueAt }),
    dedupKey: eventKey('incident.update-overdue', id),
    severity: severityOf(impact),
    source: 'incident',
    incidentId: id,
    url,
    since: new Date(dueAt),
    scopeIds: scopeIdsOf(incident),
  }
}

/** Null when all components of the draft are muted. */
export const causeOfDraft = (draft: DraftEventData): AlertCause | null => {
  const { id, title, message, impact, publishAt, startedAt, components } = draft
  if (isMuted(components)) return null
  return {
    ...withoutReferences,
    ...describeDraft(title, { dueAt: publishAt, message: shortReason(messagePlainText(message)) }),
    dedupKey: draftKey(id),
    severity: severityOf(impact),
    source: 'incident-draft',
    since: new Date(startedAt),
    scopeIds: scopeIdsOf(draft),
  }
}

const describeDraft = (name: string, details: Partial<AlertDetails>): AlertDescription =>
  describeAlert({ event: 'incident-draft', name, ...details })

/** Description of the resolved alert of a draft; the plan to publish it is no longer true. */
export const describeClosedDraft = ({
  title,
  status,
}: IncidentDraftRow): AlertDescription | null =>
  status === 'waiting' ? null : describeDraft(title, { outcome: status })

const isMuted = (components: readonly { isMuted: boolean }[]): boolean =>
  components.length > 0 && components.every((component) => component.isMuted)

const severityOf = (impact: Impact): AlertSeverity =>
  impact === 'critical' ? 'critical' : 'warning'
