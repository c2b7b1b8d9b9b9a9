/**
 * Buffer of results for Postgres: stored in batches, in order of arrival. A batch that Postgres
 * rejects is halved until the single invalid result is dropped; a group (an organization) that
 * fails for another reason waits for the next flush and delays no other.
 */
import { databaseErrorOf, isConnectionFault } from '@status-page/postgres'
import { isRefused, isWithoutPartition } from './refusals.ts'

export interface ResultBufferOptions<Entry> {
  /** Maximum number of entries of one call of `store`. */
  batchSize: number
  /** Maximum number of entries that wait; beyond it the oldest are dropped. */
  maxBuffered: number
  /** Entries of one group are stored in their order, also after a failure. */
  groupOf(entry: Entry): string
  /** Runs before each flush and may remove entries. */
  beforeFlush?(buffer: Pick<ResultBuffer<Entry>, 'remove'>): Promise<void>
  /** Stores all entries, or throws; calls `stored` for each stored one, also before it throws. */
  store(entries: readonly Entry[], stored: (entry: Entry) => void): Promise<void>
  /** Creates missing partitions; called at most once per flush. */
  createPartitions(): Promise<unknown>
  /** Number of lost entries, because they were rejected or the buffer was full. */
  onDropped(count: number): void
  /** Receives the entry that Postgres rejected, for the log. */
  onRefused(entry: Entry, error: unknown): void
}

/** State of one flush. */
interface Flush<Entry> {
  /** Entries of the start of the flush that are not processed yet. */
  left: number
  size: number
  havePartitions: boolean
  /** Entries of failed groups, oldest first. */
  deferred: Entry[]
  failedGroups: Set<string>
  failure: { error: unknown } | null
}

export class ResultBuffer<Entry> {
  readonly #options: ResultBufferOptions<Entry>
  #entries: Entry[] = []
  /** Number of dropped entries at the start of `#entries`, which are removed in batches. */
  #dropped = 0
  #flushing: Promise<void> = Promise.resolve()

  constructor(options: ResultBufferOptions<Entry>) {
    this.#options = options
  }

  get size(): number {
    return this.#entries.length - this.#dropped
  }

  get isBatchFull(): boolean {
    return this.size >= this.#options.batchSize
  }

  add(entry: Entry): void {
    this.#entries.push(entry)
    this.#dropSurplus()
  }

  /** Removes the entries for which `isRemoved` holds; returns their number. */
  remove(isRemoved: (entry: Entry) => boolean): number {
    this.#removeDropped()
    const before = this.#entries.length
    this.#entries = this.#entries.filter((entry) => !isRemoved(entry))
    return before - this.#entries.length
  }

  /** Stores all entries; failed ones stay. Throws the first failure. */
  flush(): Promise<void> {
    this.#flushing = this.#flushing.catch(() => undefined).then(() => this.#flushAll())
    return this.#flushing
  }

  async #flushAll(): Promise<void> {
    await this.#options.beforeFlush?.(this)
    const flush: Flush<Entry> = {
      left: this.size,
      size: this.#options.batchSize,
      havePartitions: false,
      deferred: [],
      failedGroups: new Set(),
      failure: null,
    }
    try {
      while (flush.left > 0 && this.size > 0) await this.#storeNext(flush)
    } finally {
      this.#removeDropped()
      if (flush.deferred.length > 0) this.#entries = flush.deferred.concat(this.#entries)
      this.#dropSurplus()
    }
    if (flush.failure !== null) throw flush.failure.error
  }

  async #storeNext(flush: Flush<Entry>): Promise<void> {
    const { groupOf, store, createPartitions, batchSize } = this.#options
    this.#removeDropped()
    const taken = this.#entries.splice(0, Math.min(flush.size, flush.left))
    const rest = new Set(taken.filter((entry) => !flush.failedGroups.has(groupOf(entry))))
    flush.deferred.push(...taken.filter((entry) => !rest.has(entry)))
    flush.left -= taken.length
    if (rest.size === 0) return
    try {
      await store([...rest], (entry) => void rest.delete(entry))
      flush.size = Math.min(batchSize, 2 * flush.size)
    } catch (error) {
      if (!isRefused(error)) this.#defer(flush, rest, error)
      else if (isWithoutPartition(error) && !flush.havePartitions) {
        this.#putBack(flush, rest)
        await createPartitions()
        flush.havePartitions = true
      } else this.#divide(flush, rest, error)
    }
  }

  /** Leaves the failed groups for the next flush; throws when the connection is lost. */
  #defer(flush: Flush<Entry>, rest: ReadonlySet<Entry>, error: unknown): void {
    if (isConnectionFault(databaseErrorOf(error) ?? error)) {
      this.#putBack(flush, rest)
      throw error
    }
    flush.failure ??= { error }
    for (const entry of rest) flush.failedGroups.add(this.#options.groupOf(entry))
    flush.deferred.push(...rest)
  }

  /** Halves the rest of a rejected batch; drops a single entry. */
  #divide(flush: Flush<Entry>, rest: ReadonlySet<Entry>, error: unknown): void {
    const [first] = rest
    if (rest.size === 1 && first !== undefined) {
      this.#options.onRefused(first, error)
      this.#options.onDropped(1)
      return
    }
    this.#putBack(flush, rest)
    flush.size = Math.max(1, Math.ceil(rest.size / 2))
  }

  #putBack(flush: Flush<Entry>, rest: ReadonlySet<Entry>): void {
    this.#removeDropped()
    this.#entries.unshift(...rest)
    flush.left += rest.size
  }

  /** Removing each dropped entry on its own would move all others: 11 µs with 100,000 entries. */
  #dropSurplus(): void {
    const surplus = this.size - this.#options.maxBuffered
    if (surplus <= 0) return
    this.#dropped += surplus
    if (this.#dropped >= this.#options.batchSize) this.#removeDropped()
    this.#options.onDropped(surplus)
  }

  #removeDropped(): void {
    this.#entries.splice(0, this.#dropped)
    this.#dropped = 0
  }
}
