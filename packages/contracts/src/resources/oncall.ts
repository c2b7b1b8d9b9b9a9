/** On-call: schedules of responders, and the alerts that are sent to them. */
import { type Static, Type } from '@sinclair/typebox'
import { event } from '../event.ts'
import { listOf, listQuery, Search, TimeRange } from '../listing.ts'
import { operationsOf } from '../operation.ts'
import { optional, patchSchemaOf } from '../patch.ts'
import {
  Id,
  IdParams,
  LongText,
  Nullable,
  OneLine,
  OneOf,
  Success,
  TaggedUnion,
  Timestamp,
  TimeZone,
} from '../scalars.ts'
import type { NamedChannelEvent } from './notification-channels.ts'

const MAX_LAYERS = 10
const MAX_USERS = 50
const MAX_RESTRICTIONS = 20
const MAX_ROTATION_LENGTH = 52
const MAX_ESCALATION_STEPS = 10
const MAX_TARGETS = 20
const MAX_DELAY_MINUTES = 1440
const MAX_SCOPE = 500
const MIN_WINDOW_SECONDS = 60
const DAY_SECONDS = 86_400
const WEEK_SECONDS = 7 * DAY_SECONDS

/** Maximum length of one override and of one query for shifts, in days. */
export const MAX_ONCALL_DAYS = 90
/** Default length of a query for shifts, in days. */
export const DEFAULT_SHIFT_DAYS = 7
/** Maximum length of a timeline, in days: hourly turns of all layers remain below 10,000 shifts. */
export const MAX_TIMELINE_DAYS = 35
/** Default length of a timeline, in days. */
export const DEFAULT_TIMELINE_DAYS = 14
/** Maximum number of overrides of one schedule that have not ended. */
export const MAX_OVERRIDES = 100

/** Event kinds that raise an alert only when the `events` of a schedule list them. */
export const oncallEvents = [
  'sla.at-risk',
  'sla.breached',
  'sla.response-breached',
  'sla.resolution-breached',
  'certificate.expiring',
  'incident.update-overdue',
  'incident-draft.created',
  'incident-draft.publishing',
] as const satisfies readonly NamedChannelEvent[]
export type OncallEvent = (typeof oncallEvents)[number]

export const rotationIntervals = ['hourly', 'daily', 'weekly'] as const
export type RotationInterval = (typeof rotationIntervals)[number]

const TimeOfDay = (options: { default?: string; description?: string } = {}) =>
  Type.String({ pattern: '^([01][0-9]|2[0-3]):[0-5][0-9]$', ...options })

const WindowSeconds = (maximum: number) => Type.Integer({ minimum: MIN_WINDOW_SECONDS, maximum })

/** Window of local time in which a layer is on duty; a layer without windows is always on duty. */
export const Restriction = TaggedUnion('type', [
  Type.Object({
    type: Type.Literal('daily'),
    startTime: TimeOfDay(),
    durationSeconds: WindowSeconds(DAY_SECONDS),
  }),
  Type.Object({
    type: Type.Literal('weekly'),
    startDay: Type.Integer({ minimum: 1, maximum: 7, description: 'Day of the week; 1 is Monday' }),
    startTime: TimeOfDay(),
    durationSeconds: WindowSeconds(WEEK_SECONDS),
  }),
])
export type Restriction = Static<typeof Restriction>

const UserIds = Type.Array(Id, {
  minItems: 1,
  maxItems: MAX_USERS,
  description: 'Members in the order of their turns; a member can occur several times',
})

const NewLayer = Type.Object({
  id: Type.Optional(
    Type.String({ description: 'Id of a stored layer to replace; an unknown id is ignored' }),
  ),
  name: Type.Optional(OneLine(100)),
  order: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 1000,
      description: 'Precedence of the layer; default: its position in the list',
    }),
  ),
  startsAt: Type.Optional({
    ...Timestamp,
    description: 'Start of the rotation, counted from the handoffTime of this day; default: now',
  }),
  endsAt: Type.Optional(Nullable(Timestamp)),
  rotationInterval: Type.Optional(OneOf(rotationIntervals, { default: 'weekly' })),
  rotationLength: Type.Optional(
    Type.Integer({ minimum: 1, maximum: MAX_ROTATION_LENGTH, default: 1 }),
  ),
  handoffTime: Type.Optional(
    TimeOfDay({ default: '00:00', description: "Local time in the schedule's time zone" }),
  ),
  userIds: UserIds,
  restrictions: Type.Optional(Type.Array(Restriction, { maxItems: MAX_RESTRICTIONS, default: [] })),
})
export type NewLayer = Static<typeof NewLayer>

