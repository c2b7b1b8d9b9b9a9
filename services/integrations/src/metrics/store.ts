/** SQL of the metrics of one organization: definitions, values and states. */
import {
  appendChangeTime,
  type DerivedStatus,
  type EventDraft,
  isFlapping,
  limitAndOffset,
  type metricQueryOperations,
  type Query,
  sortOrderOf,
} from '@status-page/contracts'
import { equalsFilter, isAnyOf, type Scope } from '@status-page/postgres'
import { and, asc, count, desc, eq, isNull, type SQL, sql } from 'drizzle-orm'
import { notifyMetricChanged } from '../integrations/store.ts'
import {
  components,
  type MetricRow,
  type MetricStateRow,
  metricStates,
  metrics,
  metricValues,
  type ValueRow,
} from '../tables.ts'
import { derivedOf, type MetricDefinition, monitorEventOf } from './rules.ts'

/**
 * Stores the newer of the projection and the given definition; false when the projection was newer.
 */
export const upsert = async (scope: Scope, settings: MetricDefinition): Promise<boolean> => {
  const { organizationId, now, tx } = scope
  const { id: metricId, ...rest } = settings
  const stored = await tx
    .insert(metrics)
    .values({ organizationId, ...settings, createdAt: now, updatedAt: now })
    .onConflictDoUpdate({
      target: metrics.id,
      set: { ...rest, updatedAt: now },
      setWhere: sql`${metrics.version} < ${settings.version} AND ${metrics.deletedAt} IS NULL`,
    })
    .returning({ id: metrics.id })
  if (stored.length === 0) return false
  await tx.insert(metricStates).values({ organizationId, metricId }).onConflictDoNothing()
  await notifyMetricChanged(scope, metricId)
  return true
}

/** Replaces a metric by a tombstone with only its id. */
export const replaceByTombstone = async (
  scope: Scope,
  settings: MetricDefinition,
): Promise<void> => {
  const { organizationId, now, tx } = scope
  const { version, id: metricId } = settings
  const nothing = { name: '', query: '', isEnabled: false, deletedAt: sql`now()` }
  await tx
    .insert(metrics)
    .values({ organizationId, ...settings, createdAt: now, updatedAt: now, ...nothing })
    .onConflictDoUpdate({
      target: metrics.id,
      set: { version, ...nothing },
      setWhere: isNull(metrics.deletedAt),
    })
  await tx
    .delete(metricStates)
    .where(
      and(eq(metricStates.organizationId, organizationId), eq(metricStates.metricId, metricId)),
    )
  await notifyMetricChanged(scope, metricId)
}

/**
 * Stores a component of any type, which queries may reference. An older version never replaces a
 * newer one.
 */
export const recordComponent = async (
  { tx, organizationId }: Scope,
  row: { id: string; version: number; isRemoved: boolean },
): Promise<void> => {
  const { version, isRemoved } = row
  await tx
    .insert(components)
    .values({ organizationId, ...row })
    .onConflictDoUpdate({
      target: [components.organizationId, components.id],
      set: { version, isRemoved },
      setWhere: sql`${components.version} < excluded.version`,
    })
}

/** Returns the ids that are existing components. */
export const findComponents = async (
  { tx, organizationId }: Scope,
  ids: readonly string[],
): Promise<Set<string>> => {
  if (ids.length === 0) return new Set()
  const rows = await tx
    .select({ id: components.id })
    .from(components)
    .where(
      and(
        eq(components.organizationId, organizationId),
        isAnyOf(components.id, ids),
        eq(components.isRemoved, false),
      ),
    )
  return new Set(rows.map(({ id }) => id))
}

/** Deletes the queries that are shown with the component. */
export const removeQueriesOf = async (scope: Scope, componentId: string): Promise<void> => {
  const gone = await scope.tx
    .update(metrics)
    .set({ deletedAt: sql`now()`, isEnabled: false, query: '' })
    .where(and(alive(scope), eq(metrics.componentId, componentId), eq(metrics.kind, 'query')))
    .returning({ id: metrics.id })
  for (const { id } of gone) await notifyMetricChanged(scope, id)
}

