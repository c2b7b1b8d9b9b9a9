/** Publishes summaries of metrics for core's projections and for pages in batches. */
import { draftEvent, metricSummarised, systemActor } from '@status-page/contracts'
import { type Database, type Job, newId, settleEach, transact } from '@status-page/postgres'
import type { MetricRow, MetricStateRow } from '../tables.ts'
import { newestMeans } from './history.ts'
import { listByIds } from './store.ts'

/** Interval for components; core queries current values and uses these only as a fallback. */
const COMPONENTS_INTERVAL_MS = 60_000
/** Interval for queries of pages, which show a value at most 5 s after its poll. */
const QUERIES_INTERVAL_MS = 1_000
/** Maximum metrics per event. */
const BATCH_METRICS = 500

export interface Summaries {
  /** Called with each stored value. */
  add(metric: { organizationId: string; metricId: string }): void
  job: Job
}

/** Creates one publisher per kind of metric, because each kind has its own interval. */
export const createSummariesByKind = (
  database: Database,
): Record<MetricRow['kind'], Summaries> => ({
  component: createSummaries(database, {
    name: 'component-summaries',
    intervalMs: COMPONENTS_INTERVAL_MS,
  }),
  query: createSummaries(database, { name: 'query-summaries', intervalMs: QUERIES_INTERVAL_MS }),
})

/**
 * Creates a publisher. Pending metrics of a killed process are collected again with their next
 * value.
 */
const createSummaries = (
  database: Database,
  schedule: Pick<Job, 'name' | 'intervalMs'>,
): Summaries => {
  const pending = new Map<string, Set<string>>()

  const add: Summaries['add'] = ({ organizationId, metricId }) => {
    const metrics = pending.get(organizationId) ?? new Set<string>()
    pending.set(organizationId, metrics.add(metricId))
  }

  const publish = (organizationId: string, ids: readonly string[]) =>
    transact(database, { organizationId, actor: systemActor }, async (scope) => {
      const found = await listByIds(scope, ids)
      const components = found.flatMap(({ row, state }) =>
        row.kind === 'query' || state.polledAt === null
          ? []
          : { id: row.id, lastCheckAt: state.polledAt.toISOString(), ...lastOf(state) },
      )
      const shown = found.filter(({ row }) => row.kind === 'query' && row.showOnStatusPage)
      const means = await newestMeans(
        scope,
        shown.map(({ row }) => row.id),
      )
      const queries = shown.map(({ row: { id }, state }) => ({
        id,
        ...lastOf(state),
        means: means.get(id) ?? [],
      }))
      const event = draftEvent(
        metricSummarised,
        { id: newId(), version: 1 },
        { components, queries },
      )
      const isEmpty = components.length + queries.length === 0
      return { result: undefined, events: isEmpty ? [] : [event], audit: [] }
    })

  const run = async () => {
    await settleEach([...pending], async ([organizationId, metrics]) => {
      pending.delete(organizationId)
      const ids = [...metrics]
      for (let start = 0; start < ids.length; start += BATCH_METRICS) {
        try {
          await publish(organizationId, ids.slice(start, start + BATCH_METRICS))
        } catch (error) {
          for (const metricId of ids.slice(start)) add({ organizationId, metricId })
          throw error
        }
      }
    })
    return 0
  }

  return { add, job: { ...schedule, run } }
}

const lastOf = ({ lastValue, lastValueAt }: MetricStateRow) => ({
  lastValue,
  lastValueAt: lastValueAt?.toISOString() ?? null,
})
