/**
 * Changes of outages of components with dependencies: held, listed in the incident of their cause,
 * confirmed, ended. The lock on automatic decisions serializes them with the events of checks.
 */
import {
  draftEvent,
  type EventDraft,
  MAX_INCIDENT_COMPONENTS,
  type Outcome,
  type OutcomeDrafts,
  outageConfirmed,
  outageEnded,
  outageTitle,
  replaceComponentName,
} from '@status-page/contracts'
import { newId, type Scope } from '@status-page/postgres'
import { dependentsOf, reachableFrom } from '../../components/dependencies/graph.ts'
import { loadDependencies } from '../../components/dependencies/store.ts'
import { findComponents } from '../../components/store.ts'
import type { ComponentRow, DependentOutageRow } from '../../tables.ts'
import { applyDecision, lockListedComponents } from '../changes.ts'
import { editIncident } from '../rules.ts'
import { lockIncident } from '../store.ts'
import { incidentEvent } from '../view.ts'
import { applyAction, loadAutomaticIncidents, loadRelativeIds } from './actions.ts'
import { type AutomaticAction, decideOnOutage } from './automatic.ts'
import * as automaticStore from './automatic-store.ts'
import * as outageStore from './dependent-outage-store.ts'
import {
  decideOutages,
  firstDecisionAt,
  isOutage,
  type OutageContext,
} from './dependent-outages.ts'

type Attributed = ReturnType<typeof decideOutages<DependentOutageRow>>['attributed']

type Outage = Pick<DependentOutageRow, 'eventId' | 'monitorVersion' | 'monitor'>

/**
 * Stores an outage until it is decided whether the outage of a dependency explains it. A
 * degradation ends an earlier outage; the result has its confirmation.
 */
export const holdOutage = async (scope: Scope, outage: Outage): Promise<EventDraft[]> => {
  const { componentId } = outage.monitor
  const dependencies = reachableFrom(await loadDependencies(scope), componentId)
  const rows = [...(await findComponents(scope, [...dependencies.keys()])).values()]
  const decideAt = firstDecisionAt(outage, rows, scope.now)
  const { organizationId } = scope
  const ended = isOutage(outage) ? undefined : await outageStore.takeOutage(scope, componentId)
  await outageStore.saveOutage(scope, {
    ...outage,
    organizationId,
    componentId,
    causeId: null,
    decideAt,
  })
  return confirmationOfEnded(ended)
}

/**
 * The end of a held outage confirms it, so that its notifications are sent; it opens no incident,
 * because it is over.
 */
const confirmationOfEnded = (held: DependentOutageRow | undefined): EventDraft[] =>
  held !== undefined && held.causeId === null ? [confirmedEvent(held)] : []

/** Makes held outages due that the outage of the component may explain. */
export const reconsiderDependents = async (scope: Scope, componentId: string): Promise<void> => {
  const held = (await outageStore.listOutages(scope)).filter(({ decideAt }) => decideAt !== null)
  if (held.length === 0) return
  const incidents = await outageStore.openIncidentIds(scope, [componentId])
  if (!incidents.has(componentId)) return
  const dependents = reachableFrom(dependentsOf(await loadDependencies(scope)), componentId)
  await outageStore.saveOutageChanges(
    scope,
    held
      .filter((outage) => dependents.has(outage.componentId))
      .map((outage) => ({ ...outage, decideAt: scope.now })),
  )
}

/** Deletes an outage that has ended, and returns its events. */
export const endOutage = async (
  scope: Scope,
  component: ComponentRow,
  monitorVersion: number,
): Promise<EventDraft[]> => {
  const held = await outageStore.takeOutage(scope, component.id)
  if (component.dependsOn.length === 0 && held === undefined) return []
  const at = { id: component.id, version: monitorVersion }
  const ended = draftEvent(outageEnded, at, { outage: { componentId: component.id } })
  return [...confirmationOfEnded(held), ended]
}

/** Maximum delay of the event of a changed component at the notifier. */
const MAX_EDIT_DELAY_MS = 600_000

/**
 * Confirms the outage of a component whose last dependency was perhaps just removed: a notifier
 * that has not handled the removal yet waits for the confirmation. A repeated notification has no
 * effect.
 */
export const confirmationAfterEdit = (
  { version, updatedAt }: ComponentRow,
  outage: Outage,
  now: Date,
): EventDraft[] => {
  const isRecent = now.getTime() - updatedAt.getTime() < MAX_EDIT_DELAY_MS
  return version > 1 && isRecent ? [confirmedEvent(outage)] : []
}

/** Decides all due outages of the organization; the result is false when nothing changed. */
export const decideDependentOutages = async (
  scope: Scope,
  baseUrl: string,
): Promise<Outcome<boolean>> => {
  await automaticStore.lockAutomaticDecisions(scope)
  const context = await loadContext(scope)
  const { ended, attributed, confirmed, released } = decideOutages(context, scope.now)
  await outageStore.removeOutages(
    scope,
    ended.map(({ componentId }) => componentId),
  )
  const listed = await listInIncidents(scope, attributed, baseUrl)
  await outageStore.saveOutageChanges(scope, [
    ...attributed.map(({ outage, causeId }) => ({ ...outage, causeId, decideAt: null })),
    ...released.map(({ outage, decideAt }) => ({ ...outage, decideAt })),
  ])
  const [group] = confirmed
  const drafts = group === undefined ? noDrafts : await confirmOutages(scope, group, baseUrl)
  const isChanged = [ended, attributed, confirmed, released].some(({ length }) => length > 0)
  return { result: isChanged, events: [...listed, ...drafts.events], audit: drafts.audit }
}

