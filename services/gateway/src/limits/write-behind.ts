/**
 * Write-behind charges of exact windows: while a window is far from full, its copy in this process
 * grants them, and they are stored in the shared window within 50 ms. A request saves the wait for
 * the statement in flight and for its own.
 */
import { withTimeout } from '@status-page/concurrency'
import type { DatabaseOutage } from './outage.ts'
import {
  type CountResult,
  createPendingCharges,
  type PendingCharges,
  type SentCharge,
  type WindowUse,
} from './pending-charges.ts'
import { lateResponse, MAX_WAIT_MS } from './store.ts'
import type { RateWindow } from './window.ts'

/**
 * Conditions of a write-behind charge: the copy is recent, less than this share of the capacity is
 * used, and less than this share, but at least one request, is not stored. Another gateway that uses
 * up the rest within the same second lets this one exceed the window by the share that is not
 * stored.
 */
const MAX_COPY_AGE_MS = 1_000
const MAX_USED_SHARE = 1 / 2
const MAX_UNSTORED_SHARE = 1 / 20

export interface WriteBehind {
  /**
   * Charges the copy of an exact window; null when only the shared window can decide.
   * `storeUnstored` has to follow.
   */
  chargeWriteBehind(key: string, use: WindowUse, window: RateWindow): CountResult | null
  /** Number of windows with write-behind charges that are not sent yet. */
  unstoredSize(): number
  /**
   * Stores the next batch of write-behind charges and waits at most `MAX_WAIT_MS` for it; never
   * throws.
   */
  storeUnstored(): Promise<void>
}

export interface WriteBehindOptions {
  /** Charges that wait for the end of an outage. */
  pending: PendingCharges
  store(batch: readonly SentCharge[]): Promise<unknown>
  outage: DatabaseOutage
  maxKeys: number
  now: () => number
}

export const createWriteBehind = (options: WriteBehindOptions): WriteBehind => {
  const { pending, store, outage, maxKeys, now } = options
  const unstored = createPendingCharges(maxKeys, now)

  const canDecide = ({ copy, total }: WindowUse, { capacity }: RateWindow): boolean => {
    if (outage.isOn() || now() - copy.mergedMs > MAX_COPY_AGE_MS) return false
    if (copy.pending + copy.sent >= Math.max(1, capacity * MAX_UNSTORED_SHARE)) return false
    return total < capacity * MAX_USED_SHARE
  }
  return {
    chargeWriteBehind: (key, use, window) =>
      canDecide(use, window) ? unstored.charge(key, use.copy, window) : null,
    unstoredSize: unstored.size,
    async storeUnstored() {
      const batch = unstored.take()
      if (outage.isOn()) return pending.restore(batch)
      // A late statement may still succeed, so that its charges are restored only when it fails.
      await withTimeout(store(batch), MAX_WAIT_MS, () => outage.failed(lateResponse()))
    },
  }
}
