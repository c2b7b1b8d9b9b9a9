/** Changes of pages that a gateway may not have heard of: while it was down, or between two connections. */
import { lastStated } from '@status-page/bus'
import { statusPageDeleted, statusPageUpdated } from '@status-page/contracts'
import type { Database } from '@status-page/postgres'
import { deletedSince } from '../erasure/store.ts'
import { MAX_STALE_MS } from './page-cache.ts'

/** What is older was kept no longer than that. */
const WITHIN_MS = MAX_STALE_MS + 3_600_000

/** The latest of each organization, in milliseconds since 1970; deleted organizations among them. */
export const readMissedInvalidations = async (database: Database): Promise<Map<string, number>> => {
  const changes = await lastStated(database.batchSql, {
    producer: 'core',
    aggregateType: 'status-page',
    withinMs: WITHIN_MS,
    kinds: [statusPageUpdated.kind, statusPageDeleted.kind],
  })
  for (const [organizationId, at] of await deletedSince(database, WITHIN_MS)) {
    changes.set(organizationId, at)
  }
  return changes
}
