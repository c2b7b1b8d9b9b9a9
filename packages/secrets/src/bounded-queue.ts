/** Costly work, few at once: some wait for their turn, the others are told to come back. */
import { unavailable } from '@status-page/contracts'

export interface QueueLimits {
  atOnce: number
  waiting: number
  /** What whoever finds the queue full is told. */
  refusal: string
}

/** Runs the work when a place is free; throws `SERVICE_UNAVAILABLE` when the queue is full. */
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
  /** The place goes straight to who waits longest. */
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
