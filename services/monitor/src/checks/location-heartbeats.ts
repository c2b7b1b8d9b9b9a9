/**
 * Heartbeats of locations. The result of a location without replicas counts for a few intervals;
 * afterwards the location is stale and excluded until it checks again.
 */
import type { Database, Scope } from '@status-page/postgres'
import { sql } from 'drizzle-orm'

/** Minimum time without a heartbeat before a location is stale; longer than a restart. */
const MIN_SILENCE_SECONDS = 90
const SILENT_INTERVALS = 3
/** A heartbeat gap longer than this restarts `since`; shorter than the staleness threshold. */
const BREAK_SECONDS = 60

export const silenceSeconds = (intervalSeconds: number): number =>
  Math.max(MIN_SILENCE_SECONDS, SILENT_INTERVALS * intervalSeconds)

/** Records that the location has a live replica. */
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
 * Lists locations with a heartbeat within some intervals of a target. Null when no location has
 * been continuously active that long: after a full outage the first location that returns must not
 * decide alone.
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
