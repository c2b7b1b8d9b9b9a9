/**
 * Resolves an incident that was published from alerts when the alerts end, by the same rules as a
 * request.
 */
import type { AuditDraft, EventDraft } from '@status-page/contracts'
import { newId, type Scope } from '@status-page/postgres'
import type { IncidentDraftRow } from '../../tables.ts'
import { applyDecision, lockListedComponents } from '../changes.ts'
import { editIncident } from '../rules.ts'
import { lockIncident } from '../store.ts'
import { auditIncident } from '../view.ts'
import { resolvingUpdate } from './rules.ts'
import { hasUpdateByUser } from './store.ts'

/** Null when a user has updated or resolved the incident, or when it was deleted. */
export const resolvePublishedIncident = async (
  scope: Scope,
  { incidentId, alertResolvedAt }: IncidentDraftRow,
  baseUrl: string,
): Promise<{ events: EventDraft[]; audit: AuditDraft[] } | null> => {
  const state = incidentId === null ? undefined : await lockIncident(scope, incidentId)
  if (state === undefined || state.incident.status === 'resolved') return null
  const { incident, components } = state
  if (await hasUpdateByUser(scope, incident.id)) return null
  const live = await lockListedComponents(scope, {}, components)
  const edit = resolvingUpdate(newId(), alertResolvedAt ?? scope.now)
  const edited = editIncident(state, edit, live, scope.now)
  const decision = { ...edited, incident: { ...edited.incident, autoResolved: true } }
  const events = await applyDecision(scope, decision, { notifySubscribers: true, baseUrl })
  return { events, audit: [auditIncident('update', incident, decision.incident)] }
}
