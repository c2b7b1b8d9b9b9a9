/** Retention of single sign-on data: unanswered requests and expired assertions. */
import { asWorkerRaw, type Database, type Job } from '@status-page/postgres'

const INTERVAL_MS = 10 * 60_000
const BATCH_ROWS = 1_000

export const samlRetentionJob = (database: Database): Job => ({
  name: 'retention-saml',
  intervalMs: INTERVAL_MS,
  run: () =>
    asWorkerRaw(database, async ({ sql }) => {
      const requests = await sql`
        DELETE FROM saml_requests WHERE (organization_id, id) IN (
          SELECT organization_id, id FROM saml_requests WHERE expires_at < now()
          LIMIT ${BATCH_ROWS})`
      const assertions = await sql`
        DELETE FROM saml_assertions WHERE (organization_id, id_hash) IN (
          SELECT organization_id, id_hash FROM saml_assertions WHERE expires_at < now()
          LIMIT ${BATCH_ROWS})`
      return Math.max(requests.count, assertions.count) === BATCH_ROWS ? BATCH_ROWS : 0
    }),
})
