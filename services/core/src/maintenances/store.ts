/**
 * Maintenances, their components and their updates in SQL. The first maintenance of a series is
 * locked before the others, and a maintenance before its components.
 */
import { activeMaintenanceStatuses } from '@status-page/contracts'
import {
  asWorker,
  type Database,
  resourceTable,
  type Scope,
  tenantTable,
} from '@status-page/postgres'
import {
  and,
  arrayOverlaps,
  count,
  desc,
  eq,
  gt,
  inArray,
  isNotNull,
  lt,
  or,
  sql,
} from 'drizzle-orm'
import type { DeletedComponentPages } from '../status-pages/settings/shown.ts'
import {
  type MaintenanceComponentRow,
  type MaintenanceRow,
  type MaintenanceUpdateRow,
  maintenanceComponents,
  maintenances,
  maintenanceUpdates,
} from '../tables.ts'
import { maintenanceUpdateTexts, newestWithinBytes } from '../update-bounds.ts'
import type { MaintenanceDecision, MaintenanceState } from './state.ts'

/**
 * Maximum number of open occurrences of a series: a week of a daily one and those never started.
 */
const MAX_OCCURRENCES = 200

const table = resourceTable(maintenances)
const componentTable = tenantTable(maintenanceComponents)
const updateTable = tenantTable(maintenanceUpdates)

export const { find: findMaintenance } = table

/** Reads and locks a maintenance with everything its rules need, until the transaction commits. */
export const lockMaintenance = async (
  scope: Scope,
  id: string,
): Promise<MaintenanceState | undefined> => {
  const row = await table.lock(scope, id)
  return row && (await statesOf(scope, [row]))[0]
}

/** Maximum number of series in a list of expected occurrences. */
const MAX_SERIES = 100

/** First maintenances of series whose next occurrence is before a time, earliest first. */
export const listSeries = (scope: Scope, before: Date): Promise<MaintenanceRow[]> =>
  table
    .select(scope, lt(maintenances.nextOccurrenceAt, before))
    .orderBy(maintenances.nextOccurrenceAt, maintenances.id)
    .limit(MAX_SERIES)

/** Locks the future occurrences of a series, including cancelled ones, which still count in it. */
export const lockOccurrences = async (
  scope: Scope,
  firstId: string,
): Promise<MaintenanceState[]> => {
  const rows = await table
    .select(
      scope,
      eq(maintenances.recurrenceOf, firstId),
      inArray(maintenances.status, ['scheduled', 'cancelled']),
      gt(maintenances.scheduledUntil, scope.now),
    )
    .orderBy(maintenances.id)
    .limit(MAX_OCCURRENCES)
    .for('update')
  return statesOf(scope, rows)
}

const statesOf = async (
  scope: Scope,
  rows: readonly MaintenanceRow[],
): Promise<MaintenanceState[]> => {
  const ids = rows.map(({ id }) => id)
  const listed = await componentsOf(scope, ids)
  const counts = await countUpdates(scope, ids)
  return rows.map((maintenance) => ({
    maintenance,
    components: listed.get(maintenance.id) ?? [],
    updateCount: counts.get(maintenance.id) ?? 0,
  }))
}

const countUpdates = async (scope: Scope, ids: readonly string[]): Promise<Map<string, number>> => {
  if (ids.length === 0) return new Map()
  const rows = await scope.tx
    .select({ id: maintenanceUpdates.maintenanceId, total: count() })
    .from(maintenanceUpdates)
    .where(updateTable.own(scope, inArray(maintenanceUpdates.maintenanceId, [...ids])))
    .groupBy(maintenanceUpdates.maintenanceId)
  return new Map(rows.map(({ id, total }) => [id, total]))
}

/** Components of each maintenance, in stored order. */
export const componentsOf = async (
  scope: Scope,
  ids: readonly string[],
): Promise<Map<string, MaintenanceComponentRow[]>> => {
  const listed = new Map<string, MaintenanceComponentRow[]>(ids.map((id) => [id, []]))
  if (ids.length === 0) return listed
  const rows = await componentTable
    .select(scope, inArray(maintenanceComponents.maintenanceId, [...ids]))
    .orderBy(maintenanceComponents.position)
  for (const row of rows) listed.get(row.maintenanceId)?.push(row)
  return listed
}

