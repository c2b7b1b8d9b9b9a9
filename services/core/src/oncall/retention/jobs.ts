/** What on-call leaves behind and nobody asks for any more: alerts long resolved, overrides long ended. */
import { asWorkerRaw, type Database, type Job } from '@status-page/postgres'

const INTERVAL_MS = 10 * 60_000
const BATCH_ROWS = 1_000
/** Longer than any report of a service level looks back; the policies of `core_due` allow no less. */
const KEPT = "interval '13 months'"

export const oncallRetention = ({ database }: { database: Database }): Job[] =>
  Object.entries(statements).map(([table, statement]) => ({
    name: `retention-${table}`,
    intervalMs: INTERVAL_MS,
    run: () => asWorkerRaw(database, async ({ sql }) => (await sql.unsafe(statement)).count),
  }))

const deleting = (table: string, ended: string): string => `DELETE FROM ${table} WHERE id IN (
  SELECT id FROM ${table} WHERE ${ended} < now() - ${KEPT} ORDER BY ${ended} LIMIT ${BATCH_ROWS})`

const statements: Readonly<Record<string, string>> = {
  'oncall-alerts': deleting('oncall_alerts', 'resolved_at'),
  'oncall-overrides': deleting('oncall_overrides', 'ends_at'),
}
