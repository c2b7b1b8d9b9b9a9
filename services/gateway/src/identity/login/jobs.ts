/**
 * Retention of identity data: ended sessions, failed logins, expired tokens and stopped replicas.
 */
import { asWorkerRaw, type Database, type Job } from '@status-page/postgres'
import { ABSOLUTE_LIMIT_MS, IDLE_LIMIT_MS } from '../sessions/session-cookie.ts'
import { FAILURE_RETENTION_MS } from '../two-factor/code-limits.ts'
import { FAILURE_WINDOW_MS } from '../users/login-delay.ts'

const INTERVAL_MS = 10 * 60_000
const BATCH_ROWS = 1_000
const SECOND_MS = 1_000

export const identityRetentionJob = (database: Database): Job => ({
  name: 'retention-identity',
  intervalMs: INTERVAL_MS,
  run: () =>
    asWorkerRaw(database, async ({ sql }) => {
      const ended = await sql`
        DELETE FROM sessions WHERE (organization_id, id) IN (
          SELECT organization_id, id FROM sessions
          WHERE last_seen_at < now() - make_interval(secs => ${IDLE_LIMIT_MS / SECOND_MS})
            OR created_at < now() - make_interval(secs => ${ABSOLUTE_LIMIT_MS / SECOND_MS})
          LIMIT ${BATCH_ROWS})`
      const forgotten = await sql`
        DELETE FROM login_failures WHERE key IN (
          SELECT key FROM login_failures WHERE
            greatest(blocked_until, failed_at[cardinality(failed_at)])
              < now() - make_interval(secs => ${FAILURE_WINDOW_MS / SECOND_MS})
          LIMIT ${BATCH_ROWS})`
      // Deleted without batches: the rate limits per address bound the number of rows.
      await sql`DELETE FROM two_factor_setups WHERE expires_at < now()`
      await sql`DELETE FROM password_resets WHERE expires_at < now()`
      await sql`DELETE FROM email_verifications WHERE expires_at < now()`
      await sql`
        DELETE FROM code_failures
        WHERE failed_at[cardinality(failed_at)] < now() - make_interval(secs => ${FAILURE_RETENTION_MS / SECOND_MS})`
      await sql`
        DELETE FROM reset_requests
        WHERE requested_at[cardinality(requested_at)] < now() - interval '1 hour'`
      await sql`DELETE FROM replicas WHERE seen_at < now() - interval '1 minute'`
      return Math.max(ended.count, forgotten.count) === BATCH_ROWS ? BATCH_ROWS : 0
    }),
})
