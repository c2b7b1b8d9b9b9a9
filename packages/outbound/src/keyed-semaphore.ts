/** Room at each far end: so many exchanges at once, a bounded queue behind them, first come first served. */

export interface KeyedSemaphore {
  /**
   * Resolves with what gives the place back, or with null: there was none in time, or too many wait for it
   * already.
   */
  take(name: string, waitMs: number): Promise<(() => void) | null>
}

export interface KeyedSemaphoreLimits {
  /** At once, for one name. */
  each: number
  /** Behind them, for one name. */
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
