/** Checks: conditions, results, and what a monitor tells of them. */
import { type Static, Type } from '@sinclair/typebox'
import { event } from '../event.ts'
import { listOf, listQuery, TimeRange } from '../listing.ts'
import { operation } from '../operation.ts'
import { Id, IdParams, Nullable, OneOf, Timestamp } from '../scalars.ts'

export const conditionTypes = [
  'STATUS_CODE',
  'RESPONSE_TIME',
  'JSON_PATH',
  'HEADER',
  'BODY_CONTAINS',
] as const
export type ConditionType = (typeof conditionTypes)[number]

export const comparators = [
  'EQUALS',
  'NOT_EQUALS',
  'GREATER_THAN',
  'LESS_THAN',
  'CONTAINS',
  'EXISTS',
  'NOT_EXISTS',
] as const
export type Comparator = (typeof comparators)[number]

/** Which comparators a type takes; any other pair is refused at save. */
export const comparatorsOf: Record<ConditionType, readonly Comparator[]> = {
  STATUS_CODE: ['EQUALS', 'NOT_EQUALS', 'GREATER_THAN', 'LESS_THAN'],
  RESPONSE_TIME: ['EQUALS', 'NOT_EQUALS', 'GREATER_THAN', 'LESS_THAN'],
  JSON_PATH: comparators,
  HEADER: comparators,
  BODY_CONTAINS: ['EQUALS', 'NOT_EQUALS', 'CONTAINS', 'EXISTS', 'NOT_EXISTS'],
}

export const Condition = Type.Object({
  type: OneOf(conditionTypes),
  comparator: OneOf(comparators),
  target: Type.String({ minLength: 1, maxLength: 512 }),
})
export type Condition = Static<typeof Condition>

export const checkStatuses = ['SUCCESS', 'DEGRADED', 'FAILURE', 'TIMEOUT', 'ERROR'] as const
export type CheckStatus = (typeof checkStatuses)[number]

export const checkErrors = [
  'blocked',
  'dns_error',
  'connect_error',
  'tls_error',
  'protocol_error',
  'timeout',
  'too_large',
  'too_complex',
  'no_data',
  'query_error',
] as const
export type CheckError = (typeof checkErrors)[number]

export const ConditionResult = Type.Object({
  type: OneOf(conditionTypes),
  comparator: OneOf(comparators),
  target: Type.String(),
  actual: Nullable(Type.String({ maxLength: 200 })),
  passed: Type.Boolean(),
})
export type ConditionResult = Static<typeof ConditionResult>

const Milliseconds = Nullable(Type.Integer({ minimum: 0 }))

/** How long each phase took, in milliseconds; null where there was no such phase. */
export const CheckTimings = Type.Object({
  dns: Milliseconds,
  connect: Milliseconds,
  tls: Milliseconds,
  firstByte: Milliseconds,
})
export type CheckTimings = Static<typeof CheckTimings>

export const checkTriggers = ['schedule', 'manual'] as const

/** Where a check was made from: the `MONITOR_LOCATION` of the replica that made it. */
export const Location = Type.String({ pattern: '^[a-z0-9][a-z0-9-]{0,31}$' })
export const DEFAULT_LOCATION = 'default'

export const Check = Type.Object({
  id: Id,
  componentId: Id,
  success: Type.Boolean(),
  status: OneOf(checkStatuses),
  statusCode: Nullable(Type.Integer()),
  responseTime: Nullable(Type.Number({ description: 'Milliseconds' })),
  timestamp: Timestamp,
  error: Nullable(OneOf(checkErrors)),
  conditionResults: Type.Array(ConditionResult),
  value: Type.Optional(Nullable(Type.Number())),
  trigger: OneOf(checkTriggers),
  timings: CheckTimings,
  location: Type.String(),
})
export type Check = Static<typeof Check>

export const derivedStatuses = ['operational', 'degraded_performance', 'major_outage'] as const
export type DerivedStatus = (typeof derivedStatuses)[number]

