/**
 * Bounded queue for costly work: limited concurrency, limited waiting; further calls are rejected.
 */
import { unavailable } from '@status-page/contracts'

export interface QueueLimits {
  atOnce: number
  waiting: number
  /** Message of the rejection when the queue is full. */
  refusal: string
}

/** Runs the work when a slot is free; throws `SERVICE_UNAVAILABLE` when the queue is full. */
export type BoundedQueue = <T>(work: () => Promise<T>) => Promise<T>

export const createBoundedQueue = ({ atOnce, waiting, refusal }: QueueLimits): BoundedQueue => {
  let running = 0
  const queue: (() => void)[] = []

  const enter = async () => {
    if (running < atOnce) {
      running++
      return
    }
    if (queue.length >= waiting) throw unavailable(refusal)
    await new Promise<void>((resolve) => queue.push(resolve))
  }
  /** Passes the slot to the longest waiting caller. */
  const leave = () => {
    const next = queue.shift()
    if (next === undefined) running--
    else next()
  }

  return async (work) => {
    await enter()
    try {
      return await work()
    } finally {
      leave()
    }
  }
}
