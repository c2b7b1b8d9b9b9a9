/**
 * Events of the organization for programs: a list and a stream in one order without gaps. Each
 * entry has the payload and the id of the webhook about the same event, if there is one.
 */
import { type Static, Type } from '@sinclair/typebox'
import type { Event } from '../event.ts'
import { operationsOf } from '../operation.ts'
import { type Grants, grantsMeet, type Permission, requirementOf } from '../permission.ts'
import { OneOf, Timestamp, withDocumentedKeywords } from '../scalars.ts'
import { certificateExpiring, monitorEvents } from './checks.ts'
import { componentCreated, componentDeleted, componentUpdated } from './components.ts'
import { subjectFields } from './event-payloads.ts'
import { incidentDraftCreated, incidentDraftPublishing } from './incident-drafts.ts'
import { incidentEvents, incidentUpdateOverdue } from './incidents.ts'
import { maintenanceEvents } from './maintenances.ts'
import { oncallAcknowledged, oncallEscalated, oncallResolved, oncallTriggered } from './oncall.ts'
import { slaEvents } from './sla.ts'

/** Events that programs can read, by the permission that each requires. */
const eventsByPermission = {
  'incidents:read': [
    ...incidentEvents,
    incidentUpdateOverdue,
    incidentDraftCreated,
    incidentDraftPublishing,
  ],
  'maintenances:read': maintenanceEvents,
  'components:read': [
    componentCreated,
    componentUpdated,
    componentDeleted,
    ...monitorEvents,
    certificateExpiring,
  ],
  'sla:read': slaEvents,
  'oncall:read': [oncallTriggered, oncallEscalated, oncallAcknowledged, oncallResolved],
} as const satisfies Partial<Record<Permission, readonly Event[]>>

type EventsByPermission = typeof eventsByPermission
export type StreamedEvent = EventsByPermission[keyof EventsByPermission][number]
export type StreamedKind = StreamedEvent['kind']

export const streamedEvents: readonly StreamedEvent[] = Object.values(eventsByPermission).flat()
export const streamedKinds: readonly StreamedKind[] = streamedEvents.map(({ kind }) => kind)

const permissionOfKind: ReadonlyMap<string, Permission> = new Map(
  Object.entries(eventsByPermission).flatMap(([permission, events]) =>
    events.map(({ kind }) => [kind, permission as Permission]),
  ),
)

/** Requirement on callers that read events of the kind. */
export const requirementOfKind = (kind: StreamedKind) =>
  requirementOf(permissionOfKind.get(kind) as Permission, 'GET')

/** Kinds of events that the grants permit to read. */
export const readableKinds = (grants: Grants): StreamedKind[] =>
  streamedKinds.filter((kind) => grantsMeet(grants, requirementOfKind(kind)))

/** Days for which events can be read. */
export const EVENT_RETENTION_DAYS = 7
/** Maximum of events that a stream sends from a cursor, before it continues with a resync. */
export const MAX_STREAM_BACKLOG = 10_000
export const MAX_EVENT_LIST = 100

/** Cursor before the oldest stored event. */
export const EARLIEST_CURSOR = 'earliest'

const EVENT_ID_PREFIX = 'evt_'
/** Id of an event as programs receive it, the same as `webhook-id`. */
export const clientEventId = (eventId: string): string => `${EVENT_ID_PREFIX}${eventId}`

const UUID_V7 = '[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}'
const CURSOR_PATTERN = `^(?:${EARLIEST_CURSOR}|(?:${EVENT_ID_PREFIX})?${UUID_V7})$`
const cursorPattern = new RegExp(CURSOR_PATTERN)

/** Event id of a cursor, `earliest`, or null for a malformed cursor. */
export const parseEventCursor = (cursor: string): string | null =>
  cursorPattern.test(cursor) ? cursor.replace(EVENT_ID_PREFIX, '') : null

/** The handler validates the pattern, with the same message as for `Last-Event-ID`. */
const Cursor = (description: string) =>
  Type.Optional(withDocumentedKeywords(Type.String({ description }), { pattern: CURSOR_PATTERN }))

const Kinds = Type.Optional(
  Type.Unsafe<StreamedKind[]>({
    type: 'array',
    items: { type: 'string', enum: [...streamedKinds] },
    minItems: 1,
    style: 'form',
    explode: false,
    description: 'Kinds of events, separated by commas; default: all that the caller may read',
  }),
)

