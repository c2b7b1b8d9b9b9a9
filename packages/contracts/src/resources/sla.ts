/** Service levels: a share of time that components are to be up, and how fast incidents are met. */
import { type Static, Type } from '@sinclair/typebox'
import { event } from '../event.ts'
import { listOf, listQuery, Search, TimeRange } from '../listing.ts'
import { operation } from '../operation.ts'
import { patchOf } from '../patch.ts'
import { Id, IdParams, LongText, Nullable, OneLine, OneOf, Success, Timestamp } from '../scalars.ts'
import { impacts } from './incidents.ts'

export const windowTypes = ['rolling', 'calendar_month', 'calendar_quarter'] as const
export type WindowType = (typeof windowTypes)[number]

export const aggregations = ['any_down', 'average'] as const
export type Aggregation = (typeof aggregations)[number]

export const downtimeStatuses = ['degraded_performance', 'partial_outage', 'major_outage'] as const
export type DowntimeStatus = (typeof downtimeStatuses)[number]

export const slaStatuses = ['healthy', 'at_risk', 'breached', 'no_data', 'paused'] as const
export type SlaStatus = (typeof slaStatuses)[number]

/** Of one organization: each is evaluated every minute. */
export const MAX_SLAS = 200
export const MAX_REPORTED_OUTAGES = 1_000
export const MAX_SLA_COMPONENTS = 100
/** Of a rolling window, and of a report. */
export const MAX_SLA_DAYS = 366
export const MAX_MIN_OUTAGE_SECONDS = 86_400
/** A year. */
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
  windowType: OneOf(windowTypes, {
    default: 'rolling',
    description: 'Calendar windows follow the time zone',
  }),
  windowDays: Type.Integer({
    minimum: 1,
    maximum: MAX_SLA_DAYS,
    default: 30,
    description: 'Of 24 hours; rolling windows only',
  }),
  timezone: Type.String({ format: 'time-zone', maxLength: 64, default: 'UTC' }),
  aggregation: OneOf(aggregations, {
    default: 'any_down',
    description: 'At each instant the worst component counts, or the mean of all',
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
    description: 'What a second counts for of a downtime status other than major_outage',
  }),
  excludeMaintenance: Type.Boolean({
    default: true,
    description:
      'A component counts for nothing while a maintenance keeps it under_maintenance, and its ' +
      'outages count for nothing between the start and the end of a maintenance that lists it',
  }),
  minOutageSeconds: Type.Integer({
    minimum: 0,
    maximum: MAX_MIN_OUTAGE_SECONDS,
    default: 0,
    description: 'Outages of a component that end sooner are no downtime',
  }),
  atRiskThreshold: Type.Number({
    minimum: 0,
    maximum: 100,
    default: 20,
    description: 'Per cent of the budget left from which on it is at risk',
  }),
  isEnabled: Type.Boolean({ default: true }),
  responseTargetMinutes: targetMinutes(
    "From an incident's start to the first update by a person or the acknowledgement of an " +
      'alert about it; null: no target',
  ),
  resolutionTargetMinutes: targetMinutes(
    "From an incident's start to its resolution; null: no target",
  ),
}

const optional = <Fields extends Record<string, import('@sinclair/typebox').TSchema>>(
  fields: Fields,
) =>
  Object.fromEntries(
    Object.entries(fields).map(([name, schema]) => [name, Type.Optional(schema)]),
  ) as { [Name in keyof Fields]: import('@sinclair/typebox').TOptional<Fields[Name]> }

export const NewSla = Type.Object({ ...required, ...optional(settings) })
export type NewSla = Static<typeof NewSla>

export const SlaPatch = patchOf({ ...required, ...settings }, [
  'name',
  'componentIds',
  'targetPercentage',
])
export type SlaPatch = Static<typeof SlaPatch>

const Percentage = Nullable(
  Type.Number({ description: 'Four decimals, rounded down; null without data' }),
)

