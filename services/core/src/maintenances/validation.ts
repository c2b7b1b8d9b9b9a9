/** Validation of the window, the recurrence and the status of a maintenance. Pure. */
import {
  comparisonIssue,
  conflict,
  type Issue,
  MAX_MAINTENANCE_UPDATES,
  type MaintenanceStatus,
  ruleIssue,
  throwIssues,
} from '@status-page/contracts'
import type { MaintenanceRow } from '../tables.ts'
import { validateRecurrence } from './recurrence.ts'
import type { MaintenancePlan, MaintenanceState, PlanTimeField } from './state.ts'

const DAY_MS = 86_400_000
const MAX_DURATION_MS = 90 * DAY_MS
const MAX_AHEAD_MS = 731 * DAY_MS

/** Validates window and recurrence of a request. */
export const validatePlan = (plan: Pick<MaintenancePlan, PlanTimeField>, now: Date): void => {
  validateWindow(plan, now)
  validateSeries(plan)
}

export const checkVersion = (maintenance: MaintenanceRow, ifMatch: number | null): void => {
  if (ifMatch === null || ifMatch === maintenance.version) return
  throw conflict('version_mismatch', `The maintenance is at version ${maintenance.version}`)
}

const transitions: Record<MaintenanceStatus, readonly MaintenanceStatus[]> = {
  scheduled: ['in_progress'],
  in_progress: ['verifying', 'completed'],
  verifying: ['in_progress', 'completed'],
  completed: [],
  cancelled: [],
}

export const validateTransition = (
  { status: from }: MaintenanceRow,
  to: MaintenanceStatus,
): void => {
  if (from === to || transitions[from].includes(to)) return
  throw conflict('invalid_state', `A maintenance cannot change from ${from} to ${to}`)
}

/** Rejects changes of fields that the status does not allow. */
export const validateEditable = (before: MaintenanceRow, fields: readonly string[]): void => {
  const { status, recurrence, recurrenceOf } = before
  const isClosed = status === 'completed' || status === 'cancelled'
  // A series outlives its first maintenance, so its recurrence can still be ended.
  const editable = [
    'title',
    'message',
    ...(status === 'completed' && recurrence ? ['recurrence'] : []),
  ]
  const refused = fields.find((field) => {
    if (isClosed) return !editable.includes(field)
    if (field === 'scheduledFor') return status !== 'scheduled'
    return field === 'recurrence' && recurrenceOf !== null
  })
  if (refused === undefined) return
  const isOfSeries = refused === 'recurrence' && !isClosed
  throw conflict(
    'invalid_state',
    isOfSeries
      ? 'recurrence can only be changed on the first maintenance of the series'
      : `${refused} cannot be changed once a maintenance is ${status}`,
  )
}

export const validateSeries = ({
  recurrence,
  ...window
}: Pick<MaintenancePlan, PlanTimeField>): void => {
  if (recurrence !== null) validateRecurrence({ ...window, recurrence })
}

export const validateWindow = (
  { scheduledFor, scheduledUntil }: Pick<MaintenancePlan, PlanTimeField>,
  now: Date,
): void => {
  throwIssues(windowIssues(scheduledFor.getTime(), scheduledUntil.getTime(), now.getTime()))
}

const windowIssues = (from: number, until: number, now: number): Issue[] => {
  const field = 'scheduledUntil'
  if (until <= from) return [comparisonIssue(field, 'after', 'scheduledFor')]
  if (until <= now) return [ruleIssue(field, 'future')]
  if (until - from > MAX_DURATION_MS) {
    return [{ field, message: 'A maintenance can last at most 90 days' }]
  }
  if (until - now <= MAX_AHEAD_MS) return []
  return [{ field, message: 'scheduledUntil must be within two years' }]
}

export const validateUpdateCount = ({ updateCount }: MaintenanceState): void => {
  if (updateCount < MAX_MAINTENANCE_UPDATES) return
  throw conflict(
    'invalid_state',
    `A maintenance can have at most ${MAX_MAINTENANCE_UPDATES} updates`,
  )
}
