/**
 * Scheduler of recurring work: leases shards, arms their items on the timing wheel and runs each
 * slot once on the replica that holds the shard. A slot that cannot be run counts as no data, never
 * as a failure.
 */
import { randomUUID } from 'node:crypto'
import { type HostQueueLimits, HostQueues, type HostSlot } from '@status-page/concurrency'
import type { Logger } from 'pino'
import { type Clock, systemClock } from './clock.ts'
import { createLoop, type Loop } from './loop.ts'
import { ResultBuffer, type ResultBufferOptions } from './result-buffer.ts'
import type { LoadedItem, ScheduledItem } from './scheduled-item.ts'
import { type ItemSource, ScheduledItems } from './scheduled-items.ts'
import { createShards, HAND_OVER_MS, type Shards, type ShardsOptions } from './shards.ts'
import { createWheel, type Wheel } from './wheel.ts'

/** Interval between attempts to admit queued items. */
const ADMIT_MS = 250
/** Maximum wait for items in flight when the replica stops. */
const DRAIN_MS = 5000
const DRAIN_POLL_MS = 20
/**
 * Share of the hand-over time spent on items in flight; the next holder would repeat them
 * otherwise.
 */
const LAND_SHARE = 0.8

/**
 * Reason for a slot without a result. `lease_lost`: the replica lost the shard. `coalesced`: a newer
 * slot took its place in the queue. `in_flight`: the previous slot still runs. `dropped`: the result
 * could not be stored. `error`: an internal error.
 */
export type SkipReason = 'lease_lost' | 'coalesced' | 'in_flight' | 'dropped' | 'error'

/** Options that a service passes on. */
export interface SchedulerDeps {
  database: ShardsOptions['database']
  logger: Logger
  location?: string
  /** Reports the time from the due time of a slot to its start. */
  onLag: (seconds: number) => void
  replicaId?: string
  /** Clock of slots in tests; leases use the database's clock. */
  clock?: Clock
  leases?: Pick<ShardsOptions, 'ttlMs' | 'renewMs' | 'marginMs' | 'handOverMs'>
}

export interface SchedulerResults<Result> extends Omit<ResultBufferOptions<Result>, 'onDropped'> {
  /** Plural noun for log messages. */
  name: string
  flushMs: number
  /** Whether the result is stored at once and not with the next flush. */
  isUrgent(result: Result): boolean
}

export interface SchedulerOptions<
  Loaded extends LoadedItem,
  Item extends ScheduledItem<Loaded>,
  Result,
> extends SchedulerDeps {
  /** Postgres channel that is notified with the id of a changed item. */
  changeChannel: string
  source: ItemSource<Loaded, Item>
  limits: HostQueueLimits
  results: SchedulerResults<Result>
  /** Runs a slot; null without a result. A reload may update the item at the same time. */
  run(taken: HostSlot<Item>, slotMs: number): Promise<Result | null>
  /** Receives an internal error of `run`, for the log. */
  onFailed(item: Item, error: unknown): void
  onSkipped(reason: SkipReason, count: number): void
}

export class Scheduler<Loaded extends LoadedItem, Item extends ScheduledItem<Loaded>, Result> {
  readonly shards: Shards
  readonly items: ScheduledItems<Loaded, Item>
  readonly #options: SchedulerOptions<Loaded, Item, Result>
  readonly #queues: HostQueues<Item>
  readonly #buffer: ResultBuffer<Result>
  readonly #wheel: Wheel
  readonly #flushes: Loop
  #admitTimer: NodeJS.Timeout | null = null
  #isAdmitting = false
  #listening: { close(): Promise<void> } | null = null
  #stopped: Promise<void> | null = null

