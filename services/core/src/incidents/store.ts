/** Incidents, their components and their updates in SQL. An incident is locked before its components. */
import {
  impacts,
  type incidentOperations,
  incidentStatuses,
  limitAndOffset,
  type Query,
  sortOrderOf,
} from '@status-page/contracts'
import {
  equalsFilter,
  isAnyOf,
  type PipelinedScope,
  positionIn,
  preparedQuery,
  resourceTable,
  type Scope,
  type SystemScope,
  tenantTable,
} from '@status-page/postgres'
import {
  and,
  desc,
  eq,
  exists,
  gte,
  inArray,
  isNull,
  lt,
  lte,
  ne,
  or,
  type SQL,
  sql,
} from 'drizzle-orm'
import { countRows, listRows } from '../pagination.ts'
import {
  type IncidentComponentRow,
  type IncidentRow,
  type IncidentUpdateRow,
  incidentComponents,
  incidents,
  incidentUpdates,
} from '../tables.ts'
import { incidentUpdateTexts, newestWithinBytes } from '../update-bounds.ts'
import type { IncidentDecision, IncidentState } from './rules.ts'

const table = resourceTable(incidents)
const updateTable = resourceTable(incidentUpdates)

export const { save: saveUpdate, remove: removeUpdate } = updateTable

export const {
  own: inOrganization,
  find: findIncident,
  save: saveIncident,
  remove: removeIncident,
} = table

/** Reads and locks an incident with everything its rules need, until the transaction commits. */
export const lockIncident = async (
  scope: Scope,
  id: string,
): Promise<IncidentState | undefined> => {
  const incident = await table.lock(scope, id)
  if (incident === undefined) return undefined
  const components = (await componentsOf(scope, [id])).get(id) ?? []
  const updateCount = await scope.tx.$count(incidentUpdates, updatesOfIncidents(scope, [id]))
  return { incident, components, updateCount }
}

/** Components of each incident, in stored order. */
export const componentsOf = async (
  scope: Scope,
  ids: readonly string[],
): Promise<Map<string, IncidentComponentRow[]>> => {
  const listed = new Map<string, IncidentComponentRow[]>(ids.map((id) => [id, []]))
  if (ids.length === 0) return listed
  const { organizationId } = scope
  const rows = await selectComponents(scope, { organizationId, ids: [...ids] })
  for (const row of rows) listed.get(row.incidentId)?.push(row)
  return listed
}

const selectComponents = preparedQuery((tx) =>
  tx
    .select()
    .from(incidentComponents)
    .where(
      and(
        eq(incidentComponents.organizationId, sql.placeholder('organizationId')),
        sql`${incidentComponents.incidentId} = ANY(${sql.placeholder('ids')}::uuid[])`,
      ),
    )
    .orderBy(incidentComponents.position),
)

/** Newest first; with `maxBytes` the newest of each incident that fit together. */
export const updatesOf = async (
  scope: Scope,
  ids: readonly string[],
  maxBytes?: number,
): Promise<Map<string, IncidentUpdateRow[]>> => {
  const updates = new Map<string, IncidentUpdateRow[]>(ids.map((id) => [id, []]))
  if (ids.length === 0) return updates
  const rows = await updateTable
    .select(
      scope,
      isAnyOf(incidentUpdates.incidentId, ids),
      newestWithinBytes(scope, incidentUpdateTexts, ids, maxBytes),
    )
    .orderBy(desc(incidentUpdates.incidentVersion))
  for (const row of rows) updates.get(row.incidentId)?.push(row)
  return updates
}

export const findUpdate = async (
  scope: Scope,
  incidentId: string,
  id: string,
): Promise<IncidentUpdateRow | undefined> => {
  const isOfIncident = eq(incidentUpdates.incidentId, incidentId)
  return (await updateTable.select(scope, isOfIncident, eq(incidentUpdates.id, id)))[0]
}

