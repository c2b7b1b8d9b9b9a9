/** Metric queries: figures that an integration is asked for again and again, and what came of it. */
import { type Static, Type } from '@sinclair/typebox'
import { event } from '../event.ts'
import { include, listOf, listQuery, TimeRange } from '../listing.ts'
import { operation } from '../operation.ts'
import { patchOf } from '../patch.ts'
import { Id, IdParams, Nullable, OneLine, OneOf, Success, Timestamp } from '../scalars.ts'
import { Check, checkHistoryQuery, Monitor, RECENT_CHECKS } from './checks.ts'

export const metricAggregations = ['last', 'avg', 'min', 'max', 'sum'] as const
export type MetricAggregation = (typeof metricAggregations)[number]

/** `no_data` and `error` are neither good nor bad: nobody knows. */
export const metricStatuses = ['ok', 'warning', 'critical', 'no_data', 'error'] as const
export type MetricStatus = (typeof metricStatuses)[number]

/** Why there is no value. */
export const metricFaults = [
  'blocked',
  'dns_error',
  'connect_error',
  'tls_error',
  'protocol_error',
  'timeout',
  'too_large',
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
 * Largest magnitude of a value: beyond every physical unit, and far enough from the largest double
 * that neither a sum of a platform's points nor one of a year's values overflows.
 */
export const MAX_METRIC_MAGNITUDE = 1e30
/** Values closer to 0 are stored as 0, so that no quotient of stored values underflows. */
export const MIN_METRIC_MAGNITUDE = 1e-30

const MAX_QUERY = 4000
const MAX_UNIT = 20
const MAX_DECIMALS = 6
const MIN_INTERVAL_SECONDS = 10
const MAX_INTERVAL_SECONDS = 86_400
export const MAX_METRIC_VALUES = 500

const Threshold = Nullable(Type.Number())

const choices = {
  componentId: Nullable({ ...Id, description: 'The component that the figure is shown with' }),
  unit: Nullable(OneLine(MAX_UNIT)),
  decimalPlaces: Type.Integer({ minimum: 0, maximum: MAX_DECIMALS, default: 2 }),
  aggregation: OneOf(metricAggregations, {
    default: 'last',
    description: 'Of the points of one pollingInterval',
  }),
  pollingInterval: Type.Integer({
    minimum: MIN_INTERVAL_SECONDS,
    maximum: MAX_INTERVAL_SECONDS,
    default: 60,
    description: 'Seconds',
  }),
  warningThreshold: Threshold,
  criticalThreshold: Threshold,
  showOnStatusPage: Type.Boolean({
    default: false,
    description: 'On pages with its component; without one on all',
  }),
  isEnabled: Type.Boolean({ default: true }),
}

export const NewMetricQuery = Type.Object({
  name: OneLine(100),
  query: OneLine(MAX_QUERY),
  componentId: Type.Optional(choices.componentId),
  unit: Type.Optional(choices.unit),
  decimalPlaces: Type.Optional(choices.decimalPlaces),
  aggregation: Type.Optional(choices.aggregation),
  pollingInterval: Type.Optional(choices.pollingInterval),
  warningThreshold: Type.Optional(choices.warningThreshold),
  criticalThreshold: Type.Optional(choices.criticalThreshold),
  showOnStatusPage: Type.Optional(choices.showOnStatusPage),
  isEnabled: Type.Optional(choices.isEnabled),
})
export type NewMetricQuery = Static<typeof NewMetricQuery>

export const MetricQueryPatch = patchOf(
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
      description: 'At most 1e30 in magnitude (else `out_of_range`); below 1e-30 it reads 0',
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

/** Widths of a point, in seconds. */
export const metricResolutions = ['300', '3600'] as const

/** Of the values of one stretch of time; null where there were none. */
export const MetricPoint = Type.Object({
  timestamp: Timestamp,
  polls: Type.Integer({ description: 'How often it was asked for' }),
  values: Type.Integer({ description: 'How often there was one' }),
  average: Nullable(Type.Number()),
  minimum: Nullable(Type.Number()),
  maximum: Nullable(Type.Number()),
})
export type MetricPoint = Static<typeof MetricPoint>

export const MetricSeries = Type.Object({
  queryId: Id,
  from: Timestamp,
  to: Timestamp,
  resolution: Type.Integer({ description: 'Seconds a point' }),
  points: Type.Array(MetricPoint),
})
export type MetricSeries = Static<typeof MetricSeries>

const QueryParams = Type.Object({ id: Id, queryId: Id })

export const metricQueryOperations = {
  list: operation({
    id: 'metric-queries.list',
    service: 'integrations',
    method: 'GET',
    path: '/integrations/{id}/metrics',
    status: 200,
    summary: 'List metric queries of an integration',
    permission: 'integrations:read',
    params: IdParams,
    query: listQuery(['name', 'createdAt', 'updatedAt'], {
      componentId: Type.Optional(Id),
      isEnabled: Type.Optional(Type.Boolean()),
    }),
    reply: listOf(MetricQuery),
  }),
  create: operation({
    id: 'metric-queries.create',
    service: 'integrations',
    method: 'POST',
    path: '/integrations/{id}/metrics',
    status: 201,
    summary: 'Ask an integration for a figure again and again',
    description:
      'In the language of the platform: PromQL, NRQL, a Datadog query; for Grafana the text of ' +
      '`expr`, or a JSON object that is the whole query of its data source. It must give one ' +
      'series. With `criticalThreshold` at or above `warningThreshold`, or only one of them, ' +
      'higher is worse; else lower is. It changes the status of no component.',
    permission: 'integrations:write',
    params: IdParams,
    body: NewMetricQuery,
    reply: MetricQuery,
  }),
  read: operation({
    id: 'metric-queries.read',
    service: 'integrations',
    method: 'GET',
    path: '/integrations/{id}/metrics/{queryId}',
    status: 200,
    summary: 'Read a metric query',
    description: '`include=values` adds those of 24 hours, oldest first, at most the newest 500.',
    permission: 'integrations:read',
    params: QueryParams,
    query: Type.Object({ include: include(['values']) }),
    reply: MetricQuery,
  }),
  update: operation({
    id: 'metric-queries.update',
    service: 'integrations',
    method: 'PATCH',
    path: '/integrations/{id}/metrics/{queryId}',
    status: 200,
    summary: 'Change a metric query',
    description: 'Values stay, also those that another `query` gave.',
    permission: 'integrations:write',
    params: QueryParams,
    body: MetricQueryPatch,
    reply: MetricQuery,
  }),
  remove: operation({
    id: 'metric-queries.remove',
    service: 'integrations',
    method: 'DELETE',
    path: '/integrations/{id}/metrics/{queryId}',
    status: 200,
    summary: 'Delete a metric query and its values',
    permission: 'integrations:write',
    params: QueryParams,
    reply: Success,
  }),
  series: operation({
    id: 'metric-queries.series',
    service: 'integrations',
    method: 'GET',
    path: '/integrations/{id}/metrics/{queryId}/series',
    status: 200,
    summary: 'Values of a metric query as a series',
    description:
      'One point for each five minutes or hour in which it was asked for, oldest first. Default: ' +
      'the last 24 hours. At most 7 days by five minutes, 366 days by the hour.',
    permission: 'integrations:read',
    params: QueryParams,
    query: Type.Object({
      ...TimeRange,
      resolution: Type.Optional(
        OneOf(metricResolutions, { description: 'Seconds a point; 300 up to two days' }),
      ),
    }),
    reply: MetricSeries,
  }),
}

/** Questions that core asks about METRIC components; the gateway does not serve them. */
export const metricOperations = {
  recent: operation({
    id: 'metrics.recent',
    service: 'integrations',
    method: 'POST',
    path: '/internal/metrics/recent',
    base: 'root',
    status: 200,
    summary: 'Monitors and newest values of METRIC components',
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
          lastValue: Type.Optional(Nullable(Type.Number())),
          lastValueAt: Type.Optional(Nullable(Timestamp)),
          checks: Type.Array(Check),
        }),
      ),
    }),
  }),
  list: operation({
    id: 'metrics.list',
    service: 'integrations',
    method: 'GET',
    path: '/internal/metrics/{id}/checks',
    base: 'root',
    status: 200,
    summary: 'Values of a METRIC component, as checks',
    permission: 'components:read',
    callers: ['core'],
    params: IdParams,
    query: checkHistoryQuery,
    reply: listOf(Check),
  }),
}

