/**
 * Jobs that accompany scheduled checks: partitions, erasure, roll-ups and comparison of targets.
 */
import { asWorkerRaw, type Database, type Job } from '@status-page/postgres'
import { type ErasedItems, eraseDeleted, type Shards } from '@status-page/schedule'
import { deleteUnusedRegistrations } from '../domains/registrations.ts'
import type { LocationReplica } from '../verdicts/location-heartbeats.ts'
import { rollupWork } from './series/rollups.ts'
import { silenceWork } from './stale-locations.ts'

const COMPARE_MS = 30_000
const ERASE_MS = 60_000
const PARTITIONS_MS = 3_600_000
const REGISTRATIONS_MS = 86_400_000

export interface HousekeepingOptions extends LocationReplica {
  database: Database
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
    {
      name: 'erase-deleted',
      intervalMs: ERASE_MS,
      run: () => eraseDeleted(database, deletedTargets),
    },
    {
      name: 'delete-unused-registrations',
      intervalMs: REGISTRATIONS_MS,
      run: () => deleteUnusedRegistrations(database),
    },
    {
      name: 'check-partitions',
      intervalMs: PARTITIONS_MS,
      run: () => keepPartitions(database, checkRetentionDays).then(() => 0),
    },
  ]
}

/** Deleted components with their checks and summaries. */
export const deletedTargets: ErasedItems = {
  table: 'targets',
  key: 'component_id',
  async eraseResults(sql, { organizationId, id }, limit) {
    const { count } = await sql`
      DELETE FROM checks WHERE (organization_id, component_id, slot_at, location) IN (
        SELECT organization_id, component_id, slot_at, location FROM checks
        WHERE organization_id = ${organizationId} AND component_id = ${id} LIMIT ${limit})`
    return count
  },
  async eraseSummaries(sql, { organizationId, id }) {
    for (const table of ['check_hours', 'check_rollups', 'late_rollups']) {
      await sql`DELETE FROM ${sql(table)}
        WHERE organization_id = ${organizationId} AND component_id = ${id}`
    }
  },
}

/** Retention of hourly summaries: one year and a leap day. */
const HOURS_KEPT_DAYS = 367

/** Creates the partitions of the coming days and drops expired ones. */
export const keepPartitions = async (database: Database, keptDays: number): Promise<number> => {
  const [row] = await database.batchSql<{ changed: number }[]>`
    SELECT create_check_partitions(3) + drop_check_partitions(${keptDays}::int) AS changed`
  await asWorkerRaw(
    database,
    ({ sql }) =>
      sql`DELETE FROM check_hours WHERE hour_at < now() - ${HOURS_KEPT_DAYS} * interval '1 day'`,
  )
  return row?.changed ?? 0
}
