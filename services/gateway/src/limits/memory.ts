/** Windows in this process: the fallback without Postgres, and the near side of the exchanged ones. */
import { type Charge, charge, type Slots, type Window } from './window.ts'

/** Beyond it the window that was used longest ago is forgotten: looser, never absent. */
export const MAX_KEYS = 100_000

export interface MemoryWindows {
  readonly size: number
  charge(key: string, window: Window, amount: number, nowMs: number): Charge
}

export const createMemoryWindows = (maxKeys: number = MAX_KEYS): MemoryWindows => {
  const windows = new Map<string, Slots>()
  return {
    get size() {
      return windows.size
    },
    charge(key, window, amount, nowMs) {
      const state = windows.get(key) ?? { slots: [], counts: [] }
      windows.delete(key)
      windows.set(key, state)
      const [oldest] = windows.keys()
      if (windows.size > maxKeys && oldest !== undefined) windows.delete(oldest)
      return charge(state, window, amount, nowMs)
    },
  }
}
