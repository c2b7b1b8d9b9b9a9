/** Events of incident drafts, for the channels and on-call schedules of the organization. */
import {
  draftEvent,
  type EventDraft,
  incidentDraftClosed,
  incidentDraftCreated,
  incidentDraftPublishing,
} from '@status-page/contracts'
import type { Scope } from '@status-page/postgres'
import { findComponents } from '../../components/store.ts'
import { eventComponents, loadAffectedContext } from '../../status-pages/settings/affected.ts'
import type { IncidentDraftRow } from '../../tables.ts'

/** Maximum length of the message in events, in code points; the draft contains the full text. */
const MAX_MESSAGE_LENGTH = 500
/** Versions of the events: each event occurs at most once per draft. */
const [CREATED, PUBLISHING, CLOSED] = [1, 2, 3]

/** Events of a new draft; the second one announces its automatic publication. */
export const draftEvents = async (scope: Scope, draft: IncidentDraftRow): Promise<EventDraft[]> => {
  const { id, title, message, impact } = draft
  const known = await findComponents(scope, draft.componentIds)
  const listed = [...known.values()].map(({ id: componentId, name, status }) => ({
    componentId,
    name,
    status,
  }))
  const context = await loadAffectedContext(scope, Promise.resolve(new Map([[id, listed]])))
  const eventData = {
    id,
    title,
    message: [...message].slice(0, MAX_MESSAGE_LENGTH).join(''),
    impact,
    components: eventComponents(id, context),
    startedAt: draft.startedAt.toISOString(),
    publishAt: draft.publishAt?.toISOString() ?? null,
  }
  const created = draftEvent(incidentDraftCreated, { id, version: CREATED }, { draft: eventData })
  if (draft.publishAt === null) return [created]
  return [
    created,
    draftEvent(incidentDraftPublishing, { id, version: PUBLISHING }, { draft: eventData }),
  ]
}

/** Event of a draft that is no longer waiting: published, vetoed or closed. */
export const draftClosedEvents = (
  before: IncidentDraftRow,
  { id, status }: IncidentDraftRow,
): EventDraft[] =>
  before.status === 'waiting' && status !== 'waiting'
    ? [draftEvent(incidentDraftClosed, { id, version: CLOSED }, { draft: { id } })]
    : []
