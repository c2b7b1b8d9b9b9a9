/** Clocks that tests set. */

export interface FixedClock {
  now(): Date
  nowMs(): number
  advance(byMs: number): void
}

/** Creates a clock that changes only when the test moves it. */
export const fixedClock = (start: Date | string = '2026-01-02T03:04:05.000Z'): FixedClock => {
  let currentMs = new Date(start).getTime()
  return {
    now: () => new Date(currentMs),
    nowMs: () => currentMs,
    advance: (byMs) => {
      currentMs += byMs
    },
  }
}

export interface ShiftedClock {
  offsetMs(): number
  advance(byMs: number): void
}

/** Offset of `now` in every scope, for `TestDatabase.connect(…, { clock })`. */
export const shiftedClock = (): ShiftedClock => {
  let currentMs = 0
  return {
    offsetMs: () => currentMs,
    advance: (byMs) => {
      currentMs += byMs
    },
  }
}

/** Clock with timers, as the schedule package uses. */
export interface ManualClock {
  now(): number
  /** Returns a function that cancels the timer. */
  after(delayMs: number, callback: () => void): () => void
  advance(byMs: number): void
}

/**
 * Times of leases that outlive a stall of the machine. A manual clock does not repeat a slot that is
 * skipped because a lease has lapsed, so that the test would wait for its result without end.
 */
export const LONG_LEASES = { ttlMs: 60_000 }

/**
 * Multiple of the ticks of timing wheels. A wheel fires an entry at the tick after its due time; at a
 * time between two ticks, an entry that is due could still wait.
 */
const ALIGNMENT_MS = 100

/**
 * Creates a clock that changes only when moved; then it calls the timers that passed, in order. By
 * default it starts at the last tenth of a second.
 */
export const manualClock = (start = Date.now() - (Date.now() % ALIGNMENT_MS)): ManualClock => {
  let time = start
  const timers = new Set<{ at: number; callback: () => void }>()
  return {
    now: () => time,
    after(delayMs, callback) {
      const timer = { at: time + delayMs, callback }
      timers.add(timer)
      return () => timers.delete(timer)
    },
    advance(ms) {
      const until = time + ms
      for (;;) {
        const next = [...timers].toSorted((left, right) => left.at - right.at)[0]
        if (next === undefined || next.at > until) break
        timers.delete(next)
        time = Math.max(time, next.at)
        next.callback()
      }
      time = until
    },
  }
}
