/** Components: what a status is shown for. ENDPOINT ones are checked, METRIC ones are polled. */
import { type Static, Type } from '@sinclair/typebox'
import { event } from '../event.ts'
import { include, listOf, listQuery, Search, TimeRange } from '../listing.ts'
import { operation } from '../operation.ts'
import { patchOf } from '../patch.ts'
import {
  HttpsUrl,
  HttpUrl,
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
import { Check, Condition, Location, Monitor } from './checks.ts'

export const componentTypes = ['SERVICE', 'ENDPOINT', 'METRIC'] as const
export type ComponentType = (typeof componentTypes)[number]

/** In the order of the contract; `worst first` is another order, see `severities`. */
export const componentStatuses = [
  'operational',
  'degraded_performance',
  'partial_outage',
  'major_outage',
  'under_maintenance',
] as const
export type ComponentStatus = (typeof componentStatuses)[number]
export const ComponentStatus = OneOf(componentStatuses)

/** Worst first, as public views fold children into parents. */
export const severities: readonly ComponentStatus[] = [
  'major_outage',
  'partial_outage',
  'degraded_performance',
  'under_maintenance',
  'operational',
]

export const statusSources = ['manual', 'monitor', 'incident', 'maintenance', 'config'] as const
export type StatusSource = (typeof statusSources)[number]

export const checkMethods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const

export const MAX_COMPONENT_DEPTH = 10
const MAX_DESCRIPTION = 500
const MAX_ORDER = 1_000_000
const MAX_CONDITIONS = 20
const MAX_LOCATIONS = 10
const MAX_CHECK_BODY = 64 * 1024
const MIN_INTERVAL_SECONDS = 10
const MAX_INTERVAL_SECONDS = 86_400

const Interval = Type.Integer({
  minimum: MIN_INTERVAL_SECONDS,
  maximum: MAX_INTERVAL_SECONDS,
  default: 60,
  description: 'Seconds',
})
const Threshold = (value: number) => Type.Integer({ minimum: 1, maximum: 20, default: value })

const commonFields = {
  name: OneLine(100),
  status: OneOf(componentStatuses, { default: 'operational' }),
  description: Nullable(LongText(MAX_DESCRIPTION)),
  isEnabled: Type.Boolean({ default: true }),
  isMuted: Type.Boolean({ default: false, description: 'Checks go on, nobody is notified' }),
  parentComponentId: Nullable(Id),
  icon: Nullable(HttpsUrl),
  showIconOnStatusPage: Type.Boolean({ default: true }),
  order: Type.Integer({ minimum: 0, maximum: MAX_ORDER, default: 0 }),
}

const endpointFields = {
  url: HttpUrl,
  method: OneOf(checkMethods, { default: 'GET' }),
  headers: Type.Record(Type.String(), Type.String(), {
    default: {},
    maxProperties: 50,
    description: 'Values of credential headers are stored sealed and read as ***REDACTED***',
  }),
  body: Nullable(Type.String({ maxLength: MAX_CHECK_BODY })),
  checkInterval: Interval,
  timeout: Type.Integer({
    minimum: 100,
    maximum: 60_000,
    default: 10_000,
    description: 'Milliseconds for the whole exchange; not above checkInterval',
  }),
  conditions: Type.Array(Condition, { maxItems: MAX_CONDITIONS, default: [] }),
  autoCreateIncident: Type.Boolean({ default: false }),
  failureThreshold: Threshold(3),
  autoResolve: Type.Boolean({ default: true }),
  recoveryThreshold: Threshold(2),
  locations: Type.Array(Location, {
    maxItems: MAX_LOCATIONS,
    uniqueItems: true,
    default: [],
    description: 'Where it is checked from; empty: the location `default`',
  }),
  locationQuorum: Type.Union([Type.Integer({ minimum: 1, maximum: MAX_LOCATIONS }), Type.Null()], {
    default: null,
    description: 'Locations that must agree; null: more than half of them',
  }),
}

const metricFields = {
  integrationId: Id,
  query: OneLine(4000),
  pollingInterval: Interval,
  warningThreshold: Nullable(Type.Number()),
  criticalThreshold: Nullable(Type.Number()),
}

const optional = <Fields extends Record<string, import('@sinclair/typebox').TSchema>>(
  fields: Fields,
) =>
  Object.fromEntries(
    Object.entries(fields).map(([name, schema]) => [name, Type.Optional(schema)]),
  ) as { [Name in keyof Fields]: import('@sinclair/typebox').TOptional<Fields[Name]> }

const { name, ...commonOptional } = commonFields
const { url, ...endpointOptional } = endpointFields
const { integrationId, query, ...metricOptional } = metricFields

export const NewComponent = TaggedUnion('type', [
  Type.Object({ type: Type.Literal('SERVICE'), name, ...optional(commonOptional) }),
  Type.Object({
    type: Type.Literal('ENDPOINT'),
    name,
    url,
    ...optional(commonOptional),
    ...optional(endpointOptional),
  }),
  Type.Object({
    type: Type.Literal('METRIC'),
    name,
    integrationId,
    query,
    ...optional(commonOptional),
    ...optional(metricOptional),
  }),
])
export type NewComponent = Static<typeof NewComponent>

/** What only one type has. */
export const fieldsOfType: Readonly<Record<ComponentType, readonly string[]>> = {
  SERVICE: [],
  ENDPOINT: Object.keys(endpointFields),
  METRIC: Object.keys(metricFields),
}

/** Fields of another type are ignored; `type` only at its present value. */
export const ComponentPatch = patchOf(
  {
    type: OneOf(componentTypes),
    ...commonFields,
    ...endpointFields,
    ...metricFields,
  },
  ['type', 'name', 'url', 'integrationId', 'query'],
)
export type ComponentPatch = Static<typeof ComponentPatch>

const readOnlyFields = {
  uptimePercentage: Nullable(Type.Number({ description: '90 days; two decimals, rounded down' })),
  averageResponseTime: Nullable(
    Type.Number({ description: 'Mean milliseconds of successful checks in 24 h' }),
  ),
  lastCheckAt: Nullable(Timestamp),
}

/** A component by itself; fields that its type lacks are absent. */
const SubComponent = Type.Object({
  id: Id,
  name: Type.String(),
  type: OneOf(componentTypes),
  status: ComponentStatus,
  statusSource: OneOf(statusSources),
  statusChangedAt: Timestamp,
  description: Nullable(Type.String()),
  isEnabled: Type.Boolean(),
  isMuted: Type.Boolean(),
  parentComponentId: Nullable(Id),
  icon: Nullable(Type.String()),
  showIconOnStatusPage: Type.Boolean(),
  order: Type.Integer(),
  managedByConfig: Type.Boolean(),
  url: Type.Optional(Type.String()),
  method: Type.Optional(OneOf(checkMethods)),
  headers: Type.Optional(Type.Record(Type.String(), Type.String())),
  body: Type.Optional(Nullable(Type.String())),
  checkInterval: Type.Optional(Type.Integer()),
  timeout: Type.Optional(Type.Integer()),
  conditions: Type.Optional(Type.Array(Condition)),
  autoCreateIncident: Type.Optional(Type.Boolean()),
  failureThreshold: Type.Optional(Type.Integer()),
  autoResolve: Type.Optional(Type.Boolean()),
  recoveryThreshold: Type.Optional(Type.Integer()),
  locations: Type.Optional(Type.Array(Type.String())),
  locationQuorum: Type.Optional(Nullable(Type.Integer())),
  integrationId: Type.Optional(Id),
  query: Type.Optional(Type.String()),
  pollingInterval: Type.Optional(Type.Integer()),
  warningThreshold: Type.Optional(Nullable(Type.Number())),
  criticalThreshold: Type.Optional(Nullable(Type.Number())),
  lastValue: Type.Optional(Nullable(Type.Number())),
  lastValueAt: Type.Optional(Nullable(Timestamp)),
  ...readOnlyFields,
  createdAt: Timestamp,
  updatedAt: Timestamp,
})

/** A component as read, with what was asked for beside it. */
export const Component = Type.Object({
  ...SubComponent.properties,
  subComponents: Type.Optional(Type.Array(SubComponent)),
  monitors: Type.Optional(Type.Array(Monitor)),
  checks: Type.Optional(Type.Array(Check)),
})
export type Component = Static<typeof Component>

export const MAX_BULK_UPDATES = 100

/** What of many components may be changed at once. */
export const BulkUpdate = Type.Object({
  id: Id,
  status: Type.Optional(ComponentStatus),
  isEnabled: Type.Optional(Type.Boolean()),
  isMuted: Type.Optional(Type.Boolean()),
  order: Type.Optional(Type.Integer({ minimum: 0, maximum: MAX_ORDER })),
})
export type BulkUpdate = Static<typeof BulkUpdate>

/** A stretch of time in which one status of one source was shown. */
export const StatusPeriod = Type.Object({
  status: ComponentStatus,
  source: OneOf(statusSources),
  startedAt: Timestamp,
  endedAt: Nullable(Timestamp),
  seconds: Type.Number({ description: 'Up to now while it lasts' }),
})
export type StatusPeriod = Static<typeof StatusPeriod>

export const MAX_UPTIME_DAYS = 366

const SecondsByStatus = Type.Object({
  operational: Type.Number(),
  degraded_performance: Type.Number(),
  partial_outage: Type.Number(),
  major_outage: Type.Number(),
  under_maintenance: Type.Number(),
})

export const uptimeExclusions = ['before_creation', 'future'] as const

/** How an uptime percentage comes about; `days` add up to the whole. */
export const Uptime = Type.Object({
  componentId: Id,
  from: Timestamp,
  to: Timestamp,
  timezone: Type.String(),
  windowStart: Type.String({
    format: 'timestamp',
    description: '`from`, or the creation of the component if that is later',
  }),
  windowEnd: Type.String({ format: 'timestamp', description: '`to`, or now if that is earlier' }),
  percentage: Nullable(
    Type.Number({ description: 'Two decimals, rounded down; null for an empty window' }),
  ),
  weights: Type.Object(SecondsByStatus.properties, {
    description: 'Seconds of downtime that one second of each status counts for',
  }),
  seconds: SecondsByStatus,
  downtimeSeconds: Type.Number({ description: 'Weighted' }),
  exclusions: Type.Array(Type.Object({ reason: OneOf(uptimeExclusions), seconds: Type.Number() }), {
    description: 'Parts of the time asked for that count neither as uptime nor as downtime',
  }),
  days: Type.Array(
    Type.Object({
      date: Type.String({ description: 'In the time zone, as 2026-08-01' }),
      status: OneOf([...componentStatuses, 'no_data']),
      downtimeSeconds: Type.Number({ description: 'Weighted' }),
    }),
    { description: 'One a calendar day of the time zone, with its worst status' },
  ),
})
export type Uptime = Static<typeof Uptime>

const componentIncludes = include(['subComponents', 'monitors', 'checks'])

export const componentOperations = {
  list: operation({
    id: 'components.list',
    service: 'core',
    method: 'GET',
    path: '/components',
    status: 200,
    summary: 'List components',
    description:
      'Ordered by `order`, then name. `parentId` and `topLevelOnly=true` exclude each ' +
      'other (400).',
    permission: 'components:read',
    query: listQuery(['order', 'name', 'status', 'createdAt', 'updatedAt'], {
      type: Type.Optional(OneOf(componentTypes)),
      status: Type.Optional(ComponentStatus),
      parentId: Type.Optional(Id),
      topLevelOnly: Type.Optional(Type.Boolean()),
      search: Search,
      includeChecks: Type.Optional(Type.Boolean()),
      include: componentIncludes,
    }),
    reply: listOf(Component),
  }),
  create: operation({
    id: 'components.create',
    service: 'core',
    method: 'POST',
    path: '/components',
    status: 201,
    summary: 'Create a component',
    description:
      'An ENDPOINT is checked from now on, a METRIC polled. 400 where the URL leads to a ' +
      'private address, a condition does not parse or an id is unknown. Event: ' +
      '`component.created`.',
    permission: 'components:write',
    body: NewComponent,
    reply: Component,
  }),
  bulk: operation({
    id: 'components.bulk',
    service: 'core',
    method: 'POST',
    path: '/components/bulk',
    status: 200,
    summary: 'Change many components at once',
    description:
      'All or nothing: up to 100 distinct components; an unknown id is 400 and names ' +
      '`updates[i].id`. The reply has them in the order of the request. Event: ' +
      '`component.updated` for each whose definition changed.',
    permission: 'components:write',
    action: 'UPDATE',
    bucket: 'bulk',
    body: Type.Object({
      updates: Type.Array(BulkUpdate, { minItems: 1, maxItems: MAX_BULK_UPDATES }),
    }),
    reply: listOf(Component),
  }),
  read: operation({
    id: 'components.read',
    service: 'core',
    method: 'GET',
    path: '/components/{id}',
    status: 200,
    summary: 'Read a component',
    permission: 'components:read',
    params: IdParams,
    query: Type.Object({ include: componentIncludes }),
    reply: Component,
  }),
  update: operation({
    id: 'components.update',
    service: 'core',
    method: 'PATCH',
    path: '/components/{id}',
    status: 200,
    summary: 'Change a component',
    description:
      'Fields of another type are ignored, whatever they hold. A new host or URL needs the stored secret ' +
      'headers again. A status set by hand shows at once and holds until an incident or a ' +
      'check next changes it. Event: `component.updated`, unless nothing changed.',
    permission: 'components:write',
    params: IdParams,
    body: ComponentPatch,
    validatedLater: [...fieldsOfType.ENDPOINT, ...fieldsOfType.METRIC],
    reply: Component,
  }),
  remove: operation({
    id: 'components.remove',
    service: 'core',
    method: 'DELETE',
    path: '/components/{id}',
    status: 200,
    summary: 'Delete a component, its subcomponents and their history',
    description:
      'Incidents keep its id and name; scopes of subscribers and pages keep the id, so ' +
      'that none widens to everything. Event: `component.deleted`.',
    permission: 'components:write',
    params: IdParams,
    reply: Success,
  }),
  clone: operation({
    id: 'components.clone',
    service: 'core',
    method: 'POST',
    path: '/components/{id}/clone',
    status: 201,
    summary: 'Copy a component',
    description:
      'Without its subcomponents and its history: the copy is operational and disabled, its ' +
      'name ends in ` (Copy)`. Secret headers are copied too. Event: `component.created`.',
    permission: 'components:write',
    params: IdParams,
    reply: Component,
  }),
  statusHistory: operation({
    id: 'components.statusHistory',
    service: 'core',
    method: 'GET',
    path: '/components/{id}/status-history',
    status: 200,
    summary: 'List what a component has shown, and since when',
    description:
      'Gapless from its creation, newest first; the last period lasts. `from` and `to` select ' +
      'the periods that overlap them. Kept for as long as the component.',
    permission: 'components:read',
    params: IdParams,
    query: listQuery(['startedAt'], {
      status: Type.Optional(ComponentStatus),
      source: Type.Optional(OneOf(statusSources)),
      ...TimeRange,
    }),
    reply: listOf(StatusPeriod),
  }),
  uptime: operation({
    id: 'components.uptime',
    service: 'core',
    method: 'GET',
    path: '/components/{id}/uptime',
    status: 200,
    summary: 'Account for the uptime of a component',
    description:
      '`1 - weighted downtime / window`, with everything it is made of. `to` is now and `from` ' +
      'is 90 days before `to` unless given; at most 366 days. degraded_performance and ' +
      'under_maintenance are no downtime.',
    permission: 'components:read',
    params: IdParams,
    query: Type.Object({ ...TimeRange, timezone: Type.Optional(TimeZone) }),
    reply: Uptime,
  }),
  check: operation({
    id: 'components.check',
    service: 'core',
    method: 'POST',
    path: '/components/{id}/check',
    status: 200,
    summary: 'Check an ENDPOINT component now',
    description:
      'Ends after 25 s at most. The result counts like one of the schedule, but for a ' +
      'disabled component. 400 where the component is no ENDPOINT.',
    permission: 'components:write',
    action: 'UPDATE',
    bucket: 'check',
    params: IdParams,
    reply: Type.Object({
      success: Type.Boolean(),
      result: Type.Omit(Check, ['id', 'componentId', 'success', 'trigger']),
    }),
  }),
}

/** A request header of a check; the value of a credential header travels sealed. */
export const CheckHeader = Type.Object({
  name: Type.String(),
  /** Plain value, or null when `sealedValue` holds it (purpose `component-header`, record `{component id}:{lower-case name}`). */
  value: Nullable(Type.String()),
  sealedValue: Nullable(Type.String()),
})

/** A component as other services keep it. */
export const ComponentEventData = Type.Object({
  id: Id,
  name: Type.String(),
  type: OneOf(componentTypes),
  isEnabled: Type.Boolean(),
  isMuted: Type.Boolean(),
  parentComponentId: Nullable(Id),
  /** Parent first, root last. */
  ancestorIds: Type.Array(Id),
  endpoint: Nullable(
    Type.Object({
      url: Type.String(),
      method: OneOf(checkMethods),
      headers: Type.Array(CheckHeader),
      body: Nullable(Type.String()),
      checkInterval: Type.Integer(),
      timeout: Type.Integer(),
      conditions: Type.Array(Condition),
      failureThreshold: Type.Integer(),
      recoveryThreshold: Type.Integer(),
      locations: Type.Optional(Type.Array(Type.String())),
      locationQuorum: Type.Optional(Nullable(Type.Integer())),
    }),
  ),
  /** Absent as null: of a component that is no METRIC, or stated before there were any. */
  metric: Type.Optional(
    Nullable(
      Type.Object({
        integrationId: Id,
        query: Type.String(),
        pollingInterval: Type.Integer(),
        warningThreshold: Nullable(Type.Number()),
        criticalThreshold: Nullable(Type.Number()),
      }),
    ),
  ),
})
export type ComponentEventData = Static<typeof ComponentEventData>

const eventData = Type.Object({ component: ComponentEventData })

export const componentCreated = event({
  kind: 'component.created',
  producers: ['core'],
  selectableBy: 'none',
  data: eventData,
})
export const componentUpdated = event({
  kind: 'component.updated',
  producers: ['core'],
  selectableBy: 'none',
  data: eventData,
})
export const componentDeleted = event({
  kind: 'component.deleted',
  producers: ['core'],
  selectableBy: 'none',
  data: eventData,
})