/** Message of the newest update that has one. */
export const newestMessage = async (scope: Scope, incidentId: string): Promise<string> => {
  const [row] = await scope.tx
    .select({ message: incidentUpdates.message })
    .from(incidentUpdates)
    .where(and(updatesOfIncidents(scope, [incidentId]), ne(incidentUpdates.message, '')))
    .orderBy(desc(incidentUpdates.incidentVersion))
    .limit(1)
  return row?.message ?? ''
}

type ListQuery = Query<typeof incidentOperations.list>

/**
 * `onlyShown` selects incidents that list one of the components or none at all; `retainedOn` adds
 * those that the page showed when their components were deleted.
 */
export type IncidentFilter = Omit<Partial<ListQuery>, 'include'> &
  Pick<ListQuery, 'page' | 'pageSize' | 'sortBy'> & {
    onlyShown?: readonly string[]
    retainedOn?: string
    startedFrom?: Date
    startedTo?: Date
    /** Selects incidents that were not resolved before this time. */
    openAfter?: Date
  }

export const listIncidents = async (scope: PipelinedScope, query: IncidentFilter) => {
  const conditions = filters(scope, query).filter((condition) => condition !== undefined)
  const where = inOrganization(scope, ...conditions)
  const direction = sortOrderOf(query)
  const order = [sortKeys[query.sortBy], sql`${incidents.id}`].map((by) => ({ by, direction }))
  const isOfResolved =
    conditions.length === 1 && (query.resolved === true || query.status === 'resolved')
  const listed = {
    from: incidents,
    where,
    order,
    isScanned: query.search !== undefined,
    ...(isOfResolved ? { count: () => countResolved(scope) } : {}),
    select: () => table.select(scope, ...conditions),
    findByIds: (ids: readonly string[]) => findIncidents(scope, ids),
  }
  return listRows(scope, listed, limitAndOffset(query))
}

/**
 * Most incidents are resolved. The two smallest indexes count 50,000 of them in 2.5 ms of processor
 * time; the index of the statuses takes 9 ms.
 */
const countResolved = async (scope: PipelinedScope): Promise<number> => {
  const counted = [undefined, ne(incidents.status, 'resolved')].map((condition) =>
    countRows(scope, { from: incidents, where: inOrganization(scope, condition) }),
  )
  const [all = 0, open = 0] = await Promise.all(counted)
  return all - open
}

const findIncidents = async (
  scope: PipelinedScope,
  ids: readonly string[],
): Promise<Map<string, IncidentRow>> => {
  if (ids.length === 0) return new Map()
  const { organizationId } = scope
  const rows = await selectByIds(scope, { organizationId, ids: [...ids] })
  return new Map(rows.map((row) => [row.id, row]))
}

const selectByIds = preparedQuery((tx) =>
  tx
    .select()
    .from(incidents)
    .where(
      and(
        eq(incidents.organizationId, sql.placeholder('organizationId')),
        sql`${incidents.id} = ANY(${sql.placeholder('ids')}::uuid[])`,
      ),
    ),
)

/** Open incidents of a page that shows the components, newest first, at most `limit`. */
export const listOpenIncidents = (
  scope: Scope,
  { pageId, shown }: { pageId: string; shown: readonly string[] },
  limit: number,
): Promise<IncidentRow[]> =>
  table
    .select(scope, ne(incidents.status, 'resolved'), onlyShown(scope, shown, pageId))
    .orderBy(desc(incidents.createdAt), desc(incidents.id))
    .limit(limit)

