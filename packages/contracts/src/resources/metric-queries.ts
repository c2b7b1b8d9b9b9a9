/** Metric queries: queries that an integration runs periodically, and their values. */
import { type Static, Type } from '@sinclair/typebox'
import { event } from '../event.ts'
import { includeParameter, listOf, listQuery, TimeRange } from '../listing.ts'
import { operationsOf } from '../operation.ts'
import { outboundErrors } from '../outbound-errors.ts'
import { optional, patchSchemaOf } from '../patch.ts'
import { Id, IdParams, Nullable, OneLine, OneOf, Success, Timestamp } from '../scalars.ts'
import { Check, checkHistoryQuery, MAX_RECENT_CHECKS, Monitor } from './checks.ts'

export const metricAggregations = ['last', 'avg', 'min', 'max', 'sum'] as const
export type MetricAggregation = (typeof metricAggregations)[number]

/** Statuses of a value; `no_data` and `error` mean that the state is unknown. */
export const metricStatuses = ['ok', 'warning', 'critical', 'no_data', 'error'] as const
export type MetricStatus = (typeof metricStatuses)[number]

/** Reasons of a missing value. */
export const metricFaults = [
  ...outboundErrors,
  'no_data',
  'auth_failed',
  'rate_limited',
  'query_error',
  'several_series',
  'bad_answer',
  'out_of_range',
] as const
export type MetricFault = (typeof metricFaults)[number]

/**
 * Maximum magnitude of a value: larger than every physical quantity, and small enough that neither
 * the sum of a platform's points nor the sum of a year's values overflows a double.
 */
export const MAX_METRIC_MAGNITUDE = 1e30
/** Smaller magnitudes are stored as 0, so that no quotient of stored values underflows. */
export const MIN_METRIC_MAGNITUDE = 1e-30

const MAX_QUERY = 4000
const MAX_UNIT = 20
const MAX_DECIMALS = 6
const MIN_INTERVAL_SECONDS = 10
const MAX_INTERVAL_SECONDS = 86_400
export const MAX_METRIC_VALUES = 500

const Threshold = Nullable(Type.Number())

const choices = {
  componentId: Nullable({ ...Id, description: 'Component with which the metric is shown' }),
  unit: Nullable(OneLine(MAX_UNIT)),
  decimalPlaces: Type.Integer({ minimum: 0, maximum: MAX_DECIMALS, default: 2 }),
  aggregation: OneOf(metricAggregations, {
    default: 'last',
    description: 'Aggregation of the points within one `pollingInterval`',
  }),
  pollingInterval: Type.Integer({
    minimum: MIN_INTERVAL_SECONDS,
    maximum: MAX_INTERVAL_SECONDS,
    default: 60,
    description: 'Interval in seconds',
  }),
  warningThreshold: Threshold,
  criticalThreshold: Threshold,
  showOnStatusPage: Type.Boolean({
    default: false,
    description: 'Show on pages with its component, or on all pages if it has none',
  }),
  isEnabled: Type.Boolean({ default: true }),
}

export const NewMetricQuery = Type.Object({
  name: OneLine(100),
  query: OneLine(MAX_QUERY),
  ...optional(choices),
})
export type NewMetricQuery = Static<typeof NewMetricQuery>

export const MetricQueryPatch = patchSchemaOf(
  { name: OneLine(100), query: OneLine(MAX_QUERY), ...choices },
  ['name', 'query'],
)
export type MetricQueryPatch = Static<typeof MetricQueryPatch>

export const MetricValue = Type.Object({ timestamp: Timestamp, value: Type.Number() })
export type MetricValue = Static<typeof MetricValue>

