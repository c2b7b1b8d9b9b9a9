/** Lists of maintenances in SQL for the API, status pages and calendars. */
import {
  activeMaintenanceStatuses,
  type maintenanceOperations,
  maintenanceStatuses,
  type Query,
} from '@status-page/contracts'
import {
  containsFilter,
  equalsFilter,
  positionIn,
  resourceTable,
  type Scope,
} from '@status-page/postgres'
import { and, arrayOverlaps, eq, gt, inArray, lt, lte, ne, not, type SQL, sql } from 'drizzle-orm'
import type { TimeSpan } from '../components/uptime/uptime.ts'
import { type MaintenanceRow, maintenanceComponents, maintenances } from '../tables.ts'

const table = resourceTable(maintenances)

type ListQuery = Query<typeof maintenanceOperations.list>

/**
 * `onlyShown` selects maintenances that list one of the components or none at all; `retainedOn` adds
 * those that the page showed when their components were deleted.
 */
export type MaintenanceFilter = Omit<Partial<ListQuery>, 'include'> &
  Pick<ListQuery, 'page' | 'pageSize' | 'sortBy'> & {
    onlyShown?: readonly string[]
    retainedOn?: string
  }

/** A page, with the components that it shows. */
export interface PageComponents {
  pageId: string
  shown: readonly string[]
}

export const listMaintenances = (scope: Scope, query: MaintenanceFilter) =>
  table.listBy(scope, query, sortKeys[query.sortBy], filters(scope, query))

/**
 * Active or upcoming maintenances, earliest first; those that missed their window are not upcoming.
 */
export const listOpenMaintenances = (
  scope: Scope,
  { pageId, shown }: PageComponents,
  { isActive, limit }: { isActive: boolean; limit: number },
): Promise<MaintenanceRow[]> =>
  table
    .select(
      scope,
      isActive ? active : and(scheduled, gt(maintenances.scheduledUntil, scope.now)),
      onlyShown(scope, shown, pageId),
    )
    .orderBy(maintenances.scheduledFor, maintenances.id)
    .limit(limit)

/**
 * Maintenances of a calendar, earliest first; cancelled ones are included until their scheduled
 * end.
 */
export const listCalendarMaintenances = (
  scope: Scope,
  { pageId, shown }: PageComponents,
  limit: number,
): Promise<MaintenanceRow[]> =>
  table
    .select(
      scope,
      ne(maintenances.status, 'completed'),
      gt(maintenances.scheduledUntil, scope.now),
      onlyShown(scope, shown, pageId),
    )
    .orderBy(maintenances.scheduledFor, maintenances.id)
    .limit(limit)

/**
 * Times within the span at which maintenances that list the components were active, by component.
 * Active maintenances last until the end of the span.
 */
export const activeMaintenanceSpans = async (
  scope: Scope,
  componentIds: readonly string[],
  { from, to }: TimeSpan,
): Promise<Map<string, TimeSpan[]>> => {
  // The span may exceed the range of a timestamp; maintenances end now at the latest.
  const [start, end] = [from, to].map((time) => new Date(Math.min(time, scope.now.getTime())))
  const endedAt = sql`coalesce(${maintenances.completedAt}, ${maintenances.cancelledAt})`
  const rows = await scope.tx
    .select({
      startedAt: maintenances.startedAt,
      completedAt: maintenances.completedAt,
      cancelledAt: maintenances.cancelledAt,
      componentIds: maintenances.componentIds,
    })
    .from(maintenances)
    .where(
      table.own(
        scope,
        listsComponents(componentIds),
        lte(maintenances.startedAt, end as Date),
        sql`(${endedAt} IS NULL OR ${endedAt} > ${(start as Date).toISOString()}::timestamptz)`,
      ),
    )
  const windows = new Map<string, TimeSpan[]>(componentIds.map((id) => [id, []]))
  for (const row of rows) {
    const endAt = row.completedAt ?? row.cancelledAt
    const span = { from: row.startedAt?.getTime() ?? to, to: endAt?.getTime() ?? to }
    for (const id of row.componentIds) windows.get(id)?.push(span)
  }
  return windows
}

const scheduled = eq(maintenances.status, 'scheduled')
const active = inArray(maintenances.status, [...activeMaintenanceStatuses])

const filters = (scope: Scope, query: MaintenanceFilter): (SQL | undefined)[] => {
  const { status, componentId, search, from, to } = query
  return [
    equalsFilter(maintenances.status, status),
    query.upcoming === undefined ? undefined : query.upcoming ? scheduled : not(scheduled),
    query.active === undefined ? undefined : query.active ? active : not(active),
    componentId === undefined ? undefined : listsComponents([componentId]),
    containsFilter(maintenances.title, search),
    from === undefined ? undefined : gt(maintenances.scheduledUntil, new Date(from)),
    to === undefined ? undefined : lt(maintenances.scheduledFor, new Date(to)),
    query.onlyShown === undefined ? undefined : onlyShown(scope, query.onlyShown, query.retainedOn),
  ]
}

const listsComponents = (componentIds: readonly string[]): SQL =>
  arrayOverlaps(maintenances.componentIds, [...componentIds])

const onlyShown = (scope: Scope, shown: readonly string[], pageId?: string): SQL => {
  const conditions = [eq(maintenances.componentIds, [])]
  if (shown.length > 0) conditions.unshift(listsComponents(shown))
  if (pageId !== undefined) conditions.push(isRetained(scope, pageId))
  return sql`(${sql.join(conditions, sql` OR `)})`
}

/** The condition on the empty array allows use of the partial index. */
const isRetained = ({ tx, organizationId }: Scope, pageId: string): SQL =>
  inArray(
    maintenances.id,
    tx
      .select({ id: maintenanceComponents.maintenanceId })
      .from(maintenanceComponents)
      .where(
        and(
          eq(maintenanceComponents.organizationId, organizationId),
          sql`${maintenanceComponents.retainedPageIds} <> '{}'`,
          sql`${pageId}::uuid = ANY (${maintenanceComponents.retainedPageIds})`,
        ),
      ),
  )

const sortKeys: Record<ListQuery['sortBy'], SQL> = {
  scheduledFor: sql`${maintenances.scheduledFor}`,
  createdAt: sql`${maintenances.createdAt}`,
  updatedAt: sql`${maintenances.updatedAt}`,
  status: positionIn(maintenanceStatuses, maintenances.status),
}
