/**
 * Use cases of alerts: raise, count, escalate and resolve them, store the result and return events
 * with recipients.
 */
import {
  type EscalationStep,
  notFound,
  type OncallEvent,
  type OutcomeDrafts,
} from '@status-page/contracts'
import { newId, type Scope } from '@status-page/postgres'
import type { OncallAlertRow, OncallScheduleRow } from '../../tables.ts'
import { findChannels } from '../channels/store.ts'
import { findMembers } from '../members/store.ts'
import { referencedIds, targetChannelIds, targetUserIds } from '../schedules/rules.ts'
import { findMatchingSchedules, findSchedule } from '../schedules/store.ts'
import { findOncallUser } from '../schedules/view.ts'
import type { AlertDescription } from './descriptions.ts'
import * as rules from './rules.ts'
import * as store from './store.ts'
import { alertEvent } from './view.ts'

export const noChanges: OutcomeDrafts = { events: [], audit: [] }
const noRecipients: rules.Recipients = { userIds: [], channelIds: [] }

interface RaiseOptions {
  /** Skips schedules that had an alert of this cause before. */
  onlyFirst: boolean
  /** Event kind that schedules must select; null: all schedules receive it. */
  event: OncallEvent | null
}

/** Raises one alert per matching schedule; an open alert of the cause only increases its count. */
export const raiseAlerts = async (
  scope: Scope,
  cause: rules.AlertCause,
  { onlyFirst, event }: RaiseOptions,
): Promise<OutcomeDrafts> => {
  const changes: OutcomeDrafts[] = []
  for (const schedule of await findMatchingSchedules(scope, cause.scopeIds, event)) {
    if (onlyFirst && (await store.hasAlertOfCause(scope, cause.dedupKey, schedule.id))) continue
    changes.push(await raiseForSchedule(scope, cause, schedule))
  }
  return combineDrafts(changes)
}

const raiseForSchedule = async (
  scope: Scope,
  cause: rules.AlertCause,
  schedule: OncallScheduleRow,
): Promise<OutcomeDrafts> => {
  if (await countRepeatedCause(scope, cause, schedule)) return noChanges
  const raised = rules.createAlert(cause, schedule, { id: newId(), now: scope.now })
  const escalated = await takeStep(scope, raised, schedule)
  const alert = escalated?.alert ?? raised
  if (!(await store.insertAlert(scope, alert))) {
    // Another replica has just inserted an alert for the same cause.
    await countRepeatedCause(scope, cause, schedule)
    return noChanges
  }
  return {
    events: [await alertEvent(scope, 'triggered', alert, escalated?.recipients ?? noRecipients)],
    audit: [rules.auditAlert('create', null, alert)],
  }
}

const countRepeatedCause = async (
  scope: Scope,
  { dedupKey }: rules.AlertCause,
  { id }: OncallScheduleRow,
): Promise<boolean> => {
  const [open] = await store.lockOpenAlerts(scope, dedupKey, id)
  if (open === undefined) return false
  await store.saveAlert(scope, rules.incrementTriggerCount(open, scope.now))
  return true
}

/** Resolves the open alerts of a cause; `description` replaces one that is no longer true. */
export const resolveAlerts = async (
  scope: Scope,
  dedupKey: string,
  description: AlertDescription | null = null,
): Promise<OutcomeDrafts> => {
  const changes: OutcomeDrafts[] = []
  for (const row of await store.lockOpenAlerts(scope, dedupKey)) {
    const resolved = rules.resolveAlert(row, scope.now)
    const after = { ...resolved, ...description }
    changes.push(await saveAlertChange(scope, 'resolved', row, after))
  }
  return combineDrafts(changes)
}

/**
 * Runs the escalation step that is due. A second run at the same time waits for the row lock and
 * finds no step due.
 */
