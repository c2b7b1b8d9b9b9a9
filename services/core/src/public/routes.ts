/** The operations that anybody may call; each goes through the gate of its page. */
import {
  type FeedFormat,
  listReply,
  notFound,
  type PublicIncident,
  type PublicStatus,
  publicOperations,
  type Query,
  success,
} from '@status-page/contracts'
import type { Scope } from '@status-page/postgres'
import { type Route, route } from '@status-page/service'
import { lastDays } from '../components/days.ts'
import { historyOf } from '../components/history.ts'
import { DAY_MS } from '../components/uptime.ts'
import * as incidentStore from '../incidents/store.ts'
import { postmortemsOf } from '../postmortems/store.ts'
import { feedUrl, pageUrl } from '../status-pages/links.ts'
import type { IncidentRow } from '../tables.ts'
import { checkTimeRange } from '../time-range.ts'
import { type AccessDoors, openPage } from './access.ts'
import { meanOf, renderBadge, statusBadge, uptimeBadge } from './badge.ts'
import { asJson, SLOW_MAX_AGE_SECONDS } from './caching.ts'
import { contentTypes, type FeedEntry, renderFeed } from './feeds.ts'
import { onPage, type View } from './gate.ts'
import {
  calendarOf,
  maintenanceEntries,
  openMaintenancesOf,
  publicMaintenances,
} from './maintenances.ts'
import * as project from './projection.ts'

const MAX_ACTIVE_INCIDENTS = 100
const FEED_DAYS = 90
const MAX_FEED_ENTRIES = 50
const MAX_LABEL = 40

export const publicRoutes = (doors: AccessDoors): Route[] =>
  route(publicOperations, {
    status: (call) => onPage(doors, call, async (view) => asJson(await statusOf(view))),

    incidents: async (call) => {
      const { query } = call
      checkTimeRange(query)
      return onPage(doors, call, async (view) => {
        const onlyShown = [...view.shown.keys()]
        const { rows, total } = await incidentStore.listIncidents(view.scope, {
          ...{ ...query, onlyShown },
        })
        return asJson(listReply(query, total, await incidentsOf(view, rows)))
      })
    },

    incident: (call) =>
      onPage(doors, call, async (view) => asJson(await incidentOf(view, call.params.id))),

    maintenances: (call) =>
      onPage(doors, call, async (view) => asJson(await publicMaintenances(view, call.query))),

    calendar: (call) =>
      onPage(doors, call, async (view) => ({
        body: await calendarOf(view),
        contentType: 'text/calendar; charset=utf-8',
        maxAgeSeconds: SLOW_MAX_AGE_SECONDS,
      })),

    feed: (call) =>
      onPage(doors, call, async (view) => {
        const { format } = call.query
        return {
          body: await feedOf(view, format),
          contentType: contentTypes[format],
          maxAgeSeconds: SLOW_MAX_AGE_SECONDS,
        }
      }),

    badge: (call) =>
      onPage(doors, call, async (view) => ({
        body: await badgeOf(view, call.query),
        contentType: 'image/svg+xml; charset=utf-8',
        maxAgeSeconds: SLOW_MAX_AGE_SECONDS,
      })),

    access: async (call) => {
      for (const cookie of await openPage(doors, call)) call.addCookie(cookie)
      return success
    },
  })

const statusOf = async (view: View): Promise<PublicStatus> => {
  const { page, baseUrl } = view
  const shown = [...view.shown.values()]
  const histories = await historiesOf(view, shown)
  const { open, whole } = await openIncidentsOf(view)
  const { maintenances, changedAt } = await openMaintenancesOf(view)
  const changes = [...changedAt, ...open.map(({ updatedAt }) => updatedAt)]
  return {
    page: project.projectPage(page, lastChange(view, changes), baseUrl),
    status: project.overallStatus(shown, whole),
    components: shown.map((one) => project.projectComponent(page, one, histories)),
    metrics: [],
    activeIncidents: whole.map((one) => project.projectIncident(page, one, view.shown, baseUrl)),
    maintenances,
  }
}

const historiesOf = async (
  { scope, page }: View,
  shown: readonly project.Shown[],
): Promise<project.Histories> => {
  const now = scope.now.getTime()
  const days = lastDays(page.uptimeDays, page.timezone, scope.now)
  const ids = page.showUptimePercentage
    ? shown.flatMap(({ subtree }) => subtree.map(({ id }) => id))
    : []
  const since = Math.min(days[0]?.from ?? 0, now - page.uptimeDays * DAY_MS)
  const of = await historyOf(scope, [...new Set(ids)], new Date(since))
  return { of, days, now }
}

