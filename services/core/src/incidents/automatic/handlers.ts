/** Handlers of check events: component status, status history and automatic incidents. */
import { eventHandler } from '@status-page/bus'
import {
  type MonitorEventData,
  monitorDegraded,
  monitorDown,
  monitorRecovered,
  type OutcomeDrafts,
} from '@status-page/contracts'
import { newId, type Scope } from '@status-page/postgres'
import { applyMonitorStatus } from '../../components/rules.ts'
import {
  ancestorsOf,
  findComponents,
  lockComponents,
  saveMonitorVersion,
  saveStatuses,
  subtreeIds,
} from '../../components/store.ts'
import type { ComponentRow } from '../../tables.ts'
import { applyDecision, lockListedComponents } from '../changes.ts'
import { hasReachedMaxUpdates } from '../limits.ts'
import { amendIncident, type IncidentDecision, openIncident } from '../rules.ts'
import * as store from '../store.ts'
import { auditIncident } from '../view.ts'
import {
  type AutomaticAction,
  type AutomaticIncident,
  decideOnOutage,
  decideOnRecovery,
} from './automatic.ts'
import * as automaticStore from './automatic-store.ts'

export const incidentHandlers = ({ baseUrl }: { baseUrl: string }) => [
  eventHandler({
    consumer: 'core-incidents',
    on: [monitorDown, monitorDegraded, monitorRecovered],
    handle: async (scope, { aggregate, data: { monitor } }) => {
      await automaticStore.lockAutomaticDecisions(scope)
      const { componentId } = monitor
      const component = (await findComponents(scope, [componentId])).get(componentId)
      if (component === undefined || component.monitorVersion >= aggregate.version) return
      const action = await actionFor(scope, component, monitor)
      const saveMonitored = () => saveMonitorStatus(scope, monitor, aggregate.version)
      if (action !== null) {
        return applyAction(scope, action, { component, baseUrl, saveMonitored })
      }
      await saveMonitored()
      return
    },
  }),
]

const saveMonitorStatus = async (
  scope: Scope,
  monitor: MonitorEventData,
  version: number,
): Promise<void> => {
  const row = (await lockComponents(scope, [monitor.componentId])).get(monitor.componentId)
  if (row === undefined) return
  await saveMonitorVersion(scope, row.id, version)
  const derived = { status: monitor.derivedStatus, since: new Date(monitor.since) }
  await saveStatuses(scope, [applyMonitorStatus(row, derived, scope.now)])
}

const actionFor = async (
  scope: Scope,
  component: ComponentRow,
  monitor: MonitorEventData,
): Promise<AutomaticAction | null> => {
  const { id, endpoint } = component
  if (endpoint === null) return null
  const ids = { incidentId: newId(), updateId: newId() }
  const since = earlier(new Date(monitor.since), scope.now)
  // Checks that began before the component was disabled open no incident.
  const opens = endpoint.autoCreateIncident && component.isEnabled
  if (monitor.derivedStatus === 'major_outage' && opens) {
    const [candidates, relatives] = [
      await loadAutomaticIncidents(scope, id),
      await relativesOf(scope, id),
    ]
    return decideOnOutage({
      component,
      since,
      candidates,
      relatedIds: relatives,
      ids,
      now: scope.now,
    })
  }
  if (monitor.derivedStatus !== 'operational' || !endpoint.autoResolve) return null
  const automatic = (await loadAutomaticIncidents(scope, id)).find(
    ({ incident, components }) =>
      incident.status !== 'resolved' &&
      components.some(({ componentId, isFailing }) => componentId === id && isFailing),
  )
  return automatic === undefined ? null : decideOnRecovery({ component, since, automatic, ids })
}

const loadAutomaticIncidents = async (
  scope: Scope,
  componentId: string,
): Promise<AutomaticIncident[]> => {
  const rows = await automaticStore.listAutomaticIncidents(scope, componentId)
  const ids = rows.map(({ id }) => id)
  const listed = await store.componentsOf(scope, ids)
  const withUserUpdates = await automaticStore.incidentIdsWithUserUpdates(scope, ids)
  return rows.map((incident) => ({
    incident,
    components: listed.get(incident.id) ?? [],
    hasUserUpdate: withUserUpdates.has(incident.id),
  }))
}

const relativesOf = async (scope: Scope, id: string): Promise<Set<string>> => {
  const above = (await ancestorsOf(scope, [id])).get(id) ?? []
  const below = await subtreeIds(scope, id)
  return new Set([...above.map((one) => one.id), ...below].filter((one) => one !== id))
}

interface ActionContext {
  component: ComponentRow
  baseUrl: string
  /**
   * Saves the derived status; must run before the incident's status, which would prevent the
   * backdating.
   */
  saveMonitored: () => Promise<void>
}

/** Applies the rules of API requests; locks the incident before its components. */
const applyAction = async (
  scope: Scope,
  action: AutomaticAction,
  { component, baseUrl, saveMonitored }: ActionContext,
): Promise<OutcomeDrafts> => {
  const options = { notifySubscribers: true, baseUrl }
  if (action.kind === 'open') {
    const input = { ...action.input, organizationId: scope.organizationId }
    await saveMonitored()
    const live = await lockListedComponents(scope, input)
    const opened = openIncident(input, live, scope.now)
    const decision = withCheckState(opened, component.id, { isFailing: true, autoResolved: false })
    const events = await applyDecision(scope, decision, options)
    return { events, audit: [auditIncident('create', null, decision.incident)] }
  }
  const { amendment, autoResolves } = action
  const state = await store.lockIncident(scope, action.incidentId)
  const lockAll = () => lockListedComponents(scope, { ...amendment.update }, state?.components)
  await lockAll()
  await saveMonitored()
  if (state === undefined) return { events: [], audit: [] }
  const live = await lockAll()
  const amended = amendIncident(state, amendment, live, scope.now)
  const isFailing = amendment.update?.componentStatuses[component.id] !== 'operational'
  const decision = withCheckState(amended, component.id, { isFailing, autoResolved: autoResolves })
  if (hasReachedMaxUpdates(state))
    await automaticStore.removeOldestAutomaticUpdate(scope, action.incidentId)
  const events = await applyDecision(scope, decision, options)
  return { events, audit: [auditIncident('update', state.incident, decision.incident)] }
}

/** Adds the state that only check events know: failing components and automatic resolution. */
const withCheckState = (
  decision: IncidentDecision,
  componentId: string,
  state: { isFailing: boolean; autoResolved: boolean },
): IncidentDecision => ({
  ...decision,
  incident: { ...decision.incident, autoResolved: state.autoResolved },
  components: decision.components.map((row) =>
    row.componentId === componentId ? { ...row, isFailing: state.isFailing } : row,
  ),
})

const earlier = (left: Date, right: Date): Date => (left < right ? left : right)
