/**
 * Scheduler of polls: leases shards, arms their metrics on the timing wheel and polls each slot
 * once on the replica that holds the shard. A slot that cannot be polled counts as no data, never
 * as a failure.
 */
import { randomUUID } from 'node:crypto'
import type { Database, Job } from '@status-page/postgres'
import {
  Admission,
  type Admitted,
  type Clock,
  createLoop,
  createShards,
  createWheel,
  HAND_OVER_MS,
  type Shards,
  type ShardsOptions,
  systemClock,
} from '@status-page/schedule'
import type { Sealer } from '@status-page/secrets'
import type { Logger } from 'pino'
import { openIntegration } from '../integrations/secrets.ts'
import { METRIC_CHANGED } from '../integrations/store.ts'
import type { MetricsClient, QueryResult } from '../platforms/ask.ts'
import type { ValueRow } from '../tables.ts'
import { eraseDeleted, keepPartitions } from './batches.ts'
import { MetricResults } from './results.ts'
import { type ScheduledMetric, ScheduledMetrics } from './scheduled-metrics.ts'

/** Maximum concurrent polls; a query costs more than a check and runs less often. */
const MAX_IN_FLIGHT = 64
const MAX_PER_INTEGRATION = 4
const MAX_HANGING = 512
const MAX_HANGING_PER_INTEGRATION = 8
const HANGS_AFTER_MS = 1000
/** Interval between attempts to admit queued polls. */
const ADMIT_MS = 250
const FLUSH_MS = 1000
/** Maximum wait for polls in flight when the replica stops. */
const DRAIN_MS = 5000
const DRAIN_POLL_MS = 20
/**
 * Share of the hand-over time spent on polls in flight; the next holder would repeat them
 * otherwise.
 */
const LAND_SHARE = 0.8
const COMPARE_MS = 30_000
const ERASE_MS = 60_000
const PARTITIONS_MS = 3_600_000

export type PollSkipReason = 'fenced' | 'busy' | 'dropped' | 'broken' | 'rate_limited'

export interface PollerOptions {
  database: Database
  asker: MetricsClient
  sealer: Sealer
  logger: Logger
  valueRetentionDays: number
  onStored: (row: ValueRow, kind: ScheduledMetric['kind']) => void
  onSkipped: (reason: PollSkipReason, count: number) => void
  /** Reports the time from the due time of a poll to its start. */
  onLag: (seconds: number) => void
  replicaId?: string
  /** Clock of slots in tests; leases use the database's clock. */
  clock?: Clock
  leases?: Pick<ShardsOptions, 'ttlMs' | 'renewMs' | 'marginMs' | 'handOverMs'>
}

