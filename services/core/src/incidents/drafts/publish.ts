/** Publishes a draft as an incident, by the same rules as a request that creates one. */
import type { AuditDraft, EventDraft, IncidentSource } from '@status-page/contracts'
import { newId, type Scope } from '@status-page/postgres'
import { findComponents } from '../../components/store.ts'
import type { IncidentDraftRow, IncidentRow } from '../../tables.ts'
import { applyDecision, lockListedComponents } from '../changes.ts'
import { openIncident } from '../rules.ts'
import { auditIncident } from '../view.ts'
import { auditDraft, closeWithoutComponents, incidentInputOf, markDraftPublished } from './rules.ts'
import { saveDraft } from './store.ts'
import { draftClosedEvents } from './view.ts'

export interface PublishResult {
  /** Null when all components of the draft were deleted. */
  incident: IncidentRow | null
  events: EventDraft[]
  audit: AuditDraft[]
}

/** Publishes a waiting draft that the caller has locked. */
export const publishDraft = async (
  scope: Scope,
  draft: IncidentDraftRow,
  options: { source: IncidentSource; notifySubscribers: boolean; baseUrl: string },
): Promise<PublishResult> => {
  const { now } = scope
  const existing = await findComponents(scope, draft.componentIds)
  const componentIds = draft.componentIds.filter((id) => existing.has(id))
  if (componentIds.length === 0) {
    const closed = closeWithoutComponents(draft, now)
    await saveDraft(scope, closed)
    const events = draftClosedEvents(draft, closed)
    return { incident: null, events, audit: [auditDraft(draft, closed)] }
  }
  const ids = { incidentId: newId(), updateId: newId() }
  const input = incidentInputOf(draft, { ids, componentIds, source: options.source, now })
  const decision = openIncident(input, await lockListedComponents(scope, input), now)
  const events = await applyDecision(scope, decision, options)
  const after = markDraftPublished(draft, decision.incident.id, now)
  await saveDraft(scope, after)
  return {
    incident: decision.incident,
    events: [...events, ...draftClosedEvents(draft, after)],
    audit: [auditIncident('create', null, decision.incident), auditDraft(draft, after)],
  }
}
