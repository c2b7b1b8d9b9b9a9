/** Decisions about alerts made true: stored, and told to those whom they reach. */
import type { AuditDraft, EscalationStep, EventDraft, Outcome } from '@status-page/contracts'
import { newId, type Scope } from '@status-page/postgres'
import type { OncallAlertRow, OncallScheduleRow } from '../../tables.ts'
import { findChannels } from '../channels/store.ts'
import { findMembers } from '../members/store.ts'
import { channelOf, namedIn, userOf } from '../schedules/rules.ts'
import { findSchedule, matchingSchedules } from '../schedules/store.ts'
import { userOnCall } from '../schedules/view.ts'
import * as rules from './rules.ts'
import * as store from './store.ts'
import { stateAlert } from './view.ts'

type Told = Pick<Outcome<unknown>, 'events' | 'audit'>

const nothing: Told = { events: [], audit: [] }
const nobody: rules.Recipients = { userIds: [], channelIds: [] }

/** One alert for each schedule that the cause concerns; an open one only counts it. */
export const raiseAlerts = async (
  scope: Scope,
  cause: rules.Cause,
  { onlyFirst }: { onlyFirst: boolean },
): Promise<Told> => {
  const told: Told[] = []
  for (const schedule of await matchingSchedules(scope, cause.scopeIds)) {
    if (onlyFirst && (await store.wasRaised(scope, cause.dedupKey, schedule.id))) continue
    told.push(await raiseOne(scope, cause, schedule))
  }
  return together(told)
}

const raiseOne = async (
  scope: Scope,
  cause: rules.Cause,
  schedule: OncallScheduleRow,
): Promise<Told> => {
  if (await countAgain(scope, cause, schedule)) return nothing
  const raised = rules.raise(cause, schedule, { id: newId(), now: scope.now })
  const taken = await takeStep(scope, raised, schedule)
  const alert = taken?.alert ?? raised
  if (!(await store.insertAlert(scope, alert))) {
    // Another replica was faster with an event about the same cause.
    await countAgain(scope, cause, schedule)
    return nothing
  }
  return {
    events: [await stateAlert(scope, 'triggered', alert, taken?.recipients ?? nobody)],
    audit: [rules.auditAlert('create', null, alert)],
  }
}

const countAgain = async (
  scope: Scope,
  { dedupKey }: rules.Cause,
  { id }: OncallScheduleRow,
): Promise<boolean> => {
  const [open] = await store.lockOpen(scope, dedupKey, id)
  if (open === undefined) return false
  await store.saveAlert(scope, rules.raiseAgain(open, scope.now))
  return true
}

/** What the alert waits for is over. */
export const resolveAlerts = async (scope: Scope, dedupKey: string): Promise<Told> => {
  const told: Told[] = []
  for (const row of await store.lockOpen(scope, dedupKey)) {
    told.push(await saveAndTell(scope, 'resolved', row, rules.resolve(row, scope.now)))
  }
  return together(told)
}

/** The step that is due now, in a transaction of its own: twice at once one finds nothing left. */
export const escalateAlert = async (scope: Scope, id: string): Promise<Told> => {
  const row = await store.lockAlert(scope, id)
  if (row === undefined) return nothing
  const schedule = await findSchedule(scope, row.scheduleId)
  if (schedule?.isEnabled !== true) {
    // Switched off or deleted just as the alert was raised.
    await store.saveAlert(scope, { ...row, dueAt: null, nextStep: null })
    return nothing
  }
  const taken = await takeStep(scope, row, schedule)
  if (taken === null) return nothing
  const alert = { ...taken.alert, version: row.version + 1, updatedAt: scope.now }
  await store.saveAlert(scope, alert)
  return {
    events: [await stateAlert(scope, 'escalated', alert, taken.recipients)],
    audit: [rules.auditAlert('update', row, alert)],
  }
}

/** Alerts that nobody has acknowledged go on by another escalation; `[]` stops them. */
export const retimeAlerts = async (
  scope: Scope,
  scheduleId: string,
  escalation: readonly EscalationStep[],
): Promise<void> => {
  for (const row of await store.lockTriggered(scope, scheduleId)) {
    await store.saveAlert(scope, { ...row, ...rules.retime(row, escalation) })
  }
}

/** Those who were told hear how it goes on, but for the one who did it. */
export const saveAndTell = async (
  scope: Scope,
  verb: 'acknowledged' | 'resolved',
  before: OncallAlertRow,
  after: OncallAlertRow,
  byUserId: string | null = null,
): Promise<Told> => {
  if (after === before) return nothing
  await store.saveAlert(scope, after)
  const userIds = after.assignedUserIds.filter((id) => id !== byUserId)
  const channelIds = await channelsTold(scope, before)
  return {
    events: [await stateAlert(scope, verb, after, { userIds, channelIds })],
    audit: [rules.auditAlert('update', before, after)],
  }
}

/** Of the steps that have been taken, as they read now. */
const channelsTold = async (
  scope: Scope,
  { scheduleId, escalationLevel, nextStep }: OncallAlertRow,
): Promise<string[]> => {
  const schedule = nextStep === 0 ? undefined : await findSchedule(scope, scheduleId)
  const escalation = schedule?.escalation.slice(0, escalationLevel + 1) ?? []
  return [...(await findChannels(scope, namedIn({ escalation }).channelIds))]
}

const takeStep = async (
  scope: Scope,
  row: OncallAlertRow,
  schedule: OncallScheduleRow,
): Promise<rules.Escalated | null> => {
  const onCall = await userOnCall(scope, schedule)
  const named = [...namedIn(schedule).userIds, ...(onCall === null ? [] : [onCall])]
  const members = await findMembers(scope, named)
  const channels = await findChannels(scope, namedIn(schedule).channelIds)
  const reach = (targets: readonly string[]): rules.Recipients => {
    const asked = targets.flatMap((one) => (one === 'schedule' ? [onCall ?? ''] : userOf(one)))
    const userIds = [...new Set(asked)].filter((id) => members.has(id))
    return { userIds, channelIds: targets.flatMap(channelOf).filter((id) => channels.has(id)) }
  }
  return rules.escalate(row, schedule.escalation, reach, scope.now)
}

const together = (told: readonly Told[]): { events: EventDraft[]; audit: AuditDraft[] } => ({
  events: told.flatMap(({ events }) => events),
  audit: told.flatMap(({ audit }) => audit),
})