export const MetricQuery = Type.Object({
  id: Id,
  integrationId: Id,
  componentId: Nullable(Id),
  name: Type.String(),
  query: Type.String(),
  unit: Nullable(Type.String()),
  decimalPlaces: Type.Integer(),
  aggregation: OneOf(metricAggregations),
  pollingInterval: Type.Integer(),
  warningThreshold: Threshold,
  criticalThreshold: Threshold,
  showOnStatusPage: Type.Boolean(),
  isEnabled: Type.Boolean(),
  lastValue: Nullable(
    Type.Number({
      description: 'Magnitude at most 1e30 (else `out_of_range`); below 1e-30 the value is 0',
    }),
  ),
  lastValueAt: Nullable(Timestamp),
  lastStatus: OneOf(metricStatuses),
  lastError: Nullable(OneOf(metricFaults)),
  createdAt: Timestamp,
  updatedAt: Timestamp,
  values: Type.Optional(Type.Array(MetricValue, { maxItems: MAX_METRIC_VALUES })),
})
export type MetricQuery = Static<typeof MetricQuery>

/** Widths of a point in seconds. */
export const metricResolutions = ['300', '3600'] as const

/** Summary of the values of one point; null without any. */
export const MetricPoint = Type.Object({
  timestamp: Timestamp,
  polls: Type.Integer({ description: 'Number of queries' }),
  values: Type.Integer({ description: 'Number of queries that returned a value' }),
  average: Nullable(Type.Number()),
  minimum: Nullable(Type.Number()),
  maximum: Nullable(Type.Number()),
})
export type MetricPoint = Static<typeof MetricPoint>

export const MetricSeries = Type.Object({
  queryId: Id,
  from: Timestamp,
  to: Timestamp,
  resolution: Type.Integer({ description: 'Width of a point in seconds' }),
  points: Type.Array(MetricPoint),
})
export type MetricSeries = Static<typeof MetricSeries>

/** Values of a METRIC component over time. */
export const ComponentValues = Type.Object({
  componentId: Id,
  ...Type.Omit(MetricSeries, ['queryId']).properties,
})
export type ComponentValues = Static<typeof ComponentValues>

const QueryParams = Type.Object({ id: Id, queryId: Id })

const seriesQuery = Type.Object({
  ...TimeRange,
  resolution: Type.Optional(
    OneOf(metricResolutions, {
      description: 'Width of a point in seconds; default: 300 for up to two days, else 3600',
    }),
  ),
})

export const metricQueryOperations = operationsOf('integrations', 'metric-queries', {
  list: {
    route: 'GET /integrations/{id}/metrics',
    summary: 'List metric queries of an integration',
    permission: 'integrations:read',
    params: IdParams,
    query: listQuery(['name', 'createdAt', 'updatedAt'], {
      componentId: Type.Optional(Id),
      isEnabled: Type.Optional(Type.Boolean()),
    }),
    reply: listOf(MetricQuery),
  },
  create: {
    route: 'POST /integrations/{id}/metrics',
    status: 201,
    summary: 'Create a metric query',
    description:
      'The query is in the language of the platform: PromQL, NRQL, a Datadog query; for ' +
      'Grafana the text of `expr`, or a JSON object with the whole query of the data source. ' +
      'It must return one series. Higher values are worse, unless `criticalThreshold` is below ' +
      '`warningThreshold`; then lower values are worse. A metric query does not change the ' +
      'status of components.',
    permission: 'integrations:write',
    params: IdParams,
    body: NewMetricQuery,
    reply: MetricQuery,
  },
  read: {
    route: 'GET /integrations/{id}/metrics/{queryId}',
    summary: 'Read a metric query',
    description:
      '`include=values` adds the values of the last 24 hours, oldest first, at most the latest ' +
      '500.',
    permission: 'integrations:read',
    params: QueryParams,
    query: Type.Object({ include: includeParameter(['values']) }),
    reply: MetricQuery,
  },
  update: {
    route: 'PATCH /integrations/{id}/metrics/{queryId}',
    summary: 'Update a metric query',
    description: 'Existing values remain, also after a change of `query`.',
    permission: 'integrations:write',
    params: QueryParams,
    body: MetricQueryPatch,
    reply: MetricQuery,
  },
  remove: {
    route: 'DELETE /integrations/{id}/metrics/{queryId}',
    summary: 'Delete a metric query and its values',
    permission: 'integrations:write',
    params: QueryParams,
    reply: Success,
  },
  series: {
    route: 'GET /integrations/{id}/metrics/{queryId}/series',
    summary: 'Read the values of a metric query as a series',
    description:
      'One point per five minutes or hour with queries, oldest first. Default: the last 24 ' +
      'hours. At most 7 days with five-minute points, 366 days with hourly points.',
    permission: 'integrations:read',
    params: QueryParams,
    query: seriesQuery,
    reply: MetricSeries,
  },
})

