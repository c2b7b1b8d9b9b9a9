/** Time as recurring work sees it; tests put their own in its place. */

export type Cancel = () => void

export interface Clock {
  /** Epoch milliseconds. */
  now(): number
  /** Calls back once, not before `delayMs` have passed. */
  after(delayMs: number, callback: () => void): Cancel
}

export const systemClock: Clock = {
  now: Date.now,
  after(delayMs, callback) {
    const timer = setTimeout(callback, delayMs)
    return () => clearTimeout(timer)
  },
}
