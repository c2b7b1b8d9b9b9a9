/**
 * Scheduler of checks: leases shards, arms their targets on the timing wheel and runs each slot
 * once on the replica that holds the shard. A slot that cannot be checked counts as no data, never
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
import type { Logger } from 'pino'
import { TARGET_CHANGED } from '../targets/store.ts'
import { keepPartitions } from './batches.ts'
import { housekeeping } from './housekeeping.ts'
import { recordHeartbeat } from './location-heartbeats.ts'
import { NetworkWatch } from './network.ts'
import type { Probe } from './probe.ts'
import { CheckResults, type Stored } from './results.ts'
import { ScheduledTargets } from './scheduled-targets.ts'
import type { CheckTarget } from './target.ts'

/**
 * Maximum concurrent checks. Above 256 each check takes 20 to 30 % more processor time and
 * throughput does not rise.
 */
const MAX_IN_FLIGHT = 256
const MAX_PER_HOST = 4
/** Maximum checks of hanging targets; a waiting socket costs memory, not processor time. */
const MAX_HANGING = 8192
const MAX_HANGING_PER_HOST = 32
const HANGS_AFTER_MS = 1000
/** Interval between attempts to admit queued checks. */
const ADMIT_MS = 250
/** Flush interval of results; a result that changes a derived status is flushed at once. */
const FLUSH_MS = 2000
/** Maximum wait for checks in flight when the replica stops. */
const DRAIN_MS = 5000
const DRAIN_POLL_MS = 20
/**
 * Share of the hand-over time spent on checks in flight; the next holder would repeat them
 * otherwise.
 */
const LAND_SHARE = 0.8

export type CheckSkipReason =
  | 'fenced'
  | 'coalesced'
  | 'in_flight'
  | 'dropped'
  | 'broken'
  | 'network'

export interface SchedulerOptions {
  database: Database
  probe: Probe
  logger: Logger
  location: string
  checkRetentionDays: number
  onStored: Stored
  onSkipped: (reason: CheckSkipReason, count: number) => void
  /** Reports the time from the due time of a check to its start. */
  onLag: (seconds: number) => void
  /** Returns true when a canary target responds; absent without canary targets. */
  askCanaries?: () => Promise<boolean>
  replicaId?: string
  /** Clock of slots in tests; leases use the database's clock. */
  clock?: Clock
  leases?: Pick<ShardsOptions, 'ttlMs' | 'renewMs' | 'marginMs' | 'handOverMs'>
}

export interface Scheduler {
  start(): Promise<void>
  /** Finishes checks in flight, stores their results and releases the shards. */
  stop(): Promise<void>
  /** Stores all buffered results. */
  flush(): Promise<void>
  /**
   * True while the replica has no outgoing network: a check without a response then counts as no
   * data.
   */
  isNetworkLost(): Promise<boolean>
  /**
   * Compares versions and reloads targets whose change notification was lost. Returns their number.
   */
  compare(signal?: AbortSignal): Promise<number>
  /** Jobs that accompany the scheduler. */
  works: Job[]
  figures(): {
    inFlight: number
    hanging: number
    waiting: number
    buffered: number
    targets: number
    shards: number
  }
  shards: Shards
}

export const createScheduler = (options: SchedulerOptions): Scheduler => new CheckScheduler(options)

