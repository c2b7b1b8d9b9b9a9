/** Invalidations that a gateway may have missed: while it was down, or between two connections. */
import { lastEventTimes } from '@status-page/bus'
import { statusPageDeleted, statusPageUpdated } from '@status-page/contracts'
import type { Database } from '@status-page/postgres'
import { organizationsDeletedWithin } from '../erasure/store.ts'
import { MAX_STALE_MS } from './page-cache.ts'

/** Age of the oldest change that matters: entries are cached no longer than this. */
const WITHIN_MS = MAX_STALE_MS + 3_600_000

/**
 * Time of the latest change per organization, in milliseconds since 1970; deleted organizations are
 * included.
 */
export const readMissedInvalidations = async (database: Database): Promise<Map<string, number>> => {
  const changes = await lastEventTimes(database.batchSql, {
    producer: 'core',
    aggregateType: 'status-page',
    withinMs: WITHIN_MS,
    kinds: [statusPageUpdated.kind, statusPageDeleted.kind],
  })
  for (const [organizationId, at] of await organizationsDeletedWithin(database, WITHIN_MS)) {
    changes.set(organizationId, at)
  }
  return changes
}
