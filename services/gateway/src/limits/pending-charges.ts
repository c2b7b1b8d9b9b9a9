/** Charges that a copy granted and that the shared windows do not contain yet. */
import { MAX_BATCH } from './store.ts'
import { chargeWindow, type RateWindow, type WindowCounts } from './window.ts'

export interface CountResult {
  isGranted: boolean
  total: number
  waitMs: number
}

/** Copy of a shared window. */
export interface WindowCopy {
  window: RateWindow
  state: WindowCounts
  /** Charges that wait for the next batch. */
  pending: number
  /** Charges of batches whose statement is running. */
  sent: number
  /** Time as of which the copy equals the shared window. */
  mergedMs: number
}

/** Copy with its use before a charge. */
export interface WindowUse {
  copy: WindowCopy
  total: number
  waitMs: number
}

export interface SentCharge {
  key: string
  copy: WindowCopy
  amount: number
}

export type PendingCharges = ReturnType<typeof createPendingCharges>

export const createPendingCharges = (maxKeys: number, now: () => number) => {
  const copies = new Map<string, WindowCopy>()
  const add = (key: string, copy: WindowCopy, amount: number) => {
    copy.pending += amount
    if (copies.size < maxKeys) copies.set(key, copy)
  }
  return {
    /** Charges the copy; what it grants is stored with one of the next batches. */
    charge(key: string, copy: WindowCopy, window: RateWindow): CountResult {
      const { granted, total, waitMs } = chargeWindow(copy.state, window, 1, now())
      if (granted > 0) add(key, copy, granted)
      return { isGranted: granted > 0, total, waitMs }
    },
    /** Number of windows. */
    size: () => copies.size,
    /** Removes and returns the charges of the next batch. */
    take(): SentCharge[] {
      const batch: SentCharge[] = []
      for (const [key, copy] of copies) {
        if (batch.length === MAX_BATCH) break
        copies.delete(key)
        const amount = copy.pending
        copy.pending = 0
        copy.sent += amount
        // A copy may be in two of these sets; the first batch took its charges.
        if (amount > 0) batch.push({ key, copy, amount })
      }
      return batch
    },
    /** Adds the charges of a batch that could not be stored. */
    restore(batch: readonly SentCharge[]) {
      for (const { key, copy, amount } of batch) {
        copy.sent -= amount
        add(key, copy, amount)
      }
    },
  }
}
