/**
 * Database time between two queries: the last response, advanced by the monotonic clock, so that
 * all replicas agree on the due time whatever their own clocks show.
 */

/** Maximum drift of a monotonic clock from the database's: 1 ms per second. */
const DRIFT = 0.001

export interface DatabaseClock {
  /** Epoch milliseconds. */
  now(): number
  /** Records a database time with the monotonic times of its request and response. */
  observe(databaseMs: number, sentAt: number, receivedAt: number): void
}

/** Creates a clock that uses the machine's time until the first response. */
export const createDatabaseClock = (
  monotonicNow: () => number,
  systemNow: () => number = Date.now,
): DatabaseClock => {
  let offset = systemNow() - monotonicNow()
  let errorMs = Number.POSITIVE_INFINITY
  let observedAt = monotonicNow()

  return {
    now: () => monotonicNow() + offset,
    observe(databaseMs, sentAt, receivedAt) {
      const seenOffset = databaseMs - (sentAt + receivedAt) / 2
      const seenErrorMs = (receivedAt - sentAt) / 2
      const agedErrorMs = errorMs + (receivedAt - observedAt) * DRIFT
      const wasSet = Math.abs(seenOffset - offset) > seenErrorMs + agedErrorMs
      // A slow round trip is less exact than the known offset.
      if (seenErrorMs > agedErrorMs && !wasSet) return
      offset = seenOffset
      errorMs = seenErrorMs
      observedAt = receivedAt
    },
  }
}
