/** A draft becomes an incident by the very rules that a request goes by. */
import type { AuditDraft, EventDraft, IncidentSource } from '@status-page/contracts'
import { newId, type Scope } from '@status-page/postgres'
import { findComponents } from '../components/store.ts'
import { applyDecision, lockListed } from '../incidents/changes.ts'
import { openIncident } from '../incidents/rules.ts'
import { auditIncident } from '../incidents/view.ts'
import type { IncidentDraftRow, IncidentRow } from '../tables.ts'
import { auditDraft, closeEmpty, openingOf, published } from './rules.ts'
import { saveDraft } from './store.ts'
import { draftClosedEvents } from './view.ts'

export interface Publication {
  /** Null where none of its components is left. */
  incident: IncidentRow | null
  events: EventDraft[]
  audit: AuditDraft[]
}

/** Of a draft that is locked and waits. */
export const publishDraft = async (
  scope: Scope,
  draft: IncidentDraftRow,
  by: { source: IncidentSource; notifySubscribers: boolean; baseUrl: string },
): Promise<Publication> => {
  const { now } = scope
  const left = await findComponents(scope, draft.componentIds)
  const componentIds = draft.componentIds.filter((id) => left.has(id))
  if (componentIds.length === 0) {
    const closed = closeEmpty(draft, now)
    await saveDraft(scope, closed)
    const events = draftClosedEvents(draft, closed)
    return { incident: null, events, audit: [auditDraft(draft, closed)] }
  }
  const ids = { incidentId: newId(), updateId: newId() }
  const opening = openingOf(draft, { ids, componentIds, source: by.source, now })
  const decision = openIncident(opening, await lockListed(scope, opening), now)
  const events = await applyDecision(scope, decision, by)
  const after = published(draft, decision.incident.id, now)
  await saveDraft(scope, after)
  return {
    incident: decision.incident,
    events: [...events, ...draftClosedEvents(draft, after)],
    audit: [auditIncident('create', null, decision.incident), auditDraft(draft, after)],
  }
}
