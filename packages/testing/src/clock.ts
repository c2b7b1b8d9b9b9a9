/** Clocks that tests move by hand. */

export interface FixedClock {
  now(): Date
  nowMs(): number
  advance(byMs: number): void
}

/** Stands still until it is moved. */
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

/** Moves what `Scope.now` and `Crossing.now` say, for `TestDatabase.connect(…, { clock })`. */
export const shiftedClock = (): ShiftedClock => {
  let currentMs = 0
  return {
    offsetMs: () => currentMs,
    advance: (byMs) => {
      currentMs += byMs
    },
  }
}

/** A clock with timers, as the schedule takes one. */
export interface ManualClock {
  now(): number
  /** Gives what takes the timer back. */
  after(delayMs: number, callback: () => void): () => void
  advance(byMs: number): void
}

/** Stands still until it is moved; then calls back whom it passed, in order. */
export const manualClock = (start = Date.now()): ManualClock => {
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