/** A metric query as pages need it: never what is asked, nor of whom. */
export const MetricQueryEventData = Type.Object({
  id: Id,
  integrationId: Id,
  componentId: Nullable(Id),
  name: Type.String(),
  unit: Nullable(Type.String()),
  decimalPlaces: Type.Integer(),
  /** Asked for, and meant for pages. */
  isShown: Type.Boolean(),
})
export type MetricQueryEventData = Static<typeof MetricQueryEventData>

const eventData = Type.Object({ metricQuery: MetricQueryEventData })

export const metricQueryCreated = event({
  kind: 'metric-query.created',
  producers: ['integrations'],
  selectableBy: 'none',
  data: eventData,
})
export const metricQueryUpdated = event({
  kind: 'metric-query.updated',
  producers: ['integrations'],
  selectableBy: 'none',
  data: eventData,
})
export const metricQueryDeleted = event({
  kind: 'metric-query.deleted',
  producers: ['integrations'],
  selectableBy: 'none',
  data: eventData,
})

/** Of a query that pages show; `means` of the newest quarters of an hour. */
export const MetricSummary = Type.Object({
  id: Id,
  lastValue: Nullable(Type.Number()),
  lastValueAt: Nullable(Timestamp),
  means: Type.Array(MetricValue, { maxItems: 4 }),
})
export type MetricSummary = Static<typeof MetricSummary>

/** Figures of components once a minute, of queries each second with new values; one event a batch. */
export const metricSummarised = event({
  kind: 'metric.summarised',
  producers: ['integrations'],
  selectableBy: 'none',
  data: Type.Object({
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
})
