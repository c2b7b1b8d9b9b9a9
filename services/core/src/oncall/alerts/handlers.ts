/**
 * What raises and ends alerts: a monitor that finds a component down, an incident that people open.
 * It speaks to people, so news from before it existed wakes nobody, and recovery never overtakes.
 */
import { eventHandler } from '@status-page/bus'
import {
  type IncidentEventData,
  incidentCreated,
  incidentDeleted,
  incidentReopened,
  incidentResolved,
  incidentUpdated,
  type MonitorFact,
  monitorDown,
  monitorRecovered,
} from '@status-page/contracts'
import type { Scope } from '@status-page/postgres'
import { ancestorsOf, findComponents } from '../../components/store.ts'
import { findIncident } from '../../incidents/store.ts'
import { raiseAlerts, resolveAlerts } from './changes.ts'
import { type Cause, causeOfIncident, causeOfMonitor, componentKey, incidentKey } from './rules.ts'
import { linkAlerts } from './store.ts'

const nothing = { events: [], audit: [] }

export const alertReaction = eventHandler({
  consumer: 'core-oncall',
  on: [
    monitorDown,
    monitorRecovered,
    incidentCreated,
    incidentUpdated,
    incidentReopened,
    incidentResolved,
    incidentDeleted,
  ],
  requiresOrdering: { catchUp: { aggregates: true } },
  handle: async (scope, { kind, data }) => ({
    result: undefined,
    ...('monitor' in data
      ? await onMonitor(scope, kind === 'monitor.down', data.monitor)
      : await onIncident(scope, kind, data.incident)),
  }),
})

const onMonitor = async (scope: Scope, isDown: boolean, monitor: MonitorFact) => {
  const { componentId } = monitor
  if (!isDown) return resolveAlerts(scope, componentKey(componentId))
  const component = (await findComponents(scope, [componentId])).get(componentId)
  if (component === undefined) return nothing
  const above = (await ancestorsOf(scope, [componentId])).get(componentId) ?? []
  const ancestorIds = above.map(({ id }) => id)
  const cause = causeOfMonitor(monitor, { isMuted: component.isMuted, ancestorIds })
  return raise(scope, cause, { onlyFirst: false })
}

const onIncident = async (scope: Scope, kind: string, incident: IncidentEventData) => {
  if (kind === 'incident.resolved' || kind === 'incident.deleted') {
    return resolveAlerts(scope, incidentKey(incident.id))
  }
  const row = await findIncident(scope, incident.id)
  if (row === undefined) return nothing
  if (row.isAutoCreated) {
    // Its alert is the monitor's, which had no page to show.
    const keys = incident.components.map(({ id }) => componentKey(id))
    if (incident.url !== null) await linkAlerts(scope, keys, incident.url)
    return nothing
  }
  // An update raises one only where the incident has become grave, or concerns others too.
  return raise(scope, causeOfIncident(incident), { onlyFirst: kind === 'incident.updated' })
}

const raise = (scope: Scope, cause: Cause | null, options: { onlyFirst: boolean }) =>
  cause === null ? nothing : raiseAlerts(scope, cause, options)