export const OncallLayer = Type.Object({
  id: Id,
  name: Type.String(),
  order: Type.Integer(),
  startsAt: Timestamp,
  endsAt: Nullable(Timestamp),
  rotationInterval: OneOf(rotationIntervals),
  rotationLength: Type.Integer(),
  handoffTime: Type.String(),
  userIds: Type.Array(Id),
  restrictions: Type.Array(Restriction),
})
export type OncallLayer = Static<typeof OncallLayer>

export const EscalationStep = Type.Object({
  delayMinutes: Type.Integer({
    minimum: 0,
    maximum: MAX_DELAY_MINUTES,
    description: 'Minutes after the alert was triggered; greater than that of the previous step',
  }),
  targets: Type.Array(
    Type.String({
      pattern: '^(schedule|(user|channel):[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12})$',
      description: '`schedule` for the member on call at that time, `user:<id>` or `channel:<id>`',
    }),
    { minItems: 1, maxItems: MAX_TARGETS, uniqueItems: true },
  ),
})
export type EscalationStep = Static<typeof EscalationStep>

const fields = {
  name: OneLine(100),
  description: Nullable(LongText(500)),
  timezone: Type.String({ ...TimeZone, default: 'UTC' }),
  componentIds: Type.Array(Id, {
    maxItems: MAX_SCOPE,
    uniqueItems: true,
    default: [],
    description: 'Selected components, including all components below them; empty: all components',
  }),
  events: Type.Array(OneOf(oncallEvents), {
    maxItems: oncallEvents.length,
    uniqueItems: true,
    default: [],
    description:
      'Kinds of events that raise alerts, in addition to `monitor.down` and incidents of ' +
      'impact major or critical',
  }),
  isEnabled: Type.Boolean({ default: true }),
  layers: Type.Array(NewLayer, { minItems: 1, maxItems: MAX_LAYERS }),
  escalation: Type.Array(EscalationStep, {
    minItems: 1,
    maxItems: MAX_ESCALATION_STEPS,
    default: [{ delayMinutes: 0, targets: ['schedule'] }],
  }),
}

const { name, layers, ...choices } = fields

export const NewOncallSchedule = Type.Object({ name, layers, ...optional(choices) })
export type NewOncallSchedule = Static<typeof NewOncallSchedule>

export const OncallSchedulePatch = patchSchemaOf(fields, ['name', 'layers'])
export type OncallSchedulePatch = Static<typeof OncallSchedulePatch>

const overrideFields = { userId: Id, startsAt: Timestamp, endsAt: Timestamp }

export const OncallOverridePatch = patchSchemaOf(overrideFields, ['userId', 'startsAt', 'endsAt'])
export type OncallOverridePatch = Static<typeof OncallOverridePatch>

export const OncallOverride = Type.Object({
  id: Id,
  ...overrideFields,
  createdAt: Timestamp,
  updatedAt: Timestamp,
})
export type OncallOverride = Static<typeof OncallOverride>

const onCallFields = {
  userId: Id,
  userName: Type.String(),
  layerId: Nullable({ ...Id, description: 'Null for a shift from an override' }),
}

const OnCallNow = Type.Object({
  ...onCallFields,
  since: Nullable({
    ...Timestamp,
    description: 'Start of the shift; null when it was more than 90 days ago',
  }),
  until: Nullable({
    ...Timestamp,
    description: 'End of the shift; null when it is more than 90 days away',
  }),
})

const OnCallNext = Type.Object({
  ...onCallFields,
  since: Timestamp,
  until: Nullable({
    ...Timestamp,
    description: 'End of the shift; null when it is more than 90 days away',
  }),
})

export const OncallSchedule = Type.Object({
  id: Id,
  version: Type.Integer({
    description: 'Version for If-Match; rises with every change except those of overrides',
  }),
  name: Type.String(),
  description: Nullable(Type.String()),
  timezone: Type.String(),
  componentIds: Type.Array(Id),
  events: Type.Array(OneOf(oncallEvents)),
  isEnabled: Type.Boolean(),
  layers: Type.Array(OncallLayer),
  overrides: Type.Array(OncallOverride, { description: 'Overrides that have not ended' }),
  escalation: Type.Array(EscalationStep),
  managedByConfig: Type.Boolean(),
  onCallNow: Type.Array(OnCallNow, {
    description: 'Members on call; empty when the schedule has a gap',
  }),
  onCallNext: Type.Array(OnCallNext, {
    description: 'Member of the following shift; empty when none begins within 90 days',
  }),
  createdAt: Timestamp,
  updatedAt: Timestamp,
})
export type OncallSchedule = Static<typeof OncallSchedule>

