/**
 * Which locations have a say. A location that nobody checks from any more keeps what it said last for a
 * few intervals; then it votes neither down nor up, until it checks again.
 */
import type { Database, Scope } from '@status-page/postgres'
import { sql } from 'drizzle-orm'

/** A restart of the only replica of a location is no silence. */
const MIN_SILENCE_SECONDS = 90
const SILENT_INTERVALS = 3
/** Some missed words: less than any silence, so that who spoke all the while would have noticed one. */
const BREAK_SECONDS = 60

export const silenceSeconds = (intervalSeconds: number): number =>
  Math.max(MIN_SILENCE_SECONDS, SILENT_INTERVALS * intervalSeconds)

/** Says that there is a replica at the location. */
export const recordHeartbeat = async (
  { batchSql }: Pick<Database, 'batchSql'>,
  location: string,
): Promise<void> => {
  await batchSql`INSERT INTO location_heard AS h (location, heard_at, since)
    VALUES (${location}, now(), now())
    ON CONFLICT (location) DO UPDATE SET heard_at = EXCLUDED.heard_at,
      since = CASE WHEN h.heard_at < now() - make_interval(secs => ${BREAK_SECONDS})
        THEN EXCLUDED.since ELSE h.since END`
}

/**
 * The locations that were heard of within some intervals of a target; null where nobody has spoken for
 * that long: after a rest of all the first to be back does not speak for all.
 */
export const listActiveLocations = async (
  { tx }: Scope,
  { intervalSeconds }: { intervalSeconds: number },
): Promise<Set<string> | null> => {
  const silent = sql`now() - ${silenceSeconds(intervalSeconds)} * interval '1 s'`
  const rows = await tx.execute<{ location: string; is_witness: boolean }>(sql`
    SELECT location, since <= ${silent} AS is_witness FROM location_heard
    WHERE heard_at > ${silent}`)
  return rows.some((row) => row.is_witness) ? new Set(rows.map(({ location }) => location)) : null
}
