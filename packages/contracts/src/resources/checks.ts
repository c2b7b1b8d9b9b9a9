/** Checks: conditions, results, and the events of monitors. */
import { type Static, Type } from '@sinclair/typebox'
import { comparators, conditionTypes, MAX_CONDITION_TARGET } from '../conditions.ts'
import { event } from '../event.ts'
import { listOf, listQuery, TimeRange } from '../listing.ts'
import { operationsOf } from '../operation.ts'
import { outboundErrors } from '../outbound-errors.ts'
import { Id, IdParams, Nullable, OneOf, Timestamp } from '../scalars.ts'
import { MAX_CONDITIONS, probeKindNames } from './probes.ts'

export const checkStatuses = ['SUCCESS', 'DEGRADED', 'FAILURE', 'TIMEOUT', 'ERROR'] as const
export type CheckStatus = (typeof checkStatuses)[number]

/** Errors of a request to a monitored host, of whatever protocol. */
export const requestErrors = [...outboundErrors, 'too_complex', 'error_response'] as const

export const checkErrors = [
  ...requestErrors,
  'no_data',
  'query_error',
  'no_record',
  'not_registered',
  'registration_expired',
  'heartbeat_missed',
  'run_failed',
  'run_too_long',
  'run_too_short',
] as const
export type CheckError = (typeof checkErrors)[number]

export const ConditionResult = Type.Object({
  type: OneOf(conditionTypes),
  comparator: OneOf(comparators),
  target: Type.String({ maxLength: MAX_CONDITION_TARGET }),
  actual: Nullable(Type.String({ maxLength: 200 })),
  passed: Type.Boolean(),
})
export type ConditionResult = Static<typeof ConditionResult>

const Milliseconds = Nullable(Type.Integer({ minimum: 0 }))

/** Durations of the phases of a check, in milliseconds; null for a phase that did not occur. */
export const CheckTimings = Type.Object({
  dns: Milliseconds,
  connect: Milliseconds,
  tls: Milliseconds,
  firstByte: Milliseconds,
})
export type CheckTimings = Static<typeof CheckTimings>

/** Reasons why a certificate is rejected. */
const certificateErrors = ['wrong_name', 'expired', 'not_yet_valid', 'untrusted'] as const
export type CertificateError = (typeof certificateErrors)[number]

/** Bounded, because agents send it. */
const CertificateName = Type.String({ maxLength: 255 })
const MeasuredMs = Nullable(Type.Integer({ minimum: 0, maximum: 3_600_000 }))

/** Result of one check, as a probe measures it. */
export const ProbeResult = Type.Object({
  status: OneOf(checkStatuses),
  /** Status of an HTTP response. */
  statusCode: Nullable(Type.Integer({ minimum: 100, maximum: 999 })),
  responseMs: MeasuredMs,
  error: Nullable(OneOf(checkErrors)),
  /** Reason why the certificate was rejected, when that is the error. */
  certificateFault: Type.Optional(Nullable(OneOf(certificateErrors))),
  conditionResults: Type.Array(ConditionResult, { maxItems: MAX_CONDITIONS }),
  /** Start of the check in epoch milliseconds. */
  checkedAtMs: Type.Integer({ minimum: 0 }),
  timings: Type.Object({
    dns: MeasuredMs,
    connect: MeasuredMs,
    tls: MeasuredMs,
    firstByte: MeasuredMs,
  }),
  /** Expiry of the presented certificate, ISO 8601; null without TLS. */
  certificateExpiresAt: Nullable(Timestamp),
  /** Distinguished names of the presented certificate. */
  certificateNames: Type.Optional(
    Nullable(Type.Object({ subject: CertificateName, issuer: CertificateName })),
  ),
})
export type ProbeResult = Static<typeof ProbeResult>

export const checkTriggers = ['schedule', 'manual'] as const

/** Name of a location: the `MONITOR_LOCATION` of replicas, or the name of a private location. */
export const LocationName = Type.String({ pattern: '^[a-z0-9][a-z0-9-]{0,31}$' })
/** Location of a check; `private:` begins those of agents. */
export const Location = Type.String({ pattern: '^(?:private:)?[a-z0-9][a-z0-9-]{0,31}$' })
export const DEFAULT_LOCATION = 'default'

