/** Routes of the overrides of on-call schedules. */
import { type oncallScheduleOperations, orNotFound, successReply } from '@status-page/contracts'
import { newId, type Scope } from '@status-page/postgres'
import type { Call } from '@status-page/service'
import type { OncallOverrideRow, OncallScheduleRow } from '../tables.ts'
import { findMembers } from './members/store.ts'
import { auditOverride, changeOverride, validateOverride } from './schedules/rules.ts'
import * as store from './schedules/store.ts'
import { presentOverride } from './schedules/view.ts'
import { catchUpUnknownMembers, type ScheduleDeps } from './unknown-references.ts'

type Operations = typeof oncallScheduleOperations

export const overrideRoutes = (deps: ScheduleDeps) => ({
  addOverride: (call: Call<Operations['addOverride']>) => create(call, deps),
  updateOverride: (call: Call<Operations['updateOverride']>) => update(call, deps),
  removeOverride: ({ params, change }: Call<Operations['removeOverride']>) =>
    change(async (scope) => {
      const { id, name } = await lockSchedule(scope, params.id)
      const row = orNotFound(await store.removeOverride(scope, id, params.overrideId))
      const audit = [auditOverride('delete', { ...row, name }, null)]
      return { result: successReply, events: [], audit }
    }),
})

const create = async (call: Call<Operations['addOverride']>, deps: ScheduleDeps) => {
  const { params, body } = call
  await catchUpUnknownMembers(call, deps, [body.userId])
  return call.change(async (scope) => {
    const { id: scheduleId, name } = await lockSchedule(scope, params.id)
    const { organizationId, now } = scope
    const row = {
      id: newId(),
      organizationId,
      scheduleId,
      userId: body.userId,
      startsAt: new Date(body.startsAt),
      endsAt: new Date(body.endsAt),
      createdAt: now,
      updatedAt: now,
    }
    await validate(scope, row)
    await store.insertOverride(scope, row)
    const audit = [auditOverride('create', null, { ...row, name })]
    return { result: presentOverride(row), events: [], audit }
  })
}

const update = async (call: Call<Operations['updateOverride']>, deps: ScheduleDeps) => {
  const { params, body } = call
  if (body.userId !== undefined) await catchUpUnknownMembers(call, deps, [body.userId])
  return call.change(async (scope) => {
    const { id, name } = await lockSchedule(scope, params.id)
    const before = orNotFound(await store.findOverride(scope, id, params.overrideId))
    const row = changeOverride(before, body, scope.now)
    if (row === before) return { result: presentOverride(row) }
    await validate(scope, row)
    await store.saveOverride(scope, row)
    const audit = [auditOverride('update', { ...before, name }, { ...row, name })]
    return { result: presentOverride(row), events: [], audit }
  })
}

const validate = async (scope: Scope, row: OncallOverrideRow): Promise<void> => {
  const { now } = scope
  const overrides = await store.findOverrides(scope, [row.scheduleId], { from: now, to: null })
  const others = overrides.get(row.scheduleId)?.filter(({ id }) => id !== row.id) ?? []
  const isMember = (await findMembers(scope, [row.userId])).size > 0
  validateOverride(row, { isMember, unfinishedOverrides: others.length, now })
}

const lockSchedule = async (scope: Scope, id: string): Promise<OncallScheduleRow> =>
  orNotFound(await store.lockSchedule(scope, id))
