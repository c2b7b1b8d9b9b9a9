/** Jobs that delete alerts and overrides some time after their end. */
import { asWorkerRaw, type Database, type Job } from '@status-page/postgres'

const INTERVAL_MS = 10 * 60_000
const BATCH_ROWS = 1_000
/**
 * Longer than the longest period of an SLA report; the row policies of the role `core_due` require
 * at least as much.
 */
const RETENTION = "interval '13 months'"

export const oncallRetentionJobs = ({ database }: { database: Database }): Job[] =>
  Object.entries(statements).map(([table, statement]) => ({
    name: `retention-${table}`,
    intervalMs: INTERVAL_MS,
    run: () => asWorkerRaw(database, async ({ sql }) => (await sql.unsafe(statement)).count),
  }))

const deleteStatement = (
  table: string,
  ended: string,
): string => `DELETE FROM ${table} WHERE id IN (
  SELECT id FROM ${table} WHERE ${ended} < now() - ${RETENTION} ORDER BY ${ended} LIMIT ${BATCH_ROWS})`

const statements: Readonly<Record<string, string>> = {
  'oncall-alerts': deleteStatement('oncall_alerts', 'resolved_at'),
  'oncall-overrides': deleteStatement('oncall_overrides', 'ends_at'),
}
