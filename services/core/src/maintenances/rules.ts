/**
 * State changes of a maintenance: scheduled, started, verified, completed, cancelled. Pure. Each
 * request and each due transition makes one event and one version.
 */
import {
  conflict,
  invalid,
  MAX_MAINTENANCE_UPDATES,
  type MaintenanceEventData,
  type MaintenanceStatus,
} from '@status-page/contracts'
import type { MaintenanceComponentRow, MaintenanceRow, MaintenanceUpdateRow } from '../tables.ts'
import { applyMaintenanceClaims, type ComponentsById, type MaintenanceClaims } from './claims.ts'
import { occurrenceAfter, validateRecurrence } from './recurrence.ts'

export interface MaintenanceState {
  maintenance: MaintenanceRow
  components: readonly MaintenanceComponentRow[]
  updateCount: number
}

export type MaintenanceChangeKind = 'scheduled' | 'started' | 'updated' | 'completed' | 'reminded'

export interface MaintenanceDecision {
  maintenance: MaintenanceRow
  components: readonly MaintenanceComponentRow[]
  update: MaintenanceUpdateRow | null
  /** Claims of the components whose status changes. */
  claims: MaintenanceClaims
  /** Null when no event is published. */
  verb: MaintenanceChangeKind | null
  news: MaintenanceEventData['news']
}

/** Fields of a maintenance that users set. */
export interface MaintenancePlan
  extends Pick<
    MaintenanceRow,
    | 'title'
    | 'message'
    | 'scheduledFor'
    | 'scheduledUntil'
    | 'autoStart'
    | 'autoComplete'
    | 'setUnderMaintenance'
    | 'restoreOnComplete'
    | 'notifySubscribers'
    | 'remindBeforeMinutes'
    | 'recurrence'
  > {}

export interface MaintenanceInput extends MaintenancePlan {
  id: string
  updateId: string
  organizationId: string
  /** First maintenance of the series; null outside of a series. */
  recurrenceOf: string | null
  occurrenceAt: Date | null
}

export interface MaintenanceEdit {
  updateId: string
  plan: { [Field in keyof MaintenancePlan]?: MaintenancePlan[Field] | undefined }
  componentIds?: readonly string[] | undefined
  status?: MaintenanceStatus | undefined
  /** New time of an occurrence in its series. */
  occurrenceAt?: Date | undefined
  /** True when the update is stored even without a change. */
  isAlwaysStored: boolean
}

const MINUTE_MS = 60_000
const DAY_MS = 86_400_000
const MAX_DURATION_MS = 90 * DAY_MS
const MAX_AHEAD_MS = 731 * DAY_MS
/** Time before its start at which an occurrence is created as a maintenance. */
const OCCURRENCE_LEAD_MS = 7 * DAY_MS

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

/** Validates window and recurrence of a request. */
export const validatePlan = (plan: Pick<MaintenancePlan, PlanTimeField>, now: Date): void => {
  validateWindow(plan, now)
  validateSeries(plan)
}

/** Applies an edit; every change by users passes through here. */
export const amendMaintenance = (
  state: MaintenanceState,
  amendment: MaintenanceEdit,
  live: ComponentsById,
  now: Date,
): MaintenanceDecision => {
  const { maintenance: before } = state
  const plan = changedFields(before, amendment.plan)
  const status = amendment.status ?? before.status
  const isListChanged = !isSameList(state.components, amendment.componentIds)
  validateTransition(before, status)
  validateEditable(
    before,
    isListChanged ? [...Object.keys(plan), 'componentIds'] : Object.keys(plan),
  )
  const isRetimed = timeFields.some((field) => field in plan)
  const isMoved = 'scheduledFor' in plan || 'scheduledUntil' in plan
  // Windows of occurrences follow from the series and are not validated again.
  if (isMoved && amendment.occurrenceAt === undefined) validateWindow({ ...before, ...plan }, now)
  if (isRetimed) validateSeries({ ...before, ...plan })
  const components = isListChanged
    ? maintenanceComponentRows(before, amendment.componentIds ?? [], {
        stored: state.components,
        live,
      })
    : state.components
  const updateMessage = updateMessageOf(before, amendment, plan)
  if (updateMessage === null && !isListChanged && Object.keys(plan).length === 0)
    return noChange(state)
  if (updateMessage !== null) validateUpdateCount(state)
  const edited: MaintenanceRow = {
    ...before,
    ...plan,
    ...statusChange(before, status, now),
    message:
      updateMessage ||
      (amendment.isAlwaysStored ? before.message : (plan.message ?? before.message)),
    planMessage: amendment.isAlwaysStored
      ? before.planMessage
      : (plan.message ?? before.planMessage),
    remindedAt: isMoved || 'remindBeforeMinutes' in plan ? now : before.remindedAt,
    occurrenceAt: amendment.occurrenceAt ?? before.occurrenceAt,
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
        : updateOf(maintenance, { id: amendment.updateId, message: updateMessage }, now),
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
    const amendment = { updateId, plan: {}, status, isAlwaysStored: false } as const
    // The limit of updates applies to users only; scheduled transitions must always succeed.
    return amendMaintenance({ ...state, updateCount: 0 }, amendment, live, now)
  }
  if (remindAt(maintenance) > time) return null
  const reminded = { ...maintenance, remindedAt: now }
  // After an outage of the job, no reminder is sent for a maintenance whose start has passed.
  if (maintenance.scheduledFor <= now)
    return { ...noChange(state), maintenance: withDueTime(reminded) }
  const counted = withDueTime({ ...reminded, version: maintenance.version + 1 })
  return { ...noChange(state), maintenance: counted, verb: 'reminded' }
}

