/** Maintenances: what will be done when, to which components, and what people are told about it. */
import { type Static, type TOptional, type TProperties, Type } from '@sinclair/typebox'
import { event } from '../event.ts'
import { include, listOf, listQuery, Search, TimeRange } from '../listing.ts'
import { operation } from '../operation.ts'
import { patchOf } from '../patch.ts'
import {
  documented,
  Id,
  IdParams,
  LongText,
  Nullable,
  OneLine,
  OneOf,
  Success,
  Timestamp,
  TimeZone,
} from '../scalars.ts'
import { ComponentStatus } from './components.ts'
import { EventPage } from './event-pages.ts'
import { AffectedComponent } from './incidents.ts'

export const maintenanceStatuses = [
  'scheduled',
  'in_progress',
  'verifying',
  'completed',
  'cancelled',
] as const
export type MaintenanceStatus = (typeof maintenanceStatuses)[number]
export const MaintenanceStatus = OneOf(maintenanceStatuses)

/** While it has one of these, what the checks of its components find causes nothing. */
export const activeMaintenanceStatuses = ['in_progress', 'verifying'] as const

const MAX_MESSAGE = 25_000
const MAX_COMPONENTS = 500
const MAX_REMINDERS = 5
export const MAX_MAINTENANCE_UPDATES = 500

const Message = LongText(MAX_MESSAGE)

export const Recurrence = Type.Object(
  {
    rrule: Type.String({
      minLength: 1,
      maxLength: 200,
      description:
        'RFC 5545 with FREQ DAILY, WEEKLY or MONTHLY, INTERVAL, BYDAY, BYMONTHDAY, COUNT',
    }),
    timezone: Type.Optional(Type.String({ ...TimeZone, default: 'UTC' })),
    until: Type.Optional(Nullable(Timestamp)),
  },
  { description: 'Further occurrences; the first one is the maintenance itself' },
)
export type Recurrence = Required<Static<typeof Recurrence>>

const required = {
  title: OneLine(255),
  scheduledFor: Timestamp,
  scheduledUntil: Type.String({
    ...Timestamp,
    description: 'After scheduledFor and now; at most 90 days later, within 2 years',
  }),
}

const flag = (description: string) => Type.Boolean({ default: true, description })

const settings = {
  message: LongText(MAX_MESSAGE),
  componentIds: Type.Array(Id, { maxItems: MAX_COMPONENTS, uniqueItems: true, default: [] }),
  autoStart: flag('The clock starts it at scheduledFor'),
  autoComplete: flag('The clock completes it at scheduledUntil, unless it is verifying'),
  setUnderMaintenance: flag('While it is active its components show under_maintenance'),
  restoreOnComplete: flag('False: when it is completed they stay under_maintenance'),
  notifySubscribers: flag('False: only channels get its events'),
  remindBeforeMinutes: Type.Array(Type.Integer({ minimum: 5, maximum: 10_080 }), {
    maxItems: MAX_REMINDERS,
    uniqueItems: true,
    default: [60],
    description: 'Minutes before scheduledFor; e-mail, SMS and chat only',
  }),
  recurrence: Nullable(Recurrence),
}

const optional = <Fields extends TProperties>(fields: Fields) =>
  Object.fromEntries(
    Object.entries(fields).map(([name, schema]) => [name, Type.Optional(schema)]),
  ) as { [Name in keyof Fields]: TOptional<Fields[Name]> }

export const NewMaintenance = Type.Object({ ...required, ...optional(settings) })
export type NewMaintenance = Static<typeof NewMaintenance>

/** status and message append an update. */
export const MaintenancePatch = patchOf(
  { ...required, ...settings, status: OneOf(maintenanceStatuses) },
  ['title', 'scheduledFor', 'scheduledUntil', 'status'],
)
export type MaintenancePatch = Static<typeof MaintenancePatch>

export const NewMaintenanceUpdate = documented(
  Type.Object({
    status: Type.Optional(MaintenanceStatus),
    message: Type.Optional(Message),
  }),
  { anyOf: [{ required: ['status'] }, { required: ['message'] }] },
)
export type NewMaintenanceUpdate = Static<typeof NewMaintenanceUpdate>

