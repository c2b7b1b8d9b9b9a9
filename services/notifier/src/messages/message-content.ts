/**
 * Content of a message about one event, shared by all message formats: headline, facts and text.
 */
import type { IncidentEventData, MaintenanceEventData } from '@status-page/contracts'
import {
  type ContentFields,
  formatTime,
  impactStatuses,
  joinNames,
  type MessageContent,
  translateFacts,
} from './content-fields.ts'
import type { ReaderLanguage } from './language.ts'
import { namedEventContent } from './named-event-content.ts'
import { translateAlert } from './translate-alert.ts'
import type { SubjectEvent, WebhookEvent } from './webhook-body.ts'

export type { MessageContent } from './content-fields.ts'

const MINUTE_MS = 60_000

export const toMessageContent = (event: WebhookEvent, language: ReaderLanguage): MessageContent => {
  const news = contentFieldsOf(event, language)
  return { ...news, summary: language.titled(news.headline, news.title) }
}

const contentFieldsOf = (event: WebhookEvent, language: ReaderLanguage): ContentFields => {
  if ('incident' in event) return incidentContent(event, language)
  if ('maintenance' in event) return maintenanceContent(event, language)
  if ('monitor' in event) return monitorContent(event, language)
  return 'alert' in event ? alertContent(event, language) : namedEventContent(event, language)
}

const incidentContent = (
  event: SubjectEvent<'incident'>,
  language: ReaderLanguage,
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
      ['started', formatTime(incident.startedAt, language)],
      ['resolved', formatTime(incident.resolvedAt, language)],
      ['lasted', incident.resolvedAt && language.lasted(minutesOf(incident))],
      ['posted', language.time(occurredAt)],
    ]),
    colourStatus: status === 'resolved' ? 'operational' : impactStatuses[impact],
  }
}

const maintenanceContent = (
  event: SubjectEvent<'maintenance'>,
  language: ReaderLanguage,
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
    window: language.period(
      new Date(maintenance.scheduledFor),
      new Date(maintenance.scheduledUntil),
    ),
    headline: language.headlines[kind] ?? updated,
    facts: translateFacts(language, [
      ['status', language.maintenanceStatuses[status]],
      ['affected', joinNames(components, language)],
      ['from', formatTime(maintenance.scheduledFor, language)],
      ['until', formatTime(maintenance.scheduledUntil, language)],
      ['started', formatTime(maintenance.startedAt, language)],
      ['completed', formatTime(maintenance.completedAt, language)],
      ['cancelled', formatTime(maintenance.cancelledAt, language)],
      ['posted', language.time(occurredAt)],
    ]),
    colourStatus:
      status === 'completed' || status === 'cancelled' ? 'operational' : 'under_maintenance',
  }
}

const monitorContent = (
  event: SubjectEvent<'monitor'>,
  language: ReaderLanguage,
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
      ['since', formatTime(monitor.since, language)],
    ]),
    colourStatus: status,
  }
}

const alertContent = (event: SubjectEvent<'alert'>, language: ReaderLanguage): ContentFields => {
  const { kind, occurredAt } = event
  const alert = translateAlert(event.alert, language)
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
      ['since', formatTime(alert.since, language)],
      ['schedule', alert.schedule.name],
      [
        'notified',
        joinNames(
          alert.assigned.map(({ name }) => name),
          language,
        ),
      ],
      ['acknowledged', formatTime(alert.acknowledgedAt, language)],
      ['resolved', formatTime(alert.resolvedAt, language)],
    ]),
    colourStatus: status === 'triggered' ? impactStatuses[severities[severity]] : 'operational',
  }
}

/** Impact whose colour an alert of the severity uses. */
const severities = { critical: 'critical', warning: 'minor' } as const

const namesOf = ({ components }: IncidentEventData | MaintenanceEventData): string[] =>
  components.map(({ name }) => name)

const minutesOf = ({ startedAt, resolvedAt }: IncidentEventData): number =>
  Math.round((Date.parse(resolvedAt ?? startedAt) - Date.parse(startedAt)) / MINUTE_MS)
