/** Maintenances of a published page: lists, status, feed and calendar. */
import {
  type Cooperative,
  listReply,
  type PublicMaintenance,
  type PublicStatus,
  type publicOperations,
  type Query,
} from '@status-page/contracts'
import { mapCooperatively, runCooperatively } from '@status-page/service'
import {
  listCalendarMaintenances,
  listMaintenances,
  listOpenMaintenances,
  type MaintenanceFilter,
  type PageComponents,
} from '../../maintenances/lists.ts'
import * as store from '../../maintenances/store.ts'
import type { MaintenanceComponentRow, MaintenanceRow, MaintenanceUpdateRow } from '../../tables.ts'
import { MAX_SHOWN_BYTES } from '../../update-bounds.ts'
import type { PageView } from '../access/page-access.ts'
import { pageLanguage } from '../page-language.ts'
import { maintenanceUrl, pageUrl } from '../settings/links.ts'
import { shownStatus } from '../settings/shown-components.ts'
import { renderCalendar } from './calendar.ts'
import type { FeedEntry } from './feeds.ts'

const MAX_OPEN = 100
const MAX_CALENDAR_EVENTS = 500

export const listPublicMaintenances = async (
  view: PageView,
  query: Query<typeof publicOperations.maintenances>,
) => {
  const onlyShown = [...view.shown.keys()]
  const { rows, total } = await listMaintenances(view.scope, {
    ...query,
    onlyShown,
    retainedOn: view.page.id,
  })
  return listReply(query, total, await toPublicMaintenances(view, rows))
}

/** Active and upcoming maintenances, with the times of their last changes. */
export const loadOpenMaintenances = async (
  view: PageView,
): Promise<{ maintenances: PublicStatus['maintenances']; changedAt: Date[] }> => {
  const shown = shownOnPage(view)
  const open = (isActive: boolean) =>
    listOpenMaintenances(view.scope, shown, { isActive, limit: MAX_OPEN })
  const [active, upcoming] = [await open(true), await open(false)]
  return {
    maintenances: {
      active: await toPublicMaintenances(view, active),
      upcoming: await toPublicMaintenances(view, upcoming),
    },
    changedAt: [...active, ...upcoming].map(({ updatedAt }) => updatedAt),
  }
}

const shownOnPage = ({ page, shown }: PageView): PageComponents => ({
  pageId: page.id,
  shown: [...shown.keys()],
})

type ShownFilter = Pick<MaintenanceFilter, 'onlyShown' | 'retainedOn'>

/** Maintenances that had not ended by `since`, newest first. */
export const loadFeedMaintenances = async (
  view: PageView,
  { since, limit, ...filter }: { since: Date; limit: number } & ShownFilter,
): Promise<PublicMaintenance[]> => {
  const { rows } = await listMaintenances(view.scope, {
    page: 1,
    pageSize: limit,
    sortBy: 'createdAt',
    from: since.toISOString(),
    ...filter,
  })
  return toPublicMaintenances(view, rows)
}

export const maintenanceEntry = (
  maintenance: PublicMaintenance,
  { locale, timezone }: PageView['page'],
): FeedEntry => {
  const { id, url, status, createdAt, updatedAt } = maintenance
  const { texts, timeText, labelled, facts } = pageLanguage(locale, timezone)
  const planned = { status: 'scheduled' as const, message: maintenance.message, createdAt }
  const posted =
    maintenance.updates.length > 0 || maintenance.message === '' ? maintenance.updates : [planned]
  const updates = posted.map((update) => ({
    heading: facts(texts.maintenances[update.status], timeText(update.createdAt)),
    message: update.message,
  }))
  const title = labelled(texts.maintenances[status], maintenance.title)
  return { id, title, url, updates, createdAt, publishedAt: createdAt, updatedAt }
}

/** Reads the maintenances of a calendar; the caller renders its text after the transaction. */
export const preparePageCalendar = async (view: PageView): Promise<Cooperative<Buffer>> => {
  const { page, baseUrl } = view
  const rows = await listCalendarMaintenances(view.scope, shownOnPage(view), MAX_CALENDAR_EVENTS)
  return renderCalendar({
    name: page.name,
    url: pageUrl(baseUrl, page.slug),
    maintenances: rows.map((maintenance) => ({
      maintenance,
      url: maintenanceUrl(baseUrl, page.slug, maintenance.id),
    })),
  })
}

/** Maintenances with the newest updates that fit together. */
export const toPublicMaintenances = async (
  view: PageView,
  rows: readonly MaintenanceRow[],
): Promise<PublicMaintenance[]> => {
  const ids = rows.map(({ id }) => id)
  const components = await store.componentsOf(view.scope, ids)
  const updates = await store.updatesOf(view.scope, ids, MAX_SHOWN_BYTES)
  return runCooperatively(
    mapCooperatively(rows, (maintenance) =>
      projectMaintenance(view, {
        maintenance,
        components: components.get(maintenance.id) ?? [],
        updates: updates.get(maintenance.id) ?? [],
      }),
    ),
  )
}

/** Lists each public field explicitly; components that the page does not show are omitted. */
const projectMaintenance = (
  { page, shown, baseUrl }: Pick<PageView, 'page' | 'shown' | 'baseUrl'>,
  details: {
    maintenance: MaintenanceRow
    components: readonly MaintenanceComponentRow[]
    /** Newest first. */
    updates: readonly MaintenanceUpdateRow[]
  },
): PublicMaintenance => {
  const { maintenance: row, components, updates } = details
  return {
    id: row.id,
    title: row.title,
    message: row.message,
    status: row.status,
    scheduledFor: row.scheduledFor.toISOString(),
    scheduledUntil: row.scheduledUntil.toISOString(),
    startedAt: row.startedAt?.toISOString() ?? null,
    completedAt: row.completedAt?.toISOString() ?? null,
    components: components.flatMap(({ componentId: id }) => {
      const shownComponent = shown.get(id)
      return shownComponent === undefined
        ? []
        : [{ id, name: shownComponent.name, status: shownStatus(shownComponent) }]
    }),
    // Updates without a message are omitted, because they only repeat the status.
    updates: updates
      .filter(({ message }) => message !== '')
      .map(({ id, status, message, displayAt }) => ({
        id,
        status,
        message,
        createdAt: displayAt.toISOString(),
      })),
    url: maintenanceUrl(baseUrl, page.slug, row.id),
    createdAt: row.createdAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
  }
}