const openIncidentsOf = async ({ scope, shown }: View) => {
  const open = await incidentStore.openIncidents(scope, [...shown.keys()], MAX_ACTIVE_INCIDENTS)
  return { open, whole: await wholeIncidents(scope, open) }
}

const lastChange = ({ page, shown }: View, changes: readonly Date[]): Date => {
  return latest([
    page.updatedAt,
    ...[...shown.values()].flatMap(({ subtree }) => subtree.map((one) => one.statusChangedAt)),
    ...changes,
  ])
}

const latest = (times: readonly Date[]): Date =>
  new Date(times.reduce((last, time) => Math.max(last, time.getTime()), 0))

const incidentOf = async (view: View, id: string): Promise<PublicIncident> => {
  const row = await incidentStore.findIncident(view.scope, id)
  if (row === undefined) throw notFound()
  const [whole] = await wholeIncidents(view.scope, [row])
  const listed = whole?.components ?? []
  const isShown = listed.some(({ componentId }) => view.shown.has(componentId))
  if (whole === undefined || (listed.length > 0 && !isShown)) throw notFound()
  return project.projectIncident(view.page, whole, view.shown, view.baseUrl)
}

const badgeOf = async (view: View, query: Query<typeof publicOperations.badge>) => {
  const { page, shown } = view
  const { componentId, metric } = query
  const one = componentId === undefined ? undefined : shown.get(componentId)
  if (componentId !== undefined && one === undefined) throw notFound()
  const about = one === undefined ? [...shown.values()] : [one]
  const label = query.label ?? shortened(one?.name ?? page.name)
  if (metric === 'status') {
    const { whole } = one === undefined ? await openIncidentsOf(view) : { whole: [] }
    return renderBadge(statusBadge(project.worstShown(about, whole), label))
  }
  const top = about.filter(({ parentId }) => parentId === null || one !== undefined)
  const histories = await historiesOf(view, top)
  const percentages = top.map(
    (each) => project.projectComponent(page, each, histories).uptimePercentage,
  )
  return renderBadge(uptimeBadge(meanOf(percentages), label))
}

const shortened = (name: string): string => {
  const characters = [...name]
  return characters.length <= MAX_LABEL ? name : `${characters.slice(0, MAX_LABEL - 1).join('')}…`
}

const feedOf = async (view: View, format: FeedFormat): Promise<string> => {
  const { scope, page, baseUrl } = view
  if (!page.allowFeeds) throw notFound()
  const since = new Date(scope.now.getTime() - FEED_DAYS * DAY_MS)
  const { rows } = await incidentStore.listIncidents(scope, {
    ...{ page: 1, pageSize: MAX_FEED_ENTRIES, sortBy: 'createdAt' },
    from: since.toISOString(),
    onlyShown: [...view.shown.keys()],
  })
  const incidents = (await incidentsOf(view, rows)).map(incidentEntry)
  const maintenances = await maintenanceEntries(view, since, MAX_FEED_ENTRIES)
  const entries = [...incidents, ...maintenances]
    .toSorted((left, right) => (left.createdAt < right.createdAt ? 1 : -1))
    .slice(0, MAX_FEED_ENTRIES)
  const updatedAt = latest([page.updatedAt, ...entries.map((one) => new Date(one.updatedAt))])
  return renderFeed(format, {
    id: page.id,
    title: page.name,
    description: page.description,
    pageUrl: pageUrl(baseUrl, page.slug),
    feedUrl: feedUrl(baseUrl, page.slug, format),
    updatedAt: updatedAt.toISOString(),
    language: page.locale,
    entries,
  })
}

const incidentEntry = (incident: PublicIncident): FeedEntry => {
  const { id, title, url, updates, createdAt, startedAt: publishedAt, updatedAt } = incident
  return { id, title, url, updates, createdAt, publishedAt, updatedAt }
}

const incidentsOf = async (view: View, rows: readonly IncidentRow[]): Promise<PublicIncident[]> =>
  (await wholeIncidents(view.scope, rows)).map((one) =>
    project.projectIncident(view.page, one, view.shown, view.baseUrl),
  )

const wholeIncidents = async (
  scope: Scope,
  rows: readonly IncidentRow[],
): Promise<project.WholeIncident[]> => {
  const ids = rows.map(({ id }) => id)
  const components = await incidentStore.componentsOf(scope, ids)
  const updates = await incidentStore.updatesOf(scope, ids)
  const postmortems = await postmortemsOf(scope, ids)
  return rows.map((incident) => ({
    incident,
    components: components.get(incident.id) ?? [],
    updates: updates.get(incident.id) ?? [],
    postmortem: postmortems.get(incident.id),
  }))
}
