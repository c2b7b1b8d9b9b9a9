/** Schedules and shifts in API responses, with the names of current members. */
import { OncallOverride, OncallSchedule, type OncallShift, viewOf } from '@status-page/contracts'
import type { Scope } from '@status-page/postgres'
import type { OncallOverrideRow, OncallScheduleRow } from '../../tables.ts'
import { findMembers, type OncallMember } from '../members/store.ts'
import { assignmentAtInstant, currentShift, type RotationInput, shiftsBetween } from './rotation.ts'
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
  const overrides = await findOverrides(scope, ids, { from: now, to: null })
  const current = rows.map((row) => currentShift(rotationInput(row, overrides), now.getTime()))
  const members = await findMembers(
    scope,
    current.flatMap((assignment) => assignment?.userId ?? []),
  )
  return rows.map((row, index) => {
    const onCallNow = onCallNowOf(current[index] ?? null, members)
    const listed = (overrides.get(row.id) ?? []).map(presentOverride)
    return viewOf(OncallSchedule, { ...row, overrides: listed, onCallNow })
  })
}

export const presentOverride = (row: OncallOverrideRow): OncallOverride =>
  viewOf(OncallOverride, row)

const onCallNowOf = (
  shift: ReturnType<typeof currentShift>,
  members: ReadonlyMap<string, OncallMember>,
): OncallSchedule['onCallNow'] => {
  const member = members.get(shift?.userId ?? '')
  if (shift === null || member === undefined) return []
  const until = shift.until === null ? null : new Date(shift.until).toISOString()
  return [{ userId: shift.userId, userName: member.name, layerId: shift.layerId, until }]
}

/** Shifts in a window; those of former members are omitted. */
export const presentShifts = async (
  scope: Scope,
  row: OncallScheduleRow,
  window: { from: Date; to: Date },
): Promise<OncallShift[]> => {
  const overrides = await findOverrides(scope, [row.id], window)
  const [from, to] = [window.from.getTime(), window.to.getTime()]
  const shifts = shiftsBetween(rotationInput(row, overrides), from, to)
  const members = await findMembers(
    scope,
    shifts.map(({ userId }) => userId),
  )
  return shifts.flatMap(({ userId, layerId, startsAt, endsAt }) => {
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
}

/** User on call now according to the schedule, who may have left the organization. */
export const findOncallUser = async (
  scope: Scope,
  row: OncallScheduleRow,
): Promise<string | null> => {
  const overrides = await findOverrides(scope, [row.id], { from: scope.now, to: null })
  return assignmentAtInstant(rotationInput(row, overrides), scope.now.getTime())?.userId ?? null
}
