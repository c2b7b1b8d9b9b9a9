/** Retention of the event log. */
import { EVENT_RETENTION_DAYS } from '@status-page/contracts'
import { asWorkerRaw, type Database, type Job } from '@status-page/postgres'
import { deleteOldEvents } from './store.ts'

const INTERVAL_MS = 10 * 60_000
const BATCH_ROWS = 1_000

export const eventRetentionJob = (database: Database): Job => ({
  name: 'retention-events',
  intervalMs: INTERVAL_MS,
  run: () =>
    asWorkerRaw(database, (systemScope) =>
      deleteOldEvents(systemScope, { retentionDays: EVENT_RETENTION_DAYS, limit: BATCH_ROWS }),
    ),
})
