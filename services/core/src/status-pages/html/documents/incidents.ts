/**
 * Incidents and maintenances as cards with their updates, newest first, and as entries of a past
 * day.
 */
import {
  type ComponentStatus,
  type PublicIncident,
  type PublicMaintenance,
  statusByImpact,
} from '@status-page/contracts'
import {
  fillPlaceholders,
  html,
  linkUrls,
  type Markup,
  messageMarkup,
  renderEach,
} from '@status-page/html'
import { messagePlainText } from '@status-page/markdown'
import type { PageLanguage } from '../../page-language.ts'
import type { PageFrame } from '../layout/frame.ts'
import { inlineIcon, statusClasses } from '../layout/icons.ts'
import type { PageUrls } from '../layout/urls.ts'

/** Links and language of the page that shows the incident. */
export interface IncidentEntryContext {
  urls: PageUrls
  language: PageLanguage
}

/** The same for an open incident, with the page's settings of subscriptions. */
export type OpenIncidentContext = Pick<PageFrame, 'page' | 'urls' | 'language'>

export const incidentPath = ({ id }: Pick<PublicIncident, 'id'>): string => `/incidents/${id}`
export const incidentSubscribePath = ({ id }: Pick<PublicIncident, 'id'>): string =>
  `/subscribe?incidentId=${id}`
export const maintenancePath = ({ id }: Pick<PublicMaintenance, 'id'>): string =>
  `/maintenances/${id}`

const MINUTE_MS = 60_000

const spanOf = (from: string, to: string): number =>
  Math.max(MINUTE_MS, Date.parse(to) - Date.parse(from))

const affects = (
  components: readonly { name: string }[],
  { texts, nameList }: PageLanguage,
): Markup | null =>
  components.length === 0
    ? null
    : html`<span>${fillPlaceholders(texts.affects, nameList(components.map(({ name }) => name)))}</span>`

/** Status icon of an incident: its impact while open, operational when resolved. */
const stateOf = ({ status, impact }: PublicIncident): ComponentStatus =>
  status === 'resolved' ? 'operational' : statusByImpact[impact]

interface Update {
  status: string
  message: string
  createdAt: string
}

const updateList = (
  updates: readonly Update[],
  labels: Readonly<Record<string, string>>,
  { language: { time, texts }, placement }: { language: PageLanguage; placement: CardContext },
): Markup => {
  if (updates.length === 0) return html`<p class="sm q">${texts.noUpdates}</p>`
  const heading = (text: string | undefined) =>
    placement === 'alone' ? html`<h3>${text}</h3>` : html`<h4>${text}</h4>`
  const item = ({ status, message, createdAt }: Update) =>
    html`<li>${heading(labels[status])}${message !== '' && messageMarkup(message)}<p class="sm">${time(createdAt)}</p></li>
`
  const list = (entries: readonly Update[]) =>
    html`<ol class="ups">${renderEach(entries, item)}</ol>`
  const [newest, ...earlier] = updates
  if (placement === 'alone' || newest === undefined || earlier.length === 0) return list(updates)
  return html`${list([newest])}<details data-fold="${newest.createdAt}"><summary>${texts.earlierUpdates.replace('{}', String(earlier.length))}</summary>${list(earlier)}</details>`
}

/** `alone`: on the incident's own page, which already has the title. */
type CardContext = 'among others' | 'alone'

const acceptsSubscribers = (page: PageFrame['page']): boolean =>
  page.allowEmailSubscribers || page.allowSmsSubscribers || page.allowWebhookSubscribers

export const openIncidentCard = (
  incident: PublicIncident,
  { page, urls, language }: OpenIncidentContext,
  placement: CardContext,
): Markup => {
  const { texts, time } = language
  const { status, impact, startedAt, resolvedAt, nextUpdateAt, components, updates, title } =
    incident
  const state = stateOf(incident)
  const head =
    placement === 'among others' &&
    html`<h3><a href="${urls.path(incidentPath(incident))}">${title}</a></h3>`
  return html`<article class="card inc ${statusClasses[state]}"${status !== 'resolved' && html` data-fresh`}>${head}
<p class="meta"><span class="st">${inlineIcon(statusByImpact[impact])}${texts.impacts[impact]}</span>${affects(components, language)}<span>${fillPlaceholders(texts.started, time(startedAt))}</span>
${resolvedAt !== null && html`<span>${texts.lasted.replace('{}', language.duration(spanOf(startedAt, resolvedAt)))}</span>`}
${resolvedAt === null && nextUpdateAt !== null && html`<span>${fillPlaceholders(texts.nextUpdate, time(nextUpdateAt))}</span>`}
${status !== 'resolved' && acceptsSubscribers(page) && html`<span><a href="${urls.path(incidentSubscribePath(incident))}">${texts.follow}</a></span>`}</p>
${updateList(updates, texts.incidents, { language, placement })}</article>
`
}

export const openMaintenanceCard = (
  maintenance: PublicMaintenance,
  { urls, language }: IncidentEntryContext,
  placement: CardContext,
): Markup => {
  const { texts, time } = language
  const { status, scheduledFor, scheduledUntil, components, updates, message, title } = maintenance
  const head =
    placement === 'among others' &&
    html`<h3><a href="${urls.path(maintenancePath(maintenance))}">${title}</a></h3>`
  const updatesMarkup =
    updates.length > 0 ? updateList(updates, texts.maintenances, { language, placement }) : null
  return html`<article class="card inc work">${head}
<p class="meta"><span class="st">${inlineIcon('under_maintenance')}${texts.maintenances[status]}</span><span>${fillPlaceholders(texts.window, time(scheduledFor), time(scheduledUntil))}</span>${affects(components, language)}</p>
${updatesMarkup === null && message !== '' ? messageMarkup(message) : updatesMarkup}</article>
`
}

/**
 * Summary of a past incident: its title and last message. `positions` of the bars that include it,
 * separated by spaces, select it for the days of these bars.
 */
export const pastIncidentEntry = (
  incident: PublicIncident,
  context: IncidentEntryContext,
  positions: string | null = null,
): Markup => {
  const { urls, language } = context
  const { texts } = language
  const { startedAt, resolvedAt, title, status, impact, message, components } = incident
  const lasted =
    resolvedAt !== null &&
    html`<span>${texts.lasted.replace('{}', language.duration(spanOf(startedAt, resolvedAt)))}</span>`
  return html`<article class="past"${positions !== null && html` data-components="${positions}"`}><h4>${inlineIcon(statusByImpact[impact])} <a href="${urls.path(incidentPath(incident))}"><bdi>${title}</bdi></a></h4>
${message !== '' && html`<p><strong>${texts.incidents[status]}</strong>${texts.joins.colon}<bdi>${linkUrls(messagePlainText(message))}</bdi></p>`}
<p class="meta">${language.time(startedAt)}${lasted}${affects(components, language)}</p></article>
`
}

export const pastMaintenanceEntry = (
  maintenance: PublicMaintenance,
  context: IncidentEntryContext,
): Markup => {
  const { urls, language } = context
  const { texts } = language
  const { title, status, scheduledFor, scheduledUntil, components } = maintenance
  return html`<article class="past"><h4>${inlineIcon('under_maintenance')} <a href="${urls.path(maintenancePath(maintenance))}"><bdi>${title}</bdi></a></h4>
<p class="meta"><span>${texts.maintenances[status]}</span><span>${fillPlaceholders(texts.window, language.time(scheduledFor), language.time(scheduledUntil))}</span>${affects(components, language)}</p></article>
`
}
