/** The body of a webhook: exactly the fields of the contract, serialised once per delivery. */
import type {
  AlertFact,
  CertificateFact,
  DraftFact,
  IncidentEventData,
  MaintenanceEventData,
  MonitorFact,
  SlaFact,
  SlaTargetFact,
} from '@status-page/contracts'

interface Facts {
  incident: IncidentEventData
  maintenance: MaintenanceEventData
  monitor: MonitorFact
  alert: AlertFact
  sla: SlaFact
  target: SlaTargetFact
  certificate: CertificateFact
  draft: DraftFact
}

/** An event about one noun, as a message tells it. */
export type ToldOf<Noun extends keyof Facts> = {
  kind: string
  /** The event's time, the same on every attempt. */
  occurredAt: Date
} & Pick<Facts, Noun>

/** An event about whichever noun. */
export type WebhookEvent = { [Noun in keyof Facts]: ToldOf<Noun> }[keyof Facts]

export const webhookBody = (told: WebhookEvent): Buffer =>
  Buffer.from(
    JSON.stringify({
      event: told.kind,
      timestamp: told.occurredAt.toISOString(),
      ...subjectOf(told),
    }),
  )

const subjectOf = (told: WebhookEvent) => {
  if ('incident' in told) return { incident: incidentOf(told.incident) }
  if ('maintenance' in told) return { maintenance: maintenanceOf(told.maintenance) }
  if ('monitor' in told) return { monitor: monitorOf(told.monitor) }
  if ('alert' in told) return { alert: alertOf(told.alert) }
  if ('sla' in told) return { sla: slaOf(told.sla) }
  if ('target' in told) return { target: targetOf(told.target) }
  if ('draft' in told) return { draft: draftOf(told.draft) }
  return { certificate: certificateOf(told.certificate) }
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

/** Named as the component; never with its URL. */
const monitorOf = ({ componentId, name, derivedStatus }: MonitorFact) => ({
  id: componentId,
  title: name,
  status: derivedStatus,
  components: [name],
})

const alertOf = ({ id, title, status, severity, schedule, reason, since }: AlertFact) => ({
  id,
  title,
  status,
  severity,
  reason,
  since,
  schedule: schedule.name,
})

const slaOf = ({ id, name, targetPercentage, current }: SlaFact) => ({
  ...current,
  id,
  title: name,
  targetPercentage,
})

const targetOf = ({ sla, incident, targetMinutes, dueAt }: SlaTargetFact) => ({
  id: sla.id,
  title: sla.name,
  targetMinutes,
  dueAt,
  incident,
})

const certificateOf = ({ componentId, name, expiresAt, daysLeft }: CertificateFact) => ({
  id: componentId,
  title: name,
  expiresAt,
  daysLeft,
  components: [name],
})

const draftOf = ({ id, title, impact, components, publishAt }: DraftFact) => ({
  id,
  title,
  impact,
  components: namesOf(components),
  publishAt,
})

const namesOf = (components: readonly { name: string }[]): string[] =>
  components.map(({ name }) => name)
