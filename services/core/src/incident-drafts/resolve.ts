/** An incident that alerts have published is resolved with them, by the rules that a request goes by. */
import type { AuditDraft, EventDraft } from '@status-page/contracts'
import { newId, type Scope } from '@status-page/postgres'
import { applyDecision, lockListed } from '../incidents/changes.ts'
import { amendIncident } from '../incidents/rules.ts'
import { lockIncident } from '../incidents/store.ts'
import { auditIncident } from '../incidents/view.ts'
import type { IncidentDraftRow } from '../tables.ts'
import { resolution } from './rules.ts'
import { hasPersonalUpdate } from './store.ts'

/** Null where a person has taken over or has resolved it, or where it is gone. */
export const resolvePublished = async (
  scope: Scope,
  { incidentId, alertResolvedAt }: IncidentDraftRow,
  baseUrl: string,
): Promise<{ events: EventDraft[]; audit: AuditDraft[] } | null> => {
  const state = incidentId === null ? undefined : await lockIncident(scope, incidentId)
  if (state === undefined || state.incident.status === 'resolved') return null
  const { incident, components } = state
  if (await hasPersonalUpdate(scope, incident.id)) return null
  const live = await lockListed(scope, {}, components)
  const amendment = resolution(newId(), alertResolvedAt ?? scope.now)
  const amended = amendIncident(state, amendment, live, scope.now)
  const decision = { ...amended, incident: { ...amended.incident, autoResolved: true } }
  const events = await applyDecision(scope, decision, { notifySubscribers: true, baseUrl })
  return { events, audit: [auditIncident('update', incident, decision.incident)] }
}
