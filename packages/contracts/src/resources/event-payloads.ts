/**
 * Payloads of events for programs: the bodies of webhooks and the entries of the event stream.
 * They contain no text of updates, no addresses and no names of members.
 */
import { type Static, Type } from '@sinclair/typebox'
import { Id, Nullable, OneOf, Timestamp } from '../scalars.ts'
import { type CertificateEventData, derivedStatuses, type MonitorEventData } from './checks.ts'
import { type ComponentEventData, componentTypes } from './components.ts'
import type { DraftEventData } from './incident-drafts.ts'
import { Impact, type IncidentEventData, IncidentStatus, impacts } from './incidents.ts'
import { type MaintenanceEventData, MaintenanceStatus } from './maintenances.ts'
import { type AlertEventData, alertSeverities, alertStatuses } from './oncall.ts'
import { SlaEvaluation, type SlaEventData, type SlaTargetEventData } from './sla.ts'

/** Data of an event by the field that holds its subject in the payload. */
export interface EventSubjects {
  incident: IncidentEventData
  maintenance: MaintenanceEventData
  component: ComponentEventData
  monitor: MonitorEventData
  alert: AlertEventData
  sla: SlaEventData
  target: SlaTargetEventData
  certificate: CertificateEventData
  draft: DraftEventData
}

/** Data of an event about any type of subject. */
export type EventSubject = {
  [Noun in keyof EventSubjects]: Pick<EventSubjects, Noun>
}[keyof EventSubjects]

const Names = Type.Array(Type.String(), { description: 'Names of the components' })
const subject = { id: Id, title: Type.String() }

const subjectPayloads = {
  incident: Type.Object({
    ...subject,
    status: IncidentStatus,
    impact: Impact,
    components: Names,
  }),
  maintenance: Type.Object({
    ...subject,
    status: MaintenanceStatus,
    scheduledFor: Timestamp,
    scheduledUntil: Timestamp,
    components: Names,
  }),
  component: Type.Object({ ...subject, type: OneOf(componentTypes) }),
  /** Contains the id and name of the component, never its URL. */
  monitor: Type.Object({ ...subject, status: OneOf(derivedStatuses), components: Names }),
  alert: Type.Object({
    ...subject,
    status: OneOf(alertStatuses),
    severity: OneOf(alertSeverities),
    reason: Nullable(Type.String()),
    since: Timestamp,
    schedule: Type.String({ description: 'Name of the schedule' }),
  }),
  sla: Type.Composite([
    SlaEvaluation,
    Type.Object({ ...subject, targetPercentage: Type.Number() }),
  ]),
  target: Type.Object({
    ...subject,
    targetMinutes: Type.Integer(),
    dueAt: Timestamp,
    incident: Type.Object({ ...subject, impact: OneOf(impacts), startedAt: Timestamp }),
  }),
  certificate: Type.Object({
    ...subject,
    expiresAt: Timestamp,
    daysLeft: Type.Integer(),
    components: Names,
  }),
  draft: Type.Object({
    ...subject,
    impact: Impact,
    components: Names,
    publishAt: Nullable(Timestamp),
  }),
} as const

type SubjectPayloads = {
  [Noun in keyof EventSubjects]: Static<(typeof subjectPayloads)[Noun]>
}

/** Fields of the subjects; a payload has exactly one of them. */
export const subjectFields = {
  incident: Type.Optional(subjectPayloads.incident),
  maintenance: Type.Optional(subjectPayloads.maintenance),
  component: Type.Optional(subjectPayloads.component),
  monitor: Type.Optional(subjectPayloads.monitor),
  alert: Type.Optional(subjectPayloads.alert),
  sla: Type.Optional(subjectPayloads.sla),
  target: Type.Optional(subjectPayloads.target),
  certificate: Type.Optional(subjectPayloads.certificate),
  draft: Type.Optional(subjectPayloads.draft),
}

export type EventPayload = {
  event: string
  /** Time of the event, the same on every attempt. */
  timestamp: string
} & { [Noun in keyof EventSubjects]?: SubjectPayloads[Noun] }

/** Payload of an event; its fields are the same for every recipient. */
export const toEventPayload = (
  event: { kind: string; occurredAt: string } & EventSubject,
): EventPayload => ({
  event: event.kind,
  timestamp: event.occurredAt,
  ...subjectPayloadOf(event),
})

/**
 * Subject in the data of an event. The data of a missed target are not nested, and name an incident
 * with fewer fields than an incident event.
 */
export const eventSubjectOf = (data: EventSubject | SlaTargetEventData): EventSubject =>
  'targetMinutes' in data ? { target: data } : data

const subjectPayloadOf = (event: EventSubject): Partial<SubjectPayloads> => {
  if ('incident' in event) return { incident: incidentPayload(event.incident) }
  if ('maintenance' in event) return { maintenance: maintenancePayload(event.maintenance) }
  if ('component' in event) return { component: componentPayload(event.component) }
  if ('monitor' in event) return { monitor: monitorPayload(event.monitor) }
  if ('alert' in event) return { alert: alertPayload(event.alert) }
  if ('sla' in event) return { sla: slaPayload(event.sla) }
  if ('target' in event) return { target: targetPayload(event.target) }
  if ('draft' in event) return { draft: draftPayload(event.draft) }
  return { certificate: certificatePayload(event.certificate) }
}

const incidentPayload = ({ id, title, status, impact, components }: IncidentEventData) => ({
  id,
  title,
  status,
  impact,
  components: namesOf(components),
})

const maintenancePayload = (maintenance: MaintenanceEventData) => {
  const { id, title, status, scheduledFor, scheduledUntil, components } = maintenance
  return { id, title, status, scheduledFor, scheduledUntil, components: namesOf(components) }
}

const componentPayload = ({ id, name, type }: ComponentEventData) => ({ id, title: name, type })

const monitorPayload = ({ componentId, name, derivedStatus }: MonitorEventData) => ({
  id: componentId,
  title: name,
  status: derivedStatus,
  components: [name],
})

const alertPayload = ({
  id,
  title,
  status,
  severity,
  schedule,
  reason,
  since,
}: AlertEventData) => ({
  id,
  title,
  status,
  severity,
  reason,
  since,
  schedule: schedule.name,
})

const slaPayload = ({ id, name, targetPercentage, current }: SlaEventData) => ({
  ...current,
  id,
  title: name,
  targetPercentage,
})

const targetPayload = ({ sla, incident, targetMinutes, dueAt }: SlaTargetEventData) => ({
  id: sla.id,
  title: sla.name,
  targetMinutes,
  dueAt,
  incident,
})

const certificatePayload = ({ componentId, name, expiresAt, daysLeft }: CertificateEventData) => ({
  id: componentId,
  title: name,
  expiresAt,
  daysLeft,
  components: [name],
})

const draftPayload = ({ id, title, impact, components, publishAt }: DraftEventData) => ({
  id,
  title,
  impact,
  components: namesOf(components),
  publishAt,
})

const namesOf = (components: readonly { name: string }[]): string[] =>
  components.map(({ name }) => name)
