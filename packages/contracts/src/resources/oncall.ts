/** On-call: who is on duty when, and the alerts that reach them. */
import { type Static, Type } from '@sinclair/typebox'
import { event } from '../event.ts'
import { listOf, listQuery, Search, TimeRange } from '../listing.ts'
import { operation } from '../operation.ts'
import { patchOf } from '../patch.ts'
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

/** Of one override, and of one question for shifts. */
export const MAX_ONCALL_DAYS = 90
/** What is asked for shifts without saying until when. */
export const DEFAULT_SHIFT_DAYS = 7
/** Overrides of one schedule that have not ended. */
export const MAX_OVERRIDES = 100

/** Event kinds that raise an alert only where the `events` of a schedule name them. */
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

/** A window of local time in which the layer is on duty; without any it always is. */
export const Restriction = TaggedUnion('type', [
  Type.Object({
    type: Type.Literal('daily'),
    startTime: TimeOfDay(),
    durationSeconds: WindowSeconds(DAY_SECONDS),
  }),
  Type.Object({
    type: Type.Literal('weekly'),
    startDay: Type.Integer({ minimum: 1, maximum: 7, description: '1 is Monday' }),
    startTime: TimeOfDay(),
    durationSeconds: WindowSeconds(WEEK_SECONDS),
  }),
])
export type Restriction = Static<typeof Restriction>

const UserIds = Type.Array(Id, {
  minItems: 1,
  maxItems: MAX_USERS,
  description: 'Members, in the order of their turns; one may have several',
})

