/** An event as every kind of message tells it: what it is about, in a headline, facts and a text. */
import type { ComponentStatus, Impact, IncidentFact, MaintenanceFact } from '@status-page/contracts'
import type { FactName, Language } from './language.ts'
import { utc } from './mail.ts'
import type { Told, ToldOf } from './webhook-body.ts'

export interface News {
  noun: 'incident' | 'maintenance' | 'monitor' | 'alert'
  /** Of the event. */
  kind: string
  occurredAt: Date
  id: string
  headline: string
  title: string
  /** Both in one line, as the language joins them. */
  summary: string
  message: string
  facts: readonly (readonly [name: string, value: string])[]
  /** Six hexadecimal digits after `#`; of a bar beside the headline. */
  colour: string
  url: string | null
  /** From when to when a maintenance is scheduled, in UTC; null for everything else. */
  window: string | null
  /** As the API spells it. */
  status: string
  impact: Impact | null
  components: readonly string[]
}

const impactColours: Record<Impact, string> = {
  minor: '#8a6100',
  major: '#b34700',
  critical: '#b3261e',
}
const statusColours: Record<ComponentStatus, string> = {
  operational: '#1b6e3c',
  degraded_performance: '#8a6100',
  partial_outage: '#b34700',
  major_outage: '#b3261e',
  under_maintenance: '#1f5fa8',
}
const GOOD_COLOUR = statusColours.operational
const PLANNED_COLOUR = statusColours.under_maintenance

const MINUTE_MS = 60_000

export const newsOf = (told: Told, language: Language): News => {
  const news = wordsOf(told, language)
  return { ...news, summary: language.titled(news.headline, news.title) }
}

type Words = Omit<News, 'summary'>

const wordsOf = (told: Told, language: Language): Words => {
  if ('incident' in told) return incidentNews(told, language)
  if ('maintenance' in told) return maintenanceNews(told, language)
  return 'monitor' in told ? monitorNews(told, language) : alertNews(told, language)
}

const incidentNews = (told: ToldOf<'incident'>, language: Language): Words => {
  const { kind, occurredAt, incident } = told
  const { id, title, message, status, impact, url } = incident
  const components = namesOf(incident)
  return {
    ...{ noun: 'incident', kind, occurredAt, id, title, message, url, status, impact, components },
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

const maintenanceNews = (told: ToldOf<'maintenance'>, language: Language): Words => {
  const { kind, occurredAt, maintenance } = told
  const { id, title, message, status, url, news } = maintenance
  const components = namesOf(maintenance)
  const updated = news === null ? language.maintenanceUpdated : language.maintenanceNews[news]
  return {
    ...{ noun: 'maintenance', kind, occurredAt, id, title, message, url, status, components },
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

const monitorNews = (told: ToldOf<'monitor'>, language: Language): Words => {
  const { kind, occurredAt, monitor } = told
  const { componentId: id, name: title, derivedStatus: status } = monitor
  return {
    ...{ noun: 'monitor', kind, occurredAt, id, title, status, url: null, impact: null },
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

const alertNews = (told: ToldOf<'alert'>, language: Language): Words => {
  const { kind, occurredAt, alert } = told
  const { id, title, status, severity, url } = alert
  return {
    ...{ noun: 'alert', kind, occurredAt, id, title, status, url, impact: null, components: [] },
    window: null,
    headline: language.headlines[kind] ?? language.severities[severity],
    message: alert.reason ?? '',
    facts: factsOf(language, [
      ['severity', language.severities[severity]],
      ['since', timeOf(alert.since)],
      ['schedule', alert.schedule.name],
      [
        'told',
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

/** As urgent as an incident of that impact. */
const severities = { critical: 'critical', warning: 'minor' } as const

const factsOf = (language: Language, facts: readonly [FactName, string | null][]) =>
  facts.flatMap(([name, value]): [string, string][] =>
    value === null ? [] : [[language.facts[name], value]],
  )

const namesOf = ({ components }: IncidentFact | MaintenanceFact): string[] =>
  components.map(({ name }) => name)

/** Of a message; the others are counted. */
const MAX_LISTED = 100

const listed = (names: readonly string[], language: Language): string | null => {
  const more = names.length - MAX_LISTED
  const shown = names.slice(0, MAX_LISTED)
  return names.length === 0
    ? null
    : [...shown, ...(more > 0 ? [language.andMore(more)] : [])].join(', ')
}

const timeOf = (at: string | null): string | null => (at === null ? null : utc(new Date(at)))

/** The day of the end only where it is another one: a text message has little room. */
const windowOf = ({ scheduledFor, scheduledUntil }: MaintenanceFact): string => {
  const [from, until] = [utc(new Date(scheduledFor)), utc(new Date(scheduledUntil))]
  const [day, time] = [from.slice(0, DAY_LENGTH), from.slice(0, -ZONE_LENGTH)]
  return until.startsWith(day)
    ? `${time}-${until.slice(DAY_LENGTH).trimStart()}`
    : `${time} - ${until}`
}
/** Of `2026-01-02 03:04 UTC`. */
const DAY_LENGTH = '2026-01-02'.length
const ZONE_LENGTH = ' UTC'.length

const minutesOf = ({ startedAt, resolvedAt }: IncidentFact): number =>
  Math.round((Date.parse(resolvedAt ?? startedAt) - Date.parse(startedAt)) / MINUTE_MS)