/** Public operations on the values of a component; core forwards them to integrations. */
export const componentValueOperations = operationsOf('core', 'components', {
  values: {
    route: 'GET /components/{id}/values',
    summary: 'Read the values of a METRIC component as a series',
    description:
      'One point per five minutes or hour with queries, oldest first. Default: the last 24 ' +
      'hours. At most 7 days with five-minute points, 366 days with hourly points. Empty for a ' +
      'component of another type.',
    permission: 'components:read',
    params: IdParams,
    query: seriesQuery,
    reply: ComponentValues,
  },
})

/** Internal operations for METRIC components, called by core; the gateway does not route them. */
export const metricOperations = operationsOf('integrations', 'metrics', {
  recent: {
    route: 'POST /internal/metrics/recent',
    base: 'root',
    summary: 'Read the monitors and latest values of METRIC components',
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
          lastValue: Type.Optional(Nullable(Type.Number())),
          lastValueAt: Type.Optional(Nullable(Timestamp)),
          checks: Type.Array(Check),
        }),
      ),
    }),
  },
  list: {
    route: 'GET /internal/metrics/{id}/checks',
    base: 'root',
    summary: 'List the values of a METRIC component as checks',
    permission: 'components:read',
    callers: ['core'],
    params: IdParams,
    query: checkHistoryQuery,
    reply: listOf(Check),
  },
  series: {
    route: 'GET /internal/metrics/{id}/series',
    base: 'root',
    summary: 'Read the values of a METRIC component as a series',
    permission: 'components:read',
    callers: ['core'],
    params: IdParams,
    query: seriesQuery,
    reply: ComponentValues,
  },
})

/** Metric query as core stores it for status pages: without the query and the platform. */
export const MetricQueryEventData = Type.Object({
  id: Id,
  integrationId: Id,
  componentId: Nullable(Id),
  name: Type.String(),
  unit: Nullable(Type.String()),
  decimalPlaces: Type.Integer(),
  /** True when the query is enabled and meant for status pages. */
  isShown: Type.Boolean(),
})
export type MetricQueryEventData = Static<typeof MetricQueryEventData>

const eventData = Type.Object({ metricQuery: MetricQueryEventData })

export const metricQueryCreated = event('metric-query.created', ['integrations'], eventData)
export const metricQueryUpdated = event('metric-query.updated', ['integrations'], eventData)
export const metricQueryDeleted = event('metric-query.deleted', ['integrations'], eventData)

/** Summary of a query that pages show; `means` of the latest quarters of an hour. */
export const MetricSummary = Type.Object({
  id: Id,
  lastValue: Nullable(Type.Number()),
  lastValueAt: Nullable(Timestamp),
  means: Type.Array(MetricValue, { maxItems: 4 }),
})
export type MetricSummary = Static<typeof MetricSummary>

/** New values in batches: of components once a minute, of queries once a second. */
export const metricSummarised = event(
  'metric.summarised',
  ['integrations'],
  Type.Object({
    components: Type.Array(
      Type.Object({
        id: Id,
        lastCheckAt: Timestamp,
        lastValue: Nullable(Type.Number()),
        lastValueAt: Nullable(Timestamp),
      }),
      { maxItems: 1000 },
    ),
    queries: Type.Optional(Type.Array(MetricSummary, { maxItems: 500 })),
  }),
)
