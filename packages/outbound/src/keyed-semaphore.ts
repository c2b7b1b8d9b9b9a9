/** Keyed semaphore: limits concurrent requests per key, with a bounded FIFO queue for each. */

export interface KeyedSemaphore {
  /**
   * Resolves with a release function, or with null when the wait timed out or the queue is full.
   */
  acquire(key: string, waitMs: number): Promise<(() => void) | null>
}

export interface KeyedSemaphoreLimits {
  /** Maximum concurrent holders per key. */
  each: number
  /** Maximum queue length per key. */
  waiting: number
}

interface Slots {
  used: number
  waiting: Set<() => void>
}

export const createKeyedSemaphore = ({
  each,
  waiting: maxWaiting,
}: KeyedSemaphoreLimits): KeyedSemaphore => {
  const slotsByKey = new Map<string, Slots>()

  const release = (key: string, slots: Slots) => {
    const [next] = slots.waiting
    if (next !== undefined) return next()
    slots.used--
    if (slots.used === 0) slotsByKey.delete(key)
  }

  const wait = (key: string, slots: Slots, waitMs: number) =>
    new Promise<(() => void) | null>((resolve) => {
      const admit = () => {
        slots.waiting.delete(admit)
        clearTimeout(timer)
        resolve(() => release(key, slots))
      }
      const timer = setTimeout(() => {
        slots.waiting.delete(admit)
        resolve(null)
      }, waitMs)
      slots.waiting.add(admit)
    })

  return {
    async acquire(key, waitMs) {
      const slots = slotsByKey.get(key) ?? { used: 0, waiting: new Set() }
      slotsByKey.set(key, slots)
      if (slots.used < each) {
        slots.used++
        return () => release(key, slots)
      }
      return slots.waiting.size >= maxWaiting ? null : wait(key, slots, waitMs)
    },
  }
}