const filters = (scope: PipelinedScope, query: IncidentFilter): (SQL | undefined)[] => {
  const { status, impact, resolved, componentId, search, from, to } = query
  return [
    equalsFilter(incidents.status, status),
    equalsFilter(incidents.impact, impact),
    resolved === undefined
      ? undefined
      : resolved
        ? eq(incidents.status, 'resolved')
        : ne(incidents.status, 'resolved'),
    componentId === undefined ? undefined : listsAnyComponent(scope, [componentId]),
    search === undefined ? undefined : sql`strpos(${incidents}.title_folded, lower(${search})) > 0`,
    from === undefined ? undefined : gte(incidents.createdAt, new Date(from)),
    to === undefined ? undefined : lt(incidents.createdAt, new Date(to)),
    query.startedFrom === undefined ? undefined : gte(incidents.startedAt, query.startedFrom),
    query.startedTo === undefined ? undefined : lt(incidents.startedAt, query.startedTo),
    query.openAfter === undefined
      ? undefined
      : or(isNull(incidents.resolvedAt), gte(incidents.resolvedAt, query.openAfter)),
    query.onlyShown === undefined ? undefined : onlyShown(scope, query.onlyShown, query.retainedOn),
  ]
}

export const listsAnyComponent = (
  { tx, organizationId }: PipelinedScope,
  componentIds: readonly string[] | null,
): SQL =>
  exists(
    tx
      .select({ one: sql`1` })
      .from(incidentComponents)
      .where(
        and(
          eq(incidentComponents.organizationId, organizationId),
          eq(incidentComponents.incidentId, incidents.id),
          componentIds === null
            ? undefined
            : inArray(incidentComponents.componentId, [...componentIds]),
        ),
      ),
  )

const onlyShown = (scope: PipelinedScope, shown: readonly string[], pageId?: string): SQL => {
  const conditions = [sql`NOT ${listsAnyComponent(scope, null)}`]
  if (shown.length > 0) conditions.unshift(listsAnyComponent(scope, shown))
  if (pageId !== undefined) conditions.push(isRetained(scope, pageId))
  return sql`(${sql.join(conditions, sql` OR `)})`
}

/** The condition on the empty array allows use of the partial index. */
const isRetained = ({ tx, organizationId }: PipelinedScope, pageId: string): SQL =>
  exists(
    tx
      .select({ one: sql`1` })
      .from(incidentComponents)
      .where(
        and(
          eq(incidentComponents.organizationId, organizationId),
          eq(incidentComponents.incidentId, incidents.id),
          sql`${incidentComponents.retainedPageIds} <> '{}'`,
          sql`${pageId}::uuid = ANY (${incidentComponents.retainedPageIds})`,
        ),
      ),
  )

const sortKeys: Record<ListQuery['sortBy'], SQL> = {
  createdAt: sql`${incidents.createdAt}`,
  updatedAt: sql`${incidents.updatedAt}`,
  startedAt: sql`${incidents.startedAt}`,
  resolvedAt: sql`${incidents.resolvedAt}`,
  impact: positionIn(impacts, incidents.impact),
  status: positionIn(incidentStatuses, incidents.status),
  title: sql`${incidents.title}`,
}

/** Saves the incident, its components and its update; claims are saved with the components. */
export const saveDecision = async (scope: Scope, decision: IncidentDecision): Promise<void> => {
  const { incident, components, update } = decision
  const { tx } = scope
  await tx
    .insert(incidents)
    .values(incident)
    .onConflictDoUpdate({ target: incidents.id, set: incident })
  await tenantTable(incidentComponents).removeAll(
    scope,
    eq(incidentComponents.incidentId, incident.id),
  )
  if (components.length > 0) await tx.insert(incidentComponents).values(components)
  if (update !== null) await tx.insert(incidentUpdates).values(update)
}

/** Overdue next updates of all organizations that no event was published for, oldest first. */
export const listOverdueIncidents = (
  { tx, now }: SystemScope,
  limit: number,
): Promise<Pick<IncidentRow, 'organizationId' | 'id'>[]> =>
  tx
    .select({ organizationId: incidents.organizationId, id: incidents.id })
    .from(incidents)
    .where(and(lte(incidents.nextUpdateAt, now), eq(incidents.overdueNotified, false)))
    .orderBy(incidents.nextUpdateAt)
    .limit(limit)

export const updatesOfIncidents = (scope: Scope, ids: readonly string[]) =>
  updateTable.own(scope, isAnyOf(incidentUpdates.incidentId, ids))
