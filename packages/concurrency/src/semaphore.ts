/**
 * Semaphore with limits in total and per key. Callers of a key are served in order, and keys take
 * turns. It is own code because `p-queue` limits neither the waiting callers nor their time, and has
 * no keys.
 */
import { unavailable } from '@status-page/contracts'
import { KeyedCounts } from './keyed-counts.ts'

export interface SemaphoreOptions {
  slots?: number
  slotsPerKey?: number
  /** Maximum waiting callers. */
  maxWaiting?: number
  maxWaitingPerKey?: number
  /** Maximum time to wait for a slot. */
  waitMs?: number
  /** Message of the 503 of `run` when a queue is full or the wait timed out. */
  rejectionMessage?: string
}

type Release = () => void

export class Semaphore {
  readonly #options
  readonly #heldByKey = new KeyedCounts()
  /** Waiting callers by key, in the order of turns; no queue is empty. */
  readonly #queues = new Map<string, Set<() => void>>()
  #held = 0
  #waiting = 0

  constructor(options: SemaphoreOptions) {
    this.#options = {
      slots: Number.POSITIVE_INFINITY,
      slotsPerKey: Number.POSITIVE_INFINITY,
      maxWaiting: Number.POSITIVE_INFINITY,
      maxWaitingPerKey: Number.POSITIVE_INFINITY,
      rejectionMessage: 'Too many concurrent requests',
      ...options,
    }
  }

  /** Runs the work in a slot; throws 503 when a queue is full or the wait timed out. */
  async run<Result>(work: () => Promise<Result>, key = ''): Promise<Result> {
    const release = await this.acquire(key)
    if (release === null) throw unavailable(this.#options.rejectionMessage)
    try {
      return await work()
    } finally {
      release()
    }
  }

  /** Resolves with the release of a slot; null when a queue is full or the wait timed out. */
  async acquire(key = ''): Promise<Release | null> {
    if (this.#hasSlot(key)) return this.#take(key)
    const { maxWaiting, maxWaitingPerKey } = this.#options
    const waitingWithKey = this.#queues.get(key)?.size ?? 0
    if (this.#waiting >= maxWaiting || waitingWithKey >= maxWaitingPerKey) return null
    return this.#wait(key)
  }

  #hasSlot(key: string): boolean {
    const { slots, slotsPerKey } = this.#options
    return this.#held < slots && this.#heldByKey.of(key) < slotsPerKey
  }

  #take(key: string): Release {
    this.#held++
    this.#heldByKey.add(key, 1)
    return () => this.#release(key)
  }

  #wait(key: string): Promise<Release | null> {
    const { promise, resolve } = Promise.withResolvers<Release | null>()
    const queue = this.#queues.get(key) ?? new Set()
    const leave = () => {
      clearTimeout(timer)
      queue.delete(start)
      this.#waiting--
      if (queue.size === 0) this.#queues.delete(key)
    }
    const start = () => {
      leave()
      resolve(this.#take(key))
    }
    const { waitMs } = this.#options
    const onTimeout = () => {
      leave()
      resolve(null)
    }
    const timer = waitMs === undefined ? undefined : setTimeout(onTimeout, waitMs)
    this.#queues.set(key, queue.add(start))
    this.#waiting++
    return promise
  }

  /** Passes the slot to the next caller; the key moves behind all other keys. */
  #release(key: string): void {
    const wasFull = this.#held >= this.#options.slots
    this.#held--
    this.#heldByKey.add(key, -1)
    const queue = this.#queues.get(key)
    if (queue !== undefined) {
      this.#queues.delete(key)
      this.#queues.set(key, queue)
    }
    // Before, callers of other keys waited only when all slots were held.
    for (const next of wasFull ? this.#queues.keys() : [key]) {
      const [start] = this.#queues.get(next) ?? []
      if (start === undefined || !this.#hasSlot(next)) continue
      start()
      return
    }
  }
}
