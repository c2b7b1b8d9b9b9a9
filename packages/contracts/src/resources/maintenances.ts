/** Maintenances: planned work on components, with the updates that were published. */
import { type Static, Type } from '@sinclair/typebox'
import { event } from '../event.ts'
import { includeParameter, listOf, listQuery, Search, TimeRange } from '../listing.ts'
import { operationsOf } from '../operation.ts'
import { patchSchemaOf, withoutDefaults } from '../patch.ts'
import {
  Id,
  IdParams,
  MarkdownText,
  Nullable,
  OneLine,
  OneOf,
  Success,
  Timestamp,
  TimeZone,
  withDocumentedKeywords,
} from '../scalars.ts'
import { ComponentStatus } from './component-status.ts'
import { EventPage } from './event-pages.ts'
import { AffectedComponent, templateFields } from './incidents.ts'

export const maintenanceStatuses = [
  'scheduled',
  'in_progress',
  'verifying',
  'completed',
  'cancelled',
] as const
export type MaintenanceStatus = (typeof maintenanceStatuses)[number]
export const MaintenanceStatus = OneOf(maintenanceStatuses)

/**
 * Statuses in which the checks of the affected components cause no incidents and no notifications.
 */
export const activeMaintenanceStatuses = ['in_progress', 'verifying'] as const

export const isMaintenanceActive = ({ status }: { status: MaintenanceStatus }): boolean =>
  activeMaintenanceStatuses.some((active) => active === status)

export const MAX_MAINTENANCE_TITLE = 255
export const MAX_MAINTENANCE_MESSAGE = 25_000
/** Maximum duration in minutes: 90 days. */
export const MAX_MAINTENANCE_MINUTES = 129_600
const MAX_COMPONENTS = 500
const MAX_REMINDERS = 5
export const MAX_MAINTENANCE_UPDATES = 500

const Message = MarkdownText(MAX_MAINTENANCE_MESSAGE)

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

/** Maximum number of occurrences in a preview, and maximum range of a query for occurrences. */
export const MAX_PREVIEWED_OCCURRENCES = 12
export const MAX_OCCURRENCE_DAYS = 62

const window = {
  scheduledFor: Timestamp,
  scheduledUntil: Type.String({
    ...Timestamp,
    description:
      'After `scheduledFor` and now; at most 90 days after `scheduledFor`, within the next 2 ' +
      'years',
  }),
}

const required = { title: OneLine(MAX_MAINTENANCE_TITLE), ...window }

const flag = (description: string) => Type.Boolean({ default: true, description })

/** Optional fields that the occurrences of a series copy from its first maintenance. */
export const maintenanceOptions = {
  message: Type.String({ ...Message, default: '' }),
  autoStart: flag('Start automatically at `scheduledFor`'),
  autoComplete: flag('Complete automatically at `scheduledUntil`, unless the status is verifying'),
  setUnderMaintenance: flag(
    'Set the components to under_maintenance while the maintenance is active',
  ),
  restoreOnComplete: flag('False: the components remain under_maintenance after completion'),
  notifySubscribers: flag('False: only channels receive the events'),
  remindBeforeMinutes: Type.Array(Type.Integer({ minimum: 5, maximum: 10_080 }), {
    maxItems: MAX_REMINDERS,
    uniqueItems: true,
    default: [60],
    description:
      'Minutes before `scheduledFor` at which reminders are sent; e-mail, SMS and chat only',
  }),
}

export const MaintenanceComponentIds = Type.Array(Id, {
  maxItems: MAX_COMPONENTS,
  uniqueItems: true,
  default: [],
})

const settings = {
  ...maintenanceOptions,
  componentIds: MaintenanceComponentIds,
  recurrence: Nullable(Recurrence),
}

const { scheduledFor, scheduledUntil } = window

/** Schema without `default`: absent fields come from the template, if one is named. */
export const NewMaintenance = Type.Object({
  title: Type.Optional(
    Type.String({ ...required.title, description: 'Required without a template' }),
  ),
  scheduledFor,
  scheduledUntil: Type.Optional(
    Type.String({
      ...scheduledUntil,
      description: `Required without a template. ${scheduledUntil.description}`,
    }),
  ),
  ...withoutDefaults(settings),
  ...templateFields,
})
export type NewMaintenance = Static<typeof NewMaintenance>

/** Body of a PATCH; `status` and `message` append an update. */
export const MaintenancePatch = patchSchemaOf(
  { ...required, ...settings, status: OneOf(maintenanceStatuses) },
  ['title', 'scheduledFor', 'scheduledUntil', 'status'],
)
export type MaintenancePatch = Static<typeof MaintenancePatch>

