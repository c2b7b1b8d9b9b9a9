/** A schedule as the API reads it: with who is on call now, by the members that there still are. */
import type { OncallOverride, OncallSchedule, OncallShift } from '@status-page/contracts'
import type { Scope } from '@status-page/postgres'
import type { OncallOverrideRow, OncallScheduleRow } from '../../tables.ts'
import { findMembers, type OncallMember } from '../members/store.ts'
import { currentShift, onCallAt, type Rota, shiftsBetween } from './rotation.ts'
import { overridesOf } from './store.ts'

type Overrides = ReadonlyMap<string, readonly OncallOverrideRow[]>

const rotaOf = ({ id, timezone, layers }: OncallScheduleRow, overrides: Overrides): Rota => ({
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
  const overrides = await overridesOf(scope, ids, { from: now, to: null })
  const current = rows.map((row) => currentShift(rotaOf(row, overrides), now.getTime()))
  const members = await findMembers(
    scope,
    current.flatMap((duty) => duty?.userId ?? []),
  )
  return rows.map((row, index) => {
    const { organizationId: _organization, createdAt, updatedAt, ...schedule } = row
    return {
      ...schedule,
      overrides: (overrides.get(row.id) ?? []).map(presentOverride),
      onCallNow: onCallNow(current[index] ?? null, members),
      createdAt: createdAt.toISOString(),
      updatedAt: updatedAt.toISOString(),
    }
  })
}

export const presentOverride = (row: OncallOverrideRow): OncallOverride => ({
  id: row.id,
  userId: row.userId,
  startsAt: row.startsAt.toISOString(),
  endsAt: row.endsAt.toISOString(),
  createdAt: row.createdAt.toISOString(),
  updatedAt: row.updatedAt.toISOString(),
})

const onCallNow = (
  shift: ReturnType<typeof currentShift>,
  members: ReadonlyMap<string, OncallMember>,
): OncallSchedule['onCallNow'] => {
  const member = members.get(shift?.userId ?? '')
  if (shift === null || member === undefined) return []
  const until = shift.until === null ? null : new Date(shift.until).toISOString()
  return [{ userId: shift.userId, userName: member.name, layerId: shift.layerId, until }]
}

/** Turns of those who left are nobody's. */
export const presentShifts = async (
  scope: Scope,
  row: OncallScheduleRow,
  window: { from: Date; to: Date },
): Promise<OncallShift[]> => {
  const overrides = await overridesOf(scope, [row.id], window)
  const [from, to] = [window.from.getTime(), window.to.getTime()]
  const shifts = shiftsBetween(rotaOf(row, overrides), from, to)
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

/** Who is on call at this moment by the schedule, whether a member still or not. */
export const userOnCall = async (scope: Scope, row: OncallScheduleRow): Promise<string | null> => {
  const overrides = await overridesOf(scope, [row.id], { from: scope.now, to: null })
  return onCallAt(rotaOf(row, overrides), scope.now.getTime())?.userId ?? null
}
