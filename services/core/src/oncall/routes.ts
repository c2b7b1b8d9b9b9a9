/** Routes of on-call schedules. */
import {
  DEFAULT_SHIFT_DAYS,
  invalid,
  limitAndOffset,
  listReply,
  MAX_ONCALL_DAYS,
  oncallScheduleOperations,
  orNotFound,
  successReply,
  unavailable,
} from '@status-page/contracts'
import { newId, type Scope } from '@status-page/postgres'
import { type Call, createRoutes, type Route } from '@status-page/service'
import { findComponents } from '../components/store.ts'
import type { OncallScheduleRow } from '../tables.ts'
import { checkTimeRange } from '../time-range.ts'
import { findChannels } from './channels/store.ts'
import { findMembers } from './members/store.ts'
import { addSchedule, deleteSchedule, updateSchedule } from './schedule-changes.ts'
import { DAY_MS } from './schedules/rotation.ts'
import {
  auditOverride,
  changeSchedule,
  createSchedule,
  type ReferencedIds,
  referencedIds,
  type ScheduleReferences,
  validateOverride,
} from './schedules/rules.ts'
import * as store from './schedules/store.ts'
import { presentOverride, presentSchedules, presentShifts } from './schedules/view.ts'

export interface ScheduleDeps {
  /** Applies pending member events of the organization; returns false when that fails. */
  areMembersUpToDate(organizationId: string): Promise<boolean>
  /** Applies pending channel events of the organization; returns false when that fails. */
  areChannelsUpToDate(organizationId: string): Promise<boolean>
}

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
        const shifts = await presentShifts(scope, row, requestedWindow(query, scope.now))
        // Other lists by time begin with the latest entry; shifts begin with the earliest.
        const ordered = query.sortOrder === 'desc' ? shifts.toReversed() : shifts
        const { limit, offset } = limitAndOffset(query)
        return listReply(query, shifts.length, ordered.slice(offset, offset + limit))
      }),

    addOverride: (call) => createOverride(call, deps),

    removeOverride: ({ params, change }) =>
      change(async (scope) => {
        const schedule = await lockOr404(scope, params.id)
        const row = orNotFound(await store.removeOverride(scope, schedule.id, params.overrideId))
        return { result: successReply, events: [], audit: [auditOverride('delete', row, schedule)] }
      }),
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
    const context = { known: await findReferences(scope, ids), newId, now: scope.now }
    const after = changeSchedule(before, body, context)
    if (after === before) {
      return { result: await presentSchedule(scope, before), events: [], audit: [] }
    }
    const drafts = await updateSchedule(scope, before, after)
    return { result: await presentSchedule(scope, after), ...drafts }
  })
}

const createOverride = async (call: Call<Operations['addOverride']>, deps: ScheduleDeps) => {
  const { params, body } = call
  await catchUpUnknownMembers(call, deps, [body.userId])
  return call.change(async (scope) => {
    const schedule = await lockOr404(scope, params.id)
    const { organizationId, now } = scope
    const row = {
      id: newId(),
      organizationId,
      scheduleId: schedule.id,
      userId: body.userId,
      startsAt: new Date(body.startsAt),
      endsAt: new Date(body.endsAt),
      createdAt: now,
      updatedAt: now,
    }
    const overrides = await store.findOverrides(scope, [schedule.id], { from: now, to: null })
    const isMember = (await findMembers(scope, [body.userId])).size > 0
    const unfinishedOverrides = overrides.get(schedule.id)?.length ?? 0
    validateOverride(row, { isMember, unfinishedOverrides })
    await store.insertOverride(scope, row)
    return {
      result: presentOverride(row),
      events: [],
      audit: [auditOverride('create', row, schedule)],
    }
  })
}

/**
 * Applies pending member events before an unknown member is rejected: the event of a new member may
 * not have arrived yet.
 */
const catchUpUnknownMembers = async (
  { read, organizationId }: Pick<Call, 'read' | 'organizationId'>,
  deps: ScheduleDeps,
  userIds: readonly string[],
): Promise<void> => {
  const known = await read((scope) => findMembers(scope, userIds))
  if (userIds.every((id) => known.has(id))) return
  if (!(await deps.areMembersUpToDate(organizationId))) {
    throw unavailable('Members are temporarily unavailable')
  }
}

/**
 * Applies pending channel events before an unknown channel is rejected: the event of a new channel
 * may not have arrived yet.
 */
const catchUpUnknownChannels = async (
  { read, organizationId }: Pick<Call, 'read' | 'organizationId'>,
  deps: ScheduleDeps,
  channelIds: readonly string[],
): Promise<void> => {
  const known = await read((scope) => findChannels(scope, channelIds))
  if (channelIds.every((id) => known.has(id))) return
  if (!(await deps.areChannelsUpToDate(organizationId))) {
    throw unavailable('Notification channels are temporarily unavailable')
  }
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

const requestedWindow = (query: { from?: string; to?: string }, now: Date) => {
  const from = query.from === undefined ? now : new Date(query.from)
  const to =
    query.to === undefined
      ? new Date(from.getTime() + DEFAULT_SHIFT_DAYS * DAY_MS)
      : new Date(query.to)
  checkTimeRange({ from: from.toISOString(), to: to.toISOString() })
  if (to.getTime() - from.getTime() > MAX_ONCALL_DAYS * DAY_MS) {
    const message = `to must be at most ${MAX_ONCALL_DAYS} days after from`
    throw invalid({ field: 'to', message })
  }
  return { from, to }
}