export const NewMaintenanceUpdate = withDocumentedKeywords(
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

/** Options in the replies of maintenances and of their templates. */
export const maintenanceReplyOptions = {
  autoStart: Type.Boolean(),
  autoComplete: Type.Boolean(),
  setUnderMaintenance: Type.Boolean(),
  restoreOnComplete: Type.Boolean(),
  notifySubscribers: Type.Boolean(),
  remindBeforeMinutes: Type.Array(Type.Integer()),
}

export const Maintenance = Type.Object({
  id: Id,
  title: Type.String(),
  message: Type.String({ description: 'Message of the latest update that has one; Markdown' }),
  status: MaintenanceStatus,
  scheduledFor: Timestamp,
  scheduledUntil: Timestamp,
  startedAt: Nullable(Timestamp),
  completedAt: Nullable(Timestamp),
  cancelledAt: Nullable(Timestamp),
  components: Type.Array(AffectedComponent),
  ...maintenanceReplyOptions,
  recurrence: Nullable(
    Type.Object({
      rrule: Type.String(),
      timezone: Type.String(),
      until: Nullable(Timestamp),
    }),
  ),
  recurrenceOf: Nullable(
    Type.String({ format: 'uuid', description: 'First maintenance of the series' }),
  ),
  version: Type.Integer({
    description: 'Version for If-Match; rises with every change and reminder',
  }),
  url: Nullable(
    Type.String({
      description:
        'URL on the oldest published public page that shows the maintenance, or on the oldest ' +
        'published page if no public page shows it',
    }),
  ),
  createdAt: Timestamp,
  updatedAt: Timestamp,
  updates: Type.Optional(Type.Array(MaintenanceUpdate)),
})
export type Maintenance = Static<typeof Maintenance>

export const RecurrencePreview = Type.Object({
  occurrences: Type.Array(Type.Object({ scheduledFor: Timestamp, scheduledUntil: Timestamp }), {
    description: `The next ${MAX_PREVIEWED_OCCURRENCES} windows, with the maintenance itself`,
  }),
  skippedTimes: Type.Array(Type.String(), {
    description:
      'Local times between these windows that a clock change skips, such as `2027-03-28T02:30`; ' +
      'they have no occurrence',
  }),
})
export type RecurrencePreview = Static<typeof RecurrencePreview>

export const ExpectedOccurrence = Type.Object({
  recurrenceOf: Type.String({ format: 'uuid', description: 'First maintenance of the series' }),
  title: Type.String(),
  scheduledFor: Timestamp,
  scheduledUntil: Timestamp,
})
export type ExpectedOccurrence = Static<typeof ExpectedOccurrence>

const maintenanceIncludes = includeParameter(['updates'])

/** Query filters of the list of maintenances and of the public list. */
export const maintenanceFilters = {
  status: Type.Optional(MaintenanceStatus),
  upcoming: Type.Optional(Type.Boolean({ description: 'True: scheduled' })),
  active: Type.Optional(Type.Boolean({ description: 'True: in_progress or verifying' })),
}
export const maintenanceSortKeys = ['scheduledFor', 'createdAt', 'updatedAt', 'status'] as const

export const maintenanceOperations = operationsOf('core', 'maintenances', {
  list: {
    route: 'GET /maintenances',
    summary: 'List maintenances',
    description:
      '`upcoming` selects scheduled maintenances, `active` those in_progress or verifying; ' +
      '`from` and `to` select windows that overlap the range. `include=updates` adds the ' +
      'updates, newest first; 400 with field `pageSize` when the updates of several ' +
      'maintenances exceed 16 MiB.',
    permission: 'maintenances:read',
    query: listQuery(maintenanceSortKeys, {
      ...maintenanceFilters,
      componentId: Type.Optional(Id),
      search: Search,
      ...TimeRange,
      include: maintenanceIncludes,
    }),
    reply: listOf(Maintenance),
  },
  create: {
    route: 'POST /maintenances',
    status: 201,
    summary: 'Create a maintenance',
    description:
      'With `autoStart` and a `scheduledFor` in the past, the maintenance starts at once. With ' +
      '`recurrence`, each further occurrence becomes a separate maintenance 7 days before it ' +
      'starts, at the same local time in the time zone; an occurrence at a local time that ' +
      'does not exist is skipped. `templateId` supplies absent fields, and `scheduledUntil` ' +
      'by its duration; `variables` must have a value for every `{{name}}` in the texts that ' +
      'it supplies. Emits `maintenance.scheduled`, and `maintenance.started` if it starts at ' +
      'once.',
    permission: 'maintenances:write',
    body: NewMaintenance,
    reply: Maintenance,
  },
  previewRecurrence: {
    route: 'POST /maintenances/preview-recurrence',
    summary: 'Preview the occurrences of a recurring maintenance',
    description: 'Stores nothing. 400 for a rule that `POST /maintenances` rejects.',
    permission: 'maintenances:read',
    action: 'VIEW',
    body: Type.Object({ ...window, recurrence: Recurrence }),
    reply: RecurrencePreview,
  },
  listOccurrences: {
    route: 'GET /maintenances/occurrences',
    summary: 'List the expected occurrences of recurring maintenances',
    description:
      'Occurrences that are not yet maintenances, with a start between `from` (default: now) and ' +
      `\`to\` (default: 31 days later; at most ${MAX_OCCURRENCE_DAYS} days), of at most 100 series.`,
    permission: 'maintenances:read',
    query: listQuery(['scheduledFor'], TimeRange),
    reply: listOf(ExpectedOccurrence),
  },
  read: {
    route: 'GET /maintenances/{id}',
    summary: 'Read a maintenance',
    description: '`include=updates` adds the updates, newest first.',
    permission: 'maintenances:read',
    params: IdParams,
    query: Type.Object({ include: maintenanceIncludes }),
    reply: Maintenance,
  },
  update: {
    route: 'PATCH /maintenances/{id}',
    summary: 'Update, start or complete a maintenance',
    description:
      '`status` and `message` append an update. `scheduledFor` can change only while the ' +
      'maintenance is scheduled. For a completed or cancelled maintenance only `title` and ' +
      '`message` can change, and the `recurrence` of a completed first one, to end its series ' +
      '(409 otherwise). A change of the first maintenance of a series also applies to its ' +
      'scheduled ones. Emits `maintenance.started`, `maintenance.completed` or ' +
      '`maintenance.updated`; none if nothing changed.',
    permission: 'maintenances:write',
    params: IdParams,
    body: MaintenancePatch,
    reply: Maintenance,
  },
  remove: {
    route: 'DELETE /maintenances/{id}',
    summary: 'Cancel a maintenance',
    description:
      'The maintenance remains readable with status cancelled. A repeated request has no ' +
      'effect; 409 for a completed maintenance. Cancelling the first of a series ends the ' +
      'series and cancels its scheduled ones. Emits `maintenance.updated`.',
    permission: 'maintenances:write',
    params: IdParams,
    reply: Success,
  },
  addUpdate: {
    route: 'POST /maintenances/{id}/updates',
    status: 201,
    summary: 'Post a maintenance update',
    description:
      'Requires `status` or `message`. Applies to this maintenance only, not to its series. At ' +
      'most 500 updates per maintenance (409). Emits `maintenance.started`, ' +
      '`maintenance.completed` or `maintenance.updated`.',
    permission: 'maintenances:write',
    action: 'UPDATE',
    params: IdParams,
    body: NewMaintenanceUpdate,
    reply: Type.Composite([MaintenanceUpdate, Type.Object({ maintenance: Maintenance })]),
  },
})

/** Changes that subscribers are notified of; other updates go to channels only. */
export const notifiedMaintenanceChanges = ['cancelled', 'rescheduled'] as const

/** Maintenance in events: its state after the change and its scope. */
export const MaintenanceEventData = Type.Object({
  id: Id,
  title: Type.String(),
  status: MaintenanceStatus,
  /** Text of the event's update; empty without one. */
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
      /** Parent first, root last; empty when `packedAncestors` is present. */
      ancestorIds: Type.Array(Id),
    }),
  ),
  /** See `packedAncestors` of incidents. */
  packedAncestors: Type.Optional(Type.String()),
  url: Nullable(Type.String()),
  /** Published pages that show the maintenance. */
  statusPageIds: Type.Array(Id),
  /** Content of each page, oldest page first; absent when no page shows the maintenance. */
  pages: Type.Optional(Type.Array(EventPage)),
  notifySubscribers: Type.Boolean(),
  /** Change of a `maintenance.updated` event that subscribers are notified of; null without one. */
  news: Nullable(OneOf(notifiedMaintenanceChanges)),
})
export type MaintenanceEventData = Static<typeof MaintenanceEventData>

const eventData = Type.Object({ maintenance: MaintenanceEventData })

export const maintenanceScheduled = event('maintenance.scheduled', ['core'], eventData)
export const maintenanceStarted = event('maintenance.started', ['core'], eventData)
export const maintenanceUpdated = event('maintenance.updated', ['core'], eventData)
export const maintenanceCompleted = event('maintenance.completed', ['core'], eventData)
/** Events that channels, subscribers and programs receive by default. */
export const maintenanceEvents = [
  maintenanceScheduled,
  maintenanceStarted,
  maintenanceUpdated,
  maintenanceCompleted,
] as const
/** Events after which a maintenance can have become active, have ended or have other components. */
export const activeMaintenanceEvents = [
  maintenanceStarted,
  maintenanceUpdated,
  maintenanceCompleted,
] as const
/** Not selectable; sent to subscribers who selected `maintenance.scheduled`. */
export const maintenanceReminder = event('maintenance.reminder', ['core'], eventData)