class CheckScheduler implements Scheduler {
  readonly shards: Shards
  readonly works: Job[]
  readonly #options: SchedulerOptions
  readonly #admission = new Admission<CheckTarget>({
    maxInFlight: MAX_IN_FLIGHT,
    maxPerHost: MAX_PER_HOST,
    maxHanging: MAX_HANGING,
    maxHangingPerHost: MAX_HANGING_PER_HOST,
    hangsAfterMs: HANGS_AFTER_MS,
  })
  #admitTimer: NodeJS.Timeout | null = null
  #isAdmitting = false
  readonly #wheel
  readonly #roster: ScheduledTargets
  readonly #network: NetworkWatch
  readonly #results: CheckResults
  readonly #flushes
  #listening: { close(): Promise<void> } | null = null
  #stopping = false

  constructor(options: SchedulerOptions) {
    const { database, logger, location, clock } = options
    this.#options = options
    this.shards = withClock(this.#leaseShards(), clock)
    const { now } = this.shards
    const probe = options.askCanaries ?? null
    this.#network = new NetworkWatch({ probe, logger, now: () => performance.now() })
    this.#wheel = createWheel({ now, after: clock?.after ?? systemClock.after })
    this.#roster = new ScheduledTargets({
      database,
      logger,
      location,
      wheel: this.#wheel,
      shards: this.shards,
      fire: (target) => this.#fire(target),
    })
    this.#results = new CheckResults({
      database,
      logger,
      location,
      roster: this.#roster,
      shards: this.shards,
      onStored: options.onStored,
      network: this.#network,
      onDropped: (count) => options.onSkipped('dropped', count),
      onLost: (count) => options.onSkipped('network', count),
      keepPartitions: () => keepPartitions(database, options.checkRetentionDays),
    })
    this.#flushes = createLoop({
      intervalMs: FLUSH_MS,
      run: () => this.#results.flush(),
      onError: (error) => logger.warn({ err: error }, 'failed to store check results, will retry'),
    })
    this.works = housekeeping({
      ...options,
      shards: this.shards,
      compare: (signal) => this.compare(signal),
    })
  }

  async start(): Promise<void> {
    const { database, checkRetentionDays, location, logger } = this.#options
    // After a long stop today's partition is missing, and its results would be rejected.
    await keepPartitions(database, checkRetentionDays).catch((error) =>
      logger.warn({ err: error }, 'failed to maintain the partitions of checks'),
    )
    this.#listening = await database.listen(
      TARGET_CHANGED,
      (componentId) => this.#roster.refresh(componentId),
      { onListening: () => void this.#roster.compare().catch(() => undefined) },
    )
    await this.#flushes.start()
    await recordHeartbeat(database, location)
    // Targets arrive load by load; start does not wait for the last of 100,000.
    await this.shards.start()
  }

  async stop(): Promise<void> {
    this.#stopping = true
    this.#wheel.stop()
    if (this.#admitTimer !== null) clearTimeout(this.#admitTimer)
    await this.#listening?.close().catch(() => undefined)
    await endOf(() => this.#admission.inFlight > 0, DRAIN_MS)
    await this.#flushes.stop()
    await this.#results.flush().catch((error) => {
      const lost = this.#results.buffered
      this.#options.logger.error({ err: error, lost }, 'failed to store the last check results')
    })
    await this.shards.stop()
    await this.#roster.stop()
  }

  flush(): Promise<void> {
    return this.#results.flush()
  }

  isNetworkLost(): Promise<boolean> {
    return this.#network.judge()
  }

  compare(signal?: AbortSignal): Promise<number> {
    return this.#roster.compare(signal)
  }

  figures() {
    const { inFlight, hanging, waiting } = this.#admission
    const [targets, shards] = [this.#roster.size, this.shards.held().length]
    return { inFlight, hanging, waiting, buffered: this.#results.buffered, targets, shards }
  }

  #leaseShards(): Shards {
    const { database, logger, location, replicaId = randomUUID(), leases = {} } = this.#options
    const { handOverMs = HAND_OVER_MS } = leases
    return createShards({
      database,
      logger,
      location,
      replicaId,
      ...leases,
      onAcquired: (acquired) => this.#roster.acquire(acquired),
      onReleased: async (shards) => {
        await endOf(() => this.#roster.isBusy(shards), LAND_SHARE * handOverMs)
        await this.#results.flush().catch(() => undefined)
        this.#roster.release(shards)
      },
    })
  }

  /**
   * Handles a due slot. At most one slot per target is queued: the newer one replaces the older.
   */
  #fire(target: CheckTarget): void {
    const { onSkipped } = this.#options
    const slotMs = target.firedSlotMs
    if (!this.shards.holds(target.shard)) onSkipped('fenced', 1)
    else if (target.isInFlight) onSkipped('in_flight', 1)
    else {
      const isWaiting = target.waitingSlotMs !== null
      target.waitingSlotMs = slotMs
      if (isWaiting) onSkipped('coalesced', 1)
      else this.#admission.offer(target)
      this.#admit()
    }
  }

  #admit(): void {
    // A skipped check completes synchronously; without this guard the recursion would grow with the
    // queue.
    if (this.#isAdmitting) return
    this.#isAdmitting = true
    for (;;) {
      const next = this.#admission.take(performance.now())
      if (next === null) break
      void this.#check(next)
    }
    this.#isAdmitting = false
    if (this.#admission.waiting === 0 || this.#admitTimer !== null || this.#stopping) return
    this.#admitTimer = setTimeout(() => {
      this.#admitTimer = null
      this.#admit()
    }, ADMIT_MS)
  }

  async #check(admitted: Admitted<CheckTarget>): Promise<void> {
    const target = admitted.candidate
    const { probe, onSkipped, onLag, logger } = this.#options
    const slotMs = target.waitingSlotMs ?? target.firedSlotMs
    target.waitingSlotMs = null
    target.isInFlight = true
    // Copies the fields, so that a change of the target does not affect a check in flight.
    const { organizationId, componentId, shard, timeoutMs, isUrgent } = target
    const checked = {
      organizationId,
      componentId,
      shard,
      timeoutMs,
      isUrgent,
      host: admitted.host,
    }
    try {
      const isOurs = this.#roster.get(componentId) === target && this.shards.holds(shard)
      if (this.#stopping || !isOurs) onSkipped('fenced', 1)
      else {
        onLag((this.shards.now() - target.dueMs) / 1000)
        const result = await probe(target)
        if (this.#results.add({ target: checked, result, slotMs })) this.#flushes.wake()
      }
    } catch (error) {
      onSkipped('broken', 1)
      logger.error({ err: error, componentId }, 'failed to run a check')
    } finally {
      target.isInFlight = false
      this.#admission.giveBack(admitted)
      this.#admit()
    }
  }
}

/** Waits until the condition is false, at most `atMostMs`. */
const endOf = async (isSo: () => boolean, atMostMs: number): Promise<void> => {
  const deadline = performance.now() + atMostMs
  while (isSo() && performance.now() < deadline) {
    await new Promise((resolve) => setTimeout(resolve, DRAIN_POLL_MS))
  }
}

/** Leases use the database's clock; slots use the test clock if there is one. */
const withClock = (shards: Shards, clock: Clock | undefined): Shards =>
  clock === undefined ? shards : { ...shards, now: clock.now }
