/** Components and their status history in SQL. Rows are always locked in order of their ids. */

import type { componentOperations } from '@status-page/contracts'
import {
  componentStatuses,
  limitAndOffset,
  MAX_COMPONENT_DEPTH,
  orNotFound,
  privateLocationLock,
  type Query,
  sortOrderOf,
} from '@status-page/contracts'
import {
  containsFilter,
  equalsFilter,
  type PipelinedScope,
  positionIn,
  preparedQuery,
  resourceTable,
  type Scope,
} from '@status-page/postgres'
import { and, eq, inArray, isNull, type SQL, sql } from 'drizzle-orm'
import { listRows, type SortKey } from '../pagination.ts'
import { type ComponentRow, componentStatusIntervals, components } from '../tables.ts'
import type { StatusChange } from './rules.ts'

const table = resourceTable(components)

/**
 * Advisory lock on moves, creations and renamings in an organization: two concurrent moves could
 * close a cycle that neither sees, and a batch needs all names.
 */
export const lockComponentTree = async ({ tx, organizationId }: Scope): Promise<void> => {
  await tx.execute(
    sql`SELECT pg_advisory_xact_lock(hashtextextended(${`core:tree:${organizationId}`}, 0))`,
  )
}

/** Shared advisory lock, for whose release the deletion of a private location waits. */
export const shareLockOnPrivateLocations = async ({ tx, organizationId }: Scope): Promise<void> => {
  const key = privateLocationLock(organizationId)
  await tx.execute(sql`SELECT pg_advisory_xact_lock_shared(hashtextextended(${key}, 0))`)
}

export const insertComponent = async ({ tx }: Scope, row: ComponentRow): Promise<void> => {
  await tx.insert(components).values(row)
  await tx.insert(componentStatusIntervals).values({
    organizationId: row.organizationId,
    componentId: row.id,
    startedAt: row.createdAt,
    status: row.status,
    source: row.statusSource,
  })
}

export const findComponents = async (
  scope: PipelinedScope,
  ids: readonly string[],
): Promise<Map<string, ComponentRow>> => {
  if (ids.length === 0) return new Map()
  const { organizationId } = scope
  return byId(await selectByIds(scope, { organizationId, ids: [...ids] }))
}

/** Throws 404 for an unknown id. */
export const findComponent = async (scope: PipelinedScope, id: string): Promise<ComponentRow> =>
  orNotFound((await findComponents(scope, [id])).get(id))

const selectByIds = preparedQuery((tx) =>
  tx
    .select()
    .from(components)
    .where(
      and(
        eq(components.organizationId, sql.placeholder('organizationId')),
        sql`${components.id} = ANY(${sql.placeholder('ids')}::uuid[])`,
      ),
    ),
)

export const lockComponents = async (
  scope: Scope,
  ids: readonly string[],
): Promise<Map<string, ComponentRow>> => {
  if (ids.length === 0) return new Map()
  const rows = await table
    .select(scope, inArray(components.id, [...ids]))
    .orderBy(components.id)
    .for('update')
  return byId(rows)
}

export const listAllComponents = (scope: PipelinedScope): Promise<ComponentRow[]> =>
  table.select(scope).orderBy(components.order, components.name, components.id)

export const childrenOf = async (
  scope: Scope,
  parentIds: readonly string[],
): Promise<ComponentRow[]> => {
  if (parentIds.length === 0) return []
  return selectChildren(scope, { organizationId: scope.organizationId, ids: [...parentIds] })
}

const selectChildren = preparedQuery((tx) =>
  tx
    .select()
    .from(components)
    .where(
      and(
        eq(components.organizationId, sql.placeholder('organizationId')),
        sql`${components.parentComponentId} = ANY(${sql.placeholder('ids')}::uuid[])`,
      ),
    )
    .orderBy(components.order, components.name, components.id),
)

