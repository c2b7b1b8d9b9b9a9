/** Drafts of incidents: what alerts propose, for members alone until somebody publishes it. */
import { type Static, Type } from '@sinclair/typebox'
import { event } from '../event.ts'
import { listOf, listQuery } from '../listing.ts'
import { operation } from '../operation.ts'
import { Id, IdParams, LongText, Nullable, OneLine, OneOf, Timestamp } from '../scalars.ts'
import {
  EventComponent,
  Impact,
  INCIDENT_BODY_LIMIT,
  Incident,
  impacts,
  MAX_INCIDENT_MESSAGE,
  MAX_INCIDENT_TITLE,
} from './incidents.ts'

export const draftStatuses = ['waiting', 'published', 'vetoed', 'closed'] as const
export type DraftStatus = (typeof draftStatuses)[number]

export const MAX_DRAFT_NOTES = 50

export const IncidentDraft = Type.Object({
  id: Id,
  status: OneOf(draftStatuses, { description: 'closed: the alert ended before anybody decided' }),
  title: Type.String(),
  message: Type.String(),
  impact: Impact,
  componentIds: Type.Array(Id),
  startedAt: Timestamp,
  integrationId: Id,
  publishAt: Nullable(
    Type.String({ format: 'timestamp', description: 'When it publishes itself, unless vetoed' }),
  ),
  alertResolvedAt: Nullable(Timestamp),
  incidentId: Nullable(Type.String({ format: 'uuid', description: 'What it was published as' })),
  notes: Type.Array(Type.Object({ at: Timestamp, text: Type.String() }), {
    maxItems: MAX_DRAFT_NOTES,
    description: 'What became of it, for members; never public',
  }),
  createdAt: Timestamp,
  updatedAt: Timestamp,
})
export type IncidentDraft = Static<typeof IncidentDraft>

export const incidentDraftOperations = {
  list: operation({
    id: 'incident-drafts.list',
    service: 'core',
    method: 'GET',
    path: '/incident-drafts',
    status: 200,
    summary: 'List drafts of incidents',
    description:
      'Drafts are on no page. Subscribers are not notified of them; channels are that name ' +
      '`incident-draft.created` or `incident-draft.publishing`. Kept for 90 days.',
    permission: 'incidents:read',
    query: listQuery(['createdAt', 'updatedAt'], { status: Type.Optional(OneOf(draftStatuses)) }),
    reply: listOf(IncidentDraft),
  }),
  read: operation({
    id: 'incident-drafts.read',
    service: 'core',
    method: 'GET',
    path: '/incident-drafts/{id}',
    status: 200,
    summary: 'Read a draft of an incident',
    permission: 'incidents:read',
    params: IdParams,
    reply: IncidentDraft,
  }),
  publish: operation({
    id: 'incident-drafts.publish',
    service: 'core',
    method: 'POST',
    path: '/incident-drafts/{id}/publish',
    status: 200,
    summary: 'Publish a draft as an incident',
    description:
      'Opens the incident as POST /incidents would, with what the body gives in place of what ' +
      'the draft says. Its components show the status that the impact stands for. 409 ' +
      '`invalid_state` where it is no longer waiting. Event: `incident.created`.',
    permission: 'incidents:write',
    bucket: 'incident create',
    bodyLimit: INCIDENT_BODY_LIMIT,
    params: IdParams,
    body: Type.Object({
      title: Type.Optional(OneLine(MAX_INCIDENT_TITLE)),
      message: Type.Optional(LongText(MAX_INCIDENT_MESSAGE)),
      impact: Type.Optional(OneOf(impacts)),
      notifySubscribers: Type.Optional(Type.Boolean({ default: true })),
    }),
    reply: Incident,
  }),
  veto: operation({
    id: 'incident-drafts.veto',
    service: 'core',
    method: 'POST',
    path: '/incident-drafts/{id}/veto',
    status: 200,
    summary: 'Veto a draft',
    description:
      'It is never published, also not by itself; the same alert drafts another one only once it ' +
      'has been resolved. 409 `invalid_state` where it is no longer waiting.',
    permission: 'incidents:write',
    action: 'UPDATE',
    params: IdParams,
    reply: IncidentDraft,
  }),
}

/** The draft as members are notified of it. */
export const DraftEventData = Type.Object({
  id: Id,
  title: Type.String(),
  message: Type.String(),
  impact: Impact,
  components: Type.Array(EventComponent),
  startedAt: Timestamp,
  /** When it publishes itself, unless vetoed; null: a person publishes it. */
  publishAt: Nullable(Timestamp),
})
export type DraftEventData = Static<typeof DraftEventData>

const eventData = Type.Object({ draft: DraftEventData })

export const incidentDraftCreated = event({
  kind: 'incident-draft.created',
  producers: ['core'],
  selectableBy: 'channel-by-name',
  data: eventData,
})
/** Stated as soon as it is known that a draft will publish itself. */
export const incidentDraftPublishing = event({
  kind: 'incident-draft.publishing',
  producers: ['core'],
  selectableBy: 'channel-by-name',
  data: eventData,
})
/** A waiting draft was published, vetoed or closed; not selectable, cancels pending messages about it. */
export const incidentDraftClosed = event({
  kind: 'incident-draft.closed',
  producers: ['core'],
  selectableBy: 'none',
  data: Type.Object({ draft: Type.Object({ id: Id }) }),
})
