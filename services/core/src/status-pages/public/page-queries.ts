/** Queries for a page after its access check: status, incidents, feed and badge. */
import {
  type Cooperative,
  type MetricRange,
  notFound,
  orNotFound,
  type PublicIncident,
  type PublicMaintenance,
  type PublicStatus,
  type publicOperations,
  type Query,
} from '@status-page/contracts'
import type { Scope } from '@status-page/postgres'
import { joinCooperatively, mapCooperatively, runCooperatively } from '@status-page/service'
import { lastCalendarDays } from '../../components/uptime/days.ts'
import { statusHistorySince } from '../../components/uptime/history.ts'
import { DAY_MS } from '../../components/uptime/uptime.ts'
import { postmortemsOf } from '../../incidents/postmortems/store.ts'
import * as incidentStore from '../../incidents/store.ts'
import type { IncidentRow } from '../../tables.ts'
import { MAX_SHOWN_BYTES } from '../../update-bounds.ts'
import type { PageView } from '../access/page-access.ts'
import { listVisibleMetrics } from '../metrics/store.ts'
import { pageLanguage } from '../page-language.ts'
import { feedUrl, pageUrl } from '../settings/links.ts'
import type { ShownComponent } from '../settings/shown-components.ts'
import { meanUptime, renderBadge, statusBadge, uptimeBadge } from './badge.ts'
import { type FeedEntry, renderFeed } from './feeds.ts'
import { loadFeedMaintenances, loadOpenMaintenances, maintenanceEntry } from './maintenances.ts'
import * as project from './projection.ts'

const MAX_ACTIVE_INCIDENTS = 100
const FEED_DAYS = 90
const MAX_FEED_ENTRIES = 50
const MAX_LABEL = 40

export const loadPageStatus = async (
  view: PageView,
  metricRange: MetricRange = 'day',
): Promise<PublicStatus> => {
  const { page } = view
  const shown = [...view.shown.values()]
  const histories = await historiesOf(view, shown)
  return {
    ...(await loadPageSummary(view)),
    components: await runCooperatively(
      mapCooperatively(shown, (shownComponent) =>
        project.toPublicComponent(page, shownComponent, histories),
      ),
    ),
    metrics: await metricsOf(view, metricRange),
  }
}

/** Metrics of shown components and of the whole page, without the ids of queries. */
const metricsOf = async ({ scope, shown }: PageView, range: MetricRange) =>
  (await listVisibleMetrics(scope, range))
    .filter(({ row: { componentId } }) => componentId === null || shown.has(componentId))
    .map(({ row, points }) => project.toPublicMetric(row, points))

/** Status of a page without its components and histories, which are the costly part. */
export const loadPageSummary = async (view: PageView) => {
  const { page, baseUrl } = view
  const shown = [...view.shown.values()]
  const { open, details } = await openIncidentsOf(view)
  const { maintenances, changedAt } = await loadOpenMaintenances(view)
  const changes = [...changedAt, ...open.map(({ updatedAt }) => updatedAt)]
  return {
    page: project.toPublicPage(page, lastChangedAt(view, changes), baseUrl),
    status: project.overallStatus(shown, details),
    activeIncidents: await projectIncidents(view, details),
    maintenances,
  }
}

const historiesOf = async (
  { scope, page }: PageView,
  shown: readonly ShownComponent[],
): Promise<project.PageHistories> => {
  const now = scope.now.getTime()
  const days = lastCalendarDays(page.uptimeDays, page.timezone, scope.now)
  const ids = page.showUptimePercentage
    ? shown.flatMap(({ subtree }) => subtree.map(({ id }) => id))
    : []
  const since = Math.min(days[0]?.from ?? 0, now - page.uptimeDays * DAY_MS)
  const of = await statusHistorySince(scope, [...new Set(ids)], new Date(since))
  return { of, days, now }
}

const openIncidentsOf = async ({ scope, page, shown }: PageView) => {
  const filter = { pageId: page.id, shown: [...shown.keys()] }
  const open = await incidentStore.listOpenIncidents(scope, filter, MAX_ACTIVE_INCIDENTS)
  return { open, details: await loadIncidentDetails(scope, open) }
}

