/**
 * Heartbeats of locations. The result of a location without replicas counts for a few intervals;
 * afterwards the location is stale and excluded until it checks again.
 */
import { PRIVATE_LOCATION_PREFIX, STALE_LOCATION_SECONDS } from '@status-page/contracts'
import type { Database, Scope } from '@status-page/postgres'
import { sql } from 'drizzle-orm'
import type { RecordingScope } from '../target-key.ts'

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

export interface PrivateLocationState {
  location: string
  /** False while the location is stale. */
  isLive: boolean
  /** Whether one of its agents can send ICMP echo requests. */
  canPing: boolean
}

export const listPrivateLocations = async ({
  tx,
  organizationId,
}: Scope): Promise<PrivateLocationState[]> => {
  const rows = await tx.execute<{ location: string; is_live: boolean; can_ping: boolean }>(sql`
    SELECT ${PRIVATE_LOCATION_PREFIX} || l.name AS location,
      coalesce(l.last_contact_at > now() - ${STALE_LOCATION_SECONDS} * interval '1 s', false)
        AS is_live,
      EXISTS (SELECT FROM agents a WHERE a.organization_id = l.organization_id
        AND a.location_id = l.id AND a.can_ping) AS can_ping
    FROM private_locations l WHERE l.organization_id = ${organizationId} ORDER BY l.name`)
  return rows.map(({ location, is_live, can_ping }) => ({
    location,
    isLive: is_live,
    canPing: can_ping,
  }))
}

/**
 * Lists locations with a heartbeat, or with a request of an agent, within some intervals of a
 * target. Null when no location of the installation has been continuously active that long: after a
 * full outage the first location that returns must not decide alone.
 */
export const listActiveLocations = async (
  { tx }: RecordingScope,
  { organizationId, intervalSeconds }: { organizationId: string; intervalSeconds: number | null },
): Promise<Set<string> | null> => {
  const silent = sql`now() - ${silenceSeconds(intervalSeconds)} * interval '1 s'`
  const rows = await tx.execute<{ location: string; is_continuous: boolean }>(sql`
    SELECT location, continuous_since <= ${silent} AS is_continuous FROM location_heartbeats
    WHERE last_heartbeat_at > ${silent}
    UNION ALL
    SELECT ${PRIVATE_LOCATION_PREFIX} || name, false FROM private_locations
    WHERE organization_id = ${organizationId} AND last_contact_at > ${silent}`)
  return rows.some((row) => row.is_continuous)
    ? new Set(rows.map(({ location }) => location))
    : null
}
