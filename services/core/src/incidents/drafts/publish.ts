/** Publishes a draft as an incident, by the same rules as a request that creates one. */
import {
  type AuditDraft,
  type EventDraft,
  type IncidentSource,
  notFound,
  type Outcome,
} from '@status-page/contracts'
import { newId, type Scope } from '@status-page/postgres'
import { findComponents } from '../../components/store.ts'
import type { IncidentDraftRow, IncidentRow } from '../../tables.ts'
import { applyDecision, lockListedComponents } from '../changes.ts'
import { openIncident } from '../rules.ts'
import { auditIncident } from '../view.ts'
import {
  auditDraft,
  closeWithoutComponents,
  incidentInputOf,
  markDraftPublished,
  requireWaitingDraft,
  vetoDraft,
} from './rules.ts'
import { lockDraft, saveDraft } from './store.ts'
import { draftClosedEvents } from './view.ts'

export interface PublishResult {
  /** Null when all components of the draft were deleted. */
  incident: IncidentRow | null
  events: EventDraft[]
  audit: AuditDraft[]
}

export interface PublishOptions {
  source: IncidentSource
  notifySubscribers: boolean
  baseUrl: string
}

/** Publishes a waiting draft on request, with the texts given. */
export const publishWaitingDraft = async (
  scope: Scope,
  id: string,
  edited: Partial<Pick<IncidentDraftRow, 'title' | 'message' | 'impact'>>,
  options: PublishOptions,
): Promise<PublishResult> => {
  const draft = await lockOr404(scope, id)
  requireWaitingDraft(draft)
  const { title = draft.title, message = draft.message, impact = draft.impact } = edited
  return publishDraft(scope, { ...draft, title, message, impact }, options)
}

/** Vetoes a waiting draft on request. */
export const vetoWaitingDraft = async (
  scope: Scope,
  id: string,
): Promise<Outcome<IncidentDraftRow>> => {
  const before = await lockOr404(scope, id)
  const after = vetoDraft(before, scope.now)
  await saveDraft(scope, after)
  return {
    result: after,
    events: draftClosedEvents(before, after),
    audit: [auditDraft(before, after)],
  }
}

const lockOr404 = async (scope: Scope, id: string): Promise<IncidentDraftRow> => {
  const row = await lockDraft(scope, id)
  if (row === undefined) throw notFound()
  return row
}

/** Publishes a waiting draft that the caller has locked. */
export const publishDraft = async (
  scope: Scope,
  draft: IncidentDraftRow,
  options: PublishOptions,
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
