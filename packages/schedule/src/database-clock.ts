/**
 * The database's time between two questions: its answer, carried on by the monotonic clock, so
 * that all replicas agree on what is due however their own clocks are set.
 */

/** How far a monotonic clock may stray from the database's: 1 ms a second. */
const DRIFT = 0.001

export interface DatabaseClock {
  /** Epoch milliseconds. */
  now(): number
  /** What the database said, with the monotonic times of the question and of the answer. */
  observe(databaseMs: number, sentAt: number, receivedAt: number): void
}

/** Until the first answer it is the machine's own time. */
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
      // A slow round trip says less than what was known before it.
      if (seenErrorMs > agedErrorMs && !wasSet) return
      offset = seenOffset
      errorMs = seenErrorMs
      observedAt = receivedAt
    },
  }
}
