/** Operations of metric queries, and operations on METRIC components that core calls. */
import {
  invalid,
  isFlapping,
  listReply,
  type MetricQuery,
  type Monitor,
  metricOperations,
  metricQueryOperations,
  notFound,
  orNotFound,
  ruleIssue,
  seriesRangeOf,
  successReply,
} from '@status-page/contracts'
import { type Database, newId, type Scope } from '@status-page/postgres'
import { liveLocations, nextSlot, shardOf } from '@status-page/schedule'
import { type Call, createRoutes, type Route } from '@status-page/service'
import { findIntegration, lockIntegration } from '../integrations/store.ts'
import * as history from './history.ts'
import { checkOf } from './rules.ts'
import * as store from './store.ts'
import { auditQuery, changeQuery, makeQuery, presentQuery, stateQuery } from './view.ts'

export interface MetricDeps {
  database: Database
  /** Catches the component projection up; false when that fails. */
  areComponentsUpToDate(organizationId: string): Promise<boolean>
}

export const metricQueryRoutes = ({ areComponentsUpToDate }: MetricDeps): Route[] =>
  createRoutes(metricQueryOperations, {
    list: async ({ params, query, read }) => {
      const { rows, total } = await read(async (scope) => {
        if ((await findIntegration(scope, params.id)) === undefined) throw notFound()
        return store.listQueries(scope, params.id, query)
      })
      return listReply(query, total, rows.map(presentQuery))
    },

    create: async ({ params, body, organizationId, change }) => {
      if (body.componentId != null) await areComponentsUpToDate(organizationId)
      return change(async (scope) => {
        // The shared lock prevents deletion of the integration before the query is stored.
        if ((await lockIntegration(scope, params.id, 'share')) === undefined) throw notFound()
        await validateComponent(scope, body.componentId)
        const id = newId()
        const owner = { id, integrationId: params.id, shard: shardOf(id) }
        const settings = makeQuery(body, owner)
        await store.upsert(scope, settings)
        const result = presentQuery(await findOne(scope, { id: params.id, queryId: id }))
        const events = [stateQuery('created', settings)]
        return { result, events, audit: [auditQuery('create', null, settings)] }
      })
    },

    read: ({ params, query, read }) =>
      read(async (scope): Promise<MetricQuery> => {
        const found = presentQuery(await findOne(scope, params))
        return query.include?.includes('values')
          ? { ...found, values: await history.recentValues(scope, params.queryId) }
          : found
      }),

    update: async (call) => {
      if (call.body.componentId != null) await areComponentsUpToDate(call.organizationId)
      return amend(call)
    },

    remove: ({ params, change }) =>
      change(async (scope) => {
        const found = orNotFound(await store.lockQuery(scope, params))
        await store.removeQuery(scope, params.queryId)
        const events = [stateQuery('deleted', found.row)]
        return { result: successReply, events, audit: [auditQuery('delete', found.row, null)] }
      }),

    series: ({ params, query, read }) =>
      read(async (scope) => {
        const range = seriesRangeOf(query, scope.now)
        await findOne(scope, params)
        return {
          queryId: params.queryId,
          ...(await history.readSeries(scope, params.queryId, range)),
        }
      }),
  })

const amend = ({ params, body, change }: Call<typeof metricQueryOperations.update>) =>
  change(async (scope) => {
    const found = orNotFound(await store.lockQuery(scope, params))
    const { row } = found
    if (body.componentId !== row.componentId) await validateComponent(scope, body.componentId)
    const settings = changeQuery(row, body)
    if (settings === null) return { result: presentQuery(found) }
    await store.upsert(scope, settings)
    const result = presentQuery(await findOne(scope, params))
    const audit = [auditQuery('update', row, settings)]
    return { result, events: [stateQuery('updated', settings)], audit }
  })

/** Routes with the same operations as the monitor: core calls both services alike. */
export const metricRoutes = ({ database }: MetricDeps): Route[] =>
  createRoutes(metricOperations, {
    recent: async ({ body, read }) => {
      const isServed = (await liveLocations(database)).length > 0
      return read(async (scope) => {
        const found = await store.listComponents(scope, body.componentIds)
        const ids = found.map(({ row }) => row.id)
        const newest = await history.newestValues(scope, ids, body.checksPerTarget)
        const byMetric = Map.groupBy(newest, ({ metricId }) => metricId)
        const targets = found.map((metric) => ({
          componentId: metric.row.id,
          monitor: monitorOf(metric, { now: scope.now, isServed }),
          lastValue: metric.state.lastValue,
          lastValueAt: metric.state.lastValueAt?.toISOString() ?? null,
          checks: (byMetric.get(metric.row.id) ?? []).map(checkOf),
        }))
        return { targets }
      })
    },

    list: ({ params, query, read }) =>
      read(async (scope) => {
        const { rows, total } = await history.listValues(scope, params.id, query)
        return listReply(query, total, rows.map(checkOf))
      }),

    series: ({ params: { id }, query, read }) =>
      read(async (scope) => {
        const range = seriesRangeOf(query, scope.now)
        // Values of a query are read by its own operation, which another permission protects.
        const isComponent = (await store.listComponents(scope, [id])).length > 0
        return {
          componentId: id,
          ...(await history.readSeries(scope, isComponent ? id : null, range)),
        }
      }),
  })

/** Monitor of a component; each value decides alone, so that no runs are counted. */
const monitorOf = (
  { row, state }: store.StoredMetric,
  { now, isServed }: { now: Date; isServed: boolean },
): Monitor => ({
  kind: 'metric',
  isEnabled: row.isEnabled,
  interval: row.intervalSeconds,
  derivedStatus: state.derivedStatus,
  consecutiveFailures: state.derivedStatus === 'major_outage' ? 1 : 0,
  consecutiveSuccesses: state.status === 'ok' ? 1 : 0,
  lastCheckAt: state.polledAt?.toISOString() ?? null,
  nextCheckAt:
    row.isEnabled && isServed
      ? new Date(nextSlot(row.id, row.intervalSeconds * 1000, now.getTime())).toISOString()
      : null,
  certificateExpiresAt: null,
  certificateSubject: null,
  certificateIssuer: null,
  isFlapping: isFlapping(state.changedAt, now),
  unservedLocations: [],
})

const findOne = async (
  scope: Scope,
  params: { id: string; queryId: string },
): Promise<store.StoredMetric> => orNotFound(await store.findQuery(scope, params))

const validateComponent = async (scope: Scope, id: string | null | undefined): Promise<void> => {
  if (id == null || (await store.findComponents(scope, [id])).size > 0) return
  throw invalid(ruleIssue('componentId', 'exists'))
}
