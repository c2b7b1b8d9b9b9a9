/** Service levels: targets for the uptime of components and for the handling of incidents. */
import { type Static, Type } from '@sinclair/typebox'
import { event } from '../event.ts'
import { listOf, listQuery, Search, TimeRange } from '../listing.ts'
import { operationsOf } from '../operation.ts'
import { optional, patchSchemaOf } from '../patch.ts'
import { Id, IdParams, LongText, Nullable, OneLine, OneOf, Success, Timestamp } from '../scalars.ts'
import { impacts } from './incidents.ts'

export const slaWindowTypes = ['rolling', 'calendar_month', 'calendar_quarter'] as const
export type SlaWindowType = (typeof slaWindowTypes)[number]

export const slaAggregations = ['any_down', 'average'] as const
export type SlaAggregation = (typeof slaAggregations)[number]

export const downtimeStatuses = ['degraded_performance', 'partial_outage', 'major_outage'] as const
export type DowntimeStatus = (typeof downtimeStatuses)[number]

export const slaStatuses = ['healthy', 'at_risk', 'breached', 'no_data', 'paused'] as const
export type SlaStatus = (typeof slaStatuses)[number]

/** Maximum per organization; each is evaluated every minute. */
export const MAX_SLAS = 200
export const MAX_REPORTED_OUTAGES = 1_000
export const MAX_SLA_COMPONENTS = 100
/** Maximum length of a rolling window and of a report, in days. */
export const MAX_SLA_DAYS = 366
export const MAX_MIN_OUTAGE_SECONDS = 86_400
/** One year. */
const MAX_TARGET_MINUTES = 525_600

const targetMinutes = (description: string) =>
  Type.Union([Type.Integer({ minimum: 1, maximum: MAX_TARGET_MINUTES }), Type.Null()], {
    default: null,
    description,
  })

const required = {
  name: OneLine(100),
  componentIds: Type.Array(Id, { minItems: 1, maxItems: MAX_SLA_COMPONENTS, uniqueItems: true }),
  targetPercentage: Type.Number({ exclusiveMinimum: 0, exclusiveMaximum: 100 }),
}

const settings = {
  description: Nullable(LongText(500)),
  windowType: OneOf(slaWindowTypes, {
    default: 'rolling',
    description: 'Calendar windows follow the time zone',
  }),
  windowDays: Type.Integer({
    minimum: 1,
    maximum: MAX_SLA_DAYS,
    default: 30,
    description: 'Length of a rolling window, in days of 24 hours',
  }),
  timezone: Type.String({ format: 'time-zone', maxLength: 64, default: 'UTC' }),
  aggregation: OneOf(slaAggregations, {
    default: 'any_down',
    description:
      '`any_down`: at each instant the worst component counts; `average`: the mean of all ' +
      'components',
  }),
  downtimeStatuses: Type.Array(OneOf(downtimeStatuses), {
    minItems: 1,
    uniqueItems: true,
    default: ['partial_outage', 'major_outage'],
  }),
  partialWeight: Type.Number({
    minimum: 0,
    maximum: 1,
    default: 1,
    description: 'Weight of downtime with a status other than major_outage',
  }),
  excludeMaintenance: Type.Boolean({
    default: true,
    description:
      'Exclude the time in which a maintenance sets a component to under_maintenance, and ' +
      'outages of a component between the start and the end of a maintenance that lists it',
  }),
  minOutageSeconds: Type.Integer({
    minimum: 0,
    maximum: MAX_MIN_OUTAGE_SECONDS,
    default: 0,
    description: 'Minimum length of an outage; shorter outages of a component are no downtime',
  }),
  atRiskThreshold: Type.Number({
    minimum: 0,
    maximum: 100,
    default: 20,
    description: 'Remaining error budget, in percent, at which the status becomes at_risk',
  }),
  isEnabled: Type.Boolean({ default: true }),
  responseTargetMinutes: targetMinutes(
    'Target in minutes from the start of an incident to the first update by a person or the ' +
      'acknowledgement of an alert about it; null: no target',
  ),
  resolutionTargetMinutes: targetMinutes(
    'Target in minutes from the start of an incident to its resolution; null: no target',
  ),
}

export const NewSla = Type.Object({ ...required, ...optional(settings) })
export type NewSla = Static<typeof NewSla>

