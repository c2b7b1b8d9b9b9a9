/** Jobs of the rate limits: synchronizes in-memory windows and deletes expired ones. */
import { asWorkerRaw, type Database, type Job } from '@status-page/postgres'
import type { Counting } from './counting.ts'

const SYNC_MS = 1_000
const FORGET_MS = 60_000
const BATCH_ROWS = 5_000

export const limitJobs = (database: Database, counting: Counting): Job[] => [
  {
    name: 'rate-exchange',
    intervalMs: SYNC_MS,
    run: () => counting.sync(),
  },
  {
    name: 'retention-rates',
    intervalMs: FORGET_MS,
    run: () =>
      asWorkerRaw(database, async ({ sql }) => {
        const deleted = await sql`
          DELETE FROM rate_windows WHERE key IN (
            SELECT key FROM rate_windows WHERE expires_at < now()
            LIMIT ${BATCH_ROWS} FOR UPDATE SKIP LOCKED)`
        return deleted.count
      }),
  },
]
