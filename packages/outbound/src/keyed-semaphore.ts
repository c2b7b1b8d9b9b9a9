/** Keyed semaphore: limits concurrent requests per key, with a bounded FIFO queue for each. */

export interface KeyedSemaphore {
  /**
   * Resolves with a release function, or with null when the wait timed out or the queue is full.
   */
  take(name: string, waitMs: number): Promise<(() => void) | null>
}

export interface KeyedSemaphoreLimits {
  /** Maximum concurrent holders per key. */
  each: number
  /** Maximum queue length per key. */
  waiting: number
}

interface Room {
  taken: number
  waiting: Set<() => void>
}

export const createKeyedSemaphore = ({
  each,
  waiting: maxWaiting,
}: KeyedSemaphoreLimits): KeyedSemaphore => {
  const rooms = new Map<string, Room>()

  const leave = (name: string, room: Room) => {
    const [next] = room.waiting
    if (next !== undefined) return next()
    room.taken--
    if (room.taken === 0) rooms.delete(name)
  }

  const wait = (name: string, room: Room, waitMs: number) =>
    new Promise<(() => void) | null>((resolve) => {
      const called = () => {
        room.waiting.delete(called)
        clearTimeout(timer)
        resolve(() => leave(name, room))
      }
      const timer = setTimeout(() => {
        room.waiting.delete(called)
        resolve(null)
      }, waitMs)
      room.waiting.add(called)
    })

  return {
    async take(name, waitMs) {
      const room = rooms.get(name) ?? { taken: 0, waiting: new Set() }
      rooms.set(name, room)
      if (room.taken < each) {
        room.taken++
        return () => leave(name, room)
      }
      return room.waiting.size >= maxWaiting ? null : wait(name, room, waitMs)
    },
  }
}
