/**
 * Retention of the shared tables. A receipt is deleted only after its event, otherwise a replay
 * would repeat the effect.
 */
import { databaseSchemaOf, services } from '@status-page/contracts'
import type { Database } from './connect.ts'
import type { Job } from './jobs.ts'

const BATCH_ROWS = 1_000
const INTERVAL_MS = 10 * 60_000
/** Longer than the 3 days of the stream, so that a full replay still finds its receipts. */
const RETENTION_DAYS = 14
const DEAD_EVENT_RETENTION_DAYS = 90
/** Time for which late events of a deleted organization change nothing. */
const TOMBSTONE_DAYS = 90

/** One job per table, each deleting one batch per run. */
export const sharedTableRetention = (database: Database): Job[] =>
  Object.entries(statements).map(([table, statement]) => ({
    name: `retention-${table}`,
    intervalMs: INTERVAL_MS,
    run: async () => (await database.batchSql.unsafe(statement)).count,
  }))

const isInNoOutbox = services
  .map(
    (service) =>
      `NOT EXISTS (SELECT FROM ${databaseSchemaOf(service)}.outbox_feed o WHERE o.event_id = i.event_id)`,
  )
  .join(' AND ')

const statements: Record<string, string> = {
  outbox: `DELETE FROM outbox WHERE seq IN (SELECT seq FROM outbox
    WHERE settled_at < now() - interval '${RETENTION_DAYS} days' ORDER BY seq LIMIT ${BATCH_ROWS})`,
  inbox: `DELETE FROM inbox WHERE (consumer, event_id) IN (SELECT i.consumer, i.event_id FROM inbox i
    WHERE i.processed_at < now() - interval '${RETENTION_DAYS} days' AND ${isInNoOutbox}
    ORDER BY i.processed_at LIMIT ${BATCH_ROWS})`,
  idempotency: `DELETE FROM idempotency WHERE ctid = ANY (ARRAY(SELECT ctid FROM idempotency
    WHERE expires_at < now() LIMIT ${BATCH_ROWS}))`,
  dead_event: `DELETE FROM dead_event WHERE resolved_at < now() - interval '${DEAD_EVENT_RETENTION_DAYS} days'`,
  erasure: `DELETE FROM erasure WHERE completed_at < now() - interval '${TOMBSTONE_DAYS} days'`,
}