export const OncallShift = Type.Object({
  userId: Id,
  userName: Type.String(),
  layerId: Nullable(Id),
  isOverride: Type.Boolean(),
  startsAt: Timestamp,
  endsAt: Timestamp,
})
export type OncallShift = Static<typeof OncallShift>

export const OncallTimeline = Type.Object({
  from: Timestamp,
  to: Timestamp,
  shifts: Type.Array(OncallShift, { description: 'Shifts of the schedule, after overrides' }),
  layers: Type.Array(Type.Object({ layerId: Id, shifts: Type.Array(OncallShift) }), {
    description:
      'Shifts of each layer on its own, in the order of the layers in the schedule; they can be ' +
      'hidden by layers with a higher order and by overrides',
  }),
  overrides: Type.Array(OncallOverride, {
    description: 'Overrides that overlap the period, newest first',
  }),
})
export type OncallTimeline = Static<typeof OncallTimeline>

const OverrideParams = Type.Object({ id: Id, overrideId: Id })

export const oncallScheduleOperations = operationsOf('core', 'oncall-schedules', {
  list: {
    route: 'GET /oncall/schedules',
    summary: 'List on-call schedules',
    description: 'Each includes the members on call now.',
    permission: 'oncall:read',
    query: listQuery(['name', 'createdAt', 'updatedAt'], {
      isEnabled: Type.Optional(Type.Boolean()),
      search: Search,
    }),
    reply: listOf(OncallSchedule),
  },
  create: {
    route: 'POST /oncall/schedules',
    status: 201,
    summary: 'Create an on-call schedule',
    description:
      'The layer with the highest order that is on duty applies; an override takes precedence ' +
      'over all layers. Handoffs and restrictions follow local time in `timezone`: a turn ends ' +
      'when local time first reaches `handoffTime`, so that a skipped time hands off at the ' +
      'jump and a repeated time hands off once. Turns are counted from the `handoffTime` of ' +
      'the day of `startsAt`; weekly turns therefore end on its weekday. Members and channels ' +
      'are referenced by id (400 for unknown ones). Resolution of alerts: `sla.at-risk` and ' +
      '`sla.breached` by `sla.recovered`, a missed target by the resolution of the incident, ' +
      '`incident.update-overdue` by the next update, an incident draft when it is published, ' +
      'vetoed or closed, a certificate manually.',
    permission: 'oncall:write',
    body: NewOncallSchedule,
    reply: OncallSchedule,
  },
  read: {
    route: 'GET /oncall/schedules/{id}',
    summary: 'Read an on-call schedule',
    permission: 'oncall:read',
    params: IdParams,
    reply: OncallSchedule,
  },
  update: {
    route: 'PATCH /oncall/schedules/{id}',
    summary: 'Update an on-call schedule',
    description:
      '`layers` and `escalation` are replaced as a whole; a layer with a stored id keeps the ' +
      'id. Stored ids are accepted even if the member or component no longer exists. ' +
      'Unacknowledged alerts continue with the new escalation.',
    permission: 'oncall:write',
    params: IdParams,
    body: OncallSchedulePatch,
    reply: OncallSchedule,
  },
  remove: {
    route: 'DELETE /oncall/schedules/{id}',
    summary: 'Delete an on-call schedule',
    description:
      'Also deletes its overrides. Its alerts remain; open ones are not escalated any further.',
    permission: 'oncall:write',
    params: IdParams,
    reply: Success,
  },
  shifts: {
    route: 'GET /oncall/schedules/{id}/shifts',
    summary: 'List the shifts of an on-call schedule',
    description:
      'Shifts after overrides, between `from` (default: now) and `to` (default: 7 days later; ' +
      'at most 90 days), cut at these times. Shifts do not overlap; in a gap between them, and ' +
      'in a turn of a former member, no member is on call.',
    permission: 'oncall:read',
    params: IdParams,
    query: listQuery(['startsAt'], TimeRange),
    reply: listOf(OncallShift),
  },
  timeline: {
    route: 'GET /oncall/schedules/{id}/timeline',
    summary: 'Read the timeline of an on-call schedule',
    description:
      'Shifts of the schedule and of each layer, and the overrides, between `from` (default: ' +
      'now) and `to` (default: 14 days later; at most 35 days), cut at these times. Turns of ' +
      'former members are omitted.',
    permission: 'oncall:read',
    params: IdParams,
    query: Type.Object(TimeRange),
    reply: OncallTimeline,
  },
  addOverride: {
    route: 'POST /oncall/schedules/{id}/overrides',
    status: 201,
    summary: 'Create an override',
    description:
      'Puts a member on call for a period. An override takes precedence over all layers; of ' +
      'overlapping overrides the newest applies. It must end in the future and last 90 days at ' +
      'most. 409 `invalid_state` for more than 100 overrides that have not ended. Overrides ' +
      'are deleted 13 months after their end.',
    permission: 'oncall:write',
    action: 'UPDATE',
    params: IdParams,
    body: Type.Object(overrideFields),
    reply: OncallOverride,
  },
  updateOverride: {
    route: 'PATCH /oncall/schedules/{id}/overrides/{overrideId}',
    summary: 'Update an override',
    description:
      'The limits are those of a new override. Of overlapping overrides, the one created last ' +
      'still applies.',
    permission: 'oncall:write',
    params: OverrideParams,
    body: OncallOverridePatch,
    reply: OncallOverride,
  },
  removeOverride: {
    route: 'DELETE /oncall/schedules/{id}/overrides/{overrideId}',
    summary: 'Delete an override',
    permission: 'oncall:write',
    action: 'UPDATE',
    params: OverrideParams,
    reply: Success,
  },
})

