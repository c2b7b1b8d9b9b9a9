/**
 * Components: the parts of a system whose status is published. ENDPOINT components are checked,
 * METRIC components are polled, SERVICE components can follow the status page of a vendor.
 */
import { type Static, Type } from '@sinclair/typebox'
import { event } from '../event.ts'
import { includeParameter, listOf, listQuery, Search, TimeRange } from '../listing.ts'
import { operationsOf } from '../operation.ts'
import { optional, patchSchemaOf } from '../patch.ts'
import {
  Id,
  IdParams,
  ImageUrl,
  LongText,
  Nullable,
  OneLine,
  OneOf,
  Success,
  TaggedUnion,
  Timestamp,
  TimeZone,
} from '../scalars.ts'
import { Check, Location, Monitor } from './checks.ts'
import { ComponentStatus, componentStatuses, statusSources } from './component-status.ts'
import {
  optionalProbeFields,
  probeKinds,
  probeReplyFields,
  probeUrlFields,
  settingsOfAnyProbe,
} from './probes.ts'
import { UpstreamInput, UpstreamSettings, VendorReport } from './vendor-status.ts'

export const componentTypes = ['SERVICE', 'ENDPOINT', 'METRIC'] as const
export type ComponentType = (typeof componentTypes)[number]

export const MAX_COMPONENT_DEPTH = 10
/** Maximum number of components that a component depends on directly. */
export const MAX_DEPENDENCIES = 20
/** Maximum length of a chain of dependencies, in steps from one component to the next. */
export const MAX_DEPENDENCY_DEPTH = 10
const MAX_DESCRIPTION = 500
export const MAX_COMPONENT_ORDER = 1_000_000
const MAX_LOCATIONS = 10
const MIN_INTERVAL_SECONDS = 10
const MAX_INTERVAL_SECONDS = 86_400

const Interval = Type.Integer({
  minimum: MIN_INTERVAL_SECONDS,
  maximum: MAX_INTERVAL_SECONDS,
  default: 60,
  description: 'Interval in seconds',
})
const Threshold = (value: number) => Type.Integer({ minimum: 1, maximum: 20, default: value })

const commonFields = {
  name: OneLine(100),
  status: OneOf(componentStatuses, { default: 'operational' }),
  description: Nullable(LongText(MAX_DESCRIPTION)),
  isEnabled: Type.Boolean({ default: true }),
  isMuted: Type.Boolean({ default: false, description: 'Suppress notifications; checks continue' }),
  parentComponentId: Nullable(Id),
  dependsOn: Type.Array(Id, {
    maxItems: MAX_DEPENDENCIES,
    uniqueItems: true,
    default: [],
    description:
      'Components that this one needs; while one of them is down, an outage of this component ' +
      'opens no incident of its own',
  }),
  icon: Nullable(ImageUrl),
  showIconOnStatusPage: Type.Boolean({ default: true }),
  order: Type.Integer({ minimum: 0, maximum: MAX_COMPONENT_ORDER, default: 0 }),
}

/** Fields of every ENDPOINT component, besides those of its kind of check. */
const checkFields = {
  checkInterval: Interval,
  timeout: Type.Integer({
    minimum: 100,
    maximum: 60_000,
    default: 10_000,
    description:
      'Maximum duration of a check in milliseconds; at most `checkInterval`. An ICMP check ends ' +
      `after ${probeKinds.icmp.maxTimeoutMs} ms at the latest.`,
  }),
  autoCreateIncident: Type.Boolean({ default: false }),
  failureThreshold: Threshold(3),
  autoResolve: Type.Boolean({ default: true }),
  recoveryThreshold: Threshold(2),
  locations: Type.Array(Location, {
    maxItems: MAX_LOCATIONS,
    uniqueItems: true,
    default: [],
    description: 'Locations that check the endpoint; empty: the location `default`',
  }),
  locationQuorum: Type.Union([Type.Integer({ minimum: 1, maximum: MAX_LOCATIONS }), Type.Null()], {
    default: null,
    description: 'Number of locations that must agree; null: more than half of them',
  }),
}

/** Fields of a SERVICE component. */
const serviceFields = {
  upstream: {
    ...Nullable(UpstreamInput),
    default: null,
    description: "Vendor's status page that the component follows; null: none",
  },
}

const metricFields = {
  integrationId: Id,
  query: OneLine(4000),
  pollingInterval: Interval,
  warningThreshold: Nullable(Type.Number()),
  criticalThreshold: Nullable(Type.Number()),
}

const { name, ...commonOptional } = commonFields
const { integrationId, query, ...metricOptional } = metricFields

