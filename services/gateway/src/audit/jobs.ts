/**
 * Retention of the audit log. The database refuses to delete entries that are younger than 30 days.
 */
import { asWorkerRaw, type Database, type Job } from '@status-page/postgres'
import { deleteEntries } from './store.ts'

const INTERVAL_MS = 10 * 60_000
const BATCH_ROWS = 1_000

export const auditRetentionJob = (database: Database, retentionDays: number): Job => ({
  name: 'retention-audit',
  intervalMs: INTERVAL_MS,
  run: () =>
    asWorkerRaw(database, (systemScope) =>
      deleteEntries(systemScope, { retentionDays, limit: BATCH_ROWS }),
    ),
})
