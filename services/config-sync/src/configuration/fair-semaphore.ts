/** Semaphore for costly work, fair between owners: one run per owner, and owners are served round robin. */
import { unavailable } from '@status-page/contracts'

export interface FairSemaphoreLimits {
  maxRunning: number
  maxWaitingPerOwner: number
  maxWaiting: number
  /** Maximum time to wait for a slot. */
  waitTimeoutMs: number
  /** Message of the 503 when a queue is full or the wait timed out. */
  rejectionMessage: string
}

export type FairSemaphore = <Result>(owner: string, work: () => Promise<Result>) => Promise<Result>

export const createFairSemaphore = (limits: FairSemaphoreLimits): FairSemaphore => {
  const { maxRunning, maxWaitingPerOwner, maxWaiting, waitTimeoutMs, rejectionMessage } = limits
  const running = new Set<string>()
  const queues = new OwnerQueues()

  const startWaiting = () => {
    for (const owner of queues.owners()) {
      if (running.size >= maxRunning) return
      if (running.has(owner)) continue
      running.add(owner)
      queues.takeFirst(owner)?.()
    }
  }

  const acquire = (owner: string): Promise<void> => {
    if (queues.sizeOf(owner) >= maxWaitingPerOwner || queues.size >= maxWaiting) {
      throw unavailable(rejectionMessage)
    }
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const start = () => {
      clearTimeout(timer)
      resolve()
    }
    const timer = setTimeout(() => {
      queues.remove(owner, start)
      reject(unavailable(rejectionMessage))
    }, waitTimeoutMs)
    queues.add(owner, start)
    startWaiting()
    return promise
  }

  const release = (owner: string) => {
    running.delete(owner)
    queues.moveToEnd(owner)
    startWaiting()
  }

  return async (owner, work) => {
    await acquire(owner)
    try {
      return await work()
    } finally {
      release(owner)
    }
  }
}

type Start = () => void

/** Waiting callbacks by owner. The order of owners is the order of service; no queue is empty. */
class OwnerQueues {
  readonly #queues = new Map<string, readonly Start[]>()
  #size = 0

  get size(): number {
    return this.#size
  }

  sizeOf(owner: string): number {
    return this.#queues.get(owner)?.length ?? 0
  }

  owners(): Iterable<string> {
    return this.#queues.keys()
  }

  add(owner: string, start: Start): void {
    this.#queues.set(owner, [...(this.#queues.get(owner) ?? []), start])
    this.#size++
  }

  takeFirst(owner: string): Start | undefined {
    const first = this.#queues.get(owner)?.[0]
    if (first !== undefined) this.remove(owner, first)
    return first
  }

  /** Removes a callback that is in the queue of the owner. */
  remove(owner: string, start: Start): void {
    const others = (this.#queues.get(owner) ?? []).filter((other) => other !== start)
    if (others.length > 0) this.#queues.set(owner, others)
    else this.#queues.delete(owner)
    this.#size--
  }

  moveToEnd(owner: string): void {
    const queue = this.#queues.get(owner)
    this.#queues.delete(owner)
    if (queue !== undefined) this.#queues.set(owner, queue)
  }
}