/** Newest first; with `maxBytes` the newest of each maintenance that fit together. */
export const updatesOf = async (
  scope: Scope,
  ids: readonly string[],
  maxBytes?: number,
): Promise<Map<string, MaintenanceUpdateRow[]>> => {
  const updates = new Map<string, MaintenanceUpdateRow[]>(ids.map((id) => [id, []]))
  if (ids.length === 0) return updates
  const rows = await updateTable
    .select(
      scope,
      inArray(maintenanceUpdates.maintenanceId, [...ids]),
      newestWithinBytes(scope, maintenanceUpdateTexts, ids, maxBytes),
    )
    .orderBy(desc(maintenanceUpdates.maintenanceVersion))
  for (const row of rows) updates.get(row.maintenanceId)?.push(row)
  return updates
}

/** Saves the maintenance, its components and its update; claims are saved with the components. */
export const saveDecision = async (scope: Scope, decision: MaintenanceDecision): Promise<void> => {
  const { components, update } = decision
  const { tx } = scope
  // Releases the lease, so that the next transition can be claimed at once.
  const maintenance = { ...decision.maintenance, leaseUntil: null }
  await tx
    .insert(maintenances)
    .values(maintenance)
    .onConflictDoUpdate({ target: maintenances.id, set: maintenance })
  await componentTable.removeAll(scope, eq(maintenanceComponents.maintenanceId, maintenance.id))
  if (components.length > 0) await tx.insert(maintenanceComponents).values([...components])
  if (update !== null) await tx.insert(maintenanceUpdates).values(update)
}

/**
 * Saves the series time of a cancelled occurrence, so that it is not created again at another time.
 */
export const saveOccurrenceTime = (scope: Scope, id: string, occurrenceAt: Date): Promise<void> =>
  table.update(scope, { occurrenceAt }, eq(maintenances.id, id))

export const saveDueTime = (
  scope: Scope,
  { id, nextOccurrenceAt, dueAt }: MaintenanceRow,
): Promise<void> => {
  const change = { nextOccurrenceAt, dueAt, leaseUntil: null }
  return table.update(scope, change, eq(maintenances.id, id))
}

export const hasOccurrence = async (scope: Scope, firstId: string, at: Date): Promise<boolean> => {
  const isInSeries = eq(maintenances.recurrenceOf, firstId)
  const rows = await table.select(scope, isInSeries, eq(maintenances.occurrenceAt, at))
  return rows.length > 0
}

/**
 * Stores, for each component, the pages that show it, on the maintenances that list the component
 * and are open or the first of a series, whose later occurrences copy its components. Locks the
 * maintenances, so that a concurrent change does not overwrite the pages.
 */
export const savePagesOfDeletedComponents = async (
  { tx, organizationId }: Scope,
  retained: readonly DeletedComponentPages[],
): Promise<void> => {
  const componentIds = retained.map(({ componentId }) => componentId)
  const locked = await tx
    .select({ id: maintenances.id })
    .from(maintenances)
    .where(
      and(
        eq(maintenances.organizationId, organizationId),
        or(
          inArray(maintenances.status, ['scheduled', ...activeMaintenanceStatuses]),
          isNotNull(maintenances.nextOccurrenceAt),
        ),
        arrayOverlaps(maintenances.componentIds, componentIds),
      ),
    )
    .orderBy(sql`${maintenances.recurrenceOf} NULLS FIRST`, maintenances.id)
    .for('update')
  if (locked.length === 0) return
  await tx.execute(sql`
    UPDATE maintenance_components c
    SET retained_page_ids = ARRAY(SELECT jsonb_array_elements_text(shown."pageIds")::uuid)
    FROM jsonb_to_recordset(${JSON.stringify(retained)}::jsonb)
      AS shown("componentId" uuid, "pageIds" jsonb)
    WHERE c.organization_id = ${organizationId} AND c.component_id = shown."componentId"
      AND c.maintenance_id = ANY (${sql.param(locked.map(({ id }) => id))}::uuid[])`)
}

/** Longer than a transition takes, and short enough to replace a crashed replica in time. */
const LEASE_SECONDS = 15

export type DueMaintenance = { id: string; organizationId: string }

/** Claims maintenances of all organizations that have a due transition. */
export const leaseDueMaintenances = (
  database: Database,
  limit: number,
): Promise<DueMaintenance[]> =>
  asWorker(database, async ({ tx, now }) => {
    const at = sql`${now.toISOString()}::timestamptz`
    return tx.execute<DueMaintenance>(sql`
      UPDATE maintenances SET lease_until = ${at} + make_interval(secs => ${LEASE_SECONDS})
      WHERE id IN (
        SELECT id FROM maintenances
        WHERE due_at <= ${at} AND (lease_until IS NULL OR lease_until <= ${at})
        ORDER BY due_at LIMIT ${limit} FOR UPDATE SKIP LOCKED)
      RETURNING id, organization_id AS "organizationId"`)
  })
