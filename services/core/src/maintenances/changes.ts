/**
 * Use cases that change maintenances and their series: save decisions, update components, return
 * events.
 */
import type { AuditDraft, EventDraft } from '@status-page/contracts'
import { newId, type Scope } from '@status-page/postgres'
import { saveDerivedStatuses } from '../components/changes.ts'
import { lockComponents } from '../components/store.ts'
import type { ComponentRow, MaintenanceComponentRow, MaintenanceRow } from '../tables.ts'
import { isOccurrenceDue, withDueTime } from './due-times.ts'
import { occurrenceAfter, occurrenceWindowAt } from './recurrence.ts'
import { decideCancellation, dueTransition, editMaintenance, scheduleMaintenance } from './rules.ts'
import { occurrenceEdit, occurrenceInput, occurrenceTimesAfter, seriesOf } from './series.ts'
import {
  componentIdsOf,
  type MaintenanceDecision,
  type MaintenanceEdit,
  type MaintenanceInput,
  type MaintenanceState,
  maintenanceComponentRows,
} from './state.ts'
import * as store from './store.ts'
import { auditMaintenance, maintenanceEvent } from './view.ts'

export interface MaintenanceEffects {
  events: EventDraft[]
  audit: AuditDraft[]
}

/** Result of a change, with the decision on the maintenance itself. */
export interface MaintenanceOutcome extends MaintenanceEffects {
  decision: MaintenanceDecision
}

type LockedComponents = ReadonlyMap<string, ComponentRow>

/** Creates a maintenance, and starts it at once when its start has passed. */
export const createMaintenance = async (
  scope: Scope,
  input: MaintenanceInput,
  listed: { ids: readonly string[]; stored: readonly MaintenanceComponentRow[] },
  baseUrl: string,
): Promise<MaintenanceOutcome> => {
  const live = await lockComponents(scope, listed.ids)
  const components = maintenanceComponentRows(input, listed.ids, { stored: listed.stored, live })
  const decision = scheduleMaintenance(input, components, scope.now)
  const events = await applyDecision(scope, decision, baseUrl)
  const started = dueTransition(stateAfter(decision), newId(), live, scope.now)
  if (started !== null) events.push(...(await applyDecision(scope, started, baseUrl)))
  const { maintenance } = started ?? decision
  const audit = [auditMaintenance('create', null, maintenance)]
  return { decision: started ?? decision, events, audit }
}

/**
 * Edits a maintenance; a change of the first one also applies to scheduled occurrences of its
 * series.
 */
export const updateMaintenance = async (
  scope: Scope,
  state: MaintenanceState,
  edit: MaintenanceEdit,
  baseUrl: string,
): Promise<MaintenanceOutcome> => {
  const { maintenance: before } = state
  const occurrences =
    before.recurrence === null || edit.isAlwaysStored
      ? []
      : await store.lockOccurrences(scope, before.id)
  const live = await lockAll(scope, [state, ...occurrences], edit.componentIds)
  const decision = editMaintenance(state, edit, live, scope.now)
  const outcome = await saveAndPublish(scope, before, decision, { verb: 'update', baseUrl })
  if (decision.verb === null) return { decision, ...outcome }
  const isListChanged =
    componentIdsOf(state.components).join() !== componentIdsOf(decision.components).join()
  const componentIds = isListChanged ? edit.componentIds : undefined
  const change = { before, after: decision.maintenance, edit: { ...edit, componentIds } }
  const times = occurrenceTimesAfter(
    change,
    occurrences.map(({ maintenance }) => maintenance),
  )
  for (const occurrence of occurrences) {
    const { maintenance } = occurrence
    const occurrenceAt = times.get(maintenance.id)
    if (maintenance.status === 'cancelled') {
      if (occurrenceAt !== undefined)
        await store.saveOccurrenceTime(scope, maintenance.id, occurrenceAt)
      continue
    }
    const followingEdit = occurrenceEdit(change, maintenance, occurrenceAt)
    const occurrenceDecision =
      followingEdit === null
        ? decideCancellation(occurrence, newId(), live, scope.now)
        : editMaintenance(occurrence, { ...followingEdit, updateId: newId() }, live, scope.now)
    append(
      outcome,
      await saveAndPublish(scope, maintenance, occurrenceDecision, { verb: 'update', baseUrl }),
    )
  }
  return { decision, ...outcome }
}

