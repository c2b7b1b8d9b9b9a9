/** Body of a webhook: exactly the fields of the contract, serialized once per delivery. */
import type {
  AlertEventData,
  CertificateEventData,
  DraftEventData,
  IncidentEventData,
  MaintenanceEventData,
  MonitorEventData,
  SlaEventData,
  SlaTargetEventData,
} from '@status-page/contracts'

interface Facts {
  incident: IncidentEventData
  maintenance: MaintenanceEventData
  monitor: MonitorEventData
  alert: AlertEventData
  sla: SlaEventData
  target: SlaTargetEventData
  certificate: CertificateEventData
  draft: DraftEventData
}

/** Event about one type of subject. */
export type SubjectEvent<Noun extends keyof Facts> = {
  kind: string
  /** The event's time, the same on every attempt. */
  occurredAt: Date
} & Pick<Facts, Noun>

/** Event about any type of subject. */
export type WebhookEvent = { [Noun in keyof Facts]: SubjectEvent<Noun> }[keyof Facts]

export const webhookBody = (event: WebhookEvent): Buffer =>
  Buffer.from(
    JSON.stringify({
      event: event.kind,
      timestamp: event.occurredAt.toISOString(),
      ...subjectOf(event),
    }),
  )

const subjectOf = (event: WebhookEvent) => {
  if ('incident' in event) return { incident: incidentOf(event.incident) }
  if ('maintenance' in event) return { maintenance: maintenanceOf(event.maintenance) }
  if ('monitor' in event) return { monitor: monitorOf(event.monitor) }
  if ('alert' in event) return { alert: alertOf(event.alert) }
  if ('sla' in event) return { sla: slaOf(event.sla) }
  if ('target' in event) return { target: targetOf(event.target) }
  if ('draft' in event) return { draft: draftOf(event.draft) }
  return { certificate: certificateOf(event.certificate) }
}

const incidentOf = ({ id, title, status, impact, components }: IncidentEventData) => ({
  id,
  title,
  status,
  impact,
  components: namesOf(components),
})

const maintenanceOf = (maintenance: MaintenanceEventData) => {
  const { id, title, status, scheduledFor, scheduledUntil, components } = maintenance
  return { id, title, status, scheduledFor, scheduledUntil, components: namesOf(components) }
}

/** Contains the component's name, never its URL. */
const monitorOf = ({ componentId, name, derivedStatus }: MonitorEventData) => ({
  id: componentId,
  title: name,
  status: derivedStatus,
  components: [name],
})

const alertOf = ({ id, title, status, severity, schedule, reason, since }: AlertEventData) => ({
  id,
  title,
  status,
  severity,
  reason,
  since,
  schedule: schedule.name,
})

const slaOf = ({ id, name, targetPercentage, current }: SlaEventData) => ({
  ...current,
  id,
  title: name,
  targetPercentage,
})

const targetOf = ({ sla, incident, targetMinutes, dueAt }: SlaTargetEventData) => ({
  id: sla.id,
  title: sla.name,
  targetMinutes,
  dueAt,
  incident,
})

const certificateOf = ({ componentId, name, expiresAt, daysLeft }: CertificateEventData) => ({
  id: componentId,
  title: name,
  expiresAt,
  daysLeft,
  components: [name],
})

const draftOf = ({ id, title, impact, components, publishAt }: DraftEventData) => ({
  id,
  title,
  impact,
  components: namesOf(components),
  publishAt,
})

const namesOf = (components: readonly { name: string }[]): string[] =>
  components.map(({ name }) => name)
