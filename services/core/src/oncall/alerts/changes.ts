/** Changes of alerts: stores them and states their events with the recipients. */
import type { EscalationStep, OncallEvent, Outcome } from '@status-page/contracts'
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

/** Events and audit entries of changed alerts. */
export type AlertChanges = Pick<Outcome<unknown>, 'events' | 'audit'>

const nothing: AlertChanges = { events: [], audit: [] }
const nobody: rules.Recipients = { userIds: [], channelIds: [] }

interface RaiseOptions {
  /** Skips schedules that had an alert of this cause before. */
  onlyFirst: boolean
  /** Event kind that schedules must select; null: all schedules receive it. */
  event: OncallEvent | null
}

/** Raises one alert per matching schedule; an open alert of the cause only increases its count. */
export const raiseAlerts = async (
  scope: Scope,
  cause: rules.Cause,
  { onlyFirst, event }: RaiseOptions,
): Promise<AlertChanges> => {
  const changes: AlertChanges[] = []
  for (const schedule of await matchingSchedules(scope, cause.scopeIds, event)) {
    if (onlyFirst && (await store.wasRaised(scope, cause.dedupKey, schedule.id))) continue
    changes.push(await raiseOne(scope, cause, schedule))
  }
  return combine(changes)
}

const raiseOne = async (
  scope: Scope,
  cause: rules.Cause,
  schedule: OncallScheduleRow,
): Promise<AlertChanges> => {
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

/** Resolves the open alerts of a cause. */
export const resolveAlerts = async (scope: Scope, dedupKey: string): Promise<AlertChanges> => {
  const changes: AlertChanges[] = []
  for (const row of await store.lockOpen(scope, dedupKey)) {
    changes.push(await saveAndState(scope, 'resolved', row, rules.resolve(row, scope.now)))
  }
  return combine(changes)
}

/** The step that is due now, in a transaction of its own: twice at once one finds nothing left. */
export const escalateAlert = async (scope: Scope, id: string): Promise<AlertChanges> => {
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

export const combine = (changes: readonly AlertChanges[]): AlertChanges => ({
  events: changes.flatMap(({ events }) => events),
  audit: changes.flatMap(({ audit }) => audit),
})

/** Applies another escalation to unacknowledged alerts; `[]` stops them. */
export const retimeAlerts = async (
  scope: Scope,
  scheduleId: string,
  escalation: readonly EscalationStep[],
): Promise<void> => {
  for (const row of await store.lockTriggered(scope, scheduleId)) {
    await store.saveAlert(scope, { ...row, ...rules.retime(row, escalation) })
  }
}

/** Saves the alert and notifies everybody it was assigned to except the user who changed it. */
export const saveAndState = async (
  scope: Scope,
  verb: 'acknowledged' | 'resolved',
  before: OncallAlertRow,
  after: OncallAlertRow,
  byUserId: string | null = null,
): Promise<AlertChanges> => {
  if (after === before) return nothing
  await store.saveAlert(scope, after)
  const userIds = after.assignedUserIds.filter((id) => id !== byUserId)
  const channelIds = await notifiedChannels(scope, before)
  return {
    events: [await stateAlert(scope, verb, after, { userIds, channelIds })],
    audit: [rules.auditAlert('update', before, after)],
  }
}

/** Of the steps that have been taken, as they read now. */
const notifiedChannels = async (
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