export const SlaPatch = patchSchemaOf({ ...required, ...settings }, [
  'name',
  'componentIds',
  'targetPercentage',
])
export type SlaPatch = Static<typeof SlaPatch>

const Percentage = Nullable(
  Type.Number({ description: 'Uptime in percent; four decimals, rounded down; null without data' }),
)

const Since = Nullable(
  Type.String({
    format: 'timestamp',
    description: 'Start of the data that `percentage` covers; null without data',
  }),
)

/** Latest evaluation; values are null without data and for a disabled service level. */
export const SlaEvaluation = Type.Object({
  percentage: Percentage,
  since: Since,
  budgetTotalSeconds: Nullable(
    Type.Number({
      description: 'Allowed downtime in the whole window, without excluded time',
    }),
  ),
  budgetRemainingSeconds: Nullable(
    Type.Number({ description: 'Remaining error budget; negative when it is exceeded' }),
  ),
  burnRate: Nullable(
    Type.Number({
      description: 'Downtime divided by the allowed downtime of the elapsed part of the window',
    }),
  ),
  status: OneOf(slaStatuses),
  evaluatedAt: Timestamp,
})
export type SlaEvaluation = Static<typeof SlaEvaluation>

export const Sla = Type.Object({
  id: Id,
  name: Type.String(),
  description: Nullable(Type.String()),
  componentIds: Type.Array(Id),
  targetPercentage: Type.Number(),
  windowType: OneOf(slaWindowTypes),
  windowDays: Type.Integer(),
  timezone: Type.String(),
  aggregation: OneOf(slaAggregations),
  downtimeStatuses: Type.Array(OneOf(downtimeStatuses)),
  partialWeight: Type.Number(),
  excludeMaintenance: Type.Boolean(),
  minOutageSeconds: Type.Integer(),
  atRiskThreshold: Type.Number(),
  isEnabled: Type.Boolean(),
  responseTargetMinutes: Nullable(Type.Integer()),
  resolutionTargetMinutes: Nullable(Type.Integer()),
  managedByConfig: Type.Boolean(),
  current: SlaEvaluation,
  createdAt: Timestamp,
  updatedAt: Timestamp,
})
export type Sla = Static<typeof Sla>

const SlaOutage = Type.Object({
  componentId: Id,
  status: OneOf(downtimeStatuses),
  startedAt: Timestamp,
  endedAt: Nullable(Timestamp),
  seconds: Type.Number({ description: 'Unweighted length within the window' }),
})

/** Response and resolution times of an incident; up to now while it is open. */
const SlaIncident = Type.Object({
  id: Id,
  title: Type.String(),
  impact: OneOf(impacts),
  startedAt: Timestamp,
  resolvedAt: Nullable(Timestamp),
  responseSeconds: Nullable(Type.Number({ description: 'Null until the first response' })),
  resolutionSeconds: Nullable(Type.Number({ description: 'Null until the resolution' })),
  responseBreached: Type.Boolean(),
  resolutionBreached: Type.Boolean(),
})
export type SlaIncident = Static<typeof SlaIncident>

export const SlaReport = Type.Object({
  slaId: Id,
  name: Type.String(),
  from: Timestamp,
  to: Timestamp,
  targetPercentage: Type.Number(),
  percentage: Percentage,
  since: Since,
  met: Nullable(Type.Boolean({ description: 'True when the downtime is within the error budget' })),
  totalSeconds: Type.Number({ description: 'Elapsed time with data, without excluded time' }),
  downtimeSeconds: Type.Number({ description: 'Weighted downtime of all components, aggregated' }),
  excludedSeconds: Type.Number({
    description:
      'Time in which all components were under maintenance, or down during their maintenance',
  }),
  budgetTotalSeconds: Type.Number({
    description: 'Allowed downtime in the whole span, without excluded time',
  }),
  budgetRemainingSeconds: Type.Number(),
  components: Type.Array(
    Type.Object({
      id: Id,
      name: Nullable(Type.String({ description: 'Null for a deleted component' })),
      percentage: Percentage,
      downtimeSeconds: Type.Number(),
    }),
  ),
  outageCount: Type.Integer({
    description: 'Number of all outages, including those that are not listed',
  }),
  outages: Type.Array(SlaOutage, {
    description: `The longest ${MAX_REPORTED_OUTAGES} outages, oldest first`,
  }),
  incidents: Type.Array(SlaIncident, {
    description: 'Incidents of its components that started in the window; the latest 1000',
  }),
})
export type SlaReport = Static<typeof SlaReport>