const lastChangedAt = ({ page, shown }: PageView, changes: readonly Date[]): Date => {
  return latest([
    page.updatedAt,
    ...[...shown.values()].flatMap(({ subtree }) =>
      subtree.map((component) => component.statusChangedAt),
    ),
    ...changes,
  ])
}

const latest = (times: readonly Date[]): Date =>
  new Date(times.reduce((last, time) => Math.max(last, time.getTime()), 0))

/** Finds an incident of the page; its oldest updates are omitted beyond the byte limit. */
export const findPublicIncident = async (view: PageView, id: string): Promise<PublicIncident> => {
  const row = orNotFound(await incidentStore.findIncident(view.scope, id))
  const [details] = await loadIncidentDetails(view.scope, [row])
  const listed = details?.components ?? []
  const isShown = listed.some(
    ({ componentId, retainedPageIds }) =>
      view.shown.has(componentId) || retainedPageIds.includes(view.page.id),
  )
  if (details === undefined || (listed.length > 0 && !isShown)) throw notFound()
  return project.toPublicIncident(view.page, details, view.shown, view.baseUrl)
}

/** Reads the data of a badge; the caller renders it after the transaction. */
export const preparePageBadge = async (
  view: PageView,
  query: Query<typeof publicOperations.badge>,
): Promise<Cooperative<Buffer>> => {
  const { page, shown } = view
  const { componentId, metric } = query
  const selectedComponent = componentId === undefined ? undefined : shown.get(componentId)
  if (componentId !== undefined && selectedComponent === undefined) throw notFound()
  const selected = selectedComponent === undefined ? [...shown.values()] : [selectedComponent]
  const label = query.label ?? shortened(selectedComponent?.name ?? page.name)
  if (metric === 'status') {
    const { details } =
      selectedComponent === undefined ? await openIncidentsOf(view) : { details: [] }
    const status = project.worstShownStatus(selected, details)
    return joinCooperatively([renderBadge(statusBadge(status, label, languageOf(page)))])
  }
  const top = selected.filter(
    ({ parentId }) => parentId === null || selectedComponent !== undefined,
  )
  const histories = await historiesOf(view, top)
  return renderUptimeBadge(page, { top, histories, label })
}

interface UptimeBadgeData {
  top: readonly ShownComponent[]
  histories: project.PageHistories
  label: string
}

function* renderUptimeBadge(
  page: PageView['page'],
  { top, histories, label }: UptimeBadgeData,
): Cooperative<Buffer> {
  const percentages = yield* mapCooperatively(
    top,
    (each) => project.toPublicComponent(page, each, histories).uptimePercentage,
  )
  return Buffer.from(renderBadge(uptimeBadge(meanUptime(percentages), label, languageOf(page))))
}

const languageOf = ({ locale, timezone }: PageView['page']) => pageLanguage(locale, timezone)

const shortened = (name: string): string => {
  const characters = [...name]
  return characters.length <= MAX_LABEL ? name : `${characters.slice(0, MAX_LABEL - 1).join('')}…`
}

/** Reads the entries of a feed; the caller renders its text after the transaction. */
export const preparePageFeed = async (
  view: PageView,
  query: Query<typeof publicOperations.feed>,
): Promise<Cooperative<Buffer>> => {
  const { scope, page, shown } = view
  const { componentId } = query
  const selected = componentId === undefined ? null : shown.get(componentId)
  if (!page.allowFeeds || selected === undefined) throw notFound()
  const below = selected?.subtree.map(({ id }) => id).filter((id) => shown.has(id))
  const onlyShown = below ?? [...shown.keys()]
  const filter = selected === null ? { onlyShown, retainedOn: page.id } : { onlyShown }
  const since = new Date(scope.now.getTime() - FEED_DAYS * DAY_MS)
  const { rows } = await incidentStore.listIncidents(scope, {
    page: 1,
    pageSize: MAX_FEED_ENTRIES,
    sortBy: 'createdAt',
    from: since.toISOString(),
    ...filter,
  })
  const current = rows.filter((row) => orderedAt(row) >= since)
  const published = await loadPublicIncidents(view, current)
  const incidents = published.map((incident, index) => ({
    incident,
    createdAt: orderedAt(current[index] as IncidentRow).toISOString(),
  }))
  const limit = MAX_FEED_ENTRIES
  const maintenances = await loadFeedMaintenances(view, { since, limit, ...filter })
  return renderPageFeed(view, query, { selected, incidents, maintenances })
}