export const Monitor = Type.Object({
  kind: OneOf(['http', 'metric']),
  isEnabled: Type.Boolean(),
  interval: Type.Integer({ description: 'Seconds' }),
  derivedStatus: OneOf(derivedStatuses),
  consecutiveFailures: Type.Integer(),
  consecutiveSuccesses: Type.Integer(),
  lastCheckAt: Nullable(Timestamp),
  nextCheckAt: Nullable(Timestamp),
  certificateExpiresAt: Nullable(
    Type.String({
      format: 'timestamp',
      description: 'Of the TLS certificate last presented; of several, the earliest',
    }),
  ),
  isFlapping: Type.Boolean({ description: 'Changed four times within 30 min' }),
  unservedLocations: Type.Array(Type.String(), {
    description: 'Of its locations those without a live replica: nothing is checked from there',
  }),
})
export type Monitor = Static<typeof Monitor>

export const RECENT_CHECKS = 20

export const checkHistoryQuery = listQuery(['timestamp'], {
  status: Type.Optional(OneOf(checkStatuses)),
  trigger: Type.Optional(OneOf(checkTriggers)),
  location: Type.Optional(Location),
  ...TimeRange,
})

/** Widths of a point, in seconds. */
export const responseTimeResolutions = ['300', '3600'] as const

const responseTimesQuery = Type.Object({
  ...TimeRange,
  resolution: Type.Optional(
    OneOf(responseTimeResolutions, { description: 'Seconds a point; 300 up to two days' }),
  ),
  location: Type.Optional(Location),
})

/** Milliseconds of the successful checks of one point; null where there were none. */
export const ResponseTimePoint = Type.Object({
  timestamp: Timestamp,
  location: Type.String(),
  checks: Type.Integer(),
  successes: Type.Integer(),
  average: Milliseconds,
  p50: Milliseconds,
  p95: Milliseconds,
  p99: Milliseconds,
})
export type ResponseTimePoint = Static<typeof ResponseTimePoint>

export const ResponseTimes = Type.Object({
  componentId: Id,
  from: Timestamp,
  to: Timestamp,
  resolution: Type.Integer({ description: 'Seconds a point' }),
  points: Type.Array(ResponseTimePoint),
})
export type ResponseTimes = Static<typeof ResponseTimes>

/** What the world asks of a component's checks; core passes it on to the monitor. */
export const componentCheckOperations = {
  list: operation({
    id: 'components.checks',
    service: 'core',
    method: 'GET',
    path: '/components/{id}/checks',
    status: 200,
    summary: 'List checks of a component',
    description:
      'Scheduled and manual ones, newest first, as far back as they are kept ' +
      '(`CHECK_RETENTION_DAYS`). `from` and `to` look at `timestamp`. Empty where nothing is ' +
      'checked. `meta.total` counts at most 10,000 checks beyond the page.',
    permission: 'components:read',
    params: IdParams,
    query: checkHistoryQuery,
    reply: listOf(Check),
  }),
  responseTimes: operation({
    id: 'components.responseTimes',
    service: 'core',
    method: 'GET',
    path: '/components/{id}/response-times',
    status: 200,
    summary: 'Response times of a component as a series',
    description:
      'One point for each five minutes or hour with checks, oldest first: how many ' +
      'there were, how many succeeded, and the mean and percentiles of those. Default: the last ' +
      '24 hours. At most 7 days by five minutes, 366 days by the hour. A point is there within ' +
      'minutes of its end.',
    permission: 'components:read',
    params: IdParams,
    query: responseTimesQuery,
    reply: ResponseTimes,
  }),
}

