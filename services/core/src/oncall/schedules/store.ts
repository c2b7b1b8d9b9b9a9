/** SQL of on-call schedules and their overrides. */
import type { OncallEvent, oncallScheduleOperations, Query } from '@status-page/contracts'
import { containsFilter, equalsFilter, resourceTable, type Scope } from '@status-page/postgres'
import { desc, eq, gt, inArray, lt, sql } from 'drizzle-orm'
import {
  type OncallOverrideRow,
  type OncallScheduleRow,
  oncallOverrides,
  oncallSchedules,
} from '../../tables.ts'

const table = resourceTable(oncallSchedules)
const overrideTable = resourceTable(oncallOverrides)

export const {
  find: findSchedule,
  lock: lockSchedule,
  lockAll: lockSchedules,
  listAfterId: listSchedulesAfterId,
  insert: insertSchedule,
  save: saveSchedule,
  // Also deletes the overrides, by foreign key.
  remove: removeSchedule,
} = table

export const findScheduleNames = (scope: Scope, names: readonly string[]): Promise<string[]> =>
  table.findValues(scope, oncallSchedules.name, names)

type ListQuery = Query<typeof oncallScheduleOperations.list>

export const listSchedules = (scope: Scope, query: ListQuery) => {
  const { isEnabled, search } = query
  const filters = [
    equalsFilter(oncallSchedules.isEnabled, isEnabled),
    containsFilter(oncallSchedules.name, search),
  ]
  return table.list(scope, query, filters)
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
  table
    .select(
      scope,
      eq(oncallSchedules.isEnabled, true),
      sql`(${oncallSchedules.componentIds} = '{}'
        OR ${oncallSchedules.componentIds} && ${sql.param([...componentIds])}::uuid[])`,
      event === null ? undefined : sql`${event} = ANY (${oncallSchedules.events})`,
    )
    .orderBy(oncallSchedules.id)

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
  scope: Scope,
  scheduleIds: readonly string[],
  { from, to }: Window,
): Promise<Map<string, OncallOverrideRow[]>> => {
  const overrides = new Map<string, OncallOverrideRow[]>(scheduleIds.map((id) => [id, []]))
  if (scheduleIds.length === 0) return overrides
  const rows = await overrideTable
    .select(
      scope,
      inArray(oncallOverrides.scheduleId, [...scheduleIds]),
      gt(oncallOverrides.endsAt, from),
      to === null ? undefined : lt(oncallOverrides.startsAt, to),
    )
    .orderBy(desc(oncallOverrides.createdAt), desc(oncallOverrides.id))
  for (const row of rows) overrides.get(row.scheduleId)?.push(row)
  return overrides
}

export const { insert: insertOverride, save: saveOverride } = overrideTable

export const findOverride = async (
  scope: Scope,
  scheduleId: string,
  id: string,
): Promise<OncallOverrideRow | undefined> => {
  const isOfSchedule = eq(oncallOverrides.scheduleId, scheduleId)
  return (await overrideTable.select(scope, isOfSchedule, eq(oncallOverrides.id, id)))[0]
}

export const removeOverride = async (
  scope: Scope,
  scheduleId: string,
  id: string,
): Promise<OncallOverrideRow | undefined> => {
  const isOfSchedule = eq(oncallOverrides.scheduleId, scheduleId)
  return (await overrideTable.removeAll(scope, isOfSchedule, eq(oncallOverrides.id, id)))[0]
}