export const MaintenanceUpdate = Type.Object({
  id: Id,
  status: MaintenanceStatus,
  message: Type.String(),
  displayAt: Timestamp,
  createdAt: Timestamp,
  updatedAt: Timestamp,
})
export type MaintenanceUpdate = Static<typeof MaintenanceUpdate>

export const Maintenance = Type.Object({
  id: Id,
  title: Type.String(),
  message: Type.String({ description: 'The newest that was said' }),
  status: MaintenanceStatus,
  scheduledFor: Timestamp,
  scheduledUntil: Timestamp,
  startedAt: Nullable(Timestamp),
  completedAt: Nullable(Timestamp),
  cancelledAt: Nullable(Timestamp),
  components: Type.Array(AffectedComponent),
  autoStart: Type.Boolean(),
  autoComplete: Type.Boolean(),
  setUnderMaintenance: Type.Boolean(),
  restoreOnComplete: Type.Boolean(),
  notifySubscribers: Type.Boolean(),
  remindBeforeMinutes: Type.Array(Type.Integer()),
  recurrence: Nullable(
    Type.Object({
      rrule: Type.String(),
      timezone: Type.String(),
      until: Nullable(Timestamp),
    }),
  ),
  recurrenceOf: Nullable(
    Type.String({ format: 'uuid', description: 'The first of the series that it is one of' }),
  ),
  version: Type.Integer({ description: 'For If-Match; rises with each change and reminder' }),
  url: Nullable(
    Type.String({
      description:
        'On the oldest published public page that shows it; where none does, on the oldest ' +
        'published page that shows it',
    }),
  ),
  createdAt: Timestamp,
  updatedAt: Timestamp,
  updates: Type.Optional(Type.Array(MaintenanceUpdate)),
})
export type Maintenance = Static<typeof Maintenance>

const maintenanceIncludes = include(['updates'])

/** Filters that the public list has too. */
export const maintenanceFilters = {
  status: Type.Optional(MaintenanceStatus),
  upcoming: Type.Optional(Type.Boolean({ description: 'scheduled' })),
  active: Type.Optional(Type.Boolean({ description: 'in_progress or verifying' })),
}
export const maintenanceSortKeys = ['scheduledFor', 'createdAt', 'updatedAt', 'status'] as const

export const maintenanceOperations = {
  list: operation({
    id: 'maintenances.list',
    service: 'core',
    method: 'GET',
    path: '/maintenances',
    status: 200,
    summary: 'List maintenances',
    description:
      '`upcoming` are the scheduled ones, `active` those in_progress or verifying; `from` and ' +
      '`to` find windows that overlap them. `include=updates` adds the updates, newest first; 400 names ' +
      '`pageSize` where those of several maintenances are more than 16 MiB.',
    permission: 'maintenances:read',
    query: listQuery(maintenanceSortKeys, {
      ...maintenanceFilters,
      componentId: Type.Optional(Id),
      search: Search,
      ...TimeRange,
      include: maintenanceIncludes,
    }),
    reply: listOf(Maintenance),
  }),
  create: operation({
    id: 'maintenances.create',
    service: 'core',
    method: 'POST',
    path: '/maintenances',
    status: 201,
    summary: 'Schedule a maintenance',
    description:
      'With `scheduledFor` in the past and `autoStart` it starts at once. With `recurrence` each ' +
      'further occurrence becomes a maintenance of its own 7 days ahead, at the same time of day ' +
      'in the time zone; a time that the clock skips there is left out. Events: ' +
      '`maintenance.scheduled`, and `maintenance.started` where it starts at once.',
    permission: 'maintenances:write',
    body: NewMaintenance,
    reply: Maintenance,
  }),
  read: operation({
    id: 'maintenances.read',
    service: 'core',
    method: 'GET',
    path: '/maintenances/{id}',
    status: 200,
    summary: 'Read a maintenance',
    description: '`include=updates` adds what was said of it, newest first.',
    permission: 'maintenances:read',
    params: IdParams,
    query: Type.Object({ include: maintenanceIncludes }),
    reply: Maintenance,
  }),
  update: operation({
    id: 'maintenances.update',
    service: 'core',
    method: 'PATCH',
    path: '/maintenances/{id}',
    status: 200,
    summary: 'Change, start or complete a maintenance',
    description:
      '`status` and `message` append an update. `scheduledFor` changes only while it is ' +
      'scheduled; of a completed or cancelled one only `title` and `message` change, and the ' +
      '`recurrence` of a completed first one, so that its series can be ended (409 otherwise). A ' +
      'change of the first of a series also reaches those still scheduled. Event: ' +
      '`maintenance.started`, `maintenance.completed` or `maintenance.updated`; none where ' +
      'nothing changed.',
    permission: 'maintenances:write',
    params: IdParams,
    body: MaintenancePatch,
    reply: Maintenance,
  }),
  remove: operation({
    id: 'maintenances.remove',
    service: 'core',
    method: 'DELETE',
    path: '/maintenances/{id}',
    status: 200,
    summary: 'Cancel a maintenance',
    description:
      'It stays readable as cancelled; cancelling again has no effect, a completed one is 409. ' +
      'Cancelling the first of a series ends the series and cancels those still scheduled. ' +
      'Event: `maintenance.updated`.',
    permission: 'maintenances:write',
    params: IdParams,
    reply: Success,
  }),
  addUpdate: operation({
    id: 'maintenances.addUpdate',
    service: 'core',
    method: 'POST',
    path: '/maintenances/{id}/updates',
    status: 201,
    summary: 'Post an update',
    description:
      '`status` or `message` is needed; at most 500 updates (409). It says something of this ' +
      'one only, not of its series. Event: `maintenance.started`, `maintenance.completed` or ' +
      '`maintenance.updated`.',
    permission: 'maintenances:write',
    action: 'UPDATE',
    params: IdParams,
    body: NewMaintenanceUpdate,
    reply: Type.Composite([MaintenanceUpdate, Type.Object({ maintenance: Maintenance })]),
  }),
}

