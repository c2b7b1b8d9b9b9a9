/**
 * Checks as recurring work: the limits of concurrent checks, and what one slot of a target does. A
 * slot that cannot be checked counts as no data, never as a failure.
 */

import type { HostSlot } from '@status-page/concurrency'
import type { Database, Job } from '@status-page/postgres'
import { isLoss, type RunProbe } from '@status-page/probes'
import { Scheduler, type SchedulerDeps, type Shards, type SkipReason } from '@status-page/schedule'
import { TARGET_CHANGED_CHANNEL } from '../targets/store.ts'
import type { CheckTarget, LoadedTarget } from '../targets/target.ts'
import { recordHeartbeat } from '../verdicts/location-heartbeats.ts'
import { housekeeping, keepPartitions } from './housekeeping.ts'
import { NetworkWatch } from './network.ts'
import { type CheckFinding, CheckResults, type Stored } from './record/results.ts'
import { scheduledTargets } from './scheduled-targets.ts'

/**
 * Maximum concurrent checks. Above 256 each check takes 20 to 30 % more processor time and
 * throughput does not rise. `maxSlow`: a waiting socket costs memory, not processor time.
 */
const LIMITS = {
  maxInFlight: 256,
  maxPerHost: 4,
  maxSlow: 8192,
  maxSlowPerHost: 32,
  slowAfterMs: 1000,
}
/** Flush interval of results; a result that changes a derived status is flushed at once. */
const FLUSH_MS = 2000
const BATCH_ROWS = 1000
/** Maximum buffered results while Postgres is unavailable; the oldest are dropped beyond it. */
const MAX_BUFFERED = 100_000

/** `network`: the monitor has lost its own network. */
export type CheckSkipReason = SkipReason | 'network'

export interface CheckSchedulerOptions extends SchedulerDeps {
  database: Database
  runProbe: RunProbe
  location: string
  /** Whether this replica can send ICMP echo requests. */
  canPing: () => Promise<boolean>
  checkRetentionDays: number
  onStored: Stored
  onSkipped: (reason: CheckSkipReason, count: number) => void
  /** Returns true when a canary target responds; absent without canary targets. */
  probeCanaries?: () => Promise<boolean>
}

export class CheckScheduler {
  readonly shards: Shards
  /** Jobs that accompany the scheduler. */
  readonly jobs: Job[]
  readonly #options: CheckSchedulerOptions
  readonly #scheduler: Scheduler<LoadedTarget, CheckTarget, CheckFinding>
  readonly #network: NetworkWatch
  readonly #results: CheckResults

  constructor(options: CheckSchedulerOptions) {
    const { logger, probeCanaries: probe = null } = options
    this.#options = options
    this.#network = new NetworkWatch({ probe, logger, now: () => performance.now() })
    this.#scheduler = this.#schedule()
    const { items, shards } = this.#scheduler
    this.shards = shards
    this.#results = new CheckResults({ ...options, items, shards })
    this.jobs = housekeeping({
      ...options,
      shards,
      compare: (signal) => this.compare(signal),
    })
  }

  async start(): Promise<void> {
    const { database, checkRetentionDays, logger } = this.#options
    // After a long stop today's partition is missing, and its results would be rejected.
    await keepPartitions(database, checkRetentionDays).catch((error) =>
      logger.warn({ err: error }, 'failed to maintain the partitions of checks'),
    )
    await recordHeartbeat(database, this.#options)
    // Targets arrive load by load; start does not wait for the last of 100,000.
    await this.#scheduler.start()
  }

  /** Finishes checks in flight, stores their results and releases the shards. */
  stop(): Promise<void> {
    return this.#scheduler.stop()
  }

  /** Stores all buffered results. */
  flush(): Promise<void> {
    return this.#scheduler.flush()
  }

  /**
   * True while the replica has no outgoing network: a check without a response then counts as no
   * data.
   */
  isNetworkLost(): Promise<boolean> {
    return this.#network.detectLoss()
  }

  /**
   * Compares versions and reloads targets whose change notification was lost. Returns their number.
   */
  compare(signal?: AbortSignal): Promise<number> {
    return this.#scheduler.items.compare(signal)
  }

  gauges() {
    const { items: targets, ...rest } = this.#scheduler.gauges()
    return { ...rest, targets }
  }

  #schedule() {
    const { database, location, logger, checkRetentionDays, onSkipped } = this.#options
    return new Scheduler<LoadedTarget, CheckTarget, CheckFinding>({
      ...this.#options,
      changeChannel: TARGET_CHANGED_CHANNEL,
      source: scheduledTargets(database, location),
      limits: LIMITS,
      run: (taken, slotMs) => this.#check(taken, slotMs),
      onFailed: ({ componentId }, err) =>
        logger.error({ err, componentId }, 'failed to run a check'),
      results: {
        name: 'check results',
        flushMs: FLUSH_MS,
        batchSize: BATCH_ROWS,
        maxBuffered: MAX_BUFFERED,
        groupOf: ({ target }) => target.organizationId,
        isUrgent: (finding) => this.#results.changesStatus(finding),
        beforeFlush: async (buffer) => {
          if (!(await this.#network.detectLoss())) return
          const lost = buffer.remove(({ result }) => isLoss(result))
          if (lost > 0) onSkipped('network', lost)
        },
        store: (findings, stored) => this.#results.store(findings, stored),
        createPartitions: () => keepPartitions(database, checkRetentionDays),
        onRefused: ({ target: { componentId } }, err) =>
          logger.error({ err, componentId }, 'check result was rejected'),
      },
    })
  }

  async #check(
    { item, host }: HostSlot<CheckTarget>,
    slotMs: number,
  ): Promise<CheckFinding | null> {
    // Copies the fields, so that a change of the target does not affect a check in flight.
    const { organizationId, componentId, shard, timeoutMs, isUrgent } = item
    const target = { organizationId, componentId, shard, timeoutMs, isUrgent }
    const result = await this.#options.runProbe(item)
    if (result === null) return null
    this.#network.record({ host, wasHealthy: !isUrgent, result })
    return { target, result, slotMs }
  }
}
