/**
 * Content of a message about one event, shared by all message formats: headline, facts and text.
 */
import type { IncidentEventData, MaintenanceEventData } from '@status-page/contracts'
import {
  type ContentFields,
  factsOf,
  GOOD_COLOUR,
  impactColours,
  listed,
  type MessageContent,
  PLANNED_COLOUR,
  statusColours,
  timeOf,
} from './content-fields.ts'
import type { MessageLanguage } from './language.ts'
import { utc } from './mail.ts'
import { namedEventContent } from './named-event-content.ts'
import type { EventAbout, WebhookEvent } from './webhook-body.ts'

export type { MessageContent } from './content-fields.ts'

const MINUTE_MS = 60_000

export const toMessageContent = (
  event: WebhookEvent,
  language: MessageLanguage,
): MessageContent => {
  const news = contentFieldsOf(event, language)
  return { ...news, summary: language.titled(news.headline, news.title) }
}

const contentFieldsOf = (event: WebhookEvent, language: MessageLanguage): ContentFields => {
  if ('incident' in event) return incidentContent(event, language)
  if ('maintenance' in event) return maintenanceContent(event, language)
  if ('monitor' in event) return monitorContent(event, language)
  return 'alert' in event ? alertContent(event, language) : namedEventContent(event, language)
}

const incidentContent = (
  event: EventAbout<'incident'>,
  language: MessageLanguage,
): ContentFields => {
  const { kind, occurredAt, incident } = event
  const { id, title, message, status, impact, url } = incident
  const components = namesOf(incident)
  return {
    noun: 'incident',
    kind,
    occurredAt,
    id,
    title,
    message,
    url,
    status,
    impact,
    components,
    window: null,
    headline: language.headlines[kind] ?? language.incidentStatuses[status],
    facts: factsOf(language, [
      ['status', language.incidentStatuses[status]],
      ['impact', language.impacts[impact]],
      ['affected', listed(components, language)],
      ['started', timeOf(incident.startedAt)],
      ['resolved', timeOf(incident.resolvedAt)],
      ['lasted', incident.resolvedAt && language.lasted(minutesOf(incident))],
      ['posted', utc(occurredAt)],
    ]),
    colour: status === 'resolved' ? GOOD_COLOUR : impactColours[impact],
  }
}

const maintenanceContent = (
  event: EventAbout<'maintenance'>,
  language: MessageLanguage,
): ContentFields => {
  const { kind, occurredAt, maintenance } = event
  const { id, title, message, status, url, news } = maintenance
  const components = namesOf(maintenance)
  const updated = news === null ? language.maintenanceUpdated : language.maintenanceContent[news]
  return {
    noun: 'maintenance',
    kind,
    occurredAt,
    id,
    title,
    message,
    url,
    status,
    components,
    impact: null,
    window: windowOf(maintenance),
    headline: language.headlines[kind] ?? updated,
    facts: factsOf(language, [
      ['status', language.maintenanceStatuses[status]],
      ['affected', listed(components, language)],
      ['from', timeOf(maintenance.scheduledFor)],
      ['until', timeOf(maintenance.scheduledUntil)],
      ['started', timeOf(maintenance.startedAt)],
      ['completed', timeOf(maintenance.completedAt)],
      ['cancelled', timeOf(maintenance.cancelledAt)],
      ['posted', utc(occurredAt)],
    ]),
    colour: status === 'completed' || status === 'cancelled' ? GOOD_COLOUR : PLANNED_COLOUR,
  }
}

const monitorContent = (event: EventAbout<'monitor'>, language: MessageLanguage): ContentFields => {
  const { kind, occurredAt, monitor } = event
  const { componentId: id, name: title, derivedStatus: status } = monitor
  return {
    noun: 'monitor',
    kind,
    occurredAt,
    id,
    title,
    status,
    url: null,
    impact: null,
    window: null,
    components: [title],
    headline: language.headlines[kind] ?? language.componentStatuses[status],
    message: [monitor.reason, monitor.isFlapping === true ? language.flapping : null]
      .filter((line) => line !== null)
      .join('\n'),
    facts: factsOf(language, [
      ['status', language.componentStatuses[status]],
      ['since', timeOf(monitor.since)],
    ]),
    colour: statusColours[status],
  }
}

const alertContent = (event: EventAbout<'alert'>, language: MessageLanguage): ContentFields => {
  const { kind, occurredAt, alert } = event
  const { id, title, status, severity, url } = alert
  return {
    noun: 'alert',
    kind,
    occurredAt,
    id,
    title,
    status,
    url,
    impact: null,
    components: [],
    window: null,
    headline: language.headlines[kind] ?? language.severities[severity],
    message: alert.reason ?? '',
    facts: factsOf(language, [
      ['severity', language.severities[severity]],
      ['since', timeOf(alert.since)],
      ['schedule', alert.schedule.name],
      [
        'notified',
        listed(
          alert.assigned.map(({ name }) => name),
          language,
        ),
      ],
      ['acknowledged', timeOf(alert.acknowledgedAt)],
      ['resolved', timeOf(alert.resolvedAt)],
    ]),
    colour: status === 'triggered' ? impactColours[severities[severity]] : GOOD_COLOUR,
  }
}

/** Impact whose colour an alert of the severity uses. */
const severities = { critical: 'critical', warning: 'minor' } as const

const namesOf = ({ components }: IncidentEventData | MaintenanceEventData): string[] =>
  components.map(({ name }) => name)

/** Time window; the end has a date only when it differs, because a text message has little room. */
const windowOf = ({ scheduledFor, scheduledUntil }: MaintenanceEventData): string => {
  const [from, until] = [utc(new Date(scheduledFor)), utc(new Date(scheduledUntil))]
  const [day, time] = [from.slice(0, DAY_LENGTH), from.slice(0, -ZONE_LENGTH)]
  return until.startsWith(day)
    ? `${time}-${until.slice(DAY_LENGTH).trimStart()}`
    : `${time} - ${until}`
}
/** Parts of `2026-01-02 03:04 UTC`. */
const DAY_LENGTH = '2026-01-02'.length
const ZONE_LENGTH = ' UTC'.length

const minutesOf = ({ startedAt, resolvedAt }: IncidentEventData): number =>
  Math.round((Date.parse(resolvedAt ?? startedAt) - Date.parse(startedAt)) / MINUTE_MS)
