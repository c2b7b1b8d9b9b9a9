/** Clock of recurring work; replaced in tests. */

export type Cancel = () => void

export interface Clock {
  /** Epoch milliseconds. */
  now(): number
  /** Calls back once, after at least `delayMs`. */
  after(delayMs: number, callback: () => void): Cancel
}

export const systemClock: Clock = {
  now: Date.now,
  after(delayMs, callback) {
    const timer = setTimeout(callback, delayMs)
    return () => clearTimeout(timer)
  },
}
