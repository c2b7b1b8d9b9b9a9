/** The operations that anybody may call, of published pages only; everything else is one 404. */
import {
  type FeedFormat,
  listReply,
  notFound,
  type PublicIncident,
  type PublicStatus,
  publicOperations,
} from '@status-page/contracts'
import { type Database, read, type Scope } from '@status-page/postgres'
import { type Call, type RawReply, type Route, route } from '@status-page/service'
import { lastDays } from '../components/days.ts'
import { allComponents, historyOf } from '../components/store.ts'
import { DAY_MS } from '../components/uptime.ts'
import * as incidentStore from '../incidents/store.ts'
import { feedUrl, pageUrl } from '../status-pages/links.ts'
import { findBySlug, findPages } from '../status-pages/store.ts'
import type { IncidentRow, StatusPageRow } from '../tables.ts'
import { checkTimeRange } from '../time-range.ts'
import { FEED_MAX_AGE_SECONDS, MAX_AGE_SECONDS, publicReply } from './caching.ts'
import { contentTypes, renderFeed } from './feeds.ts'
import * as project from './projection.ts'

const MAX_ACTIVE_INCIDENTS = 100
const FEED_DAYS = 90
const MAX_FEED_ENTRIES = 50

interface PublicDoors {
  database: Database
  baseUrl: string
}

export const publicRoutes = (doors: PublicDoors): Route[] =>
  route(publicOperations, {
    status: async ({ params, headers }) =>
      asJson(await onPage(doors, params.slug, (view) => statusOf(view)), headers),

    incidents: async ({ params, query, headers }) => {
      checkTimeRange(query)
      const list = await onPage(doors, params.slug, async (view) => {
        const onlyShown = [...view.shown.keys()]
        const { rows, total } = await incidentStore.listIncidents(view.scope, {
          ...{ ...query, onlyShown },
        })
        return listReply(query, total, await incidentsOf(view, rows))
      })
      return asJson(list, headers)
    },

    incident: async ({ params, headers }) => {
      const incident = await onPage(doors, params.slug, (view) => incidentOf(view, params.id))
      return asJson(incident, headers)
    },

    feed: async ({ params, query, headers }) => {
      const { format } = query
      const body = await onPage(doors, params.slug, (view) => feedOf(view, format))
      return publicReply(
        { body, contentType: contentTypes[format], maxAgeSeconds: FEED_MAX_AGE_SECONDS },
        headers['if-none-match'],
      )
    },
  })

const asJson = (reply: unknown, headers: Call['headers']): RawReply =>
  publicReply(
    {
      body: JSON.stringify(reply),
      contentType: 'application/json; charset=utf-8',
      maxAgeSeconds: MAX_AGE_SECONDS,
    },
    headers['if-none-match'],
  )

/** A published page in its organization's scope, with what it shows. */
interface View {
  scope: Scope
  page: StatusPageRow
  shown: ReadonlyMap<string, project.Shown>
  baseUrl: string
}

const onPage = async <T>(
  { database, baseUrl }: PublicDoors,
  slug: string,
  work: (view: View) => Promise<T>,
): Promise<T> => {
  const found = await findBySlug(database, slug)
  if (found === undefined) throw notFound()
  return read(database, found.organizationId, async (scope) => {
    const [page] = await findPages(scope, [found.id])
    if (page === undefined || !page.isPublished || page.slug !== slug) throw notFound()
    const list = project.shownComponents(page, await allComponents(scope))
    const shown = new Map(list.map((one) => [one.component.id, one]))
    return work({ scope, page, shown, baseUrl })
  })
}

const statusOf = async (view: View): Promise<PublicStatus> => {
  const { scope, page, baseUrl } = view
  const shown = [...view.shown.values()]
  const days = lastDays(page.uptimeDays, page.timezone, scope.now)
  const ids = page.showUptimePercentage
    ? shown.flatMap(({ subtree }) => subtree.map(({ id }) => id))
    : []
  const since = Math.min(days[0]?.from ?? 0, scope.now.getTime() - page.uptimeDays * DAY_MS)
  const of = await historyOf(scope, [...new Set(ids)], new Date(since))
  const histories = { of, days, now: scope.now.getTime() }
  const open = await incidentStore.openIncidents(
    scope,
    [...view.shown.keys()],
    MAX_ACTIVE_INCIDENTS,
  )
  const whole = await wholeIncidents(scope, open)
  return {
    page: project.projectPage(page, lastChange(view, open), baseUrl),
    status: project.overallStatus(shown, whole),
    components: shown.map((one) => project.projectComponent(page, one, histories)),
    metrics: [],
    activeIncidents: whole.map((one) => project.projectIncident(page, one, view.shown, baseUrl)),
    maintenances: { active: [], upcoming: [] },
  }
}

const lastChange = ({ page, shown }: View, open: readonly IncidentRow[]): Date => {
  return latest([
    page.updatedAt,
    ...[...shown.values()].flatMap(({ subtree }) => subtree.map((one) => one.statusChangedAt)),
    ...open.map(({ updatedAt }) => updatedAt),
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

const feedOf = async (view: View, format: FeedFormat): Promise<string> => {
  const { scope, page, baseUrl } = view
  if (!page.allowFeeds) throw notFound()
  const { rows } = await incidentStore.listIncidents(scope, {
    ...{ page: 1, pageSize: MAX_FEED_ENTRIES, sortBy: 'createdAt' },
    from: new Date(scope.now.getTime() - FEED_DAYS * DAY_MS).toISOString(),
    onlyShown: [...view.shown.keys()],
  })
  const updatedAt = latest([page.updatedAt, ...rows.map((row) => row.updatedAt)])
  return renderFeed(format, {
    id: page.id,
    title: page.name,
    description: page.description,
    pageUrl: pageUrl(baseUrl, page.slug),
    feedUrl: feedUrl(baseUrl, page.slug, format),
    updatedAt: updatedAt.toISOString(),
    language: page.locale,
    incidents: await incidentsOf(view, rows),
  })
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
  return rows.map((incident) => ({
    incident,
    components: components.get(incident.id) ?? [],
    updates: updates.get(incident.id) ?? [],
  }))
}
