/**
 * Synchronized windows: counted in memory, merged with those of the other replicas once a second.
 */
import type { Database } from '@status-page/postgres'
import type { CountResult } from './batch.ts'
import { createLruMap } from './lru.ts'
import { MAX_KEYS } from './memory.ts'
import type { DatabaseOutage } from './outage.ts'
import { chargeSharedCounters, type SharedCharge } from './store.ts'
import { chargeWindow, type RateWindow, type WindowCounts } from './window.ts'

export interface SyncedCounting {
  count(key: string, window: RateWindow): CountResult
  /** Sends the charges since the last call; returns more than 0 when some are left. */
  syncCounters(): Promise<number>
}

/** Windows that this replica counts in memory while it is the only one. */
export interface ExclusiveCounting extends SyncedCounting {
  /** Returns whether the window in memory is complete since this replica became the only one. */
  isExclusive(key: string, soleReplicaSince: number): boolean
  /** Counts the window in memory from now on, beginning with the shared counts. */
  makeExclusive(
    key: string,
    window: RateWindow,
    shared: SharedCharge,
    soleReplicaSince: number,
  ): void
  /**
   * Resolves when all charges of the keys are stored in the shared windows, if Postgres is
   * available.
   */
  flushKeys(keys: readonly string[]): Promise<void>
}

interface Entry {
  window: RateWindow
  state: WindowCounts
  /** Charges that are not stored in the shared window yet. */
  pending: number
  exclusiveSince: number | null
}

interface Sent {
  key: string
  entry: Entry
  amount: number
}

const MAX_BATCH = 1_000
/**
 * Capacity of synchronized charges: they were granted already, so the shared window accepts all.
 */
const UNBOUNDED = 2 ** 31 - 1

export const createSyncedCounting = (
  database: Database,
  outage: DatabaseOutage,
  now: () => number,
): ExclusiveCounting => {
  const entries = createLruMap<Entry>(MAX_KEYS)
  const pending = createPendingEntries()
  let inFlight: Promise<number> | null = null
  const send = async (sent: readonly Sent[]): Promise<number> => {
    try {
      const charges = await chargeSharedCounters(database, sent.map(toUnboundedCharge))
      for (const { key, entry } of sent) mergeShared(entry, charges.get(key), now())
      outage.recovered()
      return sent.length === MAX_BATCH ? pending.size() : 0
    } catch (error) {
      pending.restore(sent)
      outage.failed(error)
      return 0
    }
  }
  const syncCounters = (): Promise<number> => {
    if (inFlight !== null) return inFlight
    if (outage.isOn() || pending.size() === 0) return Promise.resolve(0)
    const syncing = send(pending.take()).finally(() => {
      inFlight = null
    })
    inFlight = syncing
    return syncing
  }
  return {
    count(key, window) {
      const entry = entries.getOrCreate(key, () => newEntry(window))
      const { granted, total, waitMs } = chargeWindow(entry.state, window, 1, now())
      if (granted > 0) pending.add(key, entry, granted)
      return { isGranted: granted > 0, total, waitMs }
    },
    syncCounters,
    isExclusive: (key, soleReplicaSince) => entries.peek(key)?.exclusiveSince === soleReplicaSince,
    makeExclusive(key, window, shared, soleReplicaSince) {
      const entry = entries.getOrCreate(key, () => newEntry(window))
      mergeShared(entry, shared, now())
      entry.exclusiveSince = soleReplicaSince
    },
    async flushKeys(keys) {
      const isOpen = () => !outage.isOn() && keys.some(pending.has)
      while (inFlight !== null || isOpen()) await syncCounters()
    },
  }
}

const newEntry = (window: RateWindow): Entry => ({
  window,
  state: { times: [], counts: [] },
  pending: 0,
  exclusiveSince: null,
})

/** Entries with charges that are not stored in the shared windows yet. */
const createPendingEntries = () => {
  const entries = new Map<string, Entry>()
  const add = (key: string, entry: Entry, amount: number) => {
    entry.pending += amount
    if (entries.size < MAX_KEYS) entries.set(key, entry)
  }
  return {
    add,
    size: () => entries.size,
    has: (key: string) => entries.has(key),
    /** Removes and returns the charges of the next batch. */
    take(): Sent[] {
      const sent: Sent[] = []
      for (const [key, entry] of entries) {
        if (sent.length === MAX_BATCH) break
        entries.delete(key)
        sent.push({ key, entry, amount: entry.pending })
        entry.pending = 0
      }
      return sent
    },
    /** Adds the charges of a batch that could not be stored. */
    restore(sent: readonly Sent[]) {
      for (const { key, entry, amount } of sent) add(key, entry, amount)
    },
  }
}

const toUnboundedCharge = ({ key, entry, amount }: Sent) => ({
  key,
  ...entry.window,
  capacity: UNBOUNDED,
  amount,
})

/**
 * Replaces the state by the shared counts, on this process's clock, and adds the charges that are
 * pending.
 */
const mergeShared = (entry: Entry, shared: SharedCharge | undefined, nowMs: number) => {
  if (shared === undefined) return
  const { windowMs } = entry.window
  entry.state = { times: shared.agesMs.map((age) => nowMs - age), counts: [...shared.counts] }
  if (entry.pending > 0) {
    chargeWindow(entry.state, { windowMs, capacity: UNBOUNDED }, entry.pending, nowMs)
  }
}