export const Check = Type.Object({
  id: Id,
  componentId: Id,
  success: Type.Boolean(),
  status: OneOf(checkStatuses),
  statusCode: Nullable(Type.Integer()),
  responseTime: Nullable(Type.Number({ description: 'Response time in milliseconds' })),
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
  kind: OneOf([...probeKindNames, 'metric']),
  isEnabled: Type.Boolean(),
  interval: Nullable(
    Type.Integer({
      description: 'Interval between checks in seconds; null for a heartbeat with a schedule',
    }),
  ),
  derivedStatus: OneOf(derivedStatuses),
  consecutiveFailures: Type.Integer(),
  consecutiveSuccesses: Type.Integer(),
  lastCheckAt: Nullable(Timestamp),
  nextCheckAt: Nullable(Timestamp),
  certificateExpiresAt: Nullable(
    Type.String({
      format: 'timestamp',
      description:
        'Expiry of the last presented TLS certificate; with several, the earliest expiry',
    }),
  ),
  certificateSubject: Nullable(
    Type.String({
      description:
        'Distinguished name of its subject, the most specific part first; the alternative names ' +
        'of a certificate without a subject',
    }),
  ),
  certificateIssuer: Nullable(Type.String({ description: 'Distinguished name of its issuer' })),
  isFlapping: Type.Boolean({ description: 'Four changes within 30 minutes' }),
  unservedLocations: Type.Array(Type.String(), {
    description: 'Locations of the component without an active replica; no checks are made there',
  }),
})
export type Monitor = Static<typeof Monitor>

export const MAX_RECENT_CHECKS = 20

export const checkHistoryQuery = listQuery(['timestamp'], {
  status: Type.Optional(OneOf(checkStatuses)),
  trigger: Type.Optional(OneOf(checkTriggers)),
  location: Type.Optional(Location),
  ...TimeRange,
})

/** Widths of a point in seconds. */
export const responseTimeResolutions = ['300', '3600'] as const

const responseTimesQuery = Type.Object({
  ...TimeRange,
  resolution: Type.Optional(
    OneOf(responseTimeResolutions, {
      description: 'Width of a point in seconds; default: 300 for up to two days, else 3600',
    }),
  ),
  location: Type.Optional(Location),
})

/** Response times of the successful checks of one point, in milliseconds; null without any. */
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
  resolution: Type.Integer({ description: 'Width of a point in seconds' }),
  points: Type.Array(ResponseTimePoint),
})
export type ResponseTimes = Static<typeof ResponseTimes>

/** Public operations on the checks of a component; core forwards them to the monitor. */
export const componentCheckOperations = operationsOf('core', 'components', {
  checks: {
    route: 'GET /components/{id}/checks',
    summary: 'List checks of a component',
    description:
      'Scheduled and manual checks, newest first, within the retention time ' +
      '(`CHECK_RETENTION_DAYS`). `from` and `to` apply to `timestamp`. Empty for a component ' +
      'that is not checked. `meta.total` counts at most 10,000 checks beyond the page.',
    permission: 'components:read',
    params: IdParams,
    query: checkHistoryQuery,
    reply: listOf(Check),
  },
  responseTimes: {
    route: 'GET /components/{id}/response-times',
    summary: 'Read the response times of a component',
    description:
      'One point per five minutes or hour with checks, oldest first: the number of checks, the ' +
      'number of successful ones, and their mean and percentiles. Default: the last 24 hours. ' +
      'At most 7 days with five-minute points, 366 days with hourly points. A point appears a ' +
      'few minutes after its end.',
    permission: 'components:read',
    params: IdParams,
    query: responseTimesQuery,
    reply: ResponseTimes,
  },
})

