/**
 * Uptime bars of a component, one per day, in one SVG. Days without incidents share one path. Each
 * status has a shape besides its colour: whole, split once, split twice, broad, half, a dot.
 */
import { componentStatuses, type PublicComponent } from '@status-page/contracts'
import { html, type Markup } from '@status-page/html'
import type { PageLanguage } from '../../page-language.ts'
import { statusClasses } from '../layout/icons.ts'

type Day = NonNullable<PublicComponent['uptimeDays']>[number]
type DayStatus = Day['status']

const WIDTH = 5
const HEIGHT = 20
const SECOND_MS = 1_000
/** Maximum number of days that the text alternative lists. */
const MAX_NAMED_DAYS = 7

/**
 * Path of each bar, from top to bottom with round ends; relative, and back at the top afterwards.
 */
const strokes: Record<DayStatus, string> = {
  operational: 'v16m0-16',
  degraded_performance: 'v10m0 4v2m0-16',
  partial_outage: 'v4m0 4v1m0 4v3m0-16',
  major_outage: 'v16m0-16',
  under_maintenance: 'm0 9v7m0-16',
  no_data: 'm0 16v0m0-16',
}

export const hasIncident = ({ status }: Day): boolean =>
  status !== 'operational' && status !== 'no_data'

/**
 * Anchor of a day on the uptime page. The parts of the day that concern single components have the
 * attribute `data-components`: positions of their bars among those of the page. For the bars of one
 * component, the script omits the parts that concern others.
 */
export const dayAnchor = (date: string): string => `d${date}`

export interface UptimeBars {
  componentId: string
  days: readonly Day[]
  uptimePercentage: number | null
  /** Time from which the days count; null when all of them do. */
  since: string | null
}

/** `linkOf` returns the link of a day with incidents. */
export const uptimeBars = (
  { componentId, days, uptimePercentage, since }: UptimeBars,
  language: PageLanguage,
  linkOf: (date: string) => string,
): Markup => {
  const { texts } = language
  const firstDay = since === null ? '' : language.dateOf(since)
  const isBefore = ({ date }: Day) => date < firstDay
  const shared = (status: DayStatus) =>
    pathOf(days, (day) => day.status === status && !isBefore(day), status)
  const daysWithIncidents = days.flatMap((day, index) =>
    hasIncident(day) ? [dayLink(day, index, { language, link: linkOf(day.date) })] : [],
  )
  const span = since === null ? null : language.since(since)
  const alternative = textAlternative(days, span ?? language.days(days.length), language)
  const uptime =
    uptimePercentage === null
      ? texts.components.no_data
      : texts.uptime.replace('{}', language.percent(uptimePercentage))
  return html`<div class="u"><svg class="bars" data-component="${componentId}" viewBox="0 0 ${days.length * WIDTH} ${HEIGHT}" preserveAspectRatio="none" role="group" aria-label="${alternative}">${daysBefore(days.filter(isBefore).length)}${shared('operational')}${shared('no_data')}${daysWithIncidents}</svg>
<p class="f">${uptime}${span !== null && html`<br>${span}`}</p></div>`
}

/** Days before the component existed, lighter than days without data. */
const daysBefore = (count: number): Markup | null =>
  count === 0
    ? null
    : html`<path class="pre" d="${lineOf([...Array(count).keys()], 'operational')}"/>`

const pathOf = (
  days: readonly Day[],
  belongs: (day: Day) => boolean,
  status: DayStatus,
): Markup | null => {
  const indexes = days.flatMap((day, index) => (belongs(day) ? [index] : []))
  return indexes.length === 0
    ? null
    : html`<path class="${statusClasses[status]}" d="${lineOf(indexes, status)}"/>`
}

/** Path with relative steps, so that equal runs of days compress well. */
const lineOf = (indexes: readonly number[], status: DayStatus): string =>
  indexes
    .map((index, position) => {
      const before = indexes[position - 1]
      const step =
        before === undefined ? `M${index * WIDTH + WIDTH / 2} 2` : `m${(index - before) * WIDTH} 0`
      return `${step}${strokes[status]}`
    })
    .join('')

const dayLink = (
  day: Day,
  index: number,
  { language, link }: { language: PageLanguage; link: string },
): Markup =>
  html`<a href="${link}"><title>${nameOf(day, language)}</title><path class="${statusClasses[day.status]}" d="${lineOf([index], day.status)}"/></a>`

/** Text alternative of a day: `3 Aug: Partial outage, 9 min down`. */
const nameOf = (day: Day, language: PageLanguage): string =>
  language.labelled(language.shortDay(day.date), dayState(day, language))

/** Worst status of a day with its downtime: `Partial outage, 9 min down`. */
export const dayState = ({ status, downtimeSeconds }: Day, language: PageLanguage): string => {
  const { texts } = language
  const down =
    downtimeSeconds > 0
      ? texts.downtime.replace('{}', language.duration(downtimeSeconds * SECOND_MS))
      : ''
  return language.facts(texts.components[status], down)
}

const textAlternative = (days: readonly Day[], span: string, language: PageLanguage): string => {
  const { texts } = language
  const daysWithIncidents = days.filter(hasIncident)
  const { sentence } = texts.joins
  if (daysWithIncidents.length === 0) return `${span}${sentence}${texts.noDowntime}`
  const named = daysWithIncidents.slice(-MAX_NAMED_DAYS).map((day) => nameOf(day, language))
  const more = daysWithIncidents.length > named.length ? ' …' : ''
  const all = texts.daysWithDowntime.replace('{}', String(daysWithIncidents.length))
  return [span, all, named.reverse().join('; ') + more].join(sentence)
}

/** Folded legend of the bars of so many days. */
export const statusLegend = (dayCount: number, language: PageLanguage): Markup => {
  const { texts } = language
  const entry = (status: DayStatus) =>
    html`<li><svg class="${statusClasses[status]}" viewBox="0 0 5 20" aria-hidden="true"><path d="${lineOf([0], status)}"/></svg>${texts.components[status]}</li>`
  return html`<details data-fold="legend"><summary>${language.labelled(texts.legend, language.days(dayCount))}</summary>
<ul class="leg">${[...componentStatuses, 'no_data' as const].map(entry)}</ul></details>`
}
