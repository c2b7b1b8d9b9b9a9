/**
 * Checks by schedule: the shards that this replica leases, their targets on the wheel, each slot
 * checked once by whoever holds it. A slot that cannot be checked is no data, never a failure.
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

/** Above 256 each check costs a fifth to a third more, and nothing gets faster. */
const MAX_IN_FLIGHT = 256
const MAX_PER_HOST = 4
/** A socket that waits costs memory, not processor time. */
const MAX_HANGING = 8192
const MAX_HANGING_PER_HOST = 32
const HANGS_AFTER_MS = 1000
/** How often it is looked whether checks that wait for room may go. */
const ADMIT_MS = 250
/** A result that changes a derived status does not wait for it. */
const FLUSH_MS = 2000
/** How long those in flight are waited for when the replica leaves. */
const DRAIN_MS = 5000
const DRAIN_POLL_MS = 20
/** The same when it hands on shards, of the time for that: who gets them would check again. */
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
  /** From the time that a check was due to its start. */
  onLag: (seconds: number) => void
  /** True if one of the canary targets answers; absent where there are none. */
  askCanaries?: () => Promise<boolean>
  replicaId?: string
  /** Tests: a clock of their own for slots, and leases by another one. */
  clock?: Clock
  leases?: Pick<ShardsOptions, 'ttlMs' | 'renewMs' | 'marginMs' | 'handOverMs'>
}

export interface Scheduler {
  start(): Promise<void>
  /** Finishes what is in flight, stores it, and hands the shards on. */
  stop(): Promise<void>
  /** Stores all results that are there. */
  flush(): Promise<void>
  /** Whether there is no way out: a check without an answer says nothing of its target then. */
  isNetworkLost(): Promise<boolean>
  /** Finds targets that changed without its hearing of it, and reads them again. Gives how many. */
  compare(signal?: AbortSignal): Promise<number>
  /** The housekeeping that goes with it. */
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
    // After a long rest there is no partition for today: its results would be refused.
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
    // Its targets come in one load after the other; nobody waits for the last of a hundred thousand.
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

  /** A slot fell due. Never two slots of one target wait: the newer one stands for both. */
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
    // A check that is not made is over at once, and would go a level deeper for each that waits.
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
    // As it is now: a change of the target must not reach into the check's result.
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

/** Waits until it is no longer so, or for as long as that. */
const endOf = async (isSo: () => boolean, atMostMs: number): Promise<void> => {
  const deadline = performance.now() + atMostMs
  while (isSo() && performance.now() < deadline) {
    await new Promise((resolve) => setTimeout(resolve, DRAIN_POLL_MS))
  }
}

/** Leases go by the database; slots by the test's clock, where there is one. */
const withClock = (shards: Shards, clock: Clock | undefined): Shards =>
  clock === undefined ? shards : { ...shards, now: clock.now }