/** Internal operations of the monitor, called by core; the gateway does not route them. */
export const checkOperations = operationsOf('monitor', 'checks', {
  run: {
    route: 'POST /internal/targets/{id}/checks',
    base: 'root',
    summary: 'Check a target now',
    permission: 'components:write',
    action: 'UPDATE',
    callers: ['core'],
    params: IdParams,
    body: Type.Object({
      /** Version of the component that the caller has; 404 when the monitor's copy is older. */
      version: Type.Integer({ minimum: 1 }),
    }),
    reply: Check,
  },
  recent: {
    route: 'POST /internal/targets/recent',
    base: 'root',
    summary: 'Read the monitors and latest checks of targets',
    permission: 'components:read',
    action: 'VIEW',
    callers: ['core'],
    body: Type.Object({
      componentIds: Type.Array(Id, { maxItems: 500 }),
      checksPerTarget: Type.Integer({ minimum: 0, maximum: MAX_RECENT_CHECKS }),
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
  },
  summaries: {
    route: 'POST /internal/targets/summaries',
    base: 'root',
    summary: 'Read the latest check and the mean response time of targets',
    permission: 'components:read',
    action: 'VIEW',
    callers: ['core'],
    body: Type.Object({ componentIds: Type.Array(Id, { maxItems: 500 }) }),
    reply: Type.Object({
      /** Without targets that have no check. */
      targets: Type.Array(
        Type.Object({
          componentId: Id,
          lastCheckAt: Timestamp,
          averageResponseTime: Nullable(Type.Number()),
        }),
      ),
    }),
  },
  locations: {
    route: 'GET /internal/locations',
    base: 'root',
    summary: 'List locations with an active replica',
    permission: 'components:read',
    callers: ['core'],
    reply: Type.Object({
      locations: Type.Array(Type.String()),
      /** Locations that can send ICMP echo requests. */
      icmpLocations: Type.Array(Type.String()),
    }),
  },
  list: {
    route: 'GET /internal/targets/{id}/checks',
    base: 'root',
    summary: 'List checks of a target',
    permission: 'components:read',
    callers: ['core'],
    params: IdParams,
    query: checkHistoryQuery,
    reply: listOf(Check),
  },
  responseTimes: {
    route: 'GET /internal/targets/{id}/response-times',
    base: 'root',
    summary: 'Read the response times of a target',
    permission: 'components:read',
    callers: ['core'],
    params: IdParams,
    query: responseTimesQuery,
    reply: ResponseTimes,
  },
})

/** Change of the derived status. `since` is the first result of the series that caused it. */
export const MonitorEventData = Type.Object({
  componentId: Id,
  name: Type.String(),
  derivedStatus: OneOf(derivedStatuses),
  since: Timestamp,
  /** Readable reason, such as `HTTP 503` or `timed out after 10000 ms`. */
  reason: Nullable(Type.String({ maxLength: 200 })),
  /**
   * Four changes within 30 min: one notification, then none until the monitor has been stable for
   * 15 min.
   */
  isFlapping: Type.Optional(Type.Boolean()),
})
export type MonitorEventData = Static<typeof MonitorEventData>

const eventData = Type.Object({ monitor: MonitorEventData })

export const monitorDown = event('monitor.down', ['monitor', 'integrations'], eventData)
export const monitorDegraded = event('monitor.degraded', ['monitor', 'integrations'], eventData)
export const monitorRecovered = event('monitor.recovered', ['monitor', 'integrations'], eventData)
export const monitorEvents = [monitorDown, monitorDegraded, monitorRecovered] as const

/** Measured values of components in batches, at most once a minute per organization. */
export const checkSummarised = event(
  'check.summarised',
  ['monitor'],
  Type.Object({
    components: Type.Array(
      Type.Object({
        id: Id,
        lastCheckAt: Timestamp,
        averageResponseTime: Nullable(Type.Number()),
      }),
      { maxItems: 1000 },
    ),
  }),
)

export const CertificateEventData = Type.Object({
  componentId: Id,
  name: Type.String(),
  expiresAt: Timestamp,
  daysLeft: Type.Integer(),
})
export type CertificateEventData = Static<typeof CertificateEventData>

/** Emitted once for each of `certificateWarningDays`, and again for a new certificate. */
export const certificateExpiring = event(
  'certificate.expiring',
  ['monitor'],
  Type.Object({ certificate: CertificateEventData }),
)

/** Days before the expiry of a certificate. */
export const certificateWarningDays = [30, 14, 7, 1] as const
