/** Queries for the documents of a page, after its access check. */
import {
  type MetricRange,
  notFound,
  orNotFound,
  type PublicIncident,
  type PublicMaintenance,
  type PublicStatus,
} from '@status-page/contracts'
import { DateTime } from 'luxon'
import { DAY_MS } from '../../../components/uptime/uptime.ts'
import { listIncidents } from '../../../incidents/store.ts'
import { listMaintenances } from '../../../maintenances/lists.ts'
import { componentsOf, findMaintenance } from '../../../maintenances/store.ts'
import type { PageView } from '../../access/page-access.ts'
import { toPublicMaintenances } from '../../public/maintenances.ts'
import { loadPageStatus, loadPublicIncidents } from '../../public/page-queries.ts'

/** Maximum number of entries of a month, and of recent incidents. */
export const MAX_LISTED = 100

export interface StatusPageData {
  status: PublicStatus
  recent: PublicIncident[]
  now: Date
  metricRange: MetricRange
}

export const loadStatusPageData = async (
  view: PageView,
  metricRange: MetricRange = 'day',
): Promise<StatusPageData> => {
  const { scope, page, shown } = view
  const { rows } = await listIncidents(scope, {
    page: 1,
    pageSize: MAX_LISTED,
    sortBy: 'startedAt',
    resolved: true,
    startedFrom: new Date(scope.now.getTime() - page.incidentHistoryDays * DAY_MS),
    onlyShown: [...shown.keys()],
    retainedOn: page.id,
  })
  return {
    status: await loadPageStatus(view, metricRange),
    recent: await loadPublicIncidents(view, rows),
    now: scope.now,
    metricRange,
  }
}

export interface HistoryMonth {
  /** Month as `2026-08`. */
  month: string
  /** Null when there is no earlier month with content. */
  earlier: string | null
  later: string | null
  incidents: PublicIncident[]
  maintenances: PublicMaintenance[]
}

/** Format of a month in a query. */
export const MONTH = 'yyyy-MM'

/** Incidents and maintenances of a month in the page's time zone. */
export const loadHistoryMonth = async (
  view: PageView,
  given: string | undefined,
): Promise<HistoryMonth> => {
  const { scope, page, shown } = view
  const zone = { zone: page.timezone }
  const present = DateTime.fromJSDate(scope.now, zone).startOf('month')
  const start = given === undefined ? present : DateTime.fromFormat(given, MONTH, zone)
  if (start > present) throw notFound()
  const end = start.plus({ months: 1 })
  const onlyShown = [...shown.keys()]
  const listed = { page: 1, pageSize: MAX_LISTED, onlyShown, retainedOn: page.id }
  const incidents = await listIncidents(scope, {
    ...listed,
    sortBy: 'startedAt',
    startedFrom: start.toJSDate(),
    startedTo: end.toJSDate(),
  })
  const maintenances = await listMaintenances(scope, {
    ...listed,
    sortBy: 'scheduledFor',
    status: 'completed',
    from: start.toUTC().toISO() ?? '',
    to: end.toUTC().toISO() ?? '',
  })
  return {
    month: start.toFormat(MONTH),
    earlier: start > (await firstMonthOf(view)) ? start.minus({ months: 1 }).toFormat(MONTH) : null,
    later: start < present ? start.plus({ months: 1 }).toFormat(MONTH) : null,
    incidents: await loadPublicIncidents(view, incidents.rows),
    maintenances: await toPublicMaintenances(view, maintenances.rows),
  }
}

/** Month in which the page or its oldest component was created, or its oldest incident started. */
export const firstMonthOf = async ({ scope, page, shown }: PageView): Promise<DateTime> => {
  const oldest = await listIncidents(scope, {
    page: 1,
    pageSize: 1,
    sortBy: 'startedAt',
    sortOrder: 'asc',
    onlyShown: [...shown.keys()],
    retainedOn: page.id,
  })
  const times = [
    page.createdAt,
    ...[...shown.values()].map((shownComponent) => shownComponent.component.createdAt),
    ...oldest.rows.map(({ startedAt }) => startedAt),
  ]
  const first = Math.min(...times.map((time) => time.getTime()))
  return DateTime.fromMillis(first, { zone: page.timezone }).startOf('month')
}

/**
 * Finds a maintenance of the page; one that lists components must list one that the page shows, or
 * showed when it was deleted.
 */
export const findPublicMaintenance = async (
  view: PageView,
  id: string,
): Promise<PublicMaintenance> => {
  const row = orNotFound(await findMaintenance(view.scope, id))
  const listed = (await componentsOf(view.scope, [id])).get(id) ?? []
  const isShown = listed.some(
    ({ componentId, retainedPageIds }) =>
      view.shown.has(componentId) || retainedPageIds.includes(view.page.id),
  )
  if (listed.length > 0 && !isShown) throw notFound()
  const [maintenance] = await toPublicMaintenances(view, [row])
  if (maintenance === undefined) throw notFound()
  return maintenance
}
