/**
 * Counting requests, always somewhere: in the window that all replicas share; in memory while this is
 * the only replica, since nobody else could count; in memory and shared within a second where that will do.
 */
import type { Database } from '@status-page/postgres'
import { type Count, createBatchedCounting } from './batch.ts'
import { createSyncedCounting, type SyncedCounting } from './counter-sync.ts'
import { createMemoryWindows, type MemoryWindows } from './memory.ts'
import { createOutage } from './outage.ts'
import type { RateWindow } from './window.ts'

export interface Counting {
  /** No replica grants what another one has granted. At once where nobody has to be asked. */
  shared(key: string, window: RateWindow): Count | Promise<Count>
  synced: SyncedCounting
  /** Of requests that are refused before they count for all. */
  rejectedCounters: MemoryWindows
  /** Tells the shared windows what was counted here; more than 0 when there is more to tell. */
  syncCounters(): Promise<number>
}

export interface CountingOptions {
  database: Database
  now?: () => number
  onOutage?: (isOut: boolean, error?: unknown) => void
  /** Since when this replica is alone, as of `Presence`; absent: never. */
  soleReplicaSince?: () => number | null
}

export const createCounting = (options: CountingOptions): Counting => {
  const { database, now = Date.now, onOutage = () => {}, soleReplicaSince = () => null } = options
  const outage = createOutage(now, onOutage)
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
