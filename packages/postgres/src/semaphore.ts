/**
 * Semaphore over the pool's connections with a bounded wait, so that slow queries make others fail
 * fast.
 */
import { unavailable } from '@status-page/contracts'

export interface Semaphore {
  run<T>(work: () => Promise<T>): Promise<T>
}

export const createSemaphore = (places: number, waitMs: number): Semaphore => {
  let free = places
  const waiting = new Set<() => void>()

  const enter = async () => {
    if (free > 0) {
      free--
      return
    }
    await new Promise<void>((resolve, reject) => {
      const admit = () => {
        clearTimeout(timer)
        waiting.delete(admit)
        resolve()
      }
      const timer = setTimeout(() => {
        waiting.delete(admit)
        reject(unavailable('The database is busy'))
      }, waitMs)
      waiting.add(admit)
    })
  }

  /** Passes the slot to the longest waiting caller. */
  const leave = () => {
    const [next] = waiting
    if (next === undefined) free++
    else next()
  }

  return {
    async run(work) {
      await enter()
      try {
        return await work()
      } finally {
        leave()
      }
    },
  }
}
