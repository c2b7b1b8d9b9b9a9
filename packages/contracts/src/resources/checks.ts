/** Checks: conditions, results, and what a monitor tells of them. */
import { type Static, Type } from '@sinclair/typebox'
import { event } from '../event.ts'
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
  trigger: OneOf(['schedule', 'manual']),
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
})
export type Monitor = Static<typeof Monitor>

export const RECENT_CHECKS = 20

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
        Type.Object({ componentId: Id, monitor: Monitor, checks: Type.Array(Check) }),
      ),
    }),
  }),
}

/** A change of the derived status. `since` is the first result of the run that decided it. */
export const MonitorFact = Type.Object({
  componentId: Id,
  name: Type.String(),
  derivedStatus: OneOf(derivedStatuses),
  since: Timestamp,
  /** For people: `HTTP 503`, `timed out after 10000 ms`. */
  reason: Nullable(Type.String({ maxLength: 200 })),
})
export type MonitorFact = Static<typeof MonitorFact>

const about = Type.Object({ monitor: MonitorFact })

export const monitorDown = event({
  kind: 'monitor.down',
  producers: ['monitor', 'integrations'],
  selectableBy: 'channel',
  data: about,
})
export const monitorDegraded = event({
  kind: 'monitor.degraded',
  producers: ['monitor', 'integrations'],
  selectableBy: 'channel',
  data: about,
})
export const monitorRecovered = event({
  kind: 'monitor.recovered',
  producers: ['monitor', 'integrations'],
  selectableBy: 'channel',
  data: about,
})

/** Figures for read-only fields, at most once a minute an organization, each event about one batch. */
export const checkSummarised = event({
  kind: 'check.summarised',
  producers: ['monitor'],
  selectableBy: 'nobody',
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
