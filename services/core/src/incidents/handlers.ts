/** Handlers of check events: component status, status history and automatic incidents. */
import { eventHandler } from '@status-page/bus'
import {
  type EventDraft,
  type MonitorFact,
  monitorDegraded,
  monitorDown,
  monitorRecovered,
} from '@status-page/contracts'
import { newId, type Scope } from '@status-page/postgres'
import { showDerived } from '../components/rules.ts'
import {
  ancestorsOf,
  findComponents,
  lockComponents,
  saveMonitorVersion,
  saveStatuses,
  subtreeIds,
} from '../components/store.ts'
import type { ComponentRow } from '../tables.ts'
import { type Automatic, onDown, onRecovered, type Step } from './automatic.ts'
import * as automaticStore from './automatic-store.ts'
import { hasNoRoom } from './bounds.ts'
import { applyDecision, lockNamed } from './changes.ts'
import { amendIncident, type IncidentDecision, openIncident } from './rules.ts'
import * as store from './store.ts'
import { auditIncident } from './view.ts'

const nothing = { result: undefined, events: [], audit: [] }

export const incidentReactions = ({ baseUrl }: { baseUrl: string }) => [
  eventHandler({
    consumer: 'core-incidents',
    on: [monitorDown, monitorDegraded, monitorRecovered],
    handle: async (scope, { aggregate, data: { monitor } }) => {
      await automaticStore.lockAutomatic(scope)
      const { componentId } = monitor
      const component = (await findComponents(scope, [componentId])).get(componentId)
      if (component === undefined || component.monitorVersion >= aggregate.version) return nothing
      const step = await stepFor(scope, component, monitor)
      const showMonitored = () => showMonitor(scope, monitor, aggregate.version)
      if (step !== null) {
        const told = await take(scope, step, { component, baseUrl, showMonitored })
        return { ...nothing, ...told }
      }
      await showMonitored()
      return nothing
    },
  }),
]

const showMonitor = async (scope: Scope, monitor: MonitorFact, version: number): Promise<void> => {
  const row = (await lockComponents(scope, [monitor.componentId])).get(monitor.componentId)
  if (row === undefined) return
  await saveMonitorVersion(scope, row.id, version)
  const derived = { status: monitor.derivedStatus, since: new Date(monitor.since) }
  await saveStatuses(scope, [showDerived(row, derived, scope.now)])
}

const stepFor = async (
  scope: Scope,
  component: ComponentRow,
  monitor: MonitorFact,
): Promise<Step | null> => {
  const { id, endpoint } = component
  if (endpoint === null) return null
  const ids = { incidentId: newId(), updateId: newId() }
  const since = earlier(new Date(monitor.since), scope.now)
  // Checks that began before the component was disabled open no incident.
  const opens = endpoint.autoCreateIncident && component.isEnabled
  if (monitor.derivedStatus === 'major_outage' && opens) {
    const [candidates, relatives] = [await automatics(scope, id), await relativesOf(scope, id)]
    return onDown({ component, since, candidates, relatives, ids, now: scope.now })
  }
  if (monitor.derivedStatus !== 'operational' || !endpoint.autoResolve) return null
  const automatic = (await automatics(scope, id)).find(
    ({ incident, components }) =>
      incident.status !== 'resolved' &&
      components.some(({ componentId, isFailing }) => componentId === id && isFailing),
  )
  return automatic === undefined ? null : onRecovered({ component, since, automatic, ids })
}

const automatics = async (scope: Scope, componentId: string): Promise<Automatic[]> => {
  const rows = await automaticStore.automaticIncidents(scope, componentId)
  const ids = rows.map(({ id }) => id)
  const listed = await store.componentsOf(scope, ids)
  const personal = await automaticStore.withPersonalUpdates(scope, ids)
  return rows.map((incident) => ({
    incident,
    components: listed.get(incident.id) ?? [],
    hasPersonalUpdate: personal.has(incident.id),
  }))
}

const relativesOf = async (scope: Scope, id: string): Promise<Set<string>> => {
  const above = (await ancestorsOf(scope, [id])).get(id) ?? []
  const below = await subtreeIds(scope, id)
  return new Set([...above.map((one) => one.id), ...below].filter((one) => one !== id))
}

interface Taking {
  component: ComponentRow
  baseUrl: string
  /**
   * Saves the derived status; must run before the incident's status, which would prevent the
   * backdating.
   */
  showMonitored: () => Promise<void>
}

/** Applies the rules of API requests; locks the incident before its components. */
const take = async (
  scope: Scope,
  step: Step,
  { component, baseUrl, showMonitored }: Taking,
): Promise<{ events: EventDraft[]; audit: ReturnType<typeof auditIncident>[] }> => {
  const told = { notifySubscribers: true, baseUrl }
  if (step.kind === 'open') {
    const opening = { ...step.opening, organizationId: scope.organizationId }
    await showMonitored()
    const live = await lockNamed(scope, opening)
    const opened = openIncident(opening, live, scope.now)
    const decision = marked(opened, component.id, { isFailing: true, autoResolved: false })
    const events = await applyDecision(scope, decision, told)
    return { events, audit: [auditIncident('create', null, decision.incident)] }
  }
  const { amendment, autoResolves } = step
  const state = await store.lockIncident(scope, step.incidentId)
  const lockAll = () => lockNamed(scope, { ...amendment.update }, state?.components)
  await lockAll()
  await showMonitored()
  if (state === undefined) return { events: [], audit: [] }
  const live = await lockAll()
  const amended = amendIncident(state, amendment, live, scope.now)
  const isFailing = amendment.update?.componentStatuses[component.id] !== 'operational'
  const decision = marked(amended, component.id, { isFailing, autoResolved: autoResolves })
  if (hasNoRoom(state)) await automaticStore.removeOldestNote(scope, step.incidentId)
  const events = await applyDecision(scope, decision, told)
  return { events, audit: [auditIncident('update', state.incident, decision.incident)] }
}

/** Adds the state that only check events know: failing components and automatic resolution. */
const marked = (
  decision: IncidentDecision,
  componentId: string,
  marks: { isFailing: boolean; autoResolved: boolean },
): IncidentDecision => ({
  ...decision,
  incident: { ...decision.incident, autoResolved: marks.autoResolved },
  components: decision.components.map((row) =>
    row.componentId === componentId ? { ...row, isFailing: marks.isFailing } : row,
  ),
})

const earlier = (left: Date, right: Date): Date => (left < right ? left : right)