/** Questions that core asks the monitor; the gateway does not serve them. */
export const checkOperations = {
  run: operation({
    id: 'checks.run',
    service: 'monitor',
    method: 'POST',
    path: '/internal/targets/{id}/checks',
    base: 'root',
    status: 200,
    summary: 'Check a target now',
    permission: 'components:write',
    action: 'UPDATE',
    callers: ['core'],
    params: IdParams,
    body: Type.Object({
      /** Of the component as the caller knows it: an older copy is not found. */
      version: Type.Integer({ minimum: 1 }),
    }),
    reply: Check,
  }),
  recent: operation({
    id: 'checks.recent',
    service: 'monitor',
    method: 'POST',
    path: '/internal/targets/recent',
    base: 'root',
    status: 200,
    summary: 'Monitors and newest checks of targets',
    permission: 'components:read',
    action: 'VIEW',
    callers: ['core'],
    body: Type.Object({
      componentIds: Type.Array(Id, { maxItems: 500 }),
      checksPerTarget: Type.Integer({ minimum: 0, maximum: RECENT_CHECKS }),
    }),
    reply: Type.Object({
      targets: Type.Array(
        Type.Object({
          componentId: Id,
          monitor: Monitor,
          averageResponseTime: Type.Optional(Nullable(Type.Number())),
          checks: Type.Array(Check),
        }),
      ),
    }),
  }),
  locations: operation({
    id: 'checks.locations',
    service: 'monitor',
    method: 'GET',
    path: '/internal/locations',
    base: 'root',
    status: 200,
    summary: 'Locations with a live replica',
    permission: 'components:read',
    callers: ['core'],
    reply: Type.Object({ locations: Type.Array(Type.String()) }),
  }),
  list: operation({
    id: 'checks.list',
    service: 'monitor',
    method: 'GET',
    path: '/internal/targets/{id}/checks',
    base: 'root',
    status: 200,
    summary: 'Checks of a target',
    permission: 'components:read',
    callers: ['core'],
    params: IdParams,
    query: checkHistoryQuery,
    reply: listOf(Check),
  }),
  responseTimes: operation({
    id: 'checks.responseTimes',
    service: 'monitor',
    method: 'GET',
    path: '/internal/targets/{id}/response-times',
    base: 'root',
    status: 200,
    summary: 'Response times of a target as a series',
    permission: 'components:read',
    callers: ['core'],
    params: IdParams,
    query: responseTimesQuery,
    reply: ResponseTimes,
  }),
}

/** A change of the derived status. `since` is the first result of the run that decided it. */
export const MonitorEventData = Type.Object({
  componentId: Id,
  name: Type.String(),
  derivedStatus: OneOf(derivedStatuses),
  since: Timestamp,
  /** For people: `HTTP 503`, `timed out after 10000 ms`. */
  reason: Nullable(Type.String({ maxLength: 200 })),
  /** Four changes in 30 min: worth one notice, then silence until it has been stable for 15 min. */
  isFlapping: Type.Optional(Type.Boolean()),
})
export type MonitorEventData = Static<typeof MonitorEventData>

const eventData = Type.Object({ monitor: MonitorEventData })

export const monitorDown = event({
  kind: 'monitor.down',
  producers: ['monitor', 'integrations'],
  selectableBy: 'channel',
  data: eventData,
})
export const monitorDegraded = event({
  kind: 'monitor.degraded',
  producers: ['monitor', 'integrations'],
  selectableBy: 'channel',
  data: eventData,
})
export const monitorRecovered = event({
  kind: 'monitor.recovered',
  producers: ['monitor', 'integrations'],
  selectableBy: 'channel',
  data: eventData,
})

/** Figures for read-only fields, at most once a minute an organization, each event about one batch. */
export const checkSummarised = event({
  kind: 'check.summarised',
  producers: ['monitor'],
  selectableBy: 'none',
  data: Type.Object({
    components: Type.Array(
      Type.Object({
        id: Id,
        lastCheckAt: Timestamp,
        averageResponseTime: Nullable(Type.Number()),
      }),
      { maxItems: 1000 },
    ),
  }),
})

export const CertificateEventData = Type.Object({
  componentId: Id,
  name: Type.String(),
  expiresAt: Timestamp,
  daysLeft: Type.Integer(),
})
export type CertificateEventData = Static<typeof CertificateEventData>

/** Stated once at each of `certificateWarningDays`, and again for the next certificate. */
export const certificateExpiring = event({
  kind: 'certificate.expiring',
  producers: ['monitor'],
  selectableBy: 'channel-by-name',
  data: Type.Object({ certificate: CertificateEventData }),
})

/** Days before the end of a certificate. */
export const certificateWarningDays = [30, 14, 7, 1] as const
