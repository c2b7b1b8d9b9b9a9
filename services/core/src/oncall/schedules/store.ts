/** SQL of on-call schedules and their overrides. */
import {
  limitAndOffset,
  type OncallEvent,
  type oncallScheduleOperations,
  type Query,
  sortOrderOf,
} from '@status-page/contracts'
import type { Scope } from '@status-page/postgres'
import { and, asc, count, desc, eq, gt, inArray, lt, type SQL, sql } from 'drizzle-orm'
import {
  type OncallOverrideRow,
  type OncallScheduleRow,
  oncallOverrides,
  oncallSchedules,
} from '../../tables.ts'

const own = ({ organizationId }: Scope) => eq(oncallSchedules.organizationId, organizationId)

type ListQuery = Query<typeof oncallScheduleOperations.list>

export const listSchedules = async (scope: Scope, query: ListQuery) => {
  const { isEnabled, search } = query
  const where = and(
    own(scope),
    isEnabled === undefined ? undefined : eq(oncallSchedules.isEnabled, isEnabled),
    search === undefined
      ? undefined
      : sql`strpos(lower(${oncallSchedules.name}), lower(${search})) > 0`,
  )
  const { limit, offset } = limitAndOffset(query)
  const direction = sortOrderOf(query) === 'asc' ? asc : desc
  const rows = await scope.tx
    .select()
    .from(oncallSchedules)
    .where(where)
    .orderBy(direction(sortKeys[query.sortBy]), direction(oncallSchedules.id))
    .limit(limit)
    .offset(offset)
  const [counted] = await scope.tx.select({ total: count() }).from(oncallSchedules).where(where)
  return { rows, total: counted?.total ?? 0 }
}

const sortKeys: Record<ListQuery['sortBy'], SQL> = {
  name: sql`${oncallSchedules.name}`,
  createdAt: sql`${oncallSchedules.createdAt}`,
  updatedAt: sql`${oncallSchedules.updatedAt}`,
}

export const findSchedule = async (
  scope: Scope,
  id: string,
): Promise<OncallScheduleRow | undefined> => {
  const [row] = await scope.tx
    .select()
    .from(oncallSchedules)
    .where(and(own(scope), eq(oncallSchedules.id, id)))
  return row
}

export const lockSchedule = async (
  scope: Scope,
  id: string,
): Promise<OncallScheduleRow | undefined> => {
  const [row] = await scope.tx
    .select()
    .from(oncallSchedules)
    .where(and(own(scope), eq(oncallSchedules.id, id)))
    .for('update')
  return row
}

/**
 * Enabled schedules without a component scope, or with one of the components in it, in lock order.
 * With an event: only schedules that select the event.
 */
export const findMatchingSchedules = (
  scope: Scope,
  componentIds: readonly string[],
  event: OncallEvent | null,
): Promise<OncallScheduleRow[]> =>
  scope.tx
    .select()
    .from(oncallSchedules)
    .where(
      and(
        own(scope),
        eq(oncallSchedules.isEnabled, true),
        sql`(${oncallSchedules.componentIds} = '{}'
          OR ${oncallSchedules.componentIds} && ${sql.param([...componentIds])}::uuid[])`,
        event === null ? undefined : sql`${event} = ANY (${oncallSchedules.events})`,
      ),
    )
    .orderBy(oncallSchedules.id)

export const insertSchedule = async ({ tx }: Scope, row: OncallScheduleRow): Promise<void> => {
  await tx.insert(oncallSchedules).values(row)
}

export const saveSchedule = async (scope: Scope, row: OncallScheduleRow): Promise<void> => {
  await scope.tx
    .update(oncallSchedules)
    .set(row)
    .where(and(own(scope), eq(oncallSchedules.id, row.id)))
}

/** Deletes the schedule and, by foreign key, its overrides. */
export const removeSchedule = async (scope: Scope, id: string): Promise<void> => {
  await scope.tx.delete(oncallSchedules).where(and(own(scope), eq(oncallSchedules.id, id)))
}

interface Window {
  from: Date
  /** Null: unbounded. */
  to: Date | null
}

/**
 * Overrides that overlap the window by schedule id, newest first; an empty list for a schedule
 * without overrides.
 */
export const findOverrides = async (
  { tx, organizationId }: Scope,
  scheduleIds: readonly string[],
  { from, to }: Window,
): Promise<Map<string, OncallOverrideRow[]>> => {
  const overrides = new Map<string, OncallOverrideRow[]>(scheduleIds.map((id) => [id, []]))
  if (scheduleIds.length === 0) return overrides
  const rows = await tx
    .select()
    .from(oncallOverrides)
    .where(
      and(
        eq(oncallOverrides.organizationId, organizationId),
        inArray(oncallOverrides.scheduleId, [...scheduleIds]),
        gt(oncallOverrides.endsAt, from),
        to === null ? undefined : lt(oncallOverrides.startsAt, to),
      ),
    )
    .orderBy(desc(oncallOverrides.createdAt), desc(oncallOverrides.id))
  for (const row of rows) overrides.get(row.scheduleId)?.push(row)
  return overrides
}

export const insertOverride = async ({ tx }: Scope, row: OncallOverrideRow): Promise<void> => {
  await tx.insert(oncallOverrides).values(row)
}

export const removeOverride = async (
  { tx, organizationId }: Scope,
  scheduleId: string,
  id: string,
): Promise<OncallOverrideRow | undefined> => {
  const [row] = await tx
    .delete(oncallOverrides)
    .where(
      and(
        eq(oncallOverrides.organizationId, organizationId),
        eq(oncallOverrides.scheduleId, scheduleId),
        eq(oncallOverrides.id, id),
      ),
    )
    .returning()
  return row
}
