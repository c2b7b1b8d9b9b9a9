/** Routes of on-call schedules. */
import {
  DEFAULT_SHIFT_DAYS,
  DEFAULT_TIMELINE_DAYS,
  invalid,
  limitAndOffset,
  listReply,
  MAX_ONCALL_DAYS,
  MAX_TIMELINE_DAYS,
  oncallScheduleOperations,
  orNotFound,
  successReply,
} from '@status-page/contracts'
import { newId, type Scope } from '@status-page/postgres'
import { type Call, createRoutes, type Route } from '@status-page/service'
import { findComponents } from '../components/store.ts'
import type { OncallScheduleRow } from '../tables.ts'
import { checkTimeRange } from '../time-range.ts'
import { findChannels } from './channels/store.ts'
import { findMembers } from './members/store.ts'
import { overrideRoutes } from './override-routes.ts'
import { addSchedule, deleteSchedule, updateSchedule } from './schedule-changes.ts'
import { DAY_MS } from './schedules/rotation.ts'
import {
  changeSchedule,
  checkVersion,
  createSchedule,
  type ReferencedIds,
  referencedIds,
  type ScheduleReferences,
} from './schedules/rules.ts'
import * as store from './schedules/store.ts'
import { presentSchedules, presentShifts, presentTimeline } from './schedules/view.ts'
import {
  catchUpUnknownChannels,
  catchUpUnknownMembers,
  type ScheduleDeps,
} from './unknown-references.ts'

export const scheduleRoutes = (deps: ScheduleDeps): Route[] =>
  createRoutes(oncallScheduleOperations, {
    list: ({ query, read }) =>
      read(async (scope) => {
        const { rows, total } = await store.listSchedules(scope, query)
        return listReply(query, total, await presentSchedules(scope, rows))
      }),

    create: (call) => create(call, deps),

    read: ({ params, read }) =>
      read(async (scope) => presentSchedule(scope, await scheduleOr404(scope, params.id))),

    update: (call) => update(call, deps),

    remove: ({ params, change }) =>
      change(async (scope) => {
        const row = await lockOr404(scope, params.id)
        return { result: successReply, ...(await deleteSchedule(scope, row)) }
      }),

    shifts: ({ params, query, read }) =>
      read(async (scope) => {
        const row = await scheduleOr404(scope, params.id)
        const shifts = await presentShifts(scope, row, windowOf(query, scope.now, shiftDays))
        // Other lists by time begin with the latest entry; shifts begin with the earliest.
        const ordered = query.sortOrder === 'desc' ? shifts.toReversed() : shifts
        const { limit, offset } = limitAndOffset(query)
        return listReply(query, shifts.length, ordered.slice(offset, offset + limit))
      }),

    timeline: ({ params, query, read }) =>
      read(async (scope) => {
        const row = await scheduleOr404(scope, params.id)
        return presentTimeline(scope, row, windowOf(query, scope.now, timelineDays))
      }),

    ...overrideRoutes(deps),
  })

type Operations = typeof oncallScheduleOperations

const create = async (call: Call<Operations['create']>, deps: ScheduleDeps) => {
  const { body } = call
  const ids = referencedIds(body)
  await catchUpUnknownMembers(call, deps, ids.userIds)
  await catchUpUnknownChannels(call, deps, ids.channelIds)
  return call.change(async (scope) => {
    const { organizationId, now } = scope
    const context = { known: await findReferences(scope, ids), newId, now }
    const input = { id: newId(), organizationId, body, managedByConfig: false }
    const row = createSchedule(input, context)
    const drafts = await addSchedule(scope, row)
    return { result: await presentSchedule(scope, row), ...drafts }
  })
}

const update = async (call: Call<Operations['update']>, deps: ScheduleDeps) => {
  const { params, body } = call
  const ids = referencedIds(body)
  await catchUpUnknownMembers(call, deps, ids.userIds)
  await catchUpUnknownChannels(call, deps, ids.channelIds)
  return call.change(async (scope) => {
    const before = await lockOr404(scope, params.id)
    checkVersion(before, call.ifMatch)
    const context = { known: await findReferences(scope, ids), newId, now: scope.now }
    const after = changeSchedule(before, body, context)
    if (after === before) {
      return { result: await presentSchedule(scope, before) }
    }
    const drafts = await updateSchedule(scope, before, after)
    return { result: await presentSchedule(scope, after), ...drafts }
  })
}

const findReferences = async (scope: Scope, ids: ReferencedIds): Promise<ScheduleReferences> => ({
  componentIds: new Set((await findComponents(scope, ids.componentIds)).keys()),
  userIds: new Set((await findMembers(scope, ids.userIds)).keys()),
  channelIds: await findChannels(scope, ids.channelIds),
})

const presentSchedule = async (scope: Scope, row: OncallScheduleRow) => {
  const [schedule] = await presentSchedules(scope, [row])
  return schedule as NonNullable<typeof schedule>
}

const scheduleOr404 = async (scope: Scope, id: string): Promise<OncallScheduleRow> =>
  orNotFound(await store.findSchedule(scope, id))

const lockOr404 = async (scope: Scope, id: string): Promise<OncallScheduleRow> =>
  orNotFound(await store.lockSchedule(scope, id))

/** Default and maximum length of a window. */
interface WindowDays {
  default: number
  maximum: number
}

const shiftDays: WindowDays = { default: DEFAULT_SHIFT_DAYS, maximum: MAX_ONCALL_DAYS }
const timelineDays: WindowDays = { default: DEFAULT_TIMELINE_DAYS, maximum: MAX_TIMELINE_DAYS }

const windowOf = (query: { from?: string; to?: string }, now: Date, days: WindowDays) => {
  const from = query.from === undefined ? now : new Date(query.from)
  const to =
    query.to === undefined ? new Date(from.getTime() + days.default * DAY_MS) : new Date(query.to)
  checkTimeRange({ from: from.toISOString(), to: to.toISOString() })
  if (to.getTime() - from.getTime() > days.maximum * DAY_MS) {
    const message = `to must be at most ${days.maximum} days after from`
    throw invalid({ field: 'to', message })
  }
  return { from, to }
}
