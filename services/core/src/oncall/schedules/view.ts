/** Schedules and shifts in API responses, with the names of current members. */
import {
  MAX_ONCALL_DAYS,
  OncallOverride,
  OncallSchedule,
  type OncallShift,
  type OncallTimeline,
  viewOf,
} from '@status-page/contracts'
import type { Scope } from '@status-page/postgres'
import type { OncallOverrideRow, OncallScheduleRow } from '../../tables.ts'
import { findMembers, type OncallMember } from '../members/store.ts'
import {
  adjacentPeriods,
  assignmentAtInstant,
  DAY_MS,
  type OncallPeriod,
  type RotationInput,
  type Shift,
  shiftsBetween,
} from './rotation.ts'
import { findOverrides } from './store.ts'

type Overrides = ReadonlyMap<string, readonly OncallOverrideRow[]>

const rotationInput = (
  { id, timezone, layers }: OncallScheduleRow,
  overrides: Overrides,
): RotationInput => ({
  timezone,
  layers,
  overrides: overrides.get(id) ?? [],
})

export const presentSchedules = async (
  scope: Scope,
  rows: readonly OncallScheduleRow[],
): Promise<OncallSchedule[]> => {
  const { now } = scope
  const ids = rows.map(({ id }) => id)
  // Ended overrides bound the start of the current shift.
  const from = new Date(now.getTime() - MAX_ONCALL_DAYS * DAY_MS)
  const overrides = await findOverrides(scope, ids, { from, to: null })
  const members = await findMembers(scope, [
    ...rows.flatMap(({ layers }) => layers.flatMap(({ userIds }) => userIds)),
    ...[...overrides.values()].flatMap((list) => list.map(({ userId }) => userId)),
  ])
  return rows.map((row) => {
    const unfinished = (overrides.get(row.id) ?? []).filter(({ endsAt }) => endsAt > now)
    const { current, next } = adjacentPeriods(
      rotationInput(row, overrides),
      now.getTime(),
      (userId) => members.has(userId),
    )
    return viewOf(OncallSchedule, {
      ...row,
      overrides: unfinished.map(presentOverride),
      onCallNow: assigneesOf(current, members).map((assignee) => ({
        ...assignee,
        since: isoOf(current?.since ?? null),
      })),
      onCallNext:
        next === null
          ? []
          : assigneesOf(next, members).map((assignee) => ({
              ...assignee,
              since: new Date(next.since).toISOString(),
            })),
    })
  })
}

export const presentOverride = (row: OncallOverrideRow): OncallOverride =>
  viewOf(OncallOverride, row)

/** Empty without a shift, and for one of a former member. */
const assigneesOf = (period: OncallPeriod | null, members: ReadonlyMap<string, OncallMember>) => {
  const member = members.get(period?.userId ?? '')
  if (period === null || member === undefined) return []
  const { userId, layerId, until } = period
  return [{ userId, userName: member.name, layerId, until: isoOf(until) }]
}

const isoOf = (instant: number | null): string | null =>
  instant === null ? null : new Date(instant).toISOString()

interface ShiftWindow {
  from: Date
  to: Date
}

/** Shifts in a window; those of former members are omitted. */
export const presentShifts = async (
  scope: Scope,
  row: OncallScheduleRow,
  window: ShiftWindow,
): Promise<OncallShift[]> => {
  const overrides = await findOverrides(scope, [row.id], window)
  const shifts = shiftsIn(rotationInput(row, overrides), window)
  return namedShifts(shifts, await findMembers(scope, userIdsOf(shifts)))
}

/** Shifts of the schedule and of each layer, and overrides, in a window. */
export const presentTimeline = async (
  scope: Scope,
  row: OncallScheduleRow,
  window: ShiftWindow,
): Promise<OncallTimeline> => {
  const overrides = await findOverrides(scope, [row.id], window)
  const rotation = rotationInput(row, overrides)
  const final = shiftsIn(rotation, window)
  const layers = row.layers.map((layer) => ({
    layerId: layer.id,
    shifts: shiftsIn({ ...rotation, layers: [layer], overrides: [] }, window),
  }))
  const userIds = userIdsOf([...final, ...layers.flatMap(({ shifts }) => shifts)])
  const members = await findMembers(scope, userIds)
  return {
    from: window.from.toISOString(),
    to: window.to.toISOString(),
    shifts: namedShifts(final, members),
    layers: layers.map(({ layerId, shifts }) => ({
      layerId,
      shifts: namedShifts(shifts, members),
    })),
    overrides: (overrides.get(row.id) ?? []).map(presentOverride),
  }
}

const shiftsIn = (rotation: RotationInput, { from, to }: ShiftWindow): Shift[] =>
  shiftsBetween(rotation, from.getTime(), to.getTime())

const userIdsOf = (shifts: readonly Shift[]): string[] => shifts.map(({ userId }) => userId)

const namedShifts = (
  shifts: readonly Shift[],
  members: ReadonlyMap<string, OncallMember>,
): OncallShift[] =>
  shifts.flatMap(({ userId, layerId, startsAt, endsAt }) => {
    const member = members.get(userId)
    if (member === undefined) return []
    return {
      userId,
      userName: member.name,
      layerId,
      isOverride: layerId === null,
      startsAt: new Date(startsAt).toISOString(),
      endsAt: new Date(endsAt).toISOString(),
    }
  })

/** User on call now according to the schedule, who may have left the organization. */
export const findOncallUser = async (
  scope: Scope,
  row: OncallScheduleRow,
): Promise<string | null> => {
  const overrides = await findOverrides(scope, [row.id], { from: scope.now, to: null })
  return assignmentAtInstant(rotationInput(row, overrides), scope.now.getTime())?.userId ?? null
}