/** What of an update people are told: the rest is for channels. */
export const maintenanceNews = ['cancelled', 'rescheduled'] as const

/** The maintenance as its listeners need it: the state after the change, and whom it concerns. */
export const MaintenanceEventData = Type.Object({
  id: Id,
  title: Type.String(),
  status: MaintenanceStatus,
  /** Text of the update that this event is about; empty when it had none. */
  message: Type.String(),
  scheduledFor: Timestamp,
  scheduledUntil: Timestamp,
  startedAt: Nullable(Timestamp),
  completedAt: Nullable(Timestamp),
  cancelledAt: Nullable(Timestamp),
  components: Type.Array(
    Type.Object({
      id: Id,
      name: Type.String(),
      status: ComponentStatus,
      isMuted: Type.Boolean(),
      /** Parent first, root last; empty where `packedAncestors` is there. */
      ancestorIds: Type.Array(Id),
    }),
  ),
  /** As an incident's. */
  packedAncestors: Type.Optional(Type.String()),
  url: Nullable(Type.String()),
  /** Published pages that show it. */
  statusPageIds: Type.Array(Id),
  /** What each of them shows, oldest page first; absent where no page shows it. */
  pages: Type.Optional(Type.Array(EventPage)),
  notifySubscribers: Type.Boolean(),
  /** Of maintenance.updated: what makes it news to subscribers; null when nothing does. */
  news: Nullable(OneOf(maintenanceNews)),
})
export type MaintenanceEventData = Static<typeof MaintenanceEventData>

const eventData = Type.Object({ maintenance: MaintenanceEventData })

export const maintenanceScheduled = event({
  kind: 'maintenance.scheduled',
  producers: ['core'],
  selectableBy: 'subscriber',
  data: eventData,
})
export const maintenanceStarted = event({
  kind: 'maintenance.started',
  producers: ['core'],
  selectableBy: 'subscriber',
  data: eventData,
})
export const maintenanceUpdated = event({
  kind: 'maintenance.updated',
  producers: ['core'],
  selectableBy: 'channel',
  data: eventData,
})
export const maintenanceCompleted = event({
  kind: 'maintenance.completed',
  producers: ['core'],
  selectableBy: 'subscriber',
  data: eventData,
})
/** Not selectable: it goes to people who selected maintenance.scheduled. */
export const maintenanceReminder = event({
  kind: 'maintenance.reminder',
  producers: ['core'],
  selectableBy: 'none',
  data: eventData,
})
