/**
 * Semaphore over the pool's connections with a bounded wait, so that slow queries make others fail
 * fast.
 */
import { unavailable } from '@status-page/contracts'

export interface Semaphore {
  run<T>(work: () => Promise<T>): Promise<T>
}

export const createSemaphore = (slots: number, waitMs: number): Semaphore => {
  let free = slots
  const waiting = new Set<() => void>()

  const acquire = async () => {
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
  const release = () => {
    const [next] = waiting
    if (next === undefined) free++
    else next()
  }

  return {
    async run(work) {
      await acquire()
      try {
        return await work()
      } finally {
        release()
      }
    },
  }
}
