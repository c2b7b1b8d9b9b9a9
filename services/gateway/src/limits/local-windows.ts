/**
 * Copies of the shared windows in this process. Synchronized buckets are charged here only; exact
 * ones while Postgres does not respond, and in write-behind while the window is far from full.
 */
import type { Database } from '@status-page/postgres'
import { entryLimit } from '@status-page/service'
import { LRUCache } from 'lru-cache'
import type { DatabaseOutage } from './outage.ts'
import {
  type CountResult,
  createPendingCharges,
  type SentCharge,
  type WindowCopy,
  type WindowUse,
} from './pending-charges.ts'
import { chargeSharedWindows, MAX_BATCH, type SharedCharge } from './store.ts'
import { chargeWindow, MAX_CAPACITY, type RateWindow } from './window.ts'
import { createWriteBehind, type WriteBehind } from './write-behind.ts'

export interface LocalWindows extends WriteBehind {
  charge(key: string, window: RateWindow): CountResult
  /** Returns the copy of a window and its use; null without a copy. */
  find(key: string, window: RateWindow): WindowUse | null
  /** Replaces the copy by the shared window as of `sentMs`, and adds the charges not yet sent. */
  merge(key: string, window: RateWindow, shared: SharedCharge, sentMs: number): void
  /** Stores the charges since the last call; returns more than 0 when some are left. */
  sync(): Promise<number>
}

/**
 * Maximum number of windows; the least recently used ones are evicted, which loosens their limits.
 */
const MAX_KEYS = 100_000
export const createLocalWindows = (
  database: Database,
  outage: DatabaseOutage,
  now: () => number,
  maxKeys: number = MAX_KEYS,
): LocalWindows => {
  const copies = new LRUCache<string, WindowCopy>(entryLimit(maxKeys))
  const pending = createPendingCharges(maxKeys, now)
  let isSyncing = false

  const store = async (batch: readonly SentCharge[]): Promise<void> => {
    if (batch.length === 0) return
    const sentMs = now()
    try {
      const charges = await chargeSharedWindows(database, batch.map(toUnboundedCharge))
      for (const { key, copy, amount } of batch) {
        copy.sent -= amount
        mergeShared(copy, charges.get(key), sentMs)
      }
      outage.recovered()
    } catch (error) {
      pending.restore(batch)
      outage.failed(error)
    }
  }
  return {
    charge: (key, window) => pending.charge(key, copyIn(copies, key, window), window),
    ...createWriteBehind({ pending, store, outage, maxKeys, now }),
    find(key, window) {
      const copy = copies.get(key)
      if (copy === undefined) return null
      const { total, waitMs } = chargeWindow(copy.state, window, 0, now())
      return { copy, total, waitMs }
    },
    merge: (key, window, shared, sentMs) =>
      mergeShared(copyIn(copies, key, window), shared, sentMs),
    async sync() {
      if (isSyncing || outage.isOn() || pending.size() === 0) return 0
      isSyncing = true
      const batch = pending.take()
      await store(batch)
      isSyncing = false
      return batch.length === MAX_BATCH && !outage.isOn() ? pending.size() : 0
    },
  }
}

const copyIn = (
  copies: LRUCache<string, WindowCopy>,
  key: string,
  window: RateWindow,
): WindowCopy => {
  const known = copies.get(key)
  if (known !== undefined) return known
  const state = { times: [], counts: [] }
  const copy = { window, state, pending: 0, sent: 0, mergedMs: -Infinity }
  copies.set(key, copy)
  return copy
}

/** Charges that a copy granted took effect already, so the shared window accepts all. */
const toUnboundedCharge = ({ key, copy, amount }: SentCharge) => ({
  key,
  ...copy.window,
  capacity: MAX_CAPACITY,
  amount,
})

/**
 * Ages count from before the statement was sent, so that a count in the copy never outlives the one
 * in the shared window. The result of a late statement does not replace that of a newer one.
 */
const mergeShared = (copy: WindowCopy, shared: SharedCharge | undefined, sentMs: number) => {
  if (shared === undefined || sentMs < copy.mergedMs) return
  const { windowMs } = copy.window
  copy.mergedMs = sentMs
  copy.state = { times: shared.agesMs.map((age) => sentMs - age), counts: [...shared.counts] }
  if (copy.pending > 0) {
    chargeWindow(copy.state, { windowMs, capacity: MAX_CAPACITY }, copy.pending, sentMs)
  }
}
