/**
 * Windows in this process: the fallback without Postgres, and the counters of rejected requests.
 */
import { createLruMap } from './lru.ts'
import { chargeWindow, type RateWindow, type WindowCharge, type WindowCounts } from './window.ts'

/**
 * Maximum number of windows; the least recently used ones are evicted, which loosens their limits.
 */
export const MAX_KEYS = 100_000

export interface MemoryWindows {
  readonly size: number
  charge(key: string, window: RateWindow, amount: number, nowMs: number): WindowCharge
}

export const createMemoryWindows = (maxKeys: number = MAX_KEYS): MemoryWindows => {
  const windows = createLruMap<WindowCounts>(maxKeys)
  return {
    get size() {
      return windows.size
    },
    charge(key, window, amount, nowMs) {
      const state = windows.getOrCreate(key, () => ({ times: [], counts: [] }))
      return chargeWindow(state, window, amount, nowMs)
    },
  }
}