export class Poller {
  readonly shards: Shards
  readonly works: Job[]
  readonly #options: PollerOptions
  readonly #admission = new Admission<ScheduledMetric>({
    maxInFlight: MAX_IN_FLIGHT,
    maxPerHost: MAX_PER_INTEGRATION,
    maxHanging: MAX_HANGING,
    maxHangingPerHost: MAX_HANGING_PER_INTEGRATION,
    hangsAfterMs: HANGS_AFTER_MS,
  })
  /** Earliest time of the next query by integration, after a Retry-After of its platform. */
  readonly #resting = new Map<string, number>()
  readonly #wheel
  readonly #roster: ScheduledMetrics
  readonly #results: MetricResults
  readonly #flushes
  #admitTimer: NodeJS.Timeout | null = null
  #isAdmitting = false
  #listening: { close(): Promise<void> } | null = null
  #stopping = false

  constructor(options: PollerOptions) {
    const { database, logger, clock, onStored } = options
    this.#options = options
    this.shards = this.#leaseShards()
    const { now } = this.shards
    this.#wheel = createWheel({ now, after: clock?.after ?? systemClock.after })
    this.#roster = new ScheduledMetrics({
      database,
      logger,
      wheel: this.#wheel,
      shards: this.shards,
      fire: (metric) => this.#fire(metric),
    })
    this.#results = new MetricResults({
      database,
      logger,
      onStored,
      get: (id) => this.#roster.get(id),
      onDropped: (count) => options.onSkipped('dropped', count),
      createPartitions: () => keepPartitions(database, options.valueRetentionDays),
    })
    this.#flushes = createLoop({
      intervalMs: FLUSH_MS,
      run: () => this.#results.flush(),
      onError: (error) => logger.warn({ err: error }, 'failed to store metric values, will retry'),
    })
    this.works = this.#housekeeping()
  }

  async start(): Promise<void> {
    this.#listening = await this.#options.database.listen(
      METRIC_CHANGED,
      (id) => this.#roster.refresh(id),
      { onListening: () => void this.#roster.compare().catch(() => undefined) },
    )
    await this.#flushes.start()
    await this.shards.start()
    await this.#roster.settled()
  }

  /** Finishes polls in flight, stores their values and releases the shards. */
  async stop(): Promise<void> {
    this.#stopping = true
    this.#wheel.stop()
    if (this.#admitTimer !== null) clearTimeout(this.#admitTimer)
    await this.#listening?.close().catch(() => undefined)
    await endOf(() => this.#admission.inFlight > 0, DRAIN_MS)
    await this.#flushes.stop()
    await this.#results.flush().catch((error) => {
      const lost = this.#results.buffered
      this.#options.logger.error({ err: error, lost }, 'failed to store the last metric values')
    })
    await this.shards.stop()
    await this.#roster.stop()
  }

  /** Stores all buffered values. */
  flush(): Promise<void> {
    return this.#results.flush()
  }

  figures() {
    const { inFlight, hanging, waiting } = this.#admission
    const [metrics, shards] = [this.#roster.size, this.shards.held().length]
    return { inFlight, hanging, waiting, buffered: this.#results.buffered, metrics, shards }
  }

  #leaseShards(): Shards {
    const { database, logger, clock, replicaId = randomUUID(), leases = {} } = this.#options
    const { handOverMs = HAND_OVER_MS } = leases
    const shards = createShards({
      database,
      logger,
      replicaId,
      ...leases,
      onAcquired: (acquired) => this.#roster.acquire(acquired.map(({ shard }) => shard)),
      onReleased: async (released) => {
        await endOf(() => this.#roster.isBusy(released), LAND_SHARE * handOverMs)
        await this.#results.flush().catch(() => undefined)
        this.#roster.release(released)
      },
    })
    // Leases use the database's clock; slots use the test clock if there is one.
    return clock === undefined ? shards : { ...shards, now: clock.now }
  }

  /** Handles a due slot. A metric with a poll queued or in flight is skipped. */
  #fire(metric: ScheduledMetric): void {
    const { onSkipped } = this.#options
    if (!this.shards.holds(metric.shard)) onSkipped('fenced', 1)
    else if (metric.isBusy) onSkipped('busy', 1)
    else if (this.#isResting(metric)) onSkipped('rate_limited', 1)
    else {
      metric.isBusy = true
      this.#admission.offer(metric)
      this.#admit()
    }
  }

  #isResting({ integration: { id } }: ScheduledMetric): boolean {
    const until = this.#resting.get(id)
    if (until === undefined) return false
    if (this.shards.now() < until) return true
    this.#resting.delete(id)
    return false
  }

  #admit(): void {
    // A skipped poll completes synchronously; without this guard the recursion would grow with the
    // queue.
    if (this.#isAdmitting) return
    this.#isAdmitting = true
    for (;;) {
      const next = this.#admission.take(performance.now())
      if (next === null) break
      void this.#poll(next)
    }
    this.#isAdmitting = false
    if (this.#admission.waiting === 0 || this.#admitTimer !== null || this.#stopping) return
    this.#admitTimer = setTimeout(() => {
      this.#admitTimer = null
      this.#admit()
    }, ADMIT_MS)
  }

  async #poll(admitted: Admitted<ScheduledMetric>): Promise<void> {
    const metric = admitted.candidate
    const { onSkipped, onLag, logger } = this.#options
    const slotMs = metric.firedSlotMs
    // Copies the metric, so that a change of it does not affect a poll in flight.
    const asked = { ...metric }
    try {
      const isOurs = this.#roster.get(metric.id) === metric && this.shards.holds(metric.shard)
      if (this.#stopping || !isOurs) onSkipped('fenced', 1)
      else {
        const polledAtMs = this.shards.now()
        onLag((polledAtMs - metric.dueMs) / 1000)
        const { value, fault, durationMs } = await this.#ask(asked, polledAtMs)
        this.#results.add(asked, { value, fault, durationMs, polledAtMs }, slotMs)
      }
    } catch (error) {
      onSkipped('broken', 1)
      logger.error({ err: error, metricId: metric.id }, 'metric query failed')
    } finally {
      metric.isBusy = false
      this.#admission.giveBack(admitted)
      if (this.#results.isBatchFull) this.#flushes.wake()
      this.#admit()
    }
  }

  async #ask(metric: ScheduledMetric, nowMs: number): Promise<QueryResult> {
    const { asker, sealer } = this.#options
    const { query, aggregation, intervalSeconds: seconds, integration } = metric
    const answer = await asker.query(openIntegration(sealer, integration), {
      query,
      aggregation,
      seconds,
      nowMs,
    })
    if (answer.retryAfterMs !== null) {
      this.#resting.set(integration.id, this.shards.now() + answer.retryAfterMs)
    }
    return answer
  }

  #housekeeping(): Job[] {
    const { database, valueRetentionDays } = this.#options
    const quietly = (name: string, intervalMs: number, work: () => Promise<void>): Job => ({
      name,
      intervalMs,
      run: async () => {
        await work()
        return 0
      },
    })
    return [
      quietly('compare-metrics', COMPARE_MS, () => this.#roster.compare()),
      { name: 'erase-deleted', intervalMs: ERASE_MS, run: () => eraseDeleted(database) },
      quietly('value-partitions', PARTITIONS_MS, () =>
        keepPartitions(database, valueRetentionDays),
      ),
    ]
  }
}

/** Waits until the condition is false, at most `atMostMs`. */
const endOf = async (isSo: () => boolean, atMostMs: number): Promise<void> => {
  const deadline = performance.now() + atMostMs
  while (isSo() && performance.now() < deadline) {
    await new Promise((resolve) => setTimeout(resolve, DRAIN_POLL_MS))
  }
}
