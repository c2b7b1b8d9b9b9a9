/**
 * Copies of the shared windows in this process. Synchronized buckets are charged here only; exact
 * ones while Postgres does not respond. Charges are added to the shared windows once a second.
 */
import type { Database } from '@status-page/postgres'
import { LRUCache } from 'lru-cache'
import type { DatabaseOutage } from './outage.ts'
import { chargeSharedWindows, type SharedCharge } from './store.ts'
import { chargeWindow, type RateWindow, type WindowCounts } from './window.ts'

export interface CountResult {
  isGranted: boolean
  total: number
  waitMs: number
}

export interface LocalWindows {
  charge(key: string, window: RateWindow): CountResult
  /** Refusal of a window that is full already; null when the shared window decides. */
  findRefusal(key: string, window: RateWindow): CountResult | null
  /** Replaces the copy by the shared window as of `sentMs`, and adds the charges not yet stored. */
  merge(key: string, window: RateWindow, shared: SharedCharge, sentMs: number): void
  /** Stores the charges since the last call; returns more than 0 when some are left. */
  sync(): Promise<number>
}

interface Entry {
  window: RateWindow
  state: WindowCounts
  /** Charges that are not stored in the shared window yet. */
  pending: number
}

interface SentCharge {
  key: string
  entry: Entry
  amount: number
}

/**
 * Maximum number of windows; the least recently used ones are evicted, which loosens their limits.
 */
const MAX_KEYS = 100_000
const MAX_BATCH = 1_000
/**
 * Capacity of synchronized charges: they were granted already, so the shared window accepts all.
 */
const UNBOUNDED = 2 ** 31 - 1

export const createLocalWindows = (
  database: Database,
  outage: DatabaseOutage,
  now: () => number,
  maxKeys: number = MAX_KEYS,
): LocalWindows => {
  const entries = new LRUCache<string, Entry>({ max: maxKeys })
  const pending = createPendingEntries(maxKeys)
  let isSyncing = false

  const store = async (sent: readonly SentCharge[]): Promise<number> => {
    const sentMs = now()
    try {
      const charges = await chargeSharedWindows(database, sent.map(toUnboundedCharge))
      for (const { key, entry } of sent) mergeShared(entry, charges.get(key), sentMs)
      outage.recovered()
      return sent.length === MAX_BATCH ? pending.size() : 0
    } catch (error) {
      pending.restore(sent)
      outage.failed(error)
      return 0
    }
  }
  return {
    charge(key, window) {
      const entry = entryIn(entries, key, window)
      const { granted, total, waitMs } = chargeWindow(entry.state, window, 1, now())
      if (granted > 0) pending.add(key, entry, granted)
      return { isGranted: granted > 0, total, waitMs }
    },
    findRefusal(key, window) {
      const entry = entries.peek(key)
      if (entry === undefined) return null
      const { total, waitMs } = chargeWindow(entry.state, window, 0, now())
      return total < window.capacity ? null : { isGranted: false, total, waitMs }
    },
    merge: (key, window, shared, sentMs) =>
      mergeShared(entryIn(entries, key, window), shared, sentMs),
    async sync() {
      if (isSyncing || outage.isOn() || pending.size() === 0) return 0
      isSyncing = true
      const left = await store(pending.take())
      isSyncing = false
      return left
    },
  }
}

const entryIn = (entries: LRUCache<string, Entry>, key: string, window: RateWindow): Entry => {
  const known = entries.get(key)
  if (known !== undefined) return known
  const entry = { window, state: { times: [], counts: [] }, pending: 0 }
  entries.set(key, entry)
  return entry
}

/** Entries with charges that are not stored in the shared windows yet. */
const createPendingEntries = (maxKeys: number) => {
  const entries = new Map<string, Entry>()
  const add = (key: string, entry: Entry, amount: number) => {
    entry.pending += amount
    if (entries.size < maxKeys) entries.set(key, entry)
  }
  return {
    add,
    size: () => entries.size,
    /** Removes and returns the charges of the next batch. */
    take(): SentCharge[] {
      const sent: SentCharge[] = []
      for (const [key, entry] of entries) {
        if (sent.length === MAX_BATCH) break
        entries.delete(key)
        sent.push({ key, entry, amount: entry.pending })
        entry.pending = 0
      }
      return sent
    },
    /** Adds the charges of a batch that could not be stored. */
    restore(sent: readonly SentCharge[]) {
      for (const { key, entry, amount } of sent) add(key, entry, amount)
    },
  }
}

const toUnboundedCharge = ({ key, entry, amount }: SentCharge) => ({
  key,
  ...entry.window,
  capacity: UNBOUNDED,
  amount,
})

/**
 * Ages count from before the statement was sent, so that a count in the copy never outlives the one
 * in the shared window.
 */
const mergeShared = (entry: Entry, shared: SharedCharge | undefined, sentMs: number) => {
  if (shared === undefined) return
  const { windowMs } = entry.window
  entry.state = { times: shared.agesMs.map((age) => sentMs - age), counts: [...shared.counts] }
  if (entry.pending > 0) {
    chargeWindow(entry.state, { windowMs, capacity: UNBOUNDED }, entry.pending, sentMs)
  }
}