export const alertStatuses = ['triggered', 'acknowledged', 'resolved'] as const
export type AlertStatus = (typeof alertStatuses)[number]

export const alertSeverities = ['critical', 'warning'] as const
export type AlertSeverity = (typeof alertSeverities)[number]

export const alertSources = ['monitor', 'incident', 'sla', 'certificate', 'incident-draft'] as const
export type AlertSource = (typeof alertSources)[number]

/** Events whose alerts have a title that the service writes. */
export const describedAlertEvents = [
  'monitor.down',
  'sla.at-risk',
  'sla.breached',
  'sla.response-breached',
  'sla.resolution-breached',
  'certificate.expiring',
  'incident.update-overdue',
  'incident-draft',
] as const
export type DescribedAlertEvent = (typeof describedAlertEvents)[number]

export const draftOutcomes = ['published', 'vetoed', 'closed'] as const

/** Values of the title and the reason of an alert, for texts in other languages. */
export const AlertDetails = Type.Object({
  event: OneOf(describedAlertEvents),
  name: Type.String({ description: 'Component, service level, incident or draft' }),
  slaName: Nullable(Type.String({ description: 'Service level whose target was missed' })),
  dueAt: Nullable({
    ...Timestamp,
    description: 'Time of the missed target or update, of the expiry or of the publication',
  }),
  percentage: Nullable(Type.Number({ description: 'Measured availability' })),
  targetPercentage: Nullable(Type.Number()),
  message: Nullable(Type.String({ description: 'Start of the message of a draft' })),
  outcome: Nullable(OneOf(draftOutcomes)),
})
export type AlertDetails = Static<typeof AlertDetails>

export const OncallAlert = Type.Object({
  id: Id,
  status: OneOf(alertStatuses),
  title: Type.String(),
  severity: OneOf(alertSeverities),
  source: OneOf(alertSources),
  componentId: Nullable(Id),
  incidentId: Nullable(Id),
  scheduleId: Id,
  scheduleName: Type.String({ description: 'Name of the schedule when the alert was raised' }),
  reason: Nullable(
    Type.String({ description: 'Cause, such as `HTTP 503` or the message of the incident' }),
  ),
  details: Nullable({
    ...AlertDetails,
    description:
      'Values of `title` and `reason`, for texts in other languages; null when both are those of ' +
      'an incident',
  }),
  since: { ...Timestamp, description: 'Start of the underlying problem' },
  assignedUserIds: Type.Array(Id, {
    description: 'Notified members, in the order of notification',
  }),
  dedupKey: Type.String(),
  escalationLevel: Type.Integer({ description: 'Latest step that was executed; 0 is the first' }),
  count: Type.Integer({ description: 'Number of times the alert was raised while open' }),
  noResponder: Type.Boolean({ description: 'True when a step found no member on call' }),
  escalatesAt: Nullable({
    ...Timestamp,
    description: 'Time of the next step unless the alert is acknowledged; null when none follows',
  }),
  triggeredAt: Timestamp,
  acknowledgedAt: Nullable(Timestamp),
  acknowledgedBy: Nullable({ ...Id, description: 'Member who acknowledged; null for an API key' }),
  resolvedAt: Nullable(Timestamp),
  createdAt: Timestamp,
  updatedAt: Timestamp,
})
export type OncallAlert = Static<typeof OncallAlert>

