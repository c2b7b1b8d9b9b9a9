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
