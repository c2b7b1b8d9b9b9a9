/**
 * Jobs that accompany scheduled checks: partitions, erasure, roll-ups and comparison of targets.
 */
import type { Database, Job } from '@status-page/postgres'
import type { Shards } from '@status-page/schedule'
import { eraseDeleted, keepPartitions } from './record/batches.ts'
import { rollupWork } from './series/rollups.ts'
import { silenceWork } from './stale-locations.ts'

const COMPARE_MS = 30_000
const ERASE_MS = 60_000
const PARTITIONS_MS = 3_600_000

export interface HousekeepingOptions {
  database: Database
  location: string
  shards: Shards
  checkRetentionDays: number
  /** Finds targets whose change notification was lost. */
  compare: (signal: AbortSignal) => Promise<unknown>
}

export const housekeeping = (options: HousekeepingOptions): Job[] => {
  const { database, checkRetentionDays, compare } = options
  return [
    rollupWork(options),
    silenceWork(options),
    {
      name: 'compare-targets',
      intervalMs: COMPARE_MS,
      run: (signal) => compare(signal).then(() => 0),
    },
    { name: 'erase-deleted', intervalMs: ERASE_MS, run: () => eraseDeleted(database) },
    {
      name: 'check-partitions',
      intervalMs: PARTITIONS_MS,
      run: () => keepPartitions(database, checkRetentionDays).then(() => 0),
    },
  ]
}