/** Children of a component, or the components without a parent, in their order. */
export const listChildOrders = (
  { tx, organizationId }: Scope,
  parentId: string | null,
): Promise<{ id: string; order: number }[]> =>
  tx
    .select({ id: components.id, order: components.order })
    .from(components)
    .where(
      and(
        eq(components.organizationId, organizationId),
        parentId === null
          ? isNull(components.parentComponentId)
          : eq(components.parentComponentId, parentId),
      ),
    )
    .orderBy(components.order, components.name, components.id)

type ListQuery = Query<typeof componentOperations.list>

export const listComponents = async (scope: PipelinedScope, query: ListQuery) => {
  const conditions = filters(query)
  const listed = {
    from: components,
    where: table.own(scope, ...conditions),
    order: order(query),
    isScanned: query.search !== undefined,
    select: () => table.select(scope, ...conditions),
    findByIds: (ids: readonly string[]) => findComponents(scope, ids),
  }
  return listRows(scope, listed, limitAndOffset(query))
}

const filters = (query: ListQuery): (SQL | undefined)[] => [
  equalsFilter(components.type, query.type),
  equalsFilter(components.status, query.status),
  equalsFilter(components.parentComponentId, query.parentId),
  query.topLevelOnly === true ? isNull(components.parentComponentId) : undefined,
  containsFilter(components.name, query.search),
]

const sortKeys: Record<ListQuery['sortBy'], SQL> = {
  order: sql`${components.order}`,
  name: sql`${components.name}`,
  status: positionIn(componentStatuses, components.status),
  createdAt: sql`${components.createdAt}`,
  updatedAt: sql`${components.updatedAt}`,
}

const order = (query: ListQuery): SortKey[] => [
  { by: sortKeys[query.sortBy], direction: sortOrderOf(query) },
  ...(query.sortBy === 'order' ? [{ by: sortKeys.name, direction: 'asc' as const }] : []),
  { by: sql`${components.id}`, direction: 'asc' },
]

export interface Ancestor {
  id: string
  isEnabled: boolean
}

/** Columns that a list of incidents needs; claims and check definitions are not loaded. */
export type ComponentSummary = Pick<
  ComponentRow,
  'id' | 'name' | 'status' | 'isEnabled' | 'isMuted' | 'parentComponentId'
>

/** Ancestors of each id, parent first, root last. */
export const ancestorsOf = async (
  scope: Scope,
  ids: readonly string[],
): Promise<Map<string, Ancestor[]>> => ancestorsIn(await summariesWithAncestors(scope, ids), ids)

export const ancestorsIn = (
  summaries: ReadonlyMap<string, ComponentSummary>,
  ids: readonly string[],
): Map<string, Ancestor[]> => {
  const chainOf = (id: string) => {
    const chain: Ancestor[] = []
    let above = summaries.get(id)?.parentComponentId
    while (above && chain.length < MAX_COMPONENT_DEPTH) {
      const ancestor = summaries.get(above)
      if (ancestor !== undefined) chain.push({ id: above, isEnabled: ancestor.isEnabled })
      above = ancestor?.parentComponentId
    }
    return chain
  }
  return new Map(ids.map((id) => [id, chainOf(id)]))
}

/** Components and all their ancestors. */
export const summariesWithAncestors = async (
  { tx, organizationId }: Scope,
  ids: readonly string[],
): Promise<Map<string, ComponentSummary>> => {
  if (ids.length === 0) return new Map()
  const columns = sql.raw('id, name, status, is_enabled, is_muted, parent_component_id')
  // One index lookup per component: a join would be planned over all components of the organization.
  const rows = await tx.execute<SummaryRow>(sql`
    WITH RECURSIVE found AS (
      SELECT ${columns} FROM components
      WHERE organization_id = ${organizationId} AND id = ANY (${sql.param([...ids])}::uuid[])
      UNION
      SELECT parent.* FROM found CROSS JOIN LATERAL (SELECT ${columns} FROM components
        WHERE organization_id = ${organizationId} AND id = found.parent_component_id OFFSET 0
      ) AS parent)
    SELECT ${columns} FROM found`)
  return new Map(
    rows.map(({ is_enabled, is_muted, parent_component_id, ...row }) => [
      row.id,
      { ...row, isEnabled: is_enabled, isMuted: is_muted, parentComponentId: parent_component_id },
    ]),
  )
}

