/** Applies automatic changes of incidents by the rules of API requests. */
import type { OutcomeDrafts } from '@status-page/contracts'
import type { Scope } from '@status-page/postgres'
import { ancestorsOf, subtreeIds } from '../../components/store.ts'
import { applyDecision, lockListedComponents } from '../changes.ts'
import { hasReachedMaxUpdates } from '../limits.ts'
import { editIncident, type IncidentDecision, openIncident } from '../rules.ts'
import * as store from '../store.ts'
import { auditIncident } from '../view.ts'
import type { AutomaticAction, AutomaticIncident } from './automatic.ts'
import * as automaticStore from './automatic-store.ts'

export const loadAutomaticIncidents = async (
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

export const loadRelativeIds = async (scope: Scope, id: string): Promise<Set<string>> => {
  const above = (await ancestorsOf(scope, [id])).get(id) ?? []
  const below = await subtreeIds(scope, id)
  return new Set(
    [...above.map((related) => related.id), ...below].filter((related) => related !== id),
  )
}

interface ActionContext {
  /** Components whose checks began or ceased to fail. */
  componentIds: readonly string[]
  baseUrl: string
  /**
   * Saves the derived status; must run before the incident's status, which would prevent the
   * backdating.
   */
  saveDerivedStatus: () => Promise<void>
}

/** Applies the rules of API requests; locks the incident before its components. */
export const applyAction = async (
  scope: Scope,
  action: AutomaticAction,
  { componentIds, baseUrl, saveDerivedStatus }: ActionContext,
): Promise<OutcomeDrafts> => {
  const options = { notifySubscribers: true, baseUrl }
  if (action.kind === 'open') {
    const input = { ...action.input, organizationId: scope.organizationId }
    await saveDerivedStatus()
    const live = await lockListedComponents(scope, input)
    const opened = openIncident(input, live, scope.now)
    const decision = withCheckState(opened, componentIds, {
      isFailing: true,
      autoResolved: false,
      isTrigger: true,
    })
    const events = await applyDecision(scope, decision, options)
    return { events, audit: [auditIncident('create', null, decision.incident)] }
  }
  const { edit, autoResolves } = action
  const state = await store.lockIncident(scope, action.incidentId)
  const lockAll = () => lockListedComponents(scope, { ...edit.update }, state?.components)
  await lockAll()
  await saveDerivedStatus()
  if (state === undefined) return { events: [], audit: [] }
  const live = await lockAll()
  const edited = editIncident(state, edit, live, scope.now)
  const given = Object.values(edit.update?.componentStatuses ?? {})
  const isFailing = !given.includes('operational')
  const decision = withCheckState(edited, componentIds, { isFailing, autoResolved: autoResolves })
  if (hasReachedMaxUpdates(state))
    await automaticStore.removeOldestAutomaticUpdate(scope, action.incidentId)
  const events = await applyDecision(scope, decision, options)
  return { events, audit: [auditIncident('update', state.incident, decision.incident)] }
}

/** Adds the state that only events of checks have: failing components and automatic resolution. */
const withCheckState = (
  decision: IncidentDecision,
  componentIds: readonly string[],
  { autoResolved, ...state }: { isFailing: boolean; autoResolved: boolean; isTrigger?: true },
): IncidentDecision => ({
  ...decision,
  incident: { ...decision.incident, autoResolved },
  components: decision.components.map((row) =>
    componentIds.includes(row.componentId) ? { ...row, ...state, isExplained: false } : row,
  ),
})