export const reportFormats = ['json', 'csv'] as const

export const slaOperations = operationsOf('core', 'sla', {
  list: {
    route: 'GET /sla',
    summary: 'List service levels',
    description:
      '`current` is the latest evaluation, about one minute old at most; the filter `status` ' +
      'applies to it.',
    permission: 'sla:read',
    query: listQuery(['name', 'createdAt', 'updatedAt'], {
      componentId: Type.Optional(Id),
      status: Type.Optional(OneOf(slaStatuses)),
      isEnabled: Type.Optional(Type.Boolean()),
      search: Search,
    }),
    reply: listOf(Sla),
  },
  create: {
    route: 'POST /sla',
    status: 201,
    summary: 'Create a service level',
    description:
      'It is evaluated at once and then every minute, including past data. 400 for an unknown ' +
      `component, 409 \`invalid_state\` for more than ${MAX_SLAS} in an organization. Emits ` +
      '`sla.at-risk` or `sla.breached` if the first evaluation has that status.',
    permission: 'sla:write',
    body: NewSla,
    reply: Sla,
  },
  read: {
    route: 'GET /sla/{id}',
    summary: 'Read a service level',
    description: '`current` is evaluated for this response.',
    permission: 'sla:read',
    params: IdParams,
    reply: Sla,
  },
  update: {
    route: 'PATCH /sla/{id}',
    summary: 'Update a service level',
    description:
      'It is evaluated again, including past data. A disabled service level is paused. Ids of ' +
      'deleted components can remain in `componentIds`. Emits `sla.at-risk`, `sla.breached` or ' +
      '`sla.recovered` if the status changes.',
    permission: 'sla:write',
    params: IdParams,
    body: SlaPatch,
    reply: Sla,
  },
  remove: {
    route: 'DELETE /sla/{id}',
    summary: 'Delete a service level',
    permission: 'sla:write',
    params: IdParams,
    reply: Success,
  },
  report: {
    route: 'GET /sla/{id}/report',
    summary: 'Read the report of a service level',
    description:
      'Reports on the current window, or on `from` to `to`; at most 366 days. `format=csv` ' +
      'returns a line per listed outage. Outages of several components can overlap; ' +
      '`downtimeSeconds` is their aggregated downtime.',
    permission: 'sla:read',
    params: IdParams,
    query: Type.Object({ ...TimeRange, format: OneOf(reportFormats, { default: 'json' }) }),
    reply: SlaReport,
    produces: ['application/json', 'text/csv'],
  },
})

/** Service level whose status changed. */
export const SlaEventData = Type.Object({
  id: Id,
  name: Type.String(),
  targetPercentage: Type.Number(),
  componentIds: Type.Array(Id),
  previousStatus: OneOf(slaStatuses),
  current: SlaEvaluation,
})
export type SlaEventData = Static<typeof SlaEventData>

const slaEventData = Type.Object({ sla: SlaEventData })

export const slaAtRisk = event('sla.at-risk', ['core'], slaEventData)
export const slaBreached = event('sla.breached', ['core'], slaEventData)
/** Emitted when a service level is healthy again or no longer breached. */
export const slaRecovered = event('sla.recovered', ['core'], slaEventData)

/** Target that an incident missed; emitted once per incident and service level. */
export const SlaTargetEventData = Type.Object({
  sla: Type.Object({ id: Id, name: Type.String(), componentIds: Type.Array(Id) }),
  incident: Type.Object({
    id: Id,
    title: Type.String(),
    impact: OneOf(impacts),
    startedAt: Timestamp,
  }),
  targetMinutes: Type.Integer(),
  dueAt: Timestamp,
})
export type SlaTargetEventData = Static<typeof SlaTargetEventData>

export const slaResponseBreached = event('sla.response-breached', ['core'], SlaTargetEventData)
export const slaResolutionBreached = event('sla.resolution-breached', ['core'], SlaTargetEventData)

/** Events of service levels that webhooks, channels and the event stream offer. */
export const slaEvents = [
  slaAtRisk,
  slaBreached,
  slaRecovered,
  slaResponseBreached,
  slaResolutionBreached,
] as const
