/** Postmortems: analyses of incidents, public once they are published. */
import { type Static, Type } from '@sinclair/typebox'
import { operationsOf } from '../operation.ts'
import {
  Id,
  IdParams,
  LongText,
  MarkdownText,
  Nullable,
  OneLine,
  Success,
  Timestamp,
} from '../scalars.ts'

const MAX_TEXT = 25_000
const MAX_ENTRIES = 100
const MAX_ENTRY_TEXT = 500
const POSTMORTEM_BODY_LIMIT = 1024 * 1024

const Text = Nullable(MarkdownText(MAX_TEXT))

const NewTimelineEntry = Type.Object({ at: Timestamp, text: LongText(MAX_ENTRY_TEXT, 1) })
const NewActionItem = Type.Object({
  title: OneLine(MAX_ENTRY_TEXT),
  owner: Type.Optional(Nullable(OneLine(MAX_ENTRY_TEXT))),
  dueAt: Type.Optional(Nullable(Timestamp)),
  done: Type.Optional(Type.Boolean({ default: false })),
})

/** Body of a PUT: absent fields become empty. */
export const NewPostmortem = Type.Object({
  summary: MarkdownText(MAX_TEXT, 1),
  rootCause: Type.Optional(Text),
  impact: Type.Optional(Text),
  resolution: Type.Optional(Text),
  timeline: Type.Optional(Type.Array(NewTimelineEntry, { maxItems: MAX_ENTRIES })),
  actionItems: Type.Optional(Type.Array(NewActionItem, { maxItems: MAX_ENTRIES })),
  isPublished: Type.Optional(
    Type.Boolean({ default: false, description: 'True requires a resolved incident' }),
  ),
  notifySubscribers: Type.Optional(
    Type.Boolean({ default: false, description: 'True: publication emits `incident.updated`' }),
  ),
})
export type NewPostmortem = Static<typeof NewPostmortem>

export const TimelineEntry = Type.Object({ at: Timestamp, text: Type.String() })
export type TimelineEntry = Static<typeof TimelineEntry>

export const ActionItem = Type.Object({
  title: Type.String(),
  owner: Nullable(Type.String()),
  dueAt: Nullable(Timestamp),
  done: Type.Boolean(),
})
export type ActionItem = Static<typeof ActionItem>

export const Postmortem = Type.Object({
  id: Id,
  summary: Type.String(),
  rootCause: Nullable(Type.String()),
  impact: Nullable(Type.String()),
  resolution: Nullable(Type.String()),
  timeline: Type.Array(TimelineEntry),
  actionItems: Type.Array(ActionItem),
  isPublished: Type.Boolean(),
  publishedAt: Nullable(Timestamp),
  createdAt: Timestamp,
  updatedAt: Timestamp,
})
export type Postmortem = Static<typeof Postmortem>

/** Postmortem on public pages, without action items. */
export const PublicPostmortem = Type.Object({
  summary: Type.String(),
  rootCause: Nullable(Type.String()),
  impact: Nullable(Type.String()),
  resolution: Nullable(Type.String()),
  timeline: Type.Array(TimelineEntry),
  publishedAt: Timestamp,
  updatedAt: Timestamp,
})
export type PublicPostmortem = Static<typeof PublicPostmortem>

export const postmortemOperations = operationsOf('core', 'postmortems', {
  read: {
    route: 'GET /incidents/{id}/postmortem',
    summary: 'Read the postmortem of an incident',
    description: '404 when the incident has no postmortem.',
    permission: 'incidents:read',
    params: IdParams,
    reply: Postmortem,
  },
  replace: {
    route: 'PUT /incidents/{id}/postmortem',
    summary: 'Create or replace the postmortem of an incident',
    description:
      'The body replaces the whole postmortem. It is a draft until `isPublished`; publication ' +
      'requires a resolved incident (409 `invalid_state`). Emits `incident.updated` only if a ' +
      'published text is new or changed and `notifySubscribers` is true. A change raises the ' +
      '`version` of the incident, to which `If-Match` refers.',
    permission: 'incidents:write',
    bodyLimit: POSTMORTEM_BODY_LIMIT,
    params: IdParams,
    body: NewPostmortem,
    reply: Postmortem,
  },
  remove: {
    route: 'DELETE /incidents/{id}/postmortem',
    summary: 'Delete the postmortem of an incident',
    description:
      'Emits no event. Raises the `version` of the incident, to which `If-Match` refers.',
    permission: 'incidents:write',
    params: IdParams,
    reply: Success,
  },
})