const NewLayer = Type.Object({
  id: Type.Optional(
    Type.String({ description: 'Of a stored layer, which it then replaces; any other is ignored' }),
  ),
  name: Type.Optional(OneLine(100)),
  order: Type.Optional(
    Type.Integer({ minimum: 0, maximum: 1000, description: 'Its place in the list when absent' }),
  ),
  startsAt: Type.Optional({
    ...Timestamp,
    description: 'Now when absent; turns are counted from the handoffTime of this day',
  }),
  endsAt: Type.Optional(Nullable(Timestamp)),
  rotationInterval: Type.Optional(OneOf(rotationIntervals, { default: 'weekly' })),
  rotationLength: Type.Optional(
    Type.Integer({ minimum: 1, maximum: MAX_ROTATION_LENGTH, default: 1 }),
  ),
  handoffTime: Type.Optional(
    TimeOfDay({ default: '00:00', description: "In the schedule's time zone" }),
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
    description: 'After the alert was triggered; each step later than the one before',
  }),
  targets: Type.Array(
    Type.String({
      pattern: '^(schedule|(user|channel):[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12})$',
      description: '`schedule` is whoever is on call then; else `user:<id>` or `channel:<id>`',
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
    description: 'With everything below them; empty: all',
  }),
  events: Type.Array(OneOf(oncallEvents), {
    maxItems: oncallEvents.length,
    uniqueItems: true,
    default: [],
    description:
      'Kinds that raise alerts in addition to `monitor.down` and incidents of impact major or critical',
  }),
  isEnabled: Type.Boolean({ default: true }),
  layers: Type.Array(NewLayer, { minItems: 1, maxItems: MAX_LAYERS }),
  escalation: Type.Array(EscalationStep, {
    minItems: 1,
    maxItems: MAX_ESCALATION_STEPS,
    default: [{ delayMinutes: 0, targets: ['schedule'] }],
  }),
}

export const NewOncallSchedule = Type.Object({
  name: fields.name,
  layers: fields.layers,
  description: Type.Optional(fields.description),
  timezone: Type.Optional(fields.timezone),
  componentIds: Type.Optional(fields.componentIds),
  events: Type.Optional(fields.events),
  isEnabled: Type.Optional(fields.isEnabled),
  escalation: Type.Optional(fields.escalation),
})
export type NewOncallSchedule = Static<typeof NewOncallSchedule>

export const OncallSchedulePatch = patchOf(fields, ['name', 'layers'])
export type OncallSchedulePatch = Static<typeof OncallSchedulePatch>

export const OncallOverride = Type.Object({
  id: Id,
  userId: Id,
  startsAt: Timestamp,
  endsAt: Timestamp,
  createdAt: Timestamp,
  updatedAt: Timestamp,
})
export type OncallOverride = Static<typeof OncallOverride>

export const OncallSchedule = Type.Object({
  id: Id,
  name: Type.String(),
  description: Nullable(Type.String()),
  timezone: Type.String(),
  componentIds: Type.Array(Id),
  events: Type.Array(OneOf(oncallEvents)),
  isEnabled: Type.Boolean(),
  layers: Type.Array(OncallLayer),
  overrides: Type.Array(OncallOverride, { description: 'Those that have not ended' }),
  escalation: Type.Array(EscalationStep),
  onCallNow: Type.Array(
    Type.Object({
      userId: Id,
      userName: Type.String(),
      layerId: Nullable({ ...Id, description: 'Null by an override' }),
      until: Nullable({ ...Timestamp, description: 'Null: longer than 90 days' }),
    }),
    { description: 'Empty when nobody is' },
  ),
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

export const oncallScheduleOperations = {
  list: operation({
    id: 'oncall-schedules.list',
    service: 'core',
    method: 'GET',
    path: '/oncall/schedules',
    status: 200,
    summary: 'List on-call schedules',
    description: 'Each with who is on call at this moment.',
    permission: 'oncall:read',
    query: listQuery(['name', 'createdAt', 'updatedAt'], {
      isEnabled: Type.Optional(Type.Boolean()),
      search: Search,
    }),
    reply: listOf(OncallSchedule),
  }),
  create: operation({
    id: 'oncall-schedules.create',
    service: 'core',
    method: 'POST',
    path: '/oncall/schedules',
    status: 201,
    summary: 'Create an on-call schedule',
    description:
      'The layer of the highest order that is on duty wins, an override beats all. Hand-offs ' +
      'and restrictions follow the clocks of `timezone`: a turn ends when the clock first ' +
      'reaches `handoffTime`, so a time that is skipped hands off at the jump and one that ' +
      'comes twice hands off once. Turns are counted from the `handoffTime` of the day of ' +
      '`startsAt`; weekly ones therefore end on its weekday. People are named by the ids of ' +
      'members, channels by their own; who is none of the organization is 400. An alert of ' +
      '`sla.at-risk` or `sla.breached` is resolved by `sla.recovered`, one of a missed target by ' +
      'the end of the incident, one of `incident.update-overdue` by the next update, one of a ' +
      'draft when it is published, vetoed or closed, one of a certificate manually.',
    permission: 'oncall:write',
    body: NewOncallSchedule,
    reply: OncallSchedule,
  }),
  read: operation({
    id: 'oncall-schedules.read',
    service: 'core',
    method: 'GET',
    path: '/oncall/schedules/{id}',
    status: 200,
    summary: 'Read an on-call schedule',
    permission: 'oncall:read',
    params: IdParams,
    reply: OncallSchedule,
  }),
  update: operation({
    id: 'oncall-schedules.update',
    service: 'core',
    method: 'PATCH',
    path: '/oncall/schedules/{id}',
    status: 200,
    summary: 'Change an on-call schedule',
    description:
      '`layers` and `escalation` are replaced whole; a layer sent with its id keeps it. Ids ' +
      'that are stored may be sent back, though the member has left or the component is gone. ' +
      'Alerts that nobody has acknowledged go on by the new escalation.',
    permission: 'oncall:write',
    params: IdParams,
    body: OncallSchedulePatch,
    reply: OncallSchedule,
  }),
  remove: operation({
    id: 'oncall-schedules.remove',
    service: 'core',
    method: 'DELETE',
    path: '/oncall/schedules/{id}',
    status: 200,
    summary: 'Delete an on-call schedule and its overrides',
    description: 'Its alerts stay; those that are open escalate no further.',
    permission: 'oncall:write',
    params: IdParams,
    reply: Success,
  }),
  shifts: operation({
    id: 'oncall-schedules.shifts',
    service: 'core',
    method: 'GET',
    path: '/oncall/schedules/{id}/shifts',
    status: 200,
    summary: 'List who is on call, and when',
    description:
      'The final schedule between `from` (now) and `to` (7 days later; at most 90 days), cut ' +
      'there. Shifts do not overlap; what lies between two of them is nobody’s. A turn of ' +
      'somebody who has left the organization is nobody’s too.',
    permission: 'oncall:read',
    params: IdParams,
    query: listQuery(['startsAt'], TimeRange),
    reply: listOf(OncallShift),
  }),
  addOverride: operation({
    id: 'oncall-schedules.addOverride',
    service: 'core',
    method: 'POST',
    path: '/oncall/schedules/{id}/overrides',
    status: 201,
    summary: 'Put somebody on call for a time',
    description:
      'Beats all layers; of two overrides the newer one wins. It must end in the future and ' +
      'last 90 days at most. 409 `invalid_state` beyond 100 that have not ended. Overrides are ' +
      'kept for 13 months after their end.',
    permission: 'oncall:write',
    action: 'UPDATE',
    params: IdParams,
    body: Type.Object({ userId: Id, startsAt: Timestamp, endsAt: Timestamp }),
    reply: OncallOverride,
  }),
  removeOverride: operation({
    id: 'oncall-schedules.removeOverride',
    service: 'core',
    method: 'DELETE',
    path: '/oncall/schedules/{id}/overrides/{overrideId}',
    status: 200,
    summary: 'Take an override back',
    permission: 'oncall:write',
    action: 'UPDATE',
    params: Type.Object({ id: Id, overrideId: Id }),
    reply: Success,
  }),
}

export const alertStatuses = ['triggered', 'acknowledged', 'resolved'] as const
export type AlertStatus = (typeof alertStatuses)[number]

export const alertSeverities = ['critical', 'warning'] as const
export type AlertSeverity = (typeof alertSeverities)[number]

export const alertSources = ['monitor', 'incident', 'sla', 'certificate', 'incident-draft'] as const
export type AlertSource = (typeof alertSources)[number]

export const OncallAlert = Type.Object({
  id: Id,
  status: OneOf(alertStatuses),
  title: Type.String(),
  severity: OneOf(alertSeverities),
  source: OneOf(alertSources),
  componentId: Nullable(Id),
  incidentId: Nullable(Id),
  scheduleId: Id,
  assignedUserIds: Type.Array(Id, { description: 'Who has been told, in that order' }),
  dedupKey: Type.String(),
  escalationLevel: Type.Integer({ description: 'The step last taken; 0 is the first' }),
  count: Type.Integer({ description: 'How often it was raised while open' }),
  noResponder: Type.Boolean({ description: 'A step found nobody' }),
  triggeredAt: Timestamp,
  acknowledgedAt: Nullable(Timestamp),
  acknowledgedBy: Nullable({ ...Id, description: 'A member; null for an API key' }),
  resolvedAt: Nullable(Timestamp),
  createdAt: Timestamp,
  updatedAt: Timestamp,
})
export type OncallAlert = Static<typeof OncallAlert>

export const oncallAlertOperations = {
  list: operation({
    id: 'oncall-alerts.list',
    service: 'core',
    method: 'GET',
    path: '/oncall/alerts',
    status: 200,
    summary: 'List alerts',
    description:
      '`from` and `to` look at `triggeredAt`. Alerts are kept for 13 months after they were resolved.',
    permission: 'oncall:read',
    query: listQuery(['triggeredAt', 'severity', 'status'], {
      status: Type.Optional(OneOf(alertStatuses)),
      severity: Type.Optional(OneOf(alertSeverities)),
      scheduleId: Type.Optional(Id),
      componentId: Type.Optional(Id),
      ...TimeRange,
    }),
    reply: listOf(OncallAlert),
  }),
  read: operation({
    id: 'oncall-alerts.read',
    service: 'core',
    method: 'GET',
    path: '/oncall/alerts/{id}',
    status: 200,
    summary: 'Read an alert',
    permission: 'oncall:read',
    params: IdParams,
    reply: OncallAlert,
  }),
  acknowledge: operation({
    id: 'oncall-alerts.acknowledge',
    service: 'core',
    method: 'POST',
    path: '/oncall/alerts/{id}/acknowledge',
    status: 200,
    summary: 'Take an alert on: it escalates no further',
    description:
      'Repeatable. 409 `invalid_state` once it is resolved. The others who were told hear of ' +
      'it. Event: `oncall.acknowledged`.',
    permission: 'oncall:write',
    action: 'UPDATE',
    params: IdParams,
    reply: OncallAlert,
  }),
  resolve: operation({
    id: 'oncall-alerts.resolve',
    service: 'core',
    method: 'POST',
    path: '/oncall/alerts/{id}/resolve',
    status: 200,
    summary: 'Close an alert',
    description:
      'Repeatable. The monitor’s recovery and the end of the incident close it too. The ' +
      'others who were told hear of it. Event: `oncall.resolved`.',
    permission: 'oncall:write',
    action: 'UPDATE',
    params: IdParams,
    reply: OncallAlert,
  }),
}

const Person = Type.Object({ userId: Id, name: Type.String() })

/** The alert as a message needs it: the state after the change, and whom to tell of it. */
export const AlertEventData = Type.Object({
  id: Id,
  status: OneOf(alertStatuses),
  title: Type.String(),
  severity: OneOf(alertSeverities),
  source: OneOf(alertSources),
  componentId: Nullable(Id),
  incidentId: Nullable(Id),
  schedule: Type.Object({ id: Id, name: Type.String() }),
  /** For people: `HTTP 503`, or the incident's message. */
  reason: Nullable(Type.String()),
  /** When what it is about began. */
  since: Timestamp,
  /** Of the incident, where a published page shows it. */
  url: Nullable(Type.String()),
  escalationLevel: Type.Integer(),
  /** When the next step comes, unless somebody acknowledges; null: none does. */
  escalatesAt: Nullable(Timestamp),
  count: Type.Integer(),
  noResponder: Type.Boolean(),
  triggeredAt: Timestamp,
  acknowledgedAt: Nullable(Timestamp),
  acknowledgedBy: Nullable(Person),
  resolvedAt: Nullable(Timestamp),
  assigned: Type.Array(Person),
  /** Whom this event is for. */
  recipients: Type.Array(Type.Object({ userId: Id, name: Type.String(), email: Type.String() })),
  /** Notification channels that it is for, too. */
  channelIds: Type.Array(Id),
})
export type AlertEventData = Static<typeof AlertEventData>

const eventData = Type.Object({ alert: AlertEventData })

export const oncallTriggered = event({
  kind: 'oncall.triggered',
  producers: ['core'],
  selectableBy: 'none',
  data: eventData,
})
export const oncallEscalated = event({
  kind: 'oncall.escalated',
  producers: ['core'],
  selectableBy: 'none',
  data: eventData,
})
export const oncallAcknowledged = event({
  kind: 'oncall.acknowledged',
  producers: ['core'],
  selectableBy: 'none',
  data: eventData,
})
export const oncallResolved = event({
  kind: 'oncall.resolved',
  producers: ['core'],
  selectableBy: 'none',
  data: eventData,
})
