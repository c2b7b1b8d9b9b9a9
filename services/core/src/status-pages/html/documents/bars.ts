/**
 * Uptime bars of a component, one per day, in one SVG. Days without incidents share one path. Each
 * status has a shape besides its colour: whole, split once, split twice, broad, half, a dot.
 */
import { componentStatuses, type PublicComponent } from '@status-page/contracts'
import { html, type Markup } from '@status-page/html'
import type { PageLanguage } from '../../locales/language.ts'
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

const hasIncident = ({ status }: Day): boolean => status !== 'operational' && status !== 'no_data'

export const uptimeBars = (component: PublicComponent, language: PageLanguage): Markup | null => {
  const { uptimeDays: days, uptimePercentage, uptimeSince } = component
  if (days === null) return null
  const { texts } = language
  const firstDay = uptimeSince === null ? '' : language.dateOf(uptimeSince)
  const isBefore = ({ date }: Day) => date < firstDay
  const shared = (status: DayStatus) =>
    pathOf(days, (day) => day.status === status && !isBefore(day), status)
  const daysWithIncidents = days.flatMap((day, index) =>
    hasIncident(day) ? [dayPath(day, index, language)] : [],
  )
  const since = uptimeSince === null ? null : language.since(uptimeSince)
  const alternative = textAlternative(days, since ?? language.days(days.length), language)
  const share =
    uptimePercentage === null ? texts.components.no_data : language.percent(uptimePercentage)
  return html`<div class="u"><svg class="bars" viewBox="0 0 ${days.length * WIDTH} ${HEIGHT}" preserveAspectRatio="none" role="img" aria-label="${alternative}">${daysBefore(days.filter(isBefore).length)}${shared('operational')}${shared('no_data')}${daysWithIncidents}</svg>
<p class="f">${texts.uptime.replace('{}', share)}${since !== null && html`<br>${since}`}</p></div>`
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

const dayPath = (day: Day, index: number, language: PageLanguage): Markup =>
  html`<path class="${statusClasses[day.status]}" d="${lineOf([index], day.status)}"><title>${nameOf(day, language)}</title></path>`

/** Text alternative of a day: `3 Aug: Partial outage, 9 min down`. */
const nameOf = ({ date, status, downtimeSeconds }: Day, language: PageLanguage): string => {
  const { texts } = language
  const down =
    downtimeSeconds > 0
      ? texts.downtime.replace('{}', language.duration(downtimeSeconds * SECOND_MS))
      : ''
  return `${language.shortDay(date)}: ${[texts.components[status], down].filter(Boolean).join(', ')}`
}

const textAlternative = (days: readonly Day[], span: string, language: PageLanguage): string => {
  const { texts } = language
  const daysWithIncidents = days.filter(hasIncident)
  if (daysWithIncidents.length === 0) return `${span}. ${texts.noDowntime}`
  const named = daysWithIncidents.slice(-MAX_NAMED_DAYS).map((day) => nameOf(day, language))
  const more = daysWithIncidents.length > named.length ? ' …' : ''
  const all = texts.daysWithDowntime.replace('{}', String(daysWithIncidents.length))
  return `${span}. ${all}. ${named.reverse().join('; ')}${more}`
}

/** Legend of the bars, folded; null when no component has bars. */
export const statusLegend = (
  components: readonly PublicComponent[],
  language: PageLanguage,
): Markup | null => {
  const days = components.find(({ uptimeDays }) => uptimeDays !== null)?.uptimeDays
  if (!days) return null
  const { texts } = language
  const entry = (status: DayStatus) =>
    html`<li><svg class="${statusClasses[status]}" viewBox="0 0 5 20" aria-hidden="true"><path d="${lineOf([0], status)}"/></svg>${texts.components[status]}</li>`
  return html`<details data-fold="legend"><summary>${texts.legend}: ${language.days(days.length)}</summary>
<ul class="leg">${[...componentStatuses, 'no_data' as const].map(entry)}</ul></details>`
}