export const escalateAlert = async (scope: Scope, id: string): Promise<OutcomeDrafts> => {
  const row = await store.lockAlert(scope, id)
  if (row === undefined) return noChanges
  const schedule = await findSchedule(scope, row.scheduleId)
  if (schedule?.isEnabled !== true) {
    // The schedule was disabled or deleted after the alert was raised.
    await store.saveAlert(scope, { ...row, dueAt: null, nextStep: null })
    return noChanges
  }
  const escalated = await takeStep(scope, row, schedule)
  if (escalated === null) return noChanges
  const alert = { ...escalated.alert, version: row.version + 1, updatedAt: scope.now }
  await store.saveAlert(scope, alert)
  return {
    events: [await alertEvent(scope, 'escalated', alert, escalated.recipients)],
    audit: [rules.auditAlert('update', row, alert)],
  }
}

export const combineDrafts = (changes: readonly OutcomeDrafts[]): OutcomeDrafts => ({
  events: changes.flatMap(({ events }) => events),
  audit: changes.flatMap(({ audit }) => audit),
})

/**
 * Recomputes the next step of unacknowledged alerts after a change of the escalation; `[]` stops
 * their escalation.
 */
export const rescheduleAlerts = async (
  scope: Scope,
  scheduleId: string,
  escalation: readonly EscalationStep[],
): Promise<void> => {
  for (const row of await store.lockUnacknowledgedAlerts(scope, scheduleId)) {
    await store.saveAlert(scope, { ...row, ...rules.rescheduleEscalation(row, escalation) })
  }
}

/** Changes of an alert that members and the recipients of action links can request. */
export type AlertVerb = 'acknowledged' | 'resolved'

export interface RequestedAlertChange {
  before: OncallAlertRow
  after: OncallAlertRow
  changes: OutcomeDrafts
}

export const changeAlert = async (
  scope: Scope,
  id: string,
  { verb, userId }: { verb: AlertVerb; userId: string | null },
): Promise<RequestedAlertChange> => {
  const before = await store.lockAlert(scope, id)
  if (before === undefined) throw notFound()
  const after =
    verb === 'acknowledged'
      ? rules.acknowledgeAlert(before, userId, scope.now)
      : rules.resolveAlert(before, scope.now)
  return { before, after, changes: await saveAlertChange(scope, verb, before, after, userId) }
}

/**
 * Saves the alert. Its event goes to all assigned users except the user who made the change, and to
 * the channels notified before.
 */
const saveAlertChange = async (
  scope: Scope,
  verb: AlertVerb,
  before: OncallAlertRow,
  after: OncallAlertRow,
  byUserId: string | null = null,
): Promise<OutcomeDrafts> => {
  if (after === before) return noChanges
  await store.saveAlert(scope, after)
  const userIds = after.assignedUserIds.filter((id) => id !== byUserId)
  const channelIds = await notifiedChannels(scope, before)
  return {
    events: [await alertEvent(scope, verb, after, { userIds, channelIds })],
    audit: [rules.auditAlert('update', before, after)],
  }
}

/** Ids of the channels in the steps that have run, as the escalation is defined now. */
const notifiedChannels = async (
  scope: Scope,
  { scheduleId, escalationLevel, nextStep }: OncallAlertRow,
): Promise<string[]> => {
  const schedule = nextStep === 0 ? undefined : await findSchedule(scope, scheduleId)
  const escalation = schedule?.escalation.slice(0, escalationLevel + 1) ?? []
  return [...(await findChannels(scope, referencedIds({ escalation }).channelIds))]
}

const takeStep = async (
  scope: Scope,
  row: OncallAlertRow,
  schedule: OncallScheduleRow,
): Promise<rules.EscalationResult | null> => {
  const onCall = await findOncallUser(scope, schedule)
  const candidateIds = [...referencedIds(schedule).userIds, ...(onCall === null ? [] : [onCall])]
  const members = await findMembers(scope, candidateIds)
  const channels = await findChannels(scope, referencedIds(schedule).channelIds)
  const recipientsOf = (targets: readonly string[]): rules.Recipients => {
    const targetedIds = targets.flatMap((target) =>
      target === 'schedule' ? [onCall ?? ''] : targetUserIds(target),
    )
    const userIds = [...new Set(targetedIds)].filter((id) => members.has(id))
    return {
      userIds,
      channelIds: targets.flatMap(targetChannelIds).filter((id) => channels.has(id)),
    }
  }
  return rules.runEscalationStep(row, schedule.escalation, recipientsOf, scope.now)
}
