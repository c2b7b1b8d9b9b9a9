/**
 * Counters of requests. Exact ones are in a window that all replicas share, or in memory while this
 * is the only replica. Counters of public pages are in memory and synchronized every second.
 */
import type { Database } from '@status-page/postgres'
import { type CountResult, createBatchedCounting } from './batch.ts'
import { createSyncedCounting, type SyncedCounting } from './counter-sync.ts'
import { createMemoryWindows, type MemoryWindows } from './memory.ts'
import { createDatabaseOutage } from './outage.ts'
import type { RateWindow } from './window.ts'

export interface Counting {
  /** Charges a window exactly over all replicas; synchronous where no query is needed. */
  shared(key: string, window: RateWindow): CountResult | Promise<CountResult>
  synced: SyncedCounting
  /** Counters of requests that are rejected before they are charged. */
  rejectedCounters: MemoryWindows
  /** Stores charges in the shared windows; returns more than 0 when some are left. */
  syncCounters(): Promise<number>
}

export interface CountingOptions {
  database: Database
  now?: () => number
  onOutage?: (isOut: boolean, error?: unknown) => void
  /** Period in which this replica is the only one, as in `ReplicaRegistry`; absent: never. */
  soleReplicaSince?: () => number | null
}

export const createCounting = (options: CountingOptions): Counting => {
  const { database, now = Date.now, onOutage = () => {}, soleReplicaSince = () => null } = options
  const outage = createDatabaseOutage(now, onOutage)
  const exclusive = createSyncedCounting(database, outage, now)
  const synced = createSyncedCounting(database, outage, now)
  const batched = createBatchedCounting({ database, outage, now, exclusive, soleReplicaSince })
  return {
    shared(key, window) {
      const soleSince = soleReplicaSince()
      const isExclusive = soleSince !== null && exclusive.isExclusive(key, soleSince)
      return isExclusive ? exclusive.count(key, window) : batched(key, window)
    },
    synced,
    rejectedCounters: createMemoryWindows(),
    syncCounters: async () => (await exclusive.syncCounters()) + (await synced.syncCounters()),
  }
}
