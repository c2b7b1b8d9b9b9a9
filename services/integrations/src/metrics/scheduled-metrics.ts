/** Metrics as items of the scheduler. */
import type { DerivedStatus } from '@status-page/contracts'
import type { Database } from '@status-page/postgres'
import { type ItemSource, type ScheduledItem, ScheduleState } from '@status-page/schedule'
import { QUERY_TIMEOUT_MS } from '../platforms/metrics-client.ts'
import { type LoadedMetric, loadMetrics, loadVersions } from './batches.ts'

/** Metric in memory. */
export class ScheduledMetric extends ScheduleState implements ScheduledItem<LoadedMetric> {
  /** Replaced as a whole, so that a change does not affect a poll in flight. */
  metric: LoadedMetric
  /** Status after the newest stored value; `metric` has that of the time of its load. */
  #derivedStatus: DerivedStatus
  /** Slot of the newest value that this replica recorded. */
  #recordedSlotMs = Number.NEGATIVE_INFINITY

  constructor(metric: LoadedMetric) {
    super()
    this.metric = metric
    this.#derivedStatus = metric.derivedStatus
  }

  /** Keeps the status when a value was recorded after the load had read the stored one. */
  update(metric: LoadedMetric): void {
    this.metric = metric
    const loadedSlotMs = metric.polledSlotMs ?? Number.NEGATIVE_INFINITY
    if (loadedSlotMs >= this.#recordedSlotMs) this.#derivedStatus = metric.derivedStatus
  }

  /** Sets the status after the value of the slot. */
  recordStatus(derivedStatus: DerivedStatus, slotMs: number): void {
    this.#derivedStatus = derivedStatus
    this.#recordedSlotMs = slotMs
  }

  get derivedStatus() {
    return this.#derivedStatus
  }

  get id() {
    return this.metric.id
  }

  get organizationId() {
    return this.metric.organizationId
  }

  get shard() {
    return this.metric.shard
  }

  get version() {
    return this.metric.version
  }

  get intervalMs() {
    return this.metric.intervalMs
  }

  /** Concurrency is limited per integration. */
  get host() {
    return this.metric.integration.id
  }

  get isUrgent() {
    return this.derivedStatus !== 'operational'
  }
}

export const scheduledMetrics = (
  database: Database,
): ItemSource<LoadedMetric, ScheduledMetric> => ({
  name: 'metrics',
  load: (wanted) => loadMetrics(database, wanted),
  loadVersions: (shards) => loadVersions(database, shards),
  findLastSlots: async (loaded) =>
    new Map(
      loaded.flatMap(({ id, polledSlotMs }) => (polledSlotMs === null ? [] : [[id, polledSlotMs]])),
    ),
  maxRunMs: () => QUERY_TIMEOUT_MS,
  create: (loaded) => new ScheduledMetric(loaded),
  /** A notification carries the id of a metric or of an integration. */
  idsOf: (id, metrics) => {
    const ids = [id]
    for (const { metric } of metrics) if (metric.integration.id === id) ids.push(metric.id)
    return ids
  },
})
