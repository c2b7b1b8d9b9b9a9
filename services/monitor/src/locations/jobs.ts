/**
 * Reports locations whose agents send no requests. Agents need some time to return after the service
 * itself was away, so that nothing is reported before a minute of runs without a failure.
 */
import { draftEvent, locationStale, systemActor } from '@status-page/contracts'
import { createDueItemsRun, type Database, type Job, transact } from '@status-page/postgres'
import { isStale } from './rules.ts'
import * as store from './store.ts'

const INTERVAL_MS = 5_000
const BATCH_SIZE = 100
/** Longer than the maximum backoff of an agent and the time after which a location is stale. */
const GRACE_MS = 60_000

export interface StaleLocationsOptions {
  database: Database
  /** Monotonic milliseconds; tests replace it. */
  nowMs?: () => number
}

export const staleLocationsJob = ({
  database,
  nowMs = () => performance.now(),
}: StaleLocationsOptions): Job => {
  let observedSinceMs: number | null = null
  const report = createDueItemsRun({
    batchSize: BATCH_SIZE,
    find: (limit) => store.findUnreported(database, limit),
    keyOf: ({ id }) => id,
    work: (item) => reportOne(database, item),
  })
  return {
    name: 'stale-private-locations',
    intervalMs: INTERVAL_MS,
    async run(signal) {
      observedSinceMs ??= nowMs()
      try {
        if (nowMs() - observedSinceMs >= GRACE_MS) return await report(signal)
        await store.findUnreported(database, 1)
        return 0
      } catch (error) {
        observedSinceMs = null
        throw error
      }
    },
  }
}

/** Publishes the event unless an agent has sent a request since, or another replica was first. */
const reportOne = (
  database: Database,
  { organizationId, id }: { organizationId: string; id: string },
): Promise<boolean> =>
  transact(database, { organizationId, actor: systemActor }, async (scope) => {
    const row = await store.lockLocation(scope, id)
    const last = row?.lastContactAt ?? null
    if (row === undefined || last === null) return { result: false }
    if (row.staleSince !== null || !isStale(last, scope.now)) return { result: false }
    const version = await store.markStale(scope, row)
    const location = { id, name: row.name, lastContactAt: last.toISOString() }
    return {
      result: true,
      events: [draftEvent(locationStale, { id, version }, { location })],
      audit: [],
    }
  })
