/**
 * State changes of a maintenance: scheduled, started, verified, completed, cancelled. Pure. Each
 * request and each due transition makes one event and one version.
 */
import { conflict, type MaintenanceStatus } from '@status-page/contracts'
import type { MaintenanceComponentRow, MaintenanceRow, MaintenanceUpdateRow } from '../tables.ts'
import { applyMaintenanceClaims, type ComponentsById } from './claims.ts'
import { completeAt, remindAt, startAt, withDueTime, withNextOccurrence } from './due-times.ts'
import {
  componentIdsOf,
  type MaintenanceChangeKind,
  type MaintenanceDecision,
  type MaintenanceEdit,
  type MaintenanceInput,
  type MaintenancePlan,
  type MaintenanceState,
  maintenanceComponentRows,
  timeFields,
} from './state.ts'
import {
  validateEditable,
  validateSeries,
  validateTransition,
  validateUpdateCount,
  validateWindow,
} from './validation.ts'

export const scheduleMaintenance = (
  input: MaintenanceInput,
  components: readonly MaintenanceComponentRow[],
  now: Date,
): MaintenanceDecision => {
  const { updateId, ...plan } = input
  const maintenance = withDueTime(
    withNextOccurrence(
      {
        ...plan,
        planMessage: plan.message,
        componentIds: componentIdsOf(components),
        version: 1,
        status: 'scheduled',
        nextOccurrenceAt: null,
        dueAt: null,
        leaseUntil: null,
        startedAt: null,
        completedAt: null,
        cancelledAt: null,
        remindedAt: now,
        createdAt: now,
        updatedAt: now,
      },
      now,
    ),
  )
  return {
    maintenance,
    components,
    claims: new Map(),
    verb: 'scheduled',
    news: null,
    update: updateOf(maintenance, { id: updateId, message: input.message }, now),
  }
}

/** Applies an edit; every change by users passes through here. */
export const editMaintenance = (
  state: MaintenanceState,
  edit: MaintenanceEdit,
  live: ComponentsById,
  now: Date,
): MaintenanceDecision => {
  const { maintenance: before } = state
  const plan = changedFields(before, edit.plan)
  const status = edit.status ?? before.status
  const isListChanged = !isSameList(state.components, edit.componentIds)
  validateTransition(before, status)
  validateEditable(
    before,
    isListChanged ? [...Object.keys(plan), 'componentIds'] : Object.keys(plan),
  )
  const isRetimed = timeFields.some((field) => field in plan)
  const isMoved = 'scheduledFor' in plan || 'scheduledUntil' in plan
  // Windows of occurrences follow from the series and are not validated again.
  if (isMoved && edit.occurrenceAt === undefined) validateWindow({ ...before, ...plan }, now)
  if (isRetimed) validateSeries({ ...before, ...plan })
  const components = isListChanged
    ? maintenanceComponentRows(before, edit.componentIds ?? [], {
        stored: state.components,
        live,
      })
    : state.components
  const updateMessage = updateMessageOf(before, edit, plan)
  if (updateMessage === null && !isListChanged && Object.keys(plan).length === 0)
    return noChange(state)
  if (updateMessage !== null) validateUpdateCount(state)
  const edited: MaintenanceRow = {
    ...before,
    ...plan,
    ...statusChange(before, status, now),
    message:
      updateMessage || (edit.isAlwaysStored ? before.message : (plan.message ?? before.message)),
    planMessage: edit.isAlwaysStored ? before.planMessage : (plan.message ?? before.planMessage),
    remindedAt: isMoved || 'remindBeforeMinutes' in plan ? now : before.remindedAt,
    occurrenceAt: edit.occurrenceAt ?? before.occurrenceAt,
    componentIds: componentIdsOf(components),
    version: before.version + 1,
    updatedAt: now,
  }
  const maintenance = withDueTime(isRetimed ? withNextOccurrence(edited, now) : edited)
  const verb = verbOf(before.status, status)
  return {
    maintenance,
    components,
    verb,
    claims: applyMaintenanceClaims(
      { maintenance, listedIds: componentIdsOf(components) },
      live,
      now,
    ),
    update:
      updateMessage === null
        ? null
        : updateOf(maintenance, { id: edit.updateId, message: updateMessage }, now),
    news: isMoved && verb === 'updated' ? 'rescheduled' : null,
  }
}

