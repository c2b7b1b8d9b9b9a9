/** Rules that turn check results into changes of incidents: open, join, reopen, resolve or note. */
import { checksMessage, MAX_INCIDENT_COMPONENTS, outageTitle } from '@status-page/contracts'
import type { ComponentRow, IncidentComponentRow, IncidentRow } from '../../tables.ts'
import type { IncidentEdit, IncidentInput } from '../rules.ts'

/** Maximum age of an incident of an ancestor or descendant that a failing component joins. */
const JOIN_WINDOW_MS = 60_000
/** Maximum time since an automatic resolution for a new failure to reopen the incident. */
const REOPEN_WINDOW_MS = 600_000

/** Automatic incident with the state that these rules need. */
export interface AutomaticIncident {
  incident: IncidentRow
  components: readonly Pick<IncidentComponentRow, 'componentId' | 'isFailing' | 'isExplained'>[]
  hasUserUpdate: boolean
}

type Component = Pick<ComponentRow, 'id' | 'name'>

export interface AutomaticIncidentIds {
  incidentId: string
  updateId: string
}

export type AutomaticAction =
  | { kind: 'open'; input: Omit<IncidentInput, 'organizationId'> }
  | { kind: 'edit'; incidentId: string; edit: IncidentEdit; autoResolves: boolean }

/**
 * Decides the change for a component whose checks fail. `candidates` are automatic incidents,
 * newest first: all open ones, and resolved ones that list the component. `relatedIds` are the ids
 * of its ancestors and descendants.
 */
export const decideOnOutage = (input: {
  component: Component
  since: Date
  candidates: readonly AutomaticIncident[]
  relatedIds: ReadonlySet<string>
  ids: AutomaticIncidentIds
  now: Date
}): AutomaticAction => {
  const { component, since, candidates, relatedIds, ids, now } = input
  const message = checksMessage(component.name, `have failed since ${utcText(since)}.`)
  const editOf = (
    { incident }: AutomaticIncident,
    status: IncidentRow['status'],
  ): AutomaticAction => ({
    kind: 'edit',
    incidentId: incident.id,
    autoResolves: false,
    edit: automaticUpdate({ id: ids.updateId, status, message }, component, 'major_outage'),
  })
  const isOpen = ({ incident }: AutomaticIncident) => incident.status !== 'resolved'
  const listsComponent = ({ components }: AutomaticIncident) =>
    components.some(({ componentId, isExplained }) => componentId === component.id && !isExplained)

  const current = candidates.find((candidate) => isOpen(candidate) && listsComponent(candidate))
  if (current !== undefined) return editOf(current, current.incident.status)
  const joined = candidates.find(
    (candidate) =>
      isOpen(candidate) &&
      relatedIds.has(candidate.incident.triggerComponentId ?? '') &&
      candidate.components.length < MAX_INCIDENT_COMPONENTS &&
      now.getTime() - candidate.incident.createdAt.getTime() <= JOIN_WINDOW_MS,
  )
  if (joined !== undefined) return editOf(joined, joined.incident.status)
  const latest = candidates.find(listsComponent)
  if (latest !== undefined && wasResolvedRecently(latest.incident, now))
    return editOf(latest, 'investigating')
  return { kind: 'open', input: automaticInput(component, since, message, ids) }
}

/** Decides the change of the open incident in which the recovered component was failing. */
export const decideOnRecovery = (input: {
  component: Component
  since: Date
  automatic: AutomaticIncident
  ids: AutomaticIncidentIds
}): AutomaticAction => {
  const { component, since, automatic, ids } = input
  const { incident, components, hasUserUpdate } = automatic
  const othersFail = components.some(
    (listed) => listed.isFailing && listed.componentId !== component.id,
  )
  const autoResolves = !othersFail && !hasUserUpdate
  const status = autoResolves ? 'resolved' : incident.status
  const message = checksMessage(component.name, `have succeeded since ${utcText(since)}.`)
  return {
    kind: 'edit',
    incidentId: incident.id,
    autoResolves,
    edit: automaticUpdate({ id: ids.updateId, status, message }, component, 'operational'),
  }
}

const wasResolvedRecently = ({ autoResolved, resolvedAt }: IncidentRow, now: Date): boolean =>
  autoResolved && resolvedAt !== null && now.getTime() - resolvedAt.getTime() < REOPEN_WINDOW_MS

const automaticUpdate = (
  update: { id: string; status: IncidentRow['status']; message: string },
  component: Component,
  status: 'major_outage' | 'operational',
): IncidentEdit => ({
  update: { ...update, componentStatuses: { [component.id]: status }, byPerson: false },
  isAlwaysStored: true,
})

const automaticInput = (
  component: Component,
  since: Date,
  message: string,
  ids: AutomaticIncidentIds,
) => ({
  id: ids.incidentId,
  updateId: ids.updateId,
  title: outageTitle([component.name]),
  status: 'investigating' as const,
  impact: 'critical' as const,
  message,
  componentIds: [component.id],
  componentStatuses: { [component.id]: 'major_outage' as const },
  startedAt: since,
  nextUpdateAt: null,
  source: 'monitor' as const,
  triggerComponentId: component.id,
})

/** Formats a time as `2026-08-01 09:30:00 UTC`. */
const utcText = (time: Date): string => `${time.toISOString().slice(0, 19).replace('T', ' ')} UTC`
