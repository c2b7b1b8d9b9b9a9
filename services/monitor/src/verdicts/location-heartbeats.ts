/**
 * Heartbeats of locations. The result of a location without replicas counts for a few intervals;
 * afterwards the location is stale and excluded until it checks again.
 */
import type { Database, Scope } from '@status-page/postgres'
import { sql } from 'drizzle-orm'

/** Minimum time without a heartbeat before a location is stale; longer than a restart. */
const MIN_SILENCE_SECONDS = 90
const SILENT_INTERVALS = 3
/**
 * A heartbeat gap longer than this restarts `continuous_since`; shorter than the staleness
 * threshold.
 */
const BREAK_SECONDS = 60

export const silenceSeconds = (intervalSeconds: number | null): number =>
  Math.max(MIN_SILENCE_SECONDS, SILENT_INTERVALS * (intervalSeconds ?? 0))

export interface LocationReplica {
  location: string
  /** Whether the replica can send ICMP echo requests. */
  canPing(): Promise<boolean>
}

/** Records that the location has a live replica. */
export const recordHeartbeat = async (
  { batchSql }: Pick<Database, 'batchSql'>,
  { location, canPing }: LocationReplica,
): Promise<void> => {
  await batchSql`
    INSERT INTO location_heartbeats AS h (location, last_heartbeat_at, continuous_since, can_ping)
    VALUES (${location}, now(), now(), ${await canPing()})
    ON CONFLICT (location) DO UPDATE SET last_heartbeat_at = EXCLUDED.last_heartbeat_at,
      can_ping = EXCLUDED.can_ping,
      continuous_since = CASE
        WHEN h.last_heartbeat_at < now() - make_interval(secs => ${BREAK_SECONDS})
        THEN EXCLUDED.continuous_since ELSE h.continuous_since END`
}

/** Locations whose replicas can send ICMP echo requests. */
export const listIcmpLocations = async ({
  batchSql,
}: Pick<Database, 'batchSql'>): Promise<string[]> => {
  const rows = await batchSql<{ location: string }[]>`
    SELECT location FROM location_heartbeats
    WHERE can_ping AND last_heartbeat_at > now() - make_interval(secs => ${MIN_SILENCE_SECONDS})
    ORDER BY location`
  return rows.map(({ location }) => location)
}

/**
 * Lists locations with a heartbeat within some intervals of a target. Null when no location has
 * been continuously active that long: after a full outage the first location that returns must not
 * decide alone.
 */
export const listActiveLocations = async (
  { tx }: Scope,
  { intervalSeconds }: { intervalSeconds: number | null },
): Promise<Set<string> | null> => {
  const silent = sql`now() - ${silenceSeconds(intervalSeconds)} * interval '1 s'`
  const rows = await tx.execute<{ location: string; is_continuous: boolean }>(sql`
    SELECT location, continuous_since <= ${silent} AS is_continuous FROM location_heartbeats
    WHERE last_heartbeat_at > ${silent}`)
  return rows.some((row) => row.is_continuous)
    ? new Set(rows.map(({ location }) => location))
    : null
}