type SummaryRow = Pick<ComponentSummary, 'id' | 'name' | 'status'> & {
  is_enabled: boolean
  is_muted: boolean
  parent_component_id: string | null
}

/** Ids of a component and its descendants. */
export const subtreeIds = async ({ tx, organizationId }: Scope, id: string): Promise<string[]> => {
  const rows = await tx.execute<{ id: string }>(sql`
    WITH RECURSIVE below AS (
      SELECT id FROM components WHERE organization_id = ${organizationId} AND id = ${id}
      UNION
      SELECT c.id FROM components c JOIN below ON c.parent_component_id = below.id
      WHERE c.organization_id = ${organizationId})
    SELECT id FROM below`)
  return rows.map((row) => row.id)
}

/** Saves definition and version of a row; `saveStatuses` saves status and history. */
export const saveDefinition = async (scope: Scope, row: ComponentRow): Promise<void> => {
  const { claims: _c, status: _s, statusSource: _f, statusChangedAt: _a, ...definition } = row
  await table.update(scope, definition, eq(components.id, row.id))
}

/** Saves the definition fields of a bulk update in one statement. */
export const saveBulkUpdate = async (
  { tx, organizationId }: Scope,
  rows: readonly ComponentRow[],
): Promise<void> => {
  if (rows.length === 0) return
  const changes = rows.map(({ id, version, isEnabled, isMuted, order, updatedAt }) => ({
    id,
    version,
    is_enabled: isEnabled,
    is_muted: isMuted,
    order,
    updated_at: updatedAt,
  }))
  await tx.execute(sql`
    UPDATE components c SET version = change.version, is_enabled = change.is_enabled,
      is_muted = change.is_muted, "order" = change."order", updated_at = change.updated_at
    FROM jsonb_to_recordset(${JSON.stringify(changes)}::jsonb) AS change(id uuid, version int,
      is_enabled boolean, is_muted boolean, "order" int, updated_at timestamptz)
    WHERE c.organization_id = ${organizationId} AND c.id = change.id`)
}

/** Raises the versions of rows whose ancestors changed by a move. */
export const raiseVersions = async (
  scope: Scope,
  ids: readonly string[],
): Promise<ComponentRow[]> => {
  if (ids.length === 0) return []
  return scope.tx
    .update(components)
    .set({ version: sql`${components.version} + 1` })
    .where(table.own(scope, inArray(components.id, [...ids])))
    .returning()
}

/**
 * Saves claims, displayed statuses and history: the open interval ends where the new one begins.
 */
export const saveStatuses = async (
  { tx, organizationId, now }: Scope,
  changes: readonly StatusChange[],
): Promise<void> => {
  if (changes.length === 0) return
  const records = sql`jsonb_to_recordset(${JSON.stringify(changes)}::jsonb) AS change(
    "componentId" uuid, claims jsonb, status text, source text,
    "statusChangedAt" timestamptz, since timestamptz)`
  await tx.execute(sql`
    UPDATE components c SET claims = change.claims, status = change.status,
      status_source = change.source, status_changed_at = change."statusChangedAt",
      updated_at = CASE WHEN change.since IS NULL THEN c.updated_at
        ELSE ${now.toISOString()}::timestamptz END
    FROM ${records} WHERE c.organization_id = ${organizationId} AND c.id = change."componentId"`)
  await tx.execute(sql`
    UPDATE component_status_intervals i SET
      status = CASE WHEN i.started_at >= change.since THEN change.status ELSE i.status END,
      source = CASE WHEN i.started_at >= change.since THEN change.source ELSE i.source END,
      ended_at = CASE WHEN i.started_at >= change.since THEN NULL ELSE change.since END
    FROM ${records} WHERE i.organization_id = ${organizationId}
      AND i.component_id = change."componentId" AND i.ended_at IS NULL
      AND change.since IS NOT NULL`)
  await tx.execute(sql`
    INSERT INTO component_status_intervals (organization_id, component_id, started_at, status, source)
    SELECT ${organizationId}, change."componentId", change.since, change.status, change.source
    FROM ${records} WHERE change.since IS NOT NULL AND NOT EXISTS (
      SELECT FROM component_status_intervals i WHERE i.organization_id = ${organizationId}
        AND i.component_id = change."componentId" AND i.ended_at IS NULL)`)
}