export const NewComponent = TaggedUnion('type', [
  Type.Object({
    type: Type.Literal('SERVICE'),
    name,
    ...optional(commonOptional),
    ...optional(serviceFields),
  }),
  Type.Object({
    type: Type.Literal('ENDPOINT'),
    name,
    ...optional(probeUrlFields),
    ...optional(commonOptional),
    ...optional(optionalProbeFields),
    ...optional(checkFields),
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

/** Names of the fields of every check, besides those of its kind. */
export const commonCheckFields: readonly string[] = Object.keys(checkFields)

const fieldsByType: Readonly<Record<ComponentType, readonly string[]>> = {
  SERVICE: Object.keys(serviceFields),
  ENDPOINT: Object.keys({ ...probeUrlFields, ...optionalProbeFields, ...checkFields }),
  METRIC: Object.keys(metricFields),
}

/** Fields that only some types have. */
export const fieldsOfType = (type: ComponentType): readonly string[] => fieldsByType[type]

/** Body of a PATCH. Fields of another type are ignored; `type` must equal the stored value. */
export const ComponentPatch = patchSchemaOf(
  {
    type: OneOf(componentTypes),
    ...commonFields,
    ...probeUrlFields,
    ...optionalProbeFields,
    ...checkFields,
    ...metricFields,
    ...serviceFields,
  },
  ['type', 'name', 'url', 'integrationId', 'query'],
)
export type ComponentPatch = Static<typeof ComponentPatch>

const readOnlyFields = {
  uptimePercentage: Nullable(
    Type.Number({
      description: 'Uptime of the last 90 days in percent; two decimals, rounded down',
    }),
  ),
  averageResponseTime: Nullable(
    Type.Number({
      description: 'Mean response time of successful checks in the last 24 hours, in milliseconds',
    }),
  ),
  lastCheckAt: Nullable(Timestamp),
}

/** Component without subcomponents; fields of other types are absent. */
const SubComponent = Type.Object({
  id: Id,
  name: Type.String(),
  type: OneOf(componentTypes),
  version: Type.Integer({
    description:
      'Version for If-Match; rises with every change of the definition, not of the status',
  }),
  status: ComponentStatus,
  statusSource: OneOf(statusSources),
  statusChangedAt: Timestamp,
  description: Nullable(Type.String()),
  isEnabled: Type.Boolean(),
  isMuted: Type.Boolean(),
  parentComponentId: Nullable(Id),
  dependsOn: Type.Array(Id),
  icon: Nullable(Type.String()),
  showIconOnStatusPage: Type.Boolean(),
  order: Type.Integer(),
  managedByConfig: Type.Boolean(),
  ...optional(probeReplyFields),
  checkInterval: Type.Optional(Type.Integer()),
  timeout: Type.Optional(Type.Integer()),
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
  upstream: Type.Optional(Nullable(UpstreamSettings)),
  vendorReport: Type.Optional({
    ...Nullable(VendorReport),
    description: 'Latest report of `upstream`; null before the first one',
  }),
  ...readOnlyFields,
  createdAt: Timestamp,
  updatedAt: Timestamp,
})

/** Component as returned by the API, with the parts selected by `include`. */
export const Component = Type.Object({
  ...SubComponent.properties,
  subComponents: Type.Optional(Type.Array(SubComponent)),
  monitors: Type.Optional(Type.Array(Monitor)),
  checks: Type.Optional(Type.Array(Check)),
})
export type Component = Static<typeof Component>

export const MAX_BULK_UPDATES = 100

/** Fields that a bulk update can change. */
export const BulkUpdate = Type.Object({
  id: Id,
  status: Type.Optional(ComponentStatus),
  isEnabled: Type.Optional(Type.Boolean()),
  isMuted: Type.Optional(Type.Boolean()),
  order: Type.Optional(Type.Integer({ minimum: 0, maximum: MAX_COMPONENT_ORDER })),
})
export type BulkUpdate = Static<typeof BulkUpdate>

export const MAX_PLACED_COMPONENTS = 100

/** Place of components: below a parent, before one of its children. */
export const ComponentPlacement = Type.Object({
  componentIds: Type.Array(Id, {
    minItems: 1,
    maxItems: MAX_PLACED_COMPONENTS,
    uniqueItems: true,
    description: 'Components to place, in their new order',
  }),
  parentComponentId: { ...Nullable(Id), description: 'New parent; null: no parent' },
  beforeId: Type.Optional({
    ...Nullable(Id),
    description: 'Child of the parent that follows the components; null: they are the last ones',
  }),
})
export type ComponentPlacement = Static<typeof ComponentPlacement>

/** Component that an outage of another one affects, directly or through other components. */
export const ImpactedComponent = Type.Object({
  id: Id,
  name: Type.String(),
  status: ComponentStatus,
  depth: Type.Integer({
    minimum: 1,
    maximum: MAX_DEPENDENCY_DEPTH,
    description: 'Length of the shortest chain of dependencies; 1: depends on the component itself',
  }),
  statusPages: Type.Array(Type.Object({ id: Id, name: Type.String(), slug: Type.String() }), {
    description: 'Published pages that show the component',
  }),
})
export type ImpactedComponent = Static<typeof ImpactedComponent>

/** Period in which a component had one status from one source. */
export const StatusPeriod = Type.Object({
  status: ComponentStatus,
  source: OneOf(statusSources),
  startedAt: Timestamp,
  endedAt: Nullable(Timestamp),
  seconds: Type.Number({
    description: 'Length of the period in seconds; until now for the current one',
  }),
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

/**
 * Uptime percentage with the values that it is calculated from; `days` add up to the whole window.
 */
export const Uptime = Type.Object({
  componentId: Id,
  from: Timestamp,
  to: Timestamp,
  timezone: Type.String(),
  windowStart: Type.String({
    format: 'timestamp',
    description: '`from`, or the creation time of the component if that is later',
  }),
  windowEnd: Type.String({ format: 'timestamp', description: '`to`, or now if that is earlier' }),
  percentage: Nullable(
    Type.Number({
      description: 'Uptime in percent; two decimals, rounded down; null for an empty window',
    }),
  ),
  weights: Type.Object(SecondsByStatus.properties, {
    description: 'Weight of each status: seconds of downtime per second in it',
  }),
  seconds: SecondsByStatus,
  downtimeSeconds: Type.Number({ description: 'Weighted downtime' }),
  exclusions: Type.Array(Type.Object({ reason: OneOf(uptimeExclusions), seconds: Type.Number() }), {
    description: 'Parts of the requested time that count neither as uptime nor as downtime',
  }),
  days: Type.Array(
    Type.Object({
      date: Type.String({ description: 'Date in the time zone, such as 2026-08-01' }),
      status: OneOf([...componentStatuses, 'no_data']),
      downtimeSeconds: Type.Number({ description: 'Weighted downtime' }),
    }),
    {
      description: 'One entry per calendar day in the time zone, with the worst status of the day',
    },
  ),
})
export type Uptime = Static<typeof Uptime>

const componentIncludes = includeParameter(['subComponents', 'monitors', 'checks'])

export const componentOperations = operationsOf('core', 'components', {
  list: {
    route: 'GET /components',
    summary: 'List components',
    description:
      'Sorted by `order`, then by name. 400 when `parentId` and `topLevelOnly=true` are combined.',
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
  },
  create: {
    route: 'POST /components',
    status: 201,
    summary: 'Create a component',
    description:
      'Checks of an ENDPOINT component and polling of a METRIC component start at once. 400 ' +
      'when a URL resolves to a private address, a condition does not parse, or an id is ' +
      "unknown. A vendor's page (`upstream`) is read at most once a minute for the whole " +
      'installation; its first report arrives within a minute. Emits `component.created`.',
    permission: 'components:write',
    body: NewComponent,
    reply: Component,
  },
  bulk: {
    route: 'POST /components/bulk',
    summary: 'Update several components',
    description:
      'Applies all updates or none. Up to 100 distinct components; 400 with field ' +
      '`updates[i].id` for an unknown id. The reply has the order of the request. Emits ' +
      '`component.updated` for each component whose definition changed.',
    permission: 'components:write',
    action: 'UPDATE',
    bucket: 'bulk',
    body: Type.Object({
      updates: Type.Array(BulkUpdate, { minItems: 1, maxItems: MAX_BULK_UPDATES }),
    }),
    reply: listOf(Component),
  },
  place: {
    route: 'POST /components/positions',
    summary: 'Move components',
    description:
      'Places components with their subcomponents below a parent, all or none. `order` of the ' +
      'other children changes only where no values are free between them. 409 when `beforeId` is ' +
      'a component but not a child of the parent. Emits `component.updated` for each component whose ' +
      'definition changed.',
    permission: 'components:write',
    action: 'UPDATE',
    body: ComponentPlacement,
    reply: Type.Object({ data: Type.Array(Component) }),
  },
  read: {
    route: 'GET /components/{id}',
    summary: 'Read a component',
    permission: 'components:read',
    params: IdParams,
    query: Type.Object({ include: componentIncludes }),
    reply: Component,
  },
  update: {
    route: 'PATCH /components/{id}',
    summary: 'Update a component',
    description:
      'Fields of another component type are ignored, even invalid ones. A new host or URL ' +
      'requires the stored secret headers again. A manual status applies at once, until an ' +
      'incident or a check changes it. `dependsOn` may form no cycle and no chain of more than ' +
      'ten steps. Emits `component.updated` if anything changed.',
    permission: 'components:write',
    params: IdParams,
    body: ComponentPatch,
    validatedLater: [...new Set(componentTypes.flatMap(fieldsOfType))],
    reply: Component,
  },
  remove: {
    route: 'DELETE /components/{id}',
    summary: 'Delete a component',
    description:
      'Also deletes its subcomponents and their history. Incidents keep its id and name. ' +
      'Scopes of subscribers and pages keep the id, so that an emptied scope does not come to ' +
      'mean all components; `dependsOn` of other components loses it. Emits `component.deleted`.',
    permission: 'components:write',
    params: IdParams,
    reply: Success,
  },
  clone: {
    route: 'POST /components/{id}/clone',
    status: 201,
    summary: 'Clone a component',
    description:
      'The copy has the secret headers, but not the subcomponents and history; it is ' +
      'operational and disabled, and its name ends with ` (Copy)`. Emits `component.created`.',
    permission: 'components:write',
    params: IdParams,
    reply: Component,
  },
  impact: {
    route: 'GET /components/{id}/impact',
    summary: 'List the components that an outage affects',
    description:
      'Components that depend on the component, directly or through others, the nearest first.',
    permission: 'components:read',
    params: IdParams,
    query: listQuery(['depth', 'name'], {}),
    reply: listOf(ImpactedComponent),
  },
  statusHistory: {
    route: 'GET /components/{id}/status-history',
    summary: 'List the status history of a component',
    description:
      'Periods without gaps since the creation of the component, newest first; the current ' +
      'period has no end. `from` and `to` select the periods that overlap the range. The ' +
      'history is stored as long as the component exists.',
    permission: 'components:read',
    params: IdParams,
    query: listQuery(['startedAt'], {
      status: Type.Optional(ComponentStatus),
      source: Type.Optional(OneOf(statusSources)),
      ...TimeRange,
    }),
    reply: listOf(StatusPeriod),
  },
  uptime: {
    route: 'GET /components/{id}/uptime',
    summary: 'Read the uptime of a component',
    description:
      'Uptime is `1 - weighted downtime / window`; the reply includes all parts of the ' +
      'calculation. Default: the last 90 days; at most 366 days. `degraded_performance` and ' +
      '`under_maintenance` are no downtime.',
    permission: 'components:read',
    params: IdParams,
    query: Type.Object({ ...TimeRange, timezone: Type.Optional(TimeZone) }),
    reply: Uptime,
  },
  check: {
    route: 'POST /components/{id}/check',
    summary: 'Run a check of an ENDPOINT component',
    description:
      'Checks at once and returns the result, after 25 seconds at most. The result counts like ' +
      'that of a scheduled check, except for a disabled component. 400 for a component of ' +
      'another type and for a heartbeat.',
    permission: 'components:write',
    action: 'UPDATE',
    bucket: 'check',
    params: IdParams,
    reply: Type.Object({
      success: Type.Boolean(),
      result: Type.Omit(Check, ['id', 'componentId', 'success', 'trigger']),
    }),
  },
})

/** Schedule and thresholds of a check, as core stores them and sends them to the monitor. */
const checkSchedule = {
  checkInterval: Type.Integer(),
  timeout: Type.Integer(),
  failureThreshold: Type.Integer(),
  recoveryThreshold: Type.Integer(),
  locations: Type.Optional(Type.Array(Type.String())),
  locationQuorum: Type.Optional(Nullable(Type.Integer())),
}

/** Check of a component as core stores it. */
export const CheckSettings = settingsOfAnyProbe({
  ...checkSchedule,
  autoCreateIncident: Type.Boolean(),
  autoResolve: Type.Boolean(),
})
export type CheckSettings = Static<typeof CheckSettings>

/** Component as other services store it. */
export const ComponentEventData = Type.Object({
  id: Id,
  name: Type.String(),
  type: OneOf(componentTypes),
  isEnabled: Type.Boolean(),
  isMuted: Type.Boolean(),
  parentComponentId: Nullable(Id),
  /** Parent first, root last. */
  ancestorIds: Type.Array(Id),
  /** Absent means none, or the event predates them. */
  dependsOn: Type.Optional(Type.Array(Id)),
  endpoint: Nullable(settingsOfAnyProbe(checkSchedule)),
  /** Absent means null: the component is no METRIC component, or the event predates them. */
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
  /** Vendor's page that the component follows; absent for other types than SERVICE. */
  upstream: Type.Optional(Nullable(UpstreamSettings)),
})
export type ComponentEventData = Static<typeof ComponentEventData>

const eventData = Type.Object({ component: ComponentEventData })

export const componentCreated = event('component.created', ['core'], eventData)
export const componentUpdated = event('component.updated', ['core'], eventData)
export const componentDeleted = event('component.deleted', ['core'], eventData)