export const removeQuery = async (scope: Scope, id: string): Promise<void> => {
  await scope.tx
    .update(metrics)
    .set({ deletedAt: sql`now()`, isEnabled: false, query: '' })
    .where(and(alive(scope), eq(metrics.id, id)))
  await notifyMetricChanged(scope, id)
}

export interface StoredMetric {
  row: MetricRow
  state: MetricStateRow
}

const selectMetrics = ({ tx }: Scope) =>
  tx
    .select({ row: metrics, state: metricStates })
    .from(metrics)
    .innerJoin(
      metricStates,
      and(
        eq(metricStates.organizationId, metrics.organizationId),
        eq(metricStates.metricId, metrics.id),
      ),
    )

const alive = ({ organizationId }: Scope) =>
  and(eq(metrics.organizationId, organizationId), isNull(metrics.deletedAt))

type ListQuery = Query<typeof metricQueryOperations.list>

const sortKeys: Record<ListQuery['sortBy'], SQL> = {
  name: sql`${metrics.name}`,
  createdAt: sql`${metrics.createdAt}`,
  updatedAt: sql`${metrics.updatedAt}`,
}

export const listQueries = async (scope: Scope, integrationId: string, query: ListQuery) => {
  const { limit, offset } = limitAndOffset(query)
  const direction = sortOrderOf(query) === 'asc' ? asc : desc
  const where = and(
    alive(scope),
    eq(metrics.integrationId, integrationId),
    eq(metrics.kind, 'query'),
    equalsFilter(metrics.componentId, query.componentId),
    equalsFilter(metrics.isEnabled, query.isEnabled),
  )
  const rows = await selectMetrics(scope)
    .where(where)
    .orderBy(direction(sortKeys[query.sortBy]), direction(metrics.id))
    .limit(limit)
    .offset(offset)
  const [counted] = await scope.tx.select({ total: count() }).from(metrics).where(where)
  return { rows, total: counted?.total ?? 0 }
}

/** Finds a query of this integration; under any other integration the id is unknown. */
export const findQuery = async (
  scope: Scope,
  { id, queryId }: { id: string; queryId: string },
): Promise<StoredMetric | undefined> => {
  const [found] = await selectMetrics(scope).where(
    and(
      alive(scope),
      eq(metrics.id, queryId),
      eq(metrics.integrationId, id),
      eq(metrics.kind, 'query'),
    ),
  )
  return found
}

export const lockQuery = async (
  scope: Scope,
  params: { id: string; queryId: string },
): Promise<StoredMetric | undefined> => {
  await scope.tx
    .select({ id: metrics.id })
    .from(metrics)
    .where(and(alive(scope), eq(metrics.id, params.queryId)))
    .for('update')
  return findQuery(scope, params)
}

/** Lists metrics of both kinds; unknown and deleted ids are absent. */
export const listByIds = (scope: Scope, ids: readonly string[]): Promise<StoredMetric[]> =>
  selectMetrics(scope).where(and(alive(scope), isAnyOf(metrics.id, ids)))

/** Lists METRIC components among the ids; other ids are absent. */
export const listComponents = (scope: Scope, ids: readonly string[]): Promise<StoredMetric[]> =>
  selectMetrics(scope).where(
    and(alive(scope), isAnyOf(metrics.id, ids), eq(metrics.kind, 'component')),
  )

