/** Postmortems: what was learned from an incident; the world reads it once it is published. */
import { type Static, Type } from '@sinclair/typebox'
import { operation } from '../operation.ts'
import { Id, IdParams, LongText, Nullable, OneLine, Success, Timestamp } from '../scalars.ts'

const MAX_TEXT = 25_000
const MAX_ENTRIES = 100
const MAX_ENTRY_TEXT = 500
const POSTMORTEM_BODY_LIMIT = 1024 * 1024

const Text = Nullable(LongText(MAX_TEXT))

const NewTimelineEntry = Type.Object({ at: Timestamp, text: LongText(MAX_ENTRY_TEXT, 1) })
const NewActionItem = Type.Object({
  title: OneLine(MAX_ENTRY_TEXT),
  owner: Type.Optional(Nullable(OneLine(MAX_ENTRY_TEXT))),
  dueAt: Type.Optional(Nullable(Timestamp)),
  done: Type.Optional(Type.Boolean({ default: false })),
})

/** A replacement: what is left out is empty afterwards. */
export const NewPostmortem = Type.Object({
  summary: LongText(MAX_TEXT, 1),
  rootCause: Type.Optional(Text),
  impact: Type.Optional(Text),
  resolution: Type.Optional(Text),
  timeline: Type.Optional(Type.Array(NewTimelineEntry, { maxItems: MAX_ENTRIES })),
  actionItems: Type.Optional(Type.Array(NewActionItem, { maxItems: MAX_ENTRIES })),
  isPublished: Type.Optional(
    Type.Boolean({ default: false, description: 'True needs a resolved incident' }),
  ),
  notifySubscribers: Type.Optional(
    Type.Boolean({ default: false, description: 'True: publishing sends `incident.updated`' }),
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

/** As the world reads it: without who has still to do what. */
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

export const postmortemOperations = {
  read: operation({
    id: 'postmortems.read',
    service: 'core',
    method: 'GET',
    path: '/incidents/{id}/postmortem',
    status: 200,
    summary: "Read an incident's postmortem",
    description: '404 where none has been written.',
    permission: 'incidents:read',
    params: IdParams,
    reply: Postmortem,
  }),
  replace: operation({
    id: 'postmortems.replace',
    service: 'core',
    method: 'PUT',
    path: '/incidents/{id}/postmortem',
    status: 200,
    summary: 'Write or replace the postmortem',
    description:
      'The body replaces all that was there. It is a draft until `isPublished`; publishing ' +
      'needs a resolved incident (409 `invalid_state`). `incident.updated` is sent only where ' +
      'a published text is new or changed and `notifySubscribers` is true. A change raises ' +
      "the incident's `version`, which `If-Match` names.",
    permission: 'incidents:write',
    bodyLimit: POSTMORTEM_BODY_LIMIT,
    params: IdParams,
    body: NewPostmortem,
    reply: Postmortem,
  }),
  remove: operation({
    id: 'postmortems.remove',
    service: 'core',
    method: 'DELETE',
    path: '/incidents/{id}/postmortem',
    status: 200,
    summary: 'Delete the postmortem',
    description: "No event. Raises the incident's `version`, which `If-Match` names.",
    permission: 'incidents:write',
    params: IdParams,
    reply: Success,
  }),
}
