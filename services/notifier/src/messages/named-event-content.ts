/**
 * Content of messages about service levels, certificates and drafts, for members of the
 * organization only.
 */
import type { ComponentStatus } from '@status-page/contracts'
import {
  type ContentFields,
  formatTime,
  impactStatuses,
  joinNames,
  translateFacts,
} from './content-fields.ts'
import type { MessageLanguage, ReaderLanguage } from './language.ts'
import type { SubjectEvent } from './webhook-body.ts'

type NamedEvent =
  | SubjectEvent<'sla'>
  | SubjectEvent<'target'>
  | SubjectEvent<'certificate'>
  | SubjectEvent<'draft'>

const MINUTE_SECONDS = 60
/** Remaining days below which a certificate is urgent. */
const URGENT_DAYS = 7

export const namedEventContent = (event: NamedEvent, language: ReaderLanguage): ContentFields => {
  if ('sla' in event) return slaContent(event, language)
  if ('target' in event) return targetContent(event, language)
  return 'draft' in event ? draftContent(event, language) : certificateContent(event, language)
}

/** Fields common to these events, which no page shows. */
const commonFieldsOf = ({ kind, occurredAt }: NamedEvent, { headlines }: MessageLanguage) => ({
  kind,
  occurredAt,
  headline: headlines[kind] ?? kind,
  isMarkdown: false,
  url: null,
  window: null,
})

const slaStatuses: Readonly<Record<string, ComponentStatus>> = {
  at_risk: impactStatuses.minor,
  breached: impactStatuses.critical,
}

const slaContent = (event: SubjectEvent<'sla'>, language: ReaderLanguage): ContentFields => {
  const { id, name, targetPercentage, current } = event.sla
  const { percentage, budgetRemainingSeconds, status } = current
  return {
    ...commonFieldsOf(event, language),
    noun: 'monitor',
    id,
    title: name,
    message: '',
    status,
    impact: null,
    components: [],
    facts: translateFacts(language, [
      ['availability', percentage === null ? null : `${percentage} %`],
      ['target', `${targetPercentage} %`],
      ['budgetLeft', minutesLeft(budgetRemainingSeconds, language)],
    ]),
    colourStatus: slaStatuses[status] ?? 'operational',
  }
}

const minutesLeft = (seconds: number | null, { lasted }: MessageLanguage): string | null =>
  seconds === null ? null : lasted(Math.floor(Math.max(0, seconds) / MINUTE_SECONDS))

const targetContent = (event: SubjectEvent<'target'>, language: ReaderLanguage): ContentFields => {
  const { sla, incident, targetMinutes, dueAt } = event.target
  return {
    ...commonFieldsOf(event, language),
    noun: 'incident',
    id: incident.id,
    title: incident.title,
    message: sla.name,
    status: 'breached',
    impact: incident.impact,
    components: [],
    facts: translateFacts(language, [
      ['impact', language.impacts[incident.impact]],
      ['started', formatTime(incident.startedAt, language)],
      ['target', language.lasted(targetMinutes)],
      ['due', formatTime(dueAt, language)],
    ]),
    colourStatus: impactStatuses[incident.impact],
  }
}

const certificateContent = (
  event: SubjectEvent<'certificate'>,
  language: ReaderLanguage,
): ContentFields => {
  const { componentId, name, expiresAt, daysLeft } = event.certificate
  return {
    ...commonFieldsOf(event, language),
    noun: 'monitor',
    id: componentId,
    title: name,
    message: '',
    status: 'expiring',
    impact: null,
    components: [name],
    facts: translateFacts(language, [
      ['affected', name],
      ['expires', language.time(new Date(expiresAt))],
      ['daysLeft', String(daysLeft)],
    ]),
    colourStatus: daysLeft < URGENT_DAYS ? impactStatuses.critical : impactStatuses.minor,
  }
}

const draftContent = (event: SubjectEvent<'draft'>, language: ReaderLanguage): ContentFields => {
  const { id, title, message, impact, components, startedAt, publishAt } = event.draft
  const names = components.map(({ name }) => name)
  return {
    ...commonFieldsOf(event, language),
    noun: 'incident',
    id,
    title,
    message,
    isMarkdown: true,
    status: 'waiting',
    impact,
    components: names,
    facts: translateFacts(language, [
      ['impact', language.impacts[impact]],
      ['affected', joinNames(names, language)],
      ['started', formatTime(startedAt, language)],
      ['publishes', formatTime(publishAt, language)],
    ]),
    colourStatus: impactStatuses[impact],
  }
}