const noDrafts: OutcomeDrafts = { events: [], audit: [] }

const loadContext = async (scope: Scope): Promise<OutageContext<DependentOutageRow>> => {
  const outages = await outageStore.listOutages(scope)
  const dependencies = await loadDependencies(scope)
  const ids = new Set(
    outages.flatMap(({ componentId, causeId }) => [
      componentId,
      ...(causeId === null ? [] : [causeId]),
      ...reachableFrom(dependencies, componentId).keys(),
    ]),
  )
  const components = await findComponents(scope, [...ids])
  const incidentIds = await outageStore.openIncidentIds(scope, [...ids])
  return { outages, dependencies, components, incidentIds }
}

/**
 * Lists components in the incidents of their causes. The events notify only destinations that were
 * not notified of the cause, such as subscribers of a dependent alone.
 */
const listInIncidents = async (
  scope: Scope,
  attributed: Attributed,
  baseUrl: string,
): Promise<EventDraft[]> => {
  const events: EventDraft[] = []
  const byIncident = Map.groupBy(attributed, ({ incidentId }) => incidentId)
  const incidentIds = [...byIncident.keys()].filter((id) => id !== null)
  for (const incidentId of incidentIds.toSorted()) {
    const state = await lockIncident(scope, incidentId)
    if (state === undefined) continue
    const listed = state.components.map(({ componentId }) => componentId)
    const added = (byIncident.get(incidentId) ?? [])
      .map(({ outage }) => outage.componentId)
      .filter((id) => !listed.includes(id))
      .slice(0, Math.max(0, MAX_INCIDENT_COMPONENTS - listed.length))
    if (added.length === 0) continue
    const componentIds = [...listed, ...added]
    const live = await lockListedComponents(scope, { componentIds })
    const edit = { componentIds, update: null, isAlwaysStored: false }
    const edited = editIncident(state, edit, live, scope.now)
    const components = edited.components.map((row) =>
      added.includes(row.componentId) ? { ...row, isExplained: true } : row,
    )
    const decision = { ...edited, components, isSilent: true }
    await applyDecision(scope, decision, { notifySubscribers: false, baseUrl })
    const { incident } = decision
    const input = { verb: 'updated', message: incident.message, isCatchUp: true } as const
    events.push(
      await incidentEvent(scope, incident, { ...input, notifySubscribers: true, baseUrl }),
    )
  }
  return events
}

/**
 * Opens one incident for the outages of a group, dated back to the first failed check; a
 * degradation opens none.
 */
const confirmOutages = async (
  scope: Scope,
  group: readonly DependentOutageRow[],
  baseUrl: string,
): Promise<OutcomeDrafts> => {
  const rows = await findComponents(
    scope,
    group.map(({ componentId }) => componentId),
  )
  const opening = group.flatMap((outage) => {
    const component = rows.get(outage.componentId)
    const opens = isOutage(outage) && component?.endpoint?.autoCreateIncident === true
    return opens ? [{ outage, component }] : []
  })
  const [first] = opening
  const drafts =
    first === undefined
      ? noDrafts
      : await openSharedIncident(
          scope,
          { first, all: opening.map(({ component }) => component) },
          baseUrl,
        )
  await outageStore.removeOutages(
    scope,
    group.map(({ componentId }) => componentId),
  )
  return { ...drafts, events: [...drafts.events, ...group.map(confirmedEvent)] }
}

interface OpeningOutages {
  /** The earliest outage. */
  first: { outage: DependentOutageRow; component: ComponentRow }
  all: readonly ComponentRow[]
}

const openSharedIncident = async (
  scope: Scope,
  { first, all }: OpeningOutages,
  baseUrl: string,
): Promise<OutcomeDrafts> => {
  const { component, outage } = first
  const since = new Date(Math.min(Date.parse(outage.monitor.since), scope.now.getTime()))
  const candidates = await loadAutomaticIncidents(scope, component.id)
  const action = decideOnOutage({
    component,
    since,
    candidates,
    relatedIds: await loadRelativeIds(scope, component.id),
    ids: { incidentId: newId(), updateId: newId() },
    now: scope.now,
  })
  const listed = candidates.find(
    ({ incident }) => action.kind === 'edit' && incident.id === action.incidentId,
  )
  const free = MAX_INCIDENT_COMPONENTS - (listed?.components.length ?? 0)
  const components = all.slice(0, Math.max(1, free))
  const saveDerivedStatus = async () => {}
  return applyAction(scope, withComponents(action, components), {
    componentIds: components.map(({ id }) => id),
    baseUrl,
    saveDerivedStatus,
  })
}

/** Makes an action about one component one about several; a text about one names it. */
const withComponents = (
  action: AutomaticAction,
  components: readonly ComponentRow[],
): AutomaticAction => {
  if (components.length === 1) return action
  const componentIds = components.map(({ id }) => id)
  const componentStatuses = Object.fromEntries(
    componentIds.map((id) => [id, 'major_outage' as const]),
  )
  if (action.kind === 'open') {
    const title = outageTitle(components.map(({ name }) => name))
    const message = replaceComponentName(action.input.message, null)
    return {
      ...action,
      input: { ...action.input, title, message, componentIds, componentStatuses },
    }
  }
  const { update } = action.edit
  if (update === null) return action
  const edit = { ...action.edit, update: { ...update, componentStatuses } }
  return { ...action, edit }
}

const confirmedEvent = ({ eventId, monitorVersion, monitor }: Outage): EventDraft => {
  const at = { id: monitor.componentId, version: monitorVersion }
  return draftEvent(outageConfirmed, at, { outage: { eventId, monitorVersion, monitor } })
}
