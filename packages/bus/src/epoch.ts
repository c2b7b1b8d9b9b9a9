/** Epoch change: when the stream was created again, all open events are published to it again. */
import { runStatement, type Sql } from './outbox-queries.ts'

/** Name of the row; without the prefix, so that a renamed stream counts as another store. */
const EVENTS = 'EVENTS'

/**
 * Returns true when the epoch is new. One statement, so that a crash leaves both changes or
 * neither. Settled rows stay published; receipts drop repeated events.
 */
export const reconcileEpoch = async (sql: Sql, epoch: string): Promise<boolean> => {
  const [row] = await runStatement<{ changed: boolean }>(
    sql,
    `WITH changed AS (
       INSERT INTO bus_epoch AS b (stream, created) VALUES ($1::text, $2::text::timestamptz)
       ON CONFLICT (stream) DO UPDATE SET created = EXCLUDED.created, seen_at = now()
         WHERE b.created <> EXCLUDED.created RETURNING 1),
     reopened AS (
       UPDATE outbox SET published_at = NULL
        WHERE settled_at IS NULL AND published_at IS NOT NULL AND EXISTS (SELECT FROM changed))
     SELECT EXISTS (SELECT FROM changed) AS changed`,
    [EVENTS, epoch],
  )
  return row?.changed ?? false
}
