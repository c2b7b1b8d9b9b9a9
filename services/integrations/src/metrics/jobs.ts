/**
 * Polls as recurring work: the limits of concurrent polls, and what one slot of a metric does. A
 * slot that cannot be polled counts as no data, never as a failure.
 */
import type { Database, Job } from '@status-page/postgres'
import {
  eraseDeleted,
  Scheduler,
  type SchedulerDeps,
  type Shards,
  type SkipReason,
} from '@status-page/schedule'
import type { Sealer } from '@status-page/secrets'
import { decryptIntegration } from '../integrations/secrets.ts'
import { METRIC_CHANGED_CHANNEL } from '../integrations/store.ts'
import type { MetricsClient, QueryResult } from '../platforms/metrics-client.ts'
import { deletedMetrics, keepPartitions, type LoadedMetric } from './batches.ts'
import {
  MetricResults,
  type MetricResultsOptions,
  type PolledValue,
  polledValue,
} from './results.ts'
import { type ScheduledMetric, scheduledMetrics } from './scheduled-metrics.ts'

/**
 * Maximum concurrent polls, in total and per integration; a query costs more than a check and runs
 * less often.
 */
const LIMITS = {
  maxInFlight: 64,
  maxPerHost: 4,
  maxSlow: 512,
  maxSlowPerHost: 8,
  slowAfterMs: 1000,
}
/** Flush interval of values; a value that changes a derived status is flushed at once. */
const FLUSH_MS = 1000
const BATCH_ROWS = 500
/** Maximum buffered values while Postgres is unavailable; the oldest are dropped beyond it. */
const MAX_BUFFERED = 20_000
const COMPARE_MS = 30_000
const ERASE_MS = 60_000
const PARTITIONS_MS = 3_600_000

/** `rate_limited`: the platform has sent a Retry-After that is not over. */
export type PollSkipReason = SkipReason | 'rate_limited'

export interface PollerOptions extends SchedulerDeps {
  database: Database
  metricsClient: MetricsClient
  sealer: Sealer
  valueRetentionDays: number
  onStored: MetricResultsOptions['onStored']
  onSkipped: (reason: PollSkipReason, count: number) => void
}

export class Poller {
  readonly shards: Shards
  /** Jobs that accompany the poller. */
  readonly jobs: Job[]
  readonly #options: PollerOptions
  /** Earliest time of the next query by integration, after a Retry-After of its platform. */
  readonly #retryAt = new Map<string, number>()
  readonly #scheduler: Scheduler<LoadedMetric, ScheduledMetric, PolledValue>
  readonly #results: MetricResults

  constructor(options: PollerOptions) {
    this.#options = options
    this.#scheduler = this.#schedule()
    const { items, shards } = this.#scheduler
    this.shards = shards
    this.#results = new MetricResults({ ...options, items })
    this.jobs = this.#housekeeping()
  }

  start(): Promise<void> {
    return this.#scheduler.start()
  }

  /** Finishes polls in flight, stores their values and releases the shards. */
  stop(): Promise<void> {
    return this.#scheduler.stop()
  }

  /** Stores all buffered values. */
  flush(): Promise<void> {
    return this.#scheduler.flush()
  }

  /**
   * Compares versions and reloads metrics whose change notification was lost. Returns their number.
   */
  compare(signal?: AbortSignal): Promise<number> {
    return this.#scheduler.items.compare(signal)
  }

  gauges() {
    const { items: metrics, ...rest } = this.#scheduler.gauges()
    return { ...rest, metrics }
  }

  #schedule() {
    const { database, logger, valueRetentionDays } = this.#options
    return new Scheduler<LoadedMetric, ScheduledMetric, PolledValue>({
      ...this.#options,
      changeChannel: METRIC_CHANGED_CHANNEL,
      source: scheduledMetrics(database),
      limits: LIMITS,
      run: ({ item }, slotMs) => this.#poll(item, slotMs),
      onFailed: ({ id }, err) => logger.error({ err, metricId: id }, 'metric query failed'),
      results: {
        name: 'metric values',
        flushMs: FLUSH_MS,
        batchSize: BATCH_ROWS,
        maxBuffered: MAX_BUFFERED,
        groupOf: ({ row }) => row.organizationId,
        isUrgent: (value) => this.#results.changesStatus(value),
        store: (values, stored) => this.#results.store(values, stored),
        createPartitions: () => keepPartitions(database, valueRetentionDays),
        onRefused: ({ row: { metricId } }, err) =>
          logger.error({ err, metricId }, 'Postgres rejected a metric value'),
      },
    })
  }

  async #poll({ metric }: ScheduledMetric, slotMs: number): Promise<PolledValue | null> {
    if (this.#isRateLimited(metric)) {
      this.#options.onSkipped('rate_limited', 1)
      return null
    }
    const polledAtMs = this.shards.now()
    const { value, fault, durationMs } = await this.#query(metric, polledAtMs)
    return polledValue(metric, { value, fault, durationMs, polledAtMs }, slotMs)
  }

  #isRateLimited({ integration: { id } }: LoadedMetric): boolean {
    const until = this.#retryAt.get(id)
    if (until === undefined) return false
    if (this.shards.now() < until) return true
    this.#retryAt.delete(id)
    return false
  }

  async #query(metric: LoadedMetric, nowMs: number): Promise<QueryResult> {
    const { metricsClient, sealer } = this.#options
    const { query, aggregation, intervalMs, integration } = metric
    const seconds = intervalMs / 1000
    const result = await metricsClient.query(decryptIntegration(sealer, integration), {
      query,
      aggregation,
      seconds,
      nowMs,
    })
    if (result.retryAfterMs !== null) {
      this.#retryAt.set(integration.id, this.shards.now() + result.retryAfterMs)
    }
    return result
  }

  #housekeeping(): Job[] {
    const { database, valueRetentionDays } = this.#options
    return [
      {
        name: 'compare-metrics',
        intervalMs: COMPARE_MS,
        run: (signal) => this.compare(signal).then(() => 0),
      },
      {
        name: 'erase-deleted',
        intervalMs: ERASE_MS,
        run: () => eraseDeleted(database, deletedMetrics),
      },
      {
        name: 'value-partitions',
        intervalMs: PARTITIONS_MS,
        run: () => keepPartitions(database, valueRetentionDays).then(() => 0),
      },
    ]
  }
}