const Since = Nullable(
  Type.String({
    format: 'timestamp',
    description: 'Start of the data that `percentage` covers; null without data',
  }),
)

/** Null figures where there is no data, and of a disabled one. */
export const SlaCurrent = Type.Object({
  percentage: Percentage,
  since: Since,
  budgetTotalSeconds: Nullable(
    Type.Number({
      description: 'Downtime that the target allows in the whole window but what is excluded',
    }),
  ),
  budgetRemainingSeconds: Nullable(Type.Number({ description: 'Below 0 once it is overspent' })),
  burnRate: Nullable(
    Type.Number({ description: 'Downtime over what the elapsed share of the window allows' }),
  ),
  status: OneOf(slaStatuses),
  evaluatedAt: Timestamp,
})
export type SlaCurrent = Static<typeof SlaCurrent>

export const Sla = Type.Object({
  id: Id,
  name: Type.String(),
  description: Nullable(Type.String()),
  componentIds: Type.Array(Id),
  targetPercentage: Type.Number(),
  windowType: OneOf(windowTypes),
  windowDays: Type.Integer(),
  timezone: Type.String(),
  aggregation: OneOf(aggregations),
  downtimeStatuses: Type.Array(OneOf(downtimeStatuses)),
  partialWeight: Type.Number(),
  excludeMaintenance: Type.Boolean(),
  minOutageSeconds: Type.Integer(),
  atRiskThreshold: Type.Number(),
  isEnabled: Type.Boolean(),
  responseTargetMinutes: Nullable(Type.Integer()),
  resolutionTargetMinutes: Nullable(Type.Integer()),
  current: SlaCurrent,
  createdAt: Timestamp,
  updatedAt: Timestamp,
})
export type Sla = Static<typeof Sla>

const SlaOutage = Type.Object({
  componentId: Id,
  status: OneOf(downtimeStatuses),
  startedAt: Timestamp,
  endedAt: Nullable(Timestamp),
  seconds: Type.Number({ description: 'Unweighted, within the window' }),
})

/** How fast an incident was met; of one that is not yet, up to now. */
const SlaIncident = Type.Object({
  id: Id,
  title: Type.String(),
  impact: OneOf(impacts),
  startedAt: Timestamp,
  resolvedAt: Nullable(Timestamp),
  responseSeconds: Nullable(Type.Number({ description: 'Null until a person has responded' })),
  resolutionSeconds: Nullable(Type.Number({ description: 'Null until it is resolved' })),
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
  met: Nullable(Type.Boolean({ description: 'Whether the downtime is within the budget' })),
  totalSeconds: Type.Number({ description: 'Time with data so far, without what is excluded' }),
  downtimeSeconds: Type.Number({ description: 'Weighted, of all components as aggregated' }),
  excludedSeconds: Type.Number({
    description: 'All components were under maintenance, or down during a maintenance of theirs',
  }),
  budgetTotalSeconds: Type.Number({
    description: 'Downtime that the target allows in all of the span but what is excluded',
  }),
  budgetRemainingSeconds: Type.Number(),
  components: Type.Array(
    Type.Object({
      id: Id,
      name: Nullable(Type.String({ description: 'Null of a component that is deleted' })),
      percentage: Percentage,
      downtimeSeconds: Type.Number(),
    }),
  ),
  outageCount: Type.Integer({ description: 'All outages, also those that are not listed' }),
  outages: Type.Array(SlaOutage, {
    description: `The longest ${MAX_REPORTED_OUTAGES}, oldest first`,
  }),
  incidents: Type.Array(SlaIncident, {
    description: 'Those of its components that started in the window; the newest 1000',
  }),
})
export type SlaReport = Static<typeof SlaReport>

export const reportFormats = ['json', 'csv'] as const