/** Deletes components; incidents and maintenances retain their last name and status. */
export const removeComponents = async (
  { tx, organizationId }: Scope,
  ids: readonly string[],
): Promise<void> => {
  await tx.execute(sql`
    UPDATE incident_components i SET name = c.name, status = c.status, is_failing = false
    FROM components c WHERE c.organization_id = ${organizationId} AND c.id IN ${[...ids]}
      AND i.organization_id = ${organizationId} AND i.component_id = c.id`)
  await tx.execute(sql`
    UPDATE maintenance_components m SET name = c.name, status = c.status
    FROM components c WHERE c.organization_id = ${organizationId} AND c.id IN ${[...ids]}
      AND m.organization_id = ${organizationId} AND m.component_id = c.id`)
  await tx.execute(sql`
    DELETE FROM components WHERE organization_id = ${organizationId} AND id IN ${[...ids]}`)
}

/**
 * Saves the version of the monitor's last event, so that older events are ignored. The row must be
 * locked.
 */
export const saveMonitorVersion = (
  scope: Scope,
  id: string,
  monitorVersion: number,
): Promise<void> => table.update(scope, { monitorVersion }, eq(components.id, id))

/** Saves the report of a vendor with the version of its event. The row must be locked. */
export const saveVendorReport = (
  scope: Scope,
  id: string,
  report: Pick<ComponentRow, 'vendorReport' | 'vendorVersion'>,
): Promise<void> => table.update(scope, report, eq(components.id, id))

export interface CheckSummaryRow {
  id: string
  lastCheckAt: string
  averageResponseTime: number | null
}

/** Saves summaries; an older one never replaces a newer one, in whatever order events arrive. */
export const saveCheckSummaries = async (
  { tx, organizationId }: Scope,
  summaries: readonly CheckSummaryRow[],
): Promise<void> => {
  await tx.execute(sql`
    UPDATE components c SET last_check_at = summary."lastCheckAt",
      average_response_time = summary."averageResponseTime"
    FROM jsonb_to_recordset(${JSON.stringify(summaries)}::jsonb) AS summary(
      id uuid, "lastCheckAt" timestamptz, "averageResponseTime" double precision)
    WHERE c.organization_id = ${organizationId} AND c.id = summary.id
      AND (c.last_check_at IS NULL OR c.last_check_at <= summary."lastCheckAt")`)
}

export interface MetricValueRow {
  id: string
  lastCheckAt: string
  lastValue: number | null
  lastValueAt: string | null
}

/** Saves values of METRIC components; an older value never replaces a newer one. */
export const saveMetricValues = async (
  { tx, organizationId }: Scope,
  values: readonly MetricValueRow[],
): Promise<void> => {
  await tx.execute(sql`
    UPDATE components c SET last_check_at = measured."lastCheckAt",
      last_value = measured."lastValue", last_value_at = measured."lastValueAt"
    FROM jsonb_to_recordset(${JSON.stringify(values)}::jsonb) AS measured(
      id uuid, "lastCheckAt" timestamptz, "lastValue" double precision, "lastValueAt" timestamptz)
    WHERE c.organization_id = ${organizationId} AND c.id = measured.id
      AND (c.last_check_at IS NULL OR c.last_check_at <= measured."lastCheckAt")`)
}

const byId = (rows: ComponentRow[]) => new Map(rows.map((row) => [row.id, row]))