export const oncallAlertOperations = operationsOf('core', 'oncall-alerts', {
  list: {
    route: 'GET /oncall/alerts',
    summary: 'List on-call alerts',
    description:
      '`from` and `to` apply to `triggeredAt`. Alerts are deleted 13 months after their ' +
      'resolution.',
    permission: 'oncall:read',
    query: listQuery(['triggeredAt', 'severity', 'status'], {
      status: Type.Optional(OneOf(alertStatuses)),
      resolved: Type.Optional(Type.Boolean()),
      severity: Type.Optional(OneOf(alertSeverities)),
      scheduleId: Type.Optional(Id),
      componentId: Type.Optional(Id),
      ...TimeRange,
    }),
    reply: listOf(OncallAlert),
  },
  read: {
    route: 'GET /oncall/alerts/{id}',
    summary: 'Read an on-call alert',
    permission: 'oncall:read',
    params: IdParams,
    reply: OncallAlert,
  },
  acknowledge: {
    route: 'POST /oncall/alerts/{id}/acknowledge',
    summary: 'Acknowledge an on-call alert',
    description:
      'Ends the escalation; the other notified members receive a message. A repeated request ' +
      'has no effect. 409 `invalid_state` for a resolved alert. Emits `oncall.acknowledged`.',
    permission: 'oncall:write',
    action: 'UPDATE',
    params: IdParams,
    reply: OncallAlert,
  },
  resolve: {
    route: 'POST /oncall/alerts/{id}/resolve',
    summary: 'Resolve an on-call alert',
    description:
      'The other notified members receive a message. A repeated request has no effect. The ' +
      'recovery of the monitor and the resolution of the incident also resolve the alert. ' +
      'Emits `oncall.resolved`.',
    permission: 'oncall:write',
    action: 'UPDATE',
    params: IdParams,
    reply: OncallAlert,
  },
})

const Person = Type.Object({ userId: Id, name: Type.String() })

/** Alert in events: its state after the change and its recipients. */
export const AlertEventData = Type.Object({
  id: Id,
  status: OneOf(alertStatuses),
  title: Type.String(),
  severity: OneOf(alertSeverities),
  source: OneOf(alertSources),
  componentId: Nullable(Id),
  incidentId: Nullable(Id),
  schedule: Type.Object({ id: Id, name: Type.String() }),
  /** Readable reason, such as `HTTP 503` or the incident's message. */
  reason: Nullable(Type.String()),
  /** Values of title and reason; null when both are those of an incident. */
  details: Nullable(AlertDetails),
  /** Start of the underlying problem. */
  since: Timestamp,
  /** URL of the incident, when a published page shows it. */
  url: Nullable(Type.String()),
  escalationLevel: Type.Integer(),
  /** Time of the next escalation unless the alert is acknowledged; null: none follows. */
  escalatesAt: Nullable(Timestamp),
  count: Type.Integer(),
  noResponder: Type.Boolean(),
  triggeredAt: Timestamp,
  acknowledgedAt: Nullable(Timestamp),
  acknowledgedBy: Nullable(Person),
  resolvedAt: Nullable(Timestamp),
  assigned: Type.Array(Person),
  /** Members who receive this event. */
  recipients: Type.Array(Type.Object({ userId: Id, name: Type.String(), email: Type.String() })),
  /** Notification channels that receive this event. */
  channelIds: Type.Array(Id),
})
export type AlertEventData = Static<typeof AlertEventData>

const eventData = Type.Object({ alert: AlertEventData })

export const oncallTriggered = event('oncall.triggered', ['core'], eventData)
export const oncallEscalated = event('oncall.escalated', ['core'], eventData)
export const oncallAcknowledged = event('oncall.acknowledged', ['core'], eventData)
export const oncallResolved = event('oncall.resolved', ['core'], eventData)