  constructor(options: SchedulerOptions<Loaded, Item, Result>) {
    const { source, logger, limits, results, clock } = options
    this.#options = options
    this.#queues = new HostQueues<Item>({
      ...limits,
      groupOf: (item) => item.organizationId,
      isUrgent: (item) => item.isUrgent,
    })
    this.shards = withClock(this.#leaseShards(), clock)
    const { now } = this.shards
    this.#wheel = createWheel({ now, after: clock?.after ?? systemClock.after })
    this.items = new ScheduledItems({
      source,
      logger,
      wheel: this.#wheel,
      shards: this.shards,
      fire: (item) => this.#fire(item),
    })
    this.#buffer = new ResultBuffer({
      ...results,
      onDropped: (count) => options.onSkipped('dropped', count),
    })
    this.#flushes = createLoop({
      intervalMs: results.flushMs,
      run: async () => {
        await this.#buffer.flush()
        return null
      },
      onError: (err) => logger.warn({ err }, `failed to store ${results.name}, will retry`),
    })
  }

  /** Starts without waiting until all items are loaded. */
  async start(): Promise<void> {
    const { database, changeChannel } = this.#options
    this.#listening = await database.listen(changeChannel, (id) => this.items.refresh(id), {
      onListening: () => void this.items.compare().catch(() => undefined),
    })
    await this.#flushes.start()
    await this.shards.start()
  }

  /** Finishes items in flight, stores their results and releases the shards. */
  stop(): Promise<void> {
    this.#stopped ??= this.#stop()
    return this.#stopped
  }

  async #stop(): Promise<void> {
    const { logger, results } = this.#options
    this.#wheel.stop()
    if (this.#admitTimer !== null) clearTimeout(this.#admitTimer)
    await this.#listening?.close().catch(() => undefined)
    await endOf(() => this.#queues.active + this.#queues.slow > 0, DRAIN_MS)
    await this.#flushes.stop()
    await this.flush().catch((err) =>
      logger.error({ err, lost: this.#buffer.size }, `failed to store the last ${results.name}`),
    )
    await this.shards.stop()
    await this.items.stop()
  }

  /** Stores all buffered results. */
  flush(): Promise<void> {
    return this.#buffer.flush()
  }

  /** Numbers of runs by state, buffered results, items and held shards. */
  gauges() {
    const { active, slow: hanging, waiting } = this.#queues
    const [items, shards] = [this.items.size, this.shards.held().length]
    return {
      inFlight: active + hanging,
      hanging,
      waiting,
      buffered: this.#buffer.size,
      items,
      shards,
    }
  }

  #leaseShards(): Shards {
    const { database, logger, location, replicaId = randomUUID(), leases = {} } = this.#options
    const { handOverMs = HAND_OVER_MS } = leases
    return createShards({
      database,
      logger,
      replicaId,
      ...(location === undefined ? {} : { location }),
      ...leases,
      onAcquired: (acquired) => this.items.acquire(acquired),
      onReleased: async (released) => {
        await endOf(() => this.items.isBusy(released), LAND_SHARE * handOverMs)
        await this.flush().catch(() => undefined)
        this.items.release(released)
      },
    })
  }

  /** Handles a due slot. At most one slot per item is queued: the newer one replaces the older. */
  #fire(item: Item): void {
    const { onSkipped } = this.#options
    if (!this.shards.holds(item.shard)) onSkipped('lease_lost', 1)
    else if (item.isInFlight) onSkipped('in_flight', 1)
    else {
      const isWaiting = item.waitingSlotMs !== null
      item.waitingSlotMs = item.firedSlotMs
      if (isWaiting) onSkipped('coalesced', 1)
      else this.#queues.enqueue(item, performance.now())
      this.#admit()
    }
  }

  #admit(): void {
    // A skipped slot completes synchronously; without this guard the recursion would grow with the
    // queue.
    if (this.#isAdmitting) return
    this.#isAdmitting = true
    for (;;) {
      const next = this.#queues.takeNext(performance.now())
      if (next === null) break
      void this.#run(next)
    }
    this.#isAdmitting = false
    if (this.#queues.waiting === 0 || this.#admitTimer !== null || this.#stopped !== null) return
    this.#admitTimer = setTimeout(() => {
      this.#admitTimer = null
      this.#admit()
    }, ADMIT_MS)
  }

  async #run(taken: HostSlot<Item>): Promise<void> {
    const { item } = taken
    const { run, onSkipped, onLag, onFailed } = this.#options
    const slotMs = item.waitingSlotMs ?? item.firedSlotMs
    item.waitingSlotMs = null
    item.isInFlight = true
    try {
      const isOurs = this.items.get(item.id) === item && this.shards.holds(item.shard)
      if (this.#stopped !== null || !isOurs) onSkipped('lease_lost', 1)
      else {
        onLag((this.shards.now() - item.dueMs) / 1000)
        const result = await run(taken, slotMs)
        if (result !== null) this.#add(result)
      }
    } catch (error) {
      onSkipped('error', 1)
      onFailed(item, error)
    } finally {
      item.isInFlight = false
      this.#queues.release(taken)
      this.#admit()
    }
  }

  #add(result: Result): void {
    this.#buffer.add(result)
    const isUrgent = this.#buffer.isBatchFull || this.#options.results.isUrgent(result)
    if (isUrgent) this.#flushes.wake()
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