const EventId = Type.String({ description: 'The same as `webhook-id` of webhooks' })

export const StreamEntry = Type.Object({
  id: EventId,
  event: OneOf(streamedKinds),
  timestamp: Timestamp,
  ...subjectFields,
})
export type StreamEntry = Static<typeof StreamEntry>

export const EventList = Type.Object({
  data: Type.Array(StreamEntry),
  meta: Type.Object({
    nextAfter: Type.String({ description: 'Value of `after` for the events that follow' }),
    hasMore: Type.Boolean({ description: 'More events follow at present' }),
  }),
})
export type EventList = Static<typeof EventList>

const PERMISSIONS =
  '`incidents:read` for `incident.*` and `incident-draft.*`, `maintenances:read` for ' +
  '`maintenance.*`, `components:read` for `component.*`, `monitor.*` and `certificate.*`, ' +
  '`sla:read` for `sla.*`, `oncall:read` for `oncall.*`'
const REFUSALS =
  'A malformed cursor is 400, an unknown one 404. A caller that may read none of the kinds, or ' +
  'not a kind in `kinds`, gets 403.'

export const eventOperations = operationsOf('gateway', 'events', {
  list: {
    route: 'GET /events',
    summary: 'List events',
    description:
      `Events of the last ${EVENT_RETENTION_DAYS} days, oldest first, each with the payload and ` +
      'the id of the webhook about it; no webhook is sent about `component.*`, which announce ' +
      'changed settings. The order never changes: an event that is visible has ' +
      'no later predecessor. Follow the events with `after` set to `meta.nextAfter`, or with ' +
      '`GET /events/stream`. Responses are limited to 1 MiB, so that a page can be shorter than ' +
      `\`limit\` while \`hasMore\` is true. Permissions: ${PERMISSIONS}. ${REFUSALS} A cursor ` +
      `older than ${EVENT_RETENTION_DAYS} days is 409 \`invalid_state\`.`,
    permission: 'caller',
    query: Type.Object({
      after: Cursor(
        `Id of an event; the list begins with the next one. Default: \`${EARLIEST_CURSOR}\`, the ` +
          'oldest stored event',
      ),
      kinds: Kinds,
      limit: Type.Integer({
        minimum: 1,
        default: MAX_EVENT_LIST,
        description: `Events per page; larger values are reduced to ${MAX_EVENT_LIST}`,
      }),
    }),
    reply: EventList,
  },
})

/** Event stream, served by a route of its own. */
export const eventStreamOperations = operationsOf('gateway', 'events', {
  stream: {
    route: 'GET /events/stream',
    summary: 'Follow events',
    description:
      'Server-sent events: `id` is the id of the event, `event` its kind, `data` the entry of ' +
      '`GET /events` as JSON. Without a cursor the stream begins with the next event; a cursor is ' +
      'the header `Last-Event-ID`, which browsers send when they reconnect, or `after`. Comments ' +
      'every 15 s keep the connection open; a block with an `id` only advances the cursor. The ' +
      'stream ends when the service restarts, when the client reads too slowly, and when its ' +
      'credential is revoked; a permission that is revoked ends its kinds. Reconnect with the ' +
      'last id: no event is lost or repeated. Event `resync` replaces events that were not sent, ' +
      `because more than ${MAX_STREAM_BACKLOG} events follow the cursor or \`Last-Event-ID\` is ` +
      `older than ${EVENT_RETENTION_DAYS} days; its \`data\` is \`{"event":"resync","reason"}\`, ` +
      'and the stream continues with the next event. Read the present state then. Permissions: ' +
      `${PERMISSIONS}. ${REFUSALS} A cursor in \`after\` that is older than ` +
      `${EVENT_RETENTION_DAYS} days is 409 \`invalid_state\`. 429 and 503: too many open streams.`,
    permission: 'caller',
    bucket: 'event stream',
    query: Type.Object({
      after: Cursor(
        `Id of an event, or \`${EARLIEST_CURSOR}\`; \`Last-Event-ID\` takes precedence`,
      ),
      kinds: Kinds,
    }),
    reply: Type.String(),
    produces: ['text/event-stream'],
  },
})
