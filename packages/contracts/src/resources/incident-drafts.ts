/**
 * Incident drafts: incidents proposed by alerts or by the reports of vendors, visible to members
 * only until they are published.
 */
import { type Static, Type } from '@sinclair/typebox'
import { event } from '../event.ts'
import { listOf, listQuery } from '../listing.ts'
import { operationsOf } from '../operation.ts'
import { Id, IdParams, MarkdownText, Nullable, OneLine, OneOf, Timestamp } from '../scalars.ts'
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
  status: OneOf(draftStatuses, {
    description: 'closed: its cause ended before the draft was published or vetoed',
  }),
  title: Type.String(),
  message: Type.String(),
  impact: Impact,
  componentIds: Type.Array(Id),
  startedAt: Timestamp,
  integrationId: Nullable(
    Type.String({ format: 'uuid', description: 'Integration of the alert; null for a vendor' }),
  ),
  vendorComponentId: Nullable(
    Type.String({
      format: 'uuid',
      description: 'Component whose vendor reports a disruption; null for an alert',
    }),
  ),
  publishAt: Nullable(
    Type.String({
      format: 'timestamp',
      description: 'Time of automatic publication unless vetoed',
    }),
  ),
  alertResolvedAt: Nullable(
    Type.String({ format: 'timestamp', description: 'End of the alert, or of the disruption' }),
  ),
  incidentId: Nullable(
    Type.String({ format: 'uuid', description: 'Incident that the draft was published as' }),
  ),
  notes: Type.Array(Type.Object({ at: Timestamp, text: Type.String() }), {
    maxItems: MAX_DRAFT_NOTES,
    description: 'History of the draft, for members only',
  }),
  createdAt: Timestamp,
  updatedAt: Timestamp,
})
export type IncidentDraft = Static<typeof IncidentDraft>

export const incidentDraftOperations = operationsOf('core', 'incident-drafts', {
  list: {
    route: 'GET /incident-drafts',
    summary: 'List incident drafts',
    description:
      'Drafts are on no status page, and subscribers are not notified of them; channels are, ' +
      'if they select `incident-draft.created` or `incident-draft.publishing`. Drafts are ' +
      'deleted after 90 days.',
    permission: 'incidents:read',
    query: listQuery(['createdAt', 'updatedAt'], { status: Type.Optional(OneOf(draftStatuses)) }),
    reply: listOf(IncidentDraft),
  },
  read: {
    route: 'GET /incident-drafts/{id}',
    summary: 'Read an incident draft',
    permission: 'incidents:read',
    params: IdParams,
    reply: IncidentDraft,
  },
  publish: {
    route: 'POST /incident-drafts/{id}/publish',
    summary: 'Publish an incident draft',
    description:
      'Creates the incident like `POST /incidents`; fields of the body replace those of the ' +
      'draft. The components get the status that corresponds to the impact. 409 ' +
      '`invalid_state` when the draft is no longer pending. Emits `incident.created`.',
    permission: 'incidents:write',
    bucket: 'incident create',
    bodyLimit: INCIDENT_BODY_LIMIT,
    params: IdParams,
    body: Type.Object({
      title: Type.Optional(OneLine(MAX_INCIDENT_TITLE)),
      message: Type.Optional(MarkdownText(MAX_INCIDENT_MESSAGE)),
      impact: Type.Optional(OneOf(impacts)),
      notifySubscribers: Type.Optional(Type.Boolean({ default: true })),
    }),
    reply: Incident,
  },
  veto: {
    route: 'POST /incident-drafts/{id}/veto',
    summary: 'Veto an incident draft',
    description:
      'The draft is never published. The same alert creates another draft only after it has ' +
      'been resolved. 409 `invalid_state` when the draft is no longer pending.',
    permission: 'incidents:write',
    action: 'UPDATE',
    params: IdParams,
    reply: IncidentDraft,
  },
})

/** Draft in notifications to members. */
export const DraftEventData = Type.Object({
  id: Id,
  title: Type.String(),
  message: Type.String(),
  impact: Impact,
  components: Type.Array(EventComponent),
  startedAt: Timestamp,
  /** Time of automatic publication unless vetoed; null: published by a person only. */
  publishAt: Nullable(Timestamp),
})
export type DraftEventData = Static<typeof DraftEventData>

const eventData = Type.Object({ draft: DraftEventData })

export const incidentDraftCreated = event('incident-draft.created', ['core'], eventData)
/** Emitted when automatic publication of a draft is scheduled. */
export const incidentDraftPublishing = event('incident-draft.publishing', ['core'], eventData)
/**
 * Emitted when a pending draft is published, vetoed or closed. Not selectable; cancels its pending
 * messages.
 */
export const incidentDraftClosed = event(
  'incident-draft.closed',
  ['core'],
  Type.Object({ draft: Type.Object({ id: Id }) }),
)