/**
 * Cancels a maintenance; cancelling the first one also cancels scheduled occurrences of its series.
 */
export const cancelMaintenance = async (
  scope: Scope,
  state: MaintenanceState,
  baseUrl: string,
): Promise<MaintenanceEffects> => {
  const { maintenance: before } = state
  const series = before.recurrence === null ? [] : await store.lockOccurrences(scope, before.id)
  const occurrences = series.filter(({ maintenance }) => maintenance.status === 'scheduled')
  const live = await lockAll(scope, [state, ...occurrences])
  const outcome: MaintenanceEffects = { events: [], audit: [] }
  for (const member of [state, ...occurrences]) {
    const cancelled = decideCancellation(member, newId(), live, scope.now)
    append(
      outcome,
      await saveAndPublish(scope, member.maintenance, cancelled, { verb: 'delete', baseUrl }),
    )
  }
  return outcome
}

/** Performs one due transition; the result is empty when another replica has performed it. */
export const runDueTransition = async (
  scope: Scope,
  id: string,
  baseUrl: string,
): Promise<MaintenanceEffects> => {
  const state = await store.lockMaintenance(scope, id)
  if (state === undefined) return { events: [], audit: [] }
  const live = await lockAll(scope, [state])
  const decision = dueTransition(state, newId(), live, scope.now)
  if (decision !== null) {
    if (decision.verb !== null) {
      return saveAndPublish(scope, state.maintenance, decision, { verb: 'update', baseUrl })
    }
    await store.saveDecision(scope, decision)
  } else if (isOccurrenceDue(state.maintenance, scope.now)) {
    return createOccurrence(scope, state, baseUrl)
  } else {
    await store.saveDueTime(scope, withDueTime(state.maintenance))
  }
  return { events: [], audit: [] }
}

/**
 * Creates the next occurrence, unless its window has passed or it was already created or cancelled.
 */
const createOccurrence = async (
  scope: Scope,
  { maintenance: first, components }: MaintenanceState,
  baseUrl: string,
): Promise<MaintenanceEffects> => {
  const series = seriesOf(first)
  const at = first.nextOccurrenceAt
  if (series === null || at === null) return { events: [], audit: [] }
  const next = { ...first, nextOccurrenceAt: occurrenceAfter(series, at) }
  await store.saveDueTime(scope, withDueTime(next))
  const isMissed = occurrenceWindowAt(series, at).scheduledUntil <= scope.now
  if (isMissed || (await store.hasOccurrence(scope, first.id, at))) return { events: [], audit: [] }
  const input = occurrenceInput(first, series, { id: newId(), updateId: newId() }, at)
  return createMaintenance(
    scope,
    input,
    { ids: componentIdsOf(components), stored: components },
    baseUrl,
  )
}

/** Saves a decision and returns its event and audit entry; both are empty when nothing changes. */
const saveAndPublish = async (
  scope: Scope,
  before: MaintenanceRow,
  decision: MaintenanceDecision,
  options: { verb: 'update' | 'delete'; baseUrl: string },
): Promise<MaintenanceEffects> => {
  const events = await applyDecision(scope, decision, options.baseUrl)
  const isAudited = decision.verb !== null && decision.verb !== 'reminded'
  const audit = isAudited ? [auditMaintenance(options.verb, before, decision.maintenance)] : []
  return { events, audit }
}

const applyDecision = async (
  scope: Scope,
  decision: MaintenanceDecision,
  baseUrl: string,
): Promise<EventDraft[]> => {
  const { verb } = decision
  if (verb === null) return []
  await store.saveDecision(scope, decision)
  await saveDerivedStatuses(scope, decision.claims)
  return [await maintenanceEvent(scope, decision, { verb, baseUrl })]
}

const lockAll = (
  scope: Scope,
  states: readonly MaintenanceState[],
  more: readonly string[] = [],
): Promise<LockedComponents> =>
  lockComponents(scope, [
    ...new Set([...more, ...states.flatMap(({ components }) => componentIdsOf(components))]),
  ])

const stateAfter = ({ maintenance, components }: MaintenanceDecision): MaintenanceState => ({
  maintenance,
  components,
  updateCount: 0,
})

const append = (outcome: MaintenanceEffects, more: MaintenanceEffects): void => {
  outcome.events.push(...more.events)
  outcome.audit.push(...more.audit)
}
