/** A draft as its events state it, for the channels and on-call schedules of the organization. */
import {
  type EventDraft,
  emit,
  incidentDraftClosed,
  incidentDraftCreated,
  incidentDraftPublishing,
} from '@status-page/contracts'
import type { Scope } from '@status-page/postgres'
import { findComponents } from '../components/store.ts'
import { eventComponents, incidentContextOf } from '../status-pages/affected.ts'
import type { IncidentDraftRow } from '../tables.ts'

/** In code points: what a message shows at a glance; the draft has the rest. */
const MAX_MESSAGE = 500
/** Versions of the events: each draft states each of them once at most. */
const [CREATED, PUBLISHING, CLOSED] = [1, 2, 3]

/** That the draft waits, and where it publishes itself, when. */
export const draftEvents = async (scope: Scope, draft: IncidentDraftRow): Promise<EventDraft[]> => {
  const { id, title, message, impact } = draft
  const known = await findComponents(scope, draft.componentIds)
  const listed = [...known.values()].map(({ id: componentId, name, status }) => ({
    componentId,
    name,
    status,
  }))
  const around = await incidentContextOf(scope, Promise.resolve(new Map([[id, listed]])))
  const fact = {
    id,
    title,
    message: [...message].slice(0, MAX_MESSAGE).join(''),
    impact,
    components: eventComponents(id, around),
    startedAt: draft.startedAt.toISOString(),
    publishAt: draft.publishAt?.toISOString() ?? null,
  }
  const created = emit(incidentDraftCreated, { id, version: CREATED }, { draft: fact })
  if (draft.publishAt === null) return [created]
  return [created, emit(incidentDraftPublishing, { id, version: PUBLISHING }, { draft: fact })]
}

/** States that a draft stopped waiting: it was published, vetoed or closed. */
export const draftClosedEvents = (
  before: IncidentDraftRow,
  { id, status }: IncidentDraftRow,
): EventDraft[] =>
  before.status === 'waiting' && status !== 'waiting'
    ? [emit(incidentDraftClosed, { id, version: CLOSED }, { draft: { id } })]
    : []
