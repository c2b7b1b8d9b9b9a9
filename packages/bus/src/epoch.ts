/** Epoch change: another store behind the stream's name gets everything that is still open, again. */
import { run, type Sql } from './outbox-queries.ts'

/** Name of the row; without the prefix, so that a stream of another name is another store. */
const EVENTS = 'EVENTS'

/**
 * True when the epoch was new. One statement, so that a crash leaves both or neither. Settled rows
 * stay, and inboxes drop what was done.
 */
export const reconcileEpoch = async (sql: Sql, epoch: string): Promise<boolean> => {
  const [row] = await run<{ changed: boolean }>(
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