/** True when the series has an occurrence to create. */
export const isOccurrenceDue = (row: MaintenanceRow, now: Date): boolean =>
  createOccurrenceAt(row) <= now.getTime()

/** Row with the time of its next transition. */
export const withDueTime = (row: MaintenanceRow): MaintenanceRow => {
  const dueAt = Math.min(startAt(row), completeAt(row), remindAt(row), createOccurrenceAt(row))
  return { ...row, dueAt: Number.isFinite(dueAt) ? new Date(dueAt) : null }
}

/** Rows of listed components; stored ids are accepted after their component was deleted. */
export const maintenanceComponentRows = (
  { id: maintenanceId, organizationId }: Pick<MaintenanceRow, 'id' | 'organizationId'>,
  ids: readonly string[],
  existing: { stored: readonly MaintenanceComponentRow[]; live: ComponentsById },
): MaintenanceComponentRow[] => {
  const stored = new Map(existing.stored.map((row) => [row.componentId, row]))
  const rows = ids.map((componentId, position) => {
    const { name, status } = existing.live.get(componentId) ?? stored.get(componentId) ?? {}
    if (name === undefined || status === undefined) return `componentIds[${position}]`
    const { retainedPageIds = [] } = stored.get(componentId) ?? {}
    return { organizationId, maintenanceId, componentId, position, name, status, retainedPageIds }
  })
  const [first, ...others] = rows
    .filter((row) => typeof row === 'string')
    .map((field) => ({ field, message: `${field} does not exist` }))
  if (first !== undefined) throw invalid(first, ...others)
  return rows.filter((row) => typeof row !== 'string')
}

export const checkVersion = (maintenance: MaintenanceRow, ifMatch: number | null): void => {
  if (ifMatch === null || ifMatch === maintenance.version) return
  throw conflict('version_mismatch', `The maintenance is at version ${maintenance.version}`)
}

export const componentIdsOf = (rows: readonly MaintenanceComponentRow[]): string[] =>
  rows.map(({ componentId }) => componentId)

const NEVER = Number.POSITIVE_INFINITY

const startAt = ({ status, autoStart, scheduledFor }: MaintenanceRow): number =>
  status === 'scheduled' && autoStart ? scheduledFor.getTime() : NEVER

const completeAt = ({ status, autoComplete, scheduledUntil }: MaintenanceRow): number =>
  status === 'in_progress' && autoComplete ? scheduledUntil.getTime() : NEVER

const remindAt = (row: MaintenanceRow): number => {
  if (row.status !== 'scheduled') return NEVER
  const times = row.remindBeforeMinutes.map(
    (minutes) => row.scheduledFor.getTime() - minutes * MINUTE_MS,
  )
  return Math.min(NEVER, ...times.filter((time) => time > row.remindedAt.getTime()))
}

const createOccurrenceAt = ({ nextOccurrenceAt }: MaintenanceRow): number =>
  nextOccurrenceAt === null ? NEVER : nextOccurrenceAt.getTime() - OCCURRENCE_LEAD_MS

/** Sets the next occurrence after now; occurrences in the past are not created later. */
const withNextOccurrence = (row: MaintenanceRow, now: Date): MaintenanceRow => {
  const { recurrence, scheduledFor, scheduledUntil } = row
  if (recurrence === null) return { ...row, nextOccurrenceAt: null }
  const series = { recurrence, scheduledFor, scheduledUntil }
  return { ...row, nextOccurrenceAt: occurrenceAfter(series, now) }
}

type PlanTimeField = 'scheduledFor' | 'scheduledUntil' | 'recurrence'
const timeFields: readonly PlanTimeField[] = ['scheduledFor', 'scheduledUntil', 'recurrence']

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

const transitions: Record<MaintenanceStatus, readonly MaintenanceStatus[]> = {
  scheduled: ['in_progress'],
  in_progress: ['verifying', 'completed'],
  verifying: ['in_progress', 'completed'],
  completed: [],
  cancelled: [],
}

const validateTransition = ({ status: from }: MaintenanceRow, to: MaintenanceStatus): void => {
  if (from === to || transitions[from].includes(to)) return
  throw conflict('invalid_state', `A maintenance cannot change from ${from} to ${to}`)
}

/** Rejects changes of fields that the status does not allow. */
const validateEditable = (before: MaintenanceRow, fields: readonly string[]): void => {
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

const validateSeries = ({ recurrence, ...window }: Pick<MaintenancePlan, PlanTimeField>): void => {
  if (recurrence !== null) validateRecurrence({ ...window, recurrence })
}

const validateWindow = (
  { scheduledFor, scheduledUntil }: Pick<MaintenancePlan, PlanTimeField>,
  now: Date,
): void => {
  const message = problemOf(scheduledFor.getTime(), scheduledUntil.getTime(), now.getTime())
  if (message !== null) throw invalid({ field: 'scheduledUntil', message })
}

const problemOf = (from: number, until: number, now: number): string | null => {
  if (until <= from) return 'scheduledUntil must be after scheduledFor'
  if (until <= now) return 'scheduledUntil must be in the future'
  if (until - from > MAX_DURATION_MS) return 'A maintenance can last at most 90 days'
  return until - now > MAX_AHEAD_MS ? 'scheduledUntil must be within two years' : null
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

const validateUpdateCount = ({ updateCount }: MaintenanceState): void => {
  if (updateCount < MAX_MAINTENANCE_UPDATES) return
  throw conflict(
    'invalid_state',
    `A maintenance can have at most ${MAX_MAINTENANCE_UPDATES} updates`,
  )
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