/** Cancels a maintenance (DELETE); the row is retained. */
export const decideCancellation = (
  state: MaintenanceState,
  updateId: string,
  live: ComponentsById,
  now: Date,
): MaintenanceDecision => {
  const { maintenance: before, components } = state
  if (before.status === 'cancelled') return noChange(state)
  if (before.status === 'completed') {
    throw conflict('invalid_state', 'A completed maintenance cannot be cancelled')
  }
  const edited = { ...before, ...statusChange(before, 'cancelled', now), nextOccurrenceAt: null }
  const maintenance = withDueTime({ ...edited, version: before.version + 1, updatedAt: now })
  return {
    maintenance,
    components,
    verb: 'updated',
    news: 'cancelled',
    claims: applyMaintenanceClaims(
      { maintenance, listedIds: componentIdsOf(components) },
      live,
      now,
    ),
    update: updateOf(maintenance, { id: updateId, message: '' }, now),
  }
}

/** Next due transition, one at a time; null when none is due. */
export const dueTransition = (
  state: MaintenanceState,
  updateId: string,
  live: ComponentsById,
  now: Date,
): MaintenanceDecision | null => {
  const { maintenance } = state
  const time = now.getTime()
  const status = startAt(maintenance) <= time ? 'in_progress' : 'completed'
  if (status === 'in_progress' || completeAt(maintenance) <= time) {
    const edit = { updateId, plan: {}, status, isAlwaysStored: false } as const
    // The limit of updates applies to users only; scheduled transitions must always succeed.
    return editMaintenance({ ...state, updateCount: 0 }, edit, live, now)
  }
  if (remindAt(maintenance) > time) return null
  const reminded = { ...maintenance, remindedAt: now }
  // After an outage of the job, no reminder is sent for a maintenance whose start has passed.
  if (maintenance.scheduledFor <= now)
    return { ...noChange(state), maintenance: withDueTime(reminded) }
  const counted = withDueTime({ ...reminded, version: maintenance.version + 1 })
  return { ...noChange(state), maintenance: counted, verb: 'reminded' }
}

/** Fields of the edit that differ from the stored ones. */
const changedFields = (
  before: MaintenanceRow,
  given: MaintenanceEdit['plan'],
): Partial<MaintenancePlan> =>
  Object.fromEntries(
    Object.entries(given).filter(
      ([field, value]) =>
        value !== undefined &&
        JSON.stringify(value) !== JSON.stringify(before[field as keyof MaintenancePlan]),
    ),
  )

const isSameList = (
  stored: readonly MaintenanceComponentRow[],
  ids: readonly string[] | undefined,
): boolean => ids === undefined || componentIdsOf(stored).join() === ids.join()

/** Message of the update to store; null when a PATCH changes neither message nor status. */
const updateMessageOf = (
  before: MaintenanceRow,
  { status, isAlwaysStored, plan: given }: MaintenanceEdit,
  plan: Partial<MaintenancePlan>,
): string | null => {
  if (isAlwaysStored) return given.message ?? ''
  const isStatusChanged = status !== undefined && status !== before.status
  return plan.message || (isStatusChanged ? '' : null)
}

const statusChange = (
  before: MaintenanceRow,
  status: MaintenanceStatus,
  now: Date,
): Partial<MaintenanceRow> => {
  if (status === before.status) return {}
  switch (status) {
    case 'completed':
      return { status, completedAt: now }
    case 'cancelled':
      return { status, cancelledAt: now }
    default:
      return { status, startedAt: before.startedAt ?? now }
  }
}

const verbOf = (before: MaintenanceStatus, after: MaintenanceStatus): MaintenanceChangeKind => {
  if (before === 'scheduled' && after === 'in_progress') return 'started'
  return before !== 'completed' && after === 'completed' ? 'completed' : 'updated'
}

const updateOf = (
  maintenance: MaintenanceRow,
  { id, message }: { id: string; message: string },
  now: Date,
): MaintenanceUpdateRow => ({
  id,
  message,
  organizationId: maintenance.organizationId,
  maintenanceId: maintenance.id,
  maintenanceVersion: maintenance.version,
  status: maintenance.status,
  displayAt: now,
  createdAt: now,
  updatedAt: now,
})

const noChange = ({ maintenance, components }: MaintenanceState): MaintenanceDecision => ({
  maintenance,
  components,
  update: null,
  claims: new Map(),
  verb: null,
  news: null,
})
