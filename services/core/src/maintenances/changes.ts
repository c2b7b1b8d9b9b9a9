/**
 * Use cases that change maintenances and their series: save decisions, update components, return
 * events.
 */
import type { AuditDraft, EventDraft } from '@status-page/contracts'
import { newId, type Scope } from '@status-page/postgres'
import { lockComponents } from '../components/store.ts'
import { saveDerivedStatuses } from '../incidents/changes.ts'
import type { ComponentRow, MaintenanceComponentRow, MaintenanceRow } from '../tables.ts'
import { occurrenceAfter, windowAt } from './recurrence.ts'
import {
  amendMaintenance,
  cancelMaintenance,
  idsOf,
  isOccurrenceDue,
  listComponents,
  type MaintenanceDecision,
  type MaintenanceEdit,
  type MaintenanceInput,
  type MaintenanceState,
  onClock,
  scheduleMaintenance,
  timed,
} from './rules.ts'
import { following, occurrenceOf, placesAfter, seriesOf } from './series.ts'
import * as store from './store.ts'
import { auditMaintenance, maintenanceEvent } from './view.ts'

export interface MaintenanceEventOptions {
  events: EventDraft[]
  audit: AuditDraft[]
}

/** Result of a change, with the decision on the maintenance itself. */
export interface Done extends MaintenanceEventOptions {
  decision: MaintenanceDecision
}

type LiveRows = ReadonlyMap<string, ComponentRow>

/** Creates a maintenance, and starts it at once when its start has passed. */
export const open = async (
  scope: Scope,
  opening: MaintenanceInput,
  listed: { ids: readonly string[]; stored: readonly MaintenanceComponentRow[] },
  baseUrl: string,
): Promise<Done> => {
  const live = await lockComponents(scope, listed.ids)
  const components = listComponents(opening, listed.ids, { stored: listed.stored, live })
  const decision = scheduleMaintenance(opening, components, scope.now)
  const events = await applyDecision(scope, decision, baseUrl)
  const begun = onClock(stateAfter(decision), newId(), live, scope.now)
  if (begun !== null) events.push(...(await applyDecision(scope, begun, baseUrl)))
  const { maintenance } = begun ?? decision
  const audit = [auditMaintenance('create', null, maintenance)]
  return { decision: begun ?? decision, events, audit }
}

/**
 * Edits a maintenance; a change of the first one also applies to scheduled occurrences of its
 * series.
 */
export const amend = async (
  scope: Scope,
  state: MaintenanceState,
  amendment: MaintenanceEdit,
  baseUrl: string,
): Promise<Done> => {
  const { maintenance: before } = state
  const occurrences =
    before.recurrence === null || amendment.isPosted
      ? []
      : await store.lockOccurrences(scope, before.id)
  const live = await lockAll(scope, [state, ...occurrences], amendment.componentIds)
  const decision = amendMaintenance(state, amendment, live, scope.now)
  const done = await told(scope, before, decision, { verb: 'update', baseUrl })
  if (decision.verb === null) return { decision, ...done }
  const isRelisted = idsOf(state.components).join() !== idsOf(decision.components).join()
  const componentIds = isRelisted ? amendment.componentIds : undefined
  const change = { before, after: decision.maintenance, amendment: { ...amendment, componentIds } }
  const places = placesAfter(
    change,
    occurrences.map(({ maintenance }) => maintenance),
  )
  for (const occurrence of occurrences) {
    const { maintenance } = occurrence
    const place = places.get(maintenance.id)
    if (maintenance.status === 'cancelled') {
      if (place !== undefined) await store.savePlace(scope, maintenance.id, place)
      continue
    }
    const follows = following(change, maintenance, place)
    const followed =
      follows === null
        ? cancelMaintenance(occurrence, newId(), live, scope.now)
        : amendMaintenance(occurrence, { ...follows, updateId: newId() }, live, scope.now)
    append(done, await told(scope, maintenance, followed, { verb: 'update', baseUrl }))
  }
  return { decision, ...done }
}

/**
 * Cancels a maintenance; cancelling the first one also cancels scheduled occurrences of its series.
 */
export const cancel = async (
  scope: Scope,
  state: MaintenanceState,
  baseUrl: string,
): Promise<MaintenanceEventOptions> => {
  const { maintenance: before } = state
  const series = before.recurrence === null ? [] : await store.lockOccurrences(scope, before.id)
  const occurrences = series.filter(({ maintenance }) => maintenance.status === 'scheduled')
  const live = await lockAll(scope, [state, ...occurrences])
  const done: MaintenanceEventOptions = { events: [], audit: [] }
  for (const one of [state, ...occurrences]) {
    const cancelled = cancelMaintenance(one, newId(), live, scope.now)
    append(done, await told(scope, one.maintenance, cancelled, { verb: 'delete', baseUrl }))
  }
  return done
}

/** Performs one due transition; the result is empty when another replica has performed it. */
export const tick = async (
  scope: Scope,
  id: string,
  baseUrl: string,
): Promise<MaintenanceEventOptions> => {
  const state = await store.lockMaintenance(scope, id)
  if (state === undefined) return { events: [], audit: [] }
  const live = await lockAll(scope, [state])
  const decision = onClock(state, newId(), live, scope.now)
  if (decision !== null) {
    if (decision.verb !== null) {
      return told(scope, state.maintenance, decision, { verb: 'update', baseUrl })
    }
    await store.saveDecision(scope, decision)
  } else if (isOccurrenceDue(state.maintenance, scope.now)) {
    return makeOccurrence(scope, state, baseUrl)
  } else {
    await store.saveClock(scope, timed(state.maintenance))
  }
  return { events: [], audit: [] }
}

/**
 * Creates the next occurrence, unless its window has passed or it was already created or cancelled.
 */
const makeOccurrence = async (
  scope: Scope,
  { maintenance: first, components }: MaintenanceState,
  baseUrl: string,
): Promise<MaintenanceEventOptions> => {
  const series = seriesOf(first)
  const at = first.nextOccurrenceAt
  if (series === null || at === null) return { events: [], audit: [] }
  const next = { ...first, nextOccurrenceAt: occurrenceAfter(series, at) }
  await store.saveClock(scope, timed(next))
  const isMissed = windowAt(series, at).scheduledUntil <= scope.now
  if (isMissed || (await store.hasOccurrence(scope, first.id, at))) return { events: [], audit: [] }
  const opening = occurrenceOf(first, series, { id: newId(), updateId: newId() }, at)
  return open(scope, opening, { ids: idsOf(components), stored: components }, baseUrl)
}

/** Saves a decision and returns its event and audit entry; both are empty when nothing changes. */
const told = async (
  scope: Scope,
  before: MaintenanceRow,
  decision: MaintenanceDecision,
  how: { verb: 'update' | 'delete'; baseUrl: string },
): Promise<MaintenanceEventOptions> => {
  const events = await applyDecision(scope, decision, how.baseUrl)
  const isAudited = decision.verb !== null && decision.verb !== 'reminded'
  const audit = isAudited ? [auditMaintenance(how.verb, before, decision.maintenance)] : []
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
): Promise<LiveRows> =>
  lockComponents(scope, [
    ...new Set([...more, ...states.flatMap(({ components }) => idsOf(components))]),
  ])

const stateAfter = ({ maintenance, components }: MaintenanceDecision): MaintenanceState => ({
  maintenance,
  components,
  updateCount: 0,
})

const append = (done: MaintenanceEventOptions, more: MaintenanceEventOptions): void => {
  done.events.push(...more.events)
  done.audit.push(...more.audit)
}