/** Incidents that were entered after the fact are ordered by their start. */
const orderedAt = ({ isBackfilled, startedAt, createdAt }: IncidentRow): Date =>
  isBackfilled ? startedAt : createdAt

interface FeedContents {
  selected: ShownComponent | null
  incidents: readonly FeedIncident[]
  maintenances: readonly PublicMaintenance[]
}

interface FeedIncident {
  incident: PublicIncident
  createdAt: string
}

function* renderPageFeed(
  { page, baseUrl }: Omit<PageView, 'scope'>,
  { format, componentId }: Query<typeof publicOperations.feed>,
  { selected, incidents, maintenances }: FeedContents,
): Cooperative<Buffer> {
  const entries = [
    ...(yield* mapCooperatively(incidents, (incident) => incidentEntry(incident, page))),
    ...(yield* mapCooperatively(maintenances, (maintenance) =>
      maintenanceEntry(maintenance, page),
    )),
  ]
    .toSorted((left, right) => (left.createdAt < right.createdAt ? 1 : -1))
    .slice(0, MAX_FEED_ENTRIES)
  const updatedAt = latest([page.updatedAt, ...entries.map((entry) => new Date(entry.updatedAt))])
  const feed = {
    id: componentId ?? page.id,
    title: selected === null ? page.name : languageOf(page).labelled(page.name, selected.name),
    description: selected === null ? page.description : selected.component.description,
    pageUrl: pageUrl(baseUrl, page.slug),
    feedUrl: feedUrl(baseUrl, page.slug, { format, componentId }),
    updatedAt: updatedAt.toISOString(),
    language: page.locale,
    entries,
  }
  return yield* renderFeed(format, feed)
}

const incidentEntry = (
  { incident, createdAt }: FeedIncident,
  page: PageView['page'],
): FeedEntry => {
  const { id, url, status, startedAt: publishedAt, updatedAt } = incident
  const { texts, timeText, labelled, facts } = languageOf(page)
  const title = labelled(texts.incidents[status], incident.title)
  const updates = incident.updates.map((update) => ({
    heading: facts(texts.incidents[update.status], timeText(update.createdAt)),
    message: update.message,
  }))
  return { id, title, url, updates, createdAt, publishedAt, updatedAt }
}

/** Incidents with the newest updates that fit together. */
export const loadPublicIncidents = async (
  view: PageView,
  rows: readonly IncidentRow[],
): Promise<PublicIncident[]> => projectIncidents(view, await loadIncidentDetails(view.scope, rows))

export const projectIncidents = (
  { page, shown, baseUrl }: PageView,
  incidents: readonly project.IncidentDetails[],
): Promise<PublicIncident[]> =>
  runCooperatively(
    mapCooperatively(incidents, (incident) =>
      project.toPublicIncident(page, incident, shown, baseUrl),
    ),
  )

export const loadIncidentDetails = async (
  scope: Scope,
  rows: readonly IncidentRow[],
): Promise<project.IncidentDetails[]> => {
  const ids = rows.map(({ id }) => id)
  const components = await incidentStore.componentsOf(scope, ids)
  const updates = await incidentStore.updatesOf(scope, ids, MAX_SHOWN_BYTES)
  const postmortems = await postmortemsOf(scope, ids, MAX_SHOWN_BYTES)
  return rows.map((incident) => ({
    incident,
    components: components.get(incident.id) ?? [],
    updates: updates.get(incident.id) ?? [],
    postmortem: postmortems.get(incident.id),
  }))
}
