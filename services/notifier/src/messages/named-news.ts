/** News about service levels, certificates and drafts: for members of the organization alone. */

import type { MessageLanguage } from './language.ts'
import { utc } from './mail.ts'
import { factsOf, GOOD_COLOUR, impactColours, listed, timeOf, type Words } from './news-parts.ts'
import type { ToldOf } from './webhook-body.ts'

type Told = ToldOf<'sla'> | ToldOf<'target'> | ToldOf<'certificate'> | ToldOf<'draft'>

const MINUTE_SECONDS = 60
/** A certificate that lasts less is urgent. */
const URGENT_DAYS = 7

export const namedNews = (told: Told, language: MessageLanguage): Words => {
  if ('sla' in told) return slaNews(told, language)
  if ('target' in told) return targetNews(told, language)
  return 'draft' in told ? draftNews(told, language) : certificateNews(told, language)
}

/** What all of them have in common: no page shows them. */
const wordsOf = ({ kind, occurredAt }: Told, { headlines }: MessageLanguage) => ({
  kind,
  occurredAt,
  headline: headlines[kind] ?? kind,
  url: null,
  window: null,
})

const slaColours: Readonly<Record<string, string>> = {
  at_risk: impactColours.minor,
  breached: impactColours.critical,
}

const slaNews = (told: ToldOf<'sla'>, language: MessageLanguage): Words => {
  const { id, name, targetPercentage, current } = told.sla
  const { percentage, budgetRemainingSeconds, status } = current
  return {
    ...wordsOf(told, language),
    noun: 'monitor',
    id,
    title: name,
    message: '',
    status,
    impact: null,
    components: [],
    facts: factsOf(language, [
      ['availability', percentage === null ? null : `${percentage} %`],
      ['target', `${targetPercentage} %`],
      ['budgetLeft', minutesLeft(budgetRemainingSeconds, language)],
    ]),
    colour: slaColours[status] ?? GOOD_COLOUR,
  }
}

const minutesLeft = (seconds: number | null, { lasted }: MessageLanguage): string | null =>
  seconds === null ? null : lasted(Math.floor(Math.max(0, seconds) / MINUTE_SECONDS))

const targetNews = (told: ToldOf<'target'>, language: MessageLanguage): Words => {
  const { sla, incident, targetMinutes, dueAt } = told.target
  return {
    ...wordsOf(told, language),
    noun: 'incident',
    id: incident.id,
    title: incident.title,
    message: sla.name,
    status: 'breached',
    impact: incident.impact,
    components: [],
    facts: factsOf(language, [
      ['impact', language.impacts[incident.impact]],
      ['started', timeOf(incident.startedAt)],
      ['target', language.lasted(targetMinutes)],
      ['due', timeOf(dueAt)],
    ]),
    colour: impactColours[incident.impact],
  }
}

const certificateNews = (told: ToldOf<'certificate'>, language: MessageLanguage): Words => {
  const { componentId, name, expiresAt, daysLeft } = told.certificate
  return {
    ...wordsOf(told, language),
    noun: 'monitor',
    id: componentId,
    title: name,
    message: '',
    status: 'expiring',
    impact: null,
    components: [name],
    facts: factsOf(language, [
      ['affected', name],
      ['expires', utc(new Date(expiresAt))],
      ['daysLeft', String(daysLeft)],
    ]),
    colour: daysLeft < URGENT_DAYS ? impactColours.critical : impactColours.minor,
  }
}

const draftNews = (told: ToldOf<'draft'>, language: MessageLanguage): Words => {
  const { id, title, message, impact, components, startedAt, publishAt } = told.draft
  const names = components.map(({ name }) => name)
  return {
    ...wordsOf(told, language),
    noun: 'incident',
    id,
    title,
    message,
    status: 'waiting',
    impact,
    components: names,
    facts: factsOf(language, [
      ['impact', language.impacts[impact]],
      ['affected', listed(names, language)],
      ['started', timeOf(startedAt)],
      ['publishes', timeOf(publishAt)],
    ]),
    colour: impactColours[impact],
  }
}
