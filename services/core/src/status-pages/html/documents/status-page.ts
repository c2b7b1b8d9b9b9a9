/** Status page: current status, active incidents, scheduled maintenances, recent incidents. */
import { impacts, type PublicIncident, type PublicStatus } from '@status-page/contracts'
import { html, linkUrls, type Markup, type MarkupValue, renderEach } from '@status-page/html'
import { statusBanner } from '../layout/banner.ts'
import type { PageFrame } from '../layout/frame.ts'
import type { HtmlDocument } from '../layout/layout.ts'
import { stateIcon } from '../layout/state-icon.ts'
import { componentList } from './components.ts'
import {
  type IncidentEntryContext,
  openIncidentCard,
  openMaintenanceCard,
  pastIncidentEntry,
} from './incidents.ts'
import { metricList } from './metrics.ts'
import type { StatusPageData } from './queries.ts'

/** Polling intervals; shorter during incidents, when readers wait for updates. */
const LIVE_SECONDS = { withoutIncident: 60, duringIncident: 20 }

export const statusPageDocument = (frame: PageFrame, current: StatusPageData): HtmlDocument => {
  const { page, language } = frame
  const { status } = current
  const { indicator } = status.status
  const overall = language.texts.overall[indicator]
  const context = { urls: frame.urls, language }
  const { active, upcoming } = status.maintenances
  const soon = upcoming.filter(({ scheduledFor }) => isSoon(scheduledFor, current.now))
  const later = upcoming.filter((maintenance) => !soon.includes(maintenance))
  const planned = (id: string, maintenances: typeof upcoming) =>
    section(id, language.texts.planned, maintenances, (maintenance) =>
      openMaintenanceCard(maintenance, context, 'among others'),
    )
  const content = html`${page.description && html`<p class="intro">${linkUrls(page.description)}</p>`}
${statusBanner(status, language)}
${section('ongoing', language.texts.ongoing, worstFirst(status.activeIncidents), (incident) =>
  openIncidentCard(incident, frame, 'among others'),
)}
${section('under-way', language.texts.ongoingMaintenance, active, (maintenance) =>
  openMaintenanceCard(maintenance, context, 'among others'),
)}
${planned('soon', soon)}
${componentList(status.components, frame)}
${metricList(current, frame)}
${planned('planned', later)}
${recentIncidents(frame, current)}`
  return {
    title: `${overall} – ${page.name}`,
    description: descriptionOf(frame, status),
    part: '',
    icon: stateIcon(page, indicator),
    previewImage: { alt: language.labelled(page.name, overall), state: indicator },
    liveSeconds: indicator === 'none' ? LIVE_SECONDS.withoutIncident : LIVE_SECONDS.duringIncident,
    isIndexed: true,
    content,
  }
}

/** Maintenances that start within this time are listed above the components. */
const SOON_MS = 24 * 3_600_000

const isSoon = (scheduledFor: string, now: Date): boolean =>
  Date.parse(scheduledFor) - now.getTime() < SOON_MS

/** Incidents by impact, worst first; newest first within the same impact. */
const worstFirst = (incidents: readonly PublicIncident[]): PublicIncident[] =>
  incidents.toSorted((left, right) => impacts.indexOf(right.impact) - impacts.indexOf(left.impact))

const MAX_NAMED = 5

const descriptionOf = ({ page, language }: PageFrame, status: PublicStatus): string => {
  const overall = language.texts.overall[status.status.indicator]
  const titles = worstFirst(status.activeIncidents)
    .slice(0, MAX_NAMED)
    .map(({ title }) => title)
  return titles.length > 0
    ? language.labelled(overall, titles.join('; '))
    : [overall, page.description ?? page.name].join(language.texts.joins.sentence)
}

const section = <Entry>(
  id: string,
  title: string,
  entries: readonly Entry[],
  draw: (entry: Entry) => MarkupValue,
): Markup | null =>
  entries.length === 0
    ? null
    : html`<section aria-labelledby="${id}"><h2 id="${id}">${title}</h2>${renderEach(entries, draw)}</section>`

const recentIncidents = (
  { page, urls, language }: PageFrame,
  { status, recent }: StatusPageData,
): Markup => {
  const { texts } = language
  const context = { urls, language }
  const days = language.days(page.incidentHistoryDays)
  const none =
    status.activeIncidents.length > 0 ? texts.noOtherRecentIncidents : texts.noRecentIncidents
  const list =
    recent.length === 0
      ? html`<p class="card calm">${none.replace('{}', days)}</p>`
      : renderEach(byDay(recent, context), ([date, incidents]) => dayOf(date, incidents, context))
  return html`<section aria-labelledby="recent"><h2 id="recent">${texts.recent}</h2>${list}
<p class="more"><a href="${urls.path('/history')}">${texts.history}</a></p></section>`
}

/** Groups incidents by day, newest first. */
const byDay = (incidents: readonly PublicIncident[], { language }: IncidentEntryContext) => [
  ...Map.groupBy(
    incidents.toSorted((left, right) => (left.startedAt < right.startedAt ? 1 : -1)),
    ({ startedAt }) => language.dateOf(startedAt),
  ),
]

const dayOf = (
  date: string,
  incidents: readonly PublicIncident[],
  context: IncidentEntryContext,
): Markup =>
  html`<section class="day"><h3>${context.language.day(date)}</h3>${renderEach(incidents, (incident) => pastIncidentEntry(incident, context))}</section>
`