/** Stores a value of a component and its consequences; null when it must not change the state. */
export const recordValue = async (
  scope: Scope,
  row: ValueRow,
): Promise<{ derivedStatus: DerivedStatus | null; events: EventDraft[] }> => {
  const state = await lockState(scope, row.metricId)
  const isStored = await insertValue(scope, row)
  const [found] = await listComponents(scope, [row.metricId])
  const isNewest = state !== undefined && (state.polledSlotAt ?? row.slotAt) <= row.slotAt
  if (!isStored || !isNewest || found === undefined) return { derivedStatus: null, events: [] }
  await moveState(scope, row)
  const { derivedStatus } = state
  const next = derivedOf(row.status)
  const changes = next !== null && next !== derivedStatus && found.row.isEnabled
  if (!changes || row.value === null || (await isSuppressed(scope, row))) {
    return { derivedStatus, events: [] }
  }
  const changedAt = appendChangeTime(state.changedAt, row.polledAt)
  const version = state.announcedVersion + 1
  await saveState(scope, row.metricId, {
    derivedStatus: next,
    announcedVersion: version,
    changedAt,
  })
  const event = monitorEventOf(found.row, {
    derivedStatus: next,
    value: row.value,
    since: row.polledAt.toISOString(),
    version,
    isFlapping: isFlapping(changedAt, row.polledAt),
  })
  return { derivedStatus: next, events: [event] }
}

const ofState = ({ organizationId }: Scope, metricId: string) =>
  and(eq(metricStates.organizationId, organizationId), eq(metricStates.metricId, metricId))

const lockState = async (scope: Scope, metricId: string): Promise<MetricStateRow | undefined> => {
  const [row] = await scope.tx
    .select()
    .from(metricStates)
    .where(ofState(scope, metricId))
    .for('update')
  return row
}

const saveState = async (
  scope: Scope,
  metricId: string,
  set: Partial<MetricStateRow>,
): Promise<void> => {
  await scope.tx.update(metricStates).set(set).where(ofState(scope, metricId))
}

const moveState = (scope: Scope, { metricId, slotAt, polledAt, status, error, value }: ValueRow) =>
  saveState(scope, metricId, {
    polledSlotAt: slotAt,
    polledAt,
    status,
    error,
    ...(value === null ? {} : { lastValue: value, lastValueAt: polledAt }),
  })

/** Inserts a value; false when its slot has one. */
const insertValue = async ({ tx }: Scope, row: ValueRow): Promise<boolean> => {
  const stored = await tx
    .insert(metricValues)
    .values(row)
    .onConflictDoNothing()
    .returning({ id: metricValues.id })
  if (stored.length === 0) return false
  await tx.execute(sql`
    INSERT INTO metric_rollups AS r (organization_id, metric_id, seconds, at, polls, "values", sum,
      min, max)
    SELECT ${row.organizationId}::uuid, ${row.metricId}::uuid, width.seconds,
      date_bin(make_interval(secs => width.seconds), ${row.slotAt.toISOString()}::timestamptz,
        'epoch'::timestamptz),
      1, count(given.value), coalesce(sum(given.value), 0), min(given.value), max(given.value)
    FROM (VALUES (300::smallint), (3600::smallint)) AS width(seconds),
      (SELECT ${row.value}::float8 AS value) given
    GROUP BY width.seconds
    ON CONFLICT (organization_id, metric_id, seconds, at) DO UPDATE SET
      polls = r.polls + EXCLUDED.polls, "values" = r."values" + EXCLUDED."values",
      sum = r.sum + EXCLUDED.sum, min = least(r.min, EXCLUDED.min),
      max = greatest(r.max, EXCLUDED.max)`)
  return true
}

/** True for a poll during a maintenance of the component, which decides nothing. */
const isSuppressed = async (scope: Scope, { metricId, polledAt }: ValueRow): Promise<boolean> => {
  const rows = await scope.tx.execute(sql`SELECT 1 FROM maintenances
    WHERE organization_id = ${scope.organizationId} AND ${metricId}::uuid = ANY (component_ids)
      AND (ended_at IS NULL OR ended_at > ${polledAt.toISOString()}::timestamptz) LIMIT 1`)
  return rows.length > 0
}
