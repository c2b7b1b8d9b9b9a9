/** Handlers of check events: component status, status history and automatic incidents. */
import { eventHandler } from '@status-page/bus'
import { type MonitorEventData, monitorEvents } from '@status-page/contracts'
import { newId, type Scope } from '@status-page/postgres'
import { applyMonitorStatus } from '../../components/rules.ts'
import {
  findComponents,
  lockComponents,
  saveMonitorVersion,
  saveStatuses,
} from '../../components/store.ts'
import type { ComponentRow } from '../../tables.ts'
import { applyAction, loadAutomaticIncidents, loadRelativeIds } from './actions.ts'
import { type AutomaticAction, decideOnOutage, decideOnRecovery } from './automatic.ts'
import * as automaticStore from './automatic-store.ts'
import {
  confirmationAfterEdit,
  endOutage,
  holdOutage,
  reconsiderDependents,
} from './dependent-outage-changes.ts'
import { isOutage } from './dependent-outages.ts'

export const incidentHandlers = ({ baseUrl }: { baseUrl: string }) => [
  eventHandler({
    consumer: 'core-incidents',
    on: monitorEvents,
    handle: async (scope, { id: eventId, aggregate, data: { monitor } }) => {
      await automaticStore.lockAutomaticDecisions(scope)
      const { componentId } = monitor
      const component = (await findComponents(scope, [componentId])).get(componentId)
      if (component === undefined || component.monitorVersion >= aggregate.version) return
      const saveDerivedStatus = () => saveMonitorStatus(scope, monitor, aggregate.version)
      const outage = { eventId, monitorVersion: aggregate.version, monitor }
      if (component.dependsOn.length > 0 && monitor.derivedStatus !== 'operational') {
        await saveDerivedStatus()
        return { events: await holdOutage(scope, outage), audit: [] }
      }
      const action = await decideAction(scope, component, monitor)
      const drafts =
        action === null
          ? { events: [], audit: [] }
          : await applyAction(scope, action, {
              componentIds: [componentId],
              baseUrl,
              saveDerivedStatus,
            })
      if (action === null) await saveDerivedStatus()
      if (isOutage(outage)) await reconsiderDependents(scope, componentId)
      const others =
        monitor.derivedStatus === 'operational'
          ? await endOutage(scope, component, aggregate.version)
          : confirmationAfterEdit(component, outage, scope.now)
      return { ...drafts, events: [...drafts.events, ...others] }
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

const decideAction = async (
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
      await loadRelativeIds(scope, id),
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

const earlier = (left: Date, right: Date): Date => (left < right ? left : right)