export const slaOperations = {
  list: operation({
    id: 'sla.list',
    service: 'core',
    method: 'GET',
    path: '/sla',
    status: 200,
    summary: 'List service levels',
    description:
      '`current` is the last evaluation, at most about a minute old; that is what the filter ' +
      '`status` looks at.',
    permission: 'sla:read',
    query: listQuery(['name', 'createdAt', 'updatedAt'], {
      componentId: Type.Optional(Id),
      status: Type.Optional(OneOf(slaStatuses)),
      isEnabled: Type.Optional(Type.Boolean()),
      search: Search,
    }),
    reply: listOf(Sla),
  }),
  create: operation({
    id: 'sla.create',
    service: 'core',
    method: 'POST',
    path: '/sla',
    status: 201,
    summary: 'Create a service level',
    description:
      'It is evaluated at once and every minute from then on. 400 where an id names no ' +
      `component, 409 beyond ${MAX_SLAS} in an organization. ` +
      'Events: `sla.at-risk` or `sla.breached` where the past is already that bad.',
    permission: 'sla:write',
    body: NewSla,
    reply: Sla,
  }),
  read: operation({
    id: 'sla.read',
    service: 'core',
    method: 'GET',
    path: '/sla/{id}',
    status: 200,
    summary: 'Read a service level',
    description: '`current` is evaluated for this answer.',
    permission: 'sla:read',
    params: IdParams,
    reply: Sla,
  }),
  update: operation({
    id: 'sla.update',
    service: 'core',
    method: 'PATCH',
    path: '/sla/{id}',
    status: 200,
    summary: 'Change a service level',
    description:
      'It is evaluated anew, over the past too. A disabled one is paused. Components that are ' +
      'gone may stay in `componentIds`. Event: as a status that was crossed.',
    permission: 'sla:write',
    params: IdParams,
    body: SlaPatch,
    reply: Sla,
  }),
  remove: operation({
    id: 'sla.remove',
    service: 'core',
    method: 'DELETE',
    path: '/sla/{id}',
    status: 200,
    summary: 'Delete a service level',
    permission: 'sla:write',
    params: IdParams,
    reply: Success,
  }),
  report: operation({
    id: 'sla.report',
    service: 'core',
    method: 'GET',
    path: '/sla/{id}/report',
    status: 200,
    summary: 'Account for a service level',
    description:
      'Of the present window unless `from` and `to` say otherwise; at most 366 days. ' +
      '`format=csv` gives a line for each listed outage. Outages of several components may overlap: ' +
      '`downtimeSeconds` is what the aggregation makes of them.',
    permission: 'sla:read',
    params: IdParams,
    query: Type.Object({ ...TimeRange, format: OneOf(reportFormats, { default: 'json' }) }),
    reply: SlaReport,
    produces: ['application/json', 'text/csv'],
  }),
}

/** A service level that crossed from one status to another. */
export const SlaEventData = Type.Object({
  id: Id,
  name: Type.String(),
  targetPercentage: Type.Number(),
  componentIds: Type.Array(Id),
  previousStatus: OneOf(slaStatuses),
  current: SlaCurrent,
})
export type SlaEventData = Static<typeof SlaEventData>

const slaEventData = Type.Object({ sla: SlaEventData })

export const slaAtRisk = event({
  kind: 'sla.at-risk',
  producers: ['core'],
  selectableBy: 'channel-by-name',
  data: slaEventData,
})
export const slaBreached = event({
  kind: 'sla.breached',
  producers: ['core'],
  selectableBy: 'channel-by-name',
  data: slaEventData,
})
/** Healthy again, or no longer breached. */
export const slaRecovered = event({
  kind: 'sla.recovered',
  producers: ['core'],
  selectableBy: 'channel-by-name',
  data: slaEventData,
})

/** A target that an incident has missed; once for each incident and service level. */
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

export const slaResponseBreached = event({
  kind: 'sla.response-breached',
  producers: ['core'],
  selectableBy: 'channel-by-name',
  data: SlaTargetEventData,
})
export const slaResolutionBreached = event({
  kind: 'sla.resolution-breached',
  producers: ['core'],
  selectableBy: 'channel-by-name',
  data: SlaTargetEventData,
})
