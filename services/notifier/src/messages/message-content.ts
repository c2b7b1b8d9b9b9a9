/**
 * Content of a message about one event, shared by all message formats: headline, facts and text.
 */
import type { IncidentEventData, MaintenanceEventData } from '@status-page/contracts'
import {
  type ContentFields,
  formatTime,
  impactColours,
  joinNames,
  MAINTENANCE_COLOUR,
  type MessageContent,
  OPERATIONAL_COLOUR,
  statusColours,
  translateFacts,
} from './content-fields.ts'
import type { MessageLanguage } from './language.ts'
import { formatUtc } from './mail.ts'
import { namedEventContent } from './named-event-content.ts'
import type { SubjectEvent, WebhookEvent } from './webhook-body.ts'

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
  event: SubjectEvent<'incident'>,
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
    isMarkdown: true,
    url,
    status,
    impact,
    components,
    window: null,
    headline: language.headlines[kind] ?? language.incidentStatuses[status],
    facts: translateFacts(language, [
      ['status', language.incidentStatuses[status]],
      ['impact', language.impacts[impact]],
      ['affected', joinNames(components, language)],
      ['started', formatTime(incident.startedAt)],
      ['resolved', formatTime(incident.resolvedAt)],
      ['lasted', incident.resolvedAt && language.lasted(minutesOf(incident))],
      ['posted', formatUtc(occurredAt)],
    ]),
    colour: status === 'resolved' ? OPERATIONAL_COLOUR : impactColours[impact],
  }
}

const maintenanceContent = (
  event: SubjectEvent<'maintenance'>,
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
    isMarkdown: true,
    url,
    status,
    components,
    impact: null,
    window: windowOf(maintenance),
    headline: language.headlines[kind] ?? updated,
    facts: translateFacts(language, [
      ['status', language.maintenanceStatuses[status]],
      ['affected', joinNames(components, language)],
      ['from', formatTime(maintenance.scheduledFor)],
      ['until', formatTime(maintenance.scheduledUntil)],
      ['started', formatTime(maintenance.startedAt)],
      ['completed', formatTime(maintenance.completedAt)],
      ['cancelled', formatTime(maintenance.cancelledAt)],
      ['posted', formatUtc(occurredAt)],
    ]),
    colour:
      status === 'completed' || status === 'cancelled' ? OPERATIONAL_COLOUR : MAINTENANCE_COLOUR,
  }
}

const monitorContent = (
  event: SubjectEvent<'monitor'>,
  language: MessageLanguage,
): ContentFields => {
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
    isMarkdown: false,
    facts: translateFacts(language, [
      ['status', language.componentStatuses[status]],
      ['since', formatTime(monitor.since)],
    ]),
    colour: statusColours[status],
  }
}

const alertContent = (event: SubjectEvent<'alert'>, language: MessageLanguage): ContentFields => {
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
    isMarkdown: false,
    facts: translateFacts(language, [
      ['severity', language.severities[severity]],
      ['since', formatTime(alert.since)],
      ['schedule', alert.schedule.name],
      [
        'notified',
        joinNames(
          alert.assigned.map(({ name }) => name),
          language,
        ),
      ],
      ['acknowledged', formatTime(alert.acknowledgedAt)],
      ['resolved', formatTime(alert.resolvedAt)],
    ]),
    colour: status === 'triggered' ? impactColours[severities[severity]] : OPERATIONAL_COLOUR,
  }
}

/** Impact whose colour an alert of the severity uses. */
const severities = { critical: 'critical', warning: 'minor' } as const

const namesOf = ({ components }: IncidentEventData | MaintenanceEventData): string[] =>
  components.map(({ name }) => name)

/** Time window; the end has a date only when it differs, because a text message has little room. */
const windowOf = ({ scheduledFor, scheduledUntil }: MaintenanceEventData): string => {
  const [from, until] = [formatUtc(new Date(scheduledFor)), formatUtc(new Date(scheduledUntil))]
  const [day, time] = [from.slice(0, DAY_LENGTH), from.slice(0, -ZONE_LENGTH)]
  return until.startsWith(day)
    ? `${time}-${until.slice(DAY_LENGTH).trimStart()}`
    : `${time} - ${until}`
}
/** Lengths of the parts of a time such as `2026-01-02 03:04 UTC`. */
const DAY_LENGTH = '2026-01-02'.length
const ZONE_LENGTH = ' UTC'.length

const minutesOf = ({ startedAt, resolvedAt }: IncidentEventData): number =>
  Math.round((Date.parse(resolvedAt ?? startedAt) - Date.parse(startedAt)) / MINUTE_MS)
