/** Retention of the audit log. The database refuses to delete what is younger than 30 days. */
import { crossDueHot, type Database, type DueWork } from '@status-page/postgres'
import { deleteEntries } from './store.ts'

const INTERVAL_MS = 10 * 60_000
const BATCH_ROWS = 1_000

export const auditRetention = (database: Database, retentionDays: number): DueWork => ({
  name: 'retention-audit',
  intervalMs: INTERVAL_MS,
  run: () =>
    crossDueHot(database, (crossing) =>
      deleteEntries(crossing, { retentionDays, limit: BATCH_ROWS }),
    ),
})
