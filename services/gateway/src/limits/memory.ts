/** Windows in this process: the fallback without Postgres, and of requests that are refused anyhow. */
import { createLruMap } from './lru.ts'
import { charge, type RateWindow, type WindowCharge, type WindowCounts } from './window.ts'

/** Beyond it the windows that were used longest ago are forgotten: looser, never absent. */
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
      return charge(state, window, amount, nowMs)
    },
  }
}
