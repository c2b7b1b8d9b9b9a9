/**
 * Queries of shard leases. The database's clock decides; a lapsed lease cannot be renewed, only
 * claimed again with a higher epoch.
 */
import type { Database } from '@status-page/postgres'
import { maxShardsPerReplica, SHARD_COUNT } from './slots.ts'

export interface Lease {
  shard: number
  /** Increases with every claim; results of an older epoch no longer count. */
  epoch: number
  /**
   * Last renewal of the previous holder if it stopped responding; null if it released the shard.
   */
  silentSinceMs: number | null
}

export interface Round {
  /** Database time in epoch milliseconds. */
  nowMs: number
  /** Live replicas, including this one. */
  live: number
  held: Lease[]
}

export interface LeaseHolder {
  location: string
  replicaId: string
  ttlMs: number
}

type Sql = Database['batchSql']

/** Time after which expired replicas are deleted. */
const FORGET_REPLICAS_AFTER = '1 hour'

/** Creates the leases of a location; any replica may be the first. */
export const prepareLocation = async (sql: Sql, location: string): Promise<void> => {
  await sql`
    INSERT INTO shard_lease (location, shard)
    SELECT ${location}, shard FROM generate_series(0, ${SHARD_COUNT - 1}::int) AS shard
    ON CONFLICT DO NOTHING`
  await sql`DELETE FROM replica WHERE expires_at < now() - ${FORGET_REPLICAS_AFTER}::interval`
}

/** Registers the replica as alive and renews its leases, in one statement. */
export const renew = async (sql: Sql, holder: LeaseHolder): Promise<Round> => {
  const { location, replicaId, ttlMs } = holder
  const [row] = await sql<{ now_ms: number; others: number; held: [number, number][] }[]>`
    WITH alive AS (
      INSERT INTO replica (id, location, expires_at)
      VALUES (${replicaId}, ${location}, now() + ${ttlMs}::int * interval '1 ms')
      ON CONFLICT (id) DO UPDATE SET expires_at = EXCLUDED.expires_at),
    renewed AS (
      UPDATE shard_lease SET expires_at = now() + ${ttlMs}::int * interval '1 ms'
      WHERE location = ${location} AND owner = ${replicaId} AND expires_at > now()
      RETURNING shard, epoch)
    SELECT extract(epoch FROM clock_timestamp())::float8 * 1000 AS now_ms,
      (SELECT count(*)::int FROM replica
        WHERE location = ${location} AND id <> ${replicaId} AND expires_at > now()) AS others,
      (SELECT coalesce(jsonb_agg(jsonb_build_array(shard, epoch)), '[]') FROM renewed) AS held`
  if (row === undefined) throw new Error('renewing shard leases gave no row')
  return {
    nowMs: row.now_ms,
    live: row.others + 1,
    held: row.held.map(([shard, epoch]) => ({ shard, epoch, silentSinceMs: null })),
  }
}

/** Claims free shards up to the fair share, preferring those that the replica held before. */
export const claim = async (sql: Sql, holder: LeaseHolder, round: Round): Promise<Lease[]> => {
  const wanted = maxShardsPerReplica(round.live) - round.held.length
  if (wanted <= 0) return []
  const { location, replicaId, ttlMs } = holder
  const rows = await sql<{ shard: number; epoch: string; lapsed_ms: number | null }[]>`
    WITH free AS (
      SELECT shard, expires_at FROM shard_lease WHERE location = ${location} AND expires_at <= now()
      ORDER BY (owner = ${replicaId}) IS NOT TRUE, shard LIMIT ${wanted}
      FOR UPDATE SKIP LOCKED)
    UPDATE shard_lease l SET owner = ${replicaId}, epoch = epoch + 1,
      expires_at = now() + ${ttlMs}::int * interval '1 ms'
    FROM free WHERE l.location = ${location} AND l.shard = free.shard
    RETURNING l.shard, l.epoch,
      CASE WHEN isfinite(free.expires_at)
        THEN extract(epoch FROM free.expires_at)::float8 * 1000 END AS lapsed_ms`
  return rows.map(({ shard, epoch, lapsed_ms: lapsedMs }) => ({
    shard,
    epoch: Number(epoch),
    silentSinceMs: lapsedMs === null ? null : lapsedMs - ttlMs,
  }))
}

/** Releases shards and notifies the other replicas. */
export const release = async (sql: Sql, holder: LeaseHolder, shards: number[], channel: string) => {
  const { location, replicaId } = holder
  await sql`
    WITH released AS (
      UPDATE shard_lease SET owner = NULL, expires_at = '-infinity'
      WHERE location = ${location} AND owner = ${replicaId} AND shard = ANY (${shards}::int[]))
    SELECT pg_notify(${channel}, ${location})`
}

export const leave = async (sql: Sql, holder: LeaseHolder): Promise<void> => {
  await sql`DELETE FROM replica WHERE id = ${holder.replicaId}`
}

/** Locations with live replicas. */
export const liveLocations = async ({
  batchSql,
}: Pick<Database, 'batchSql'>): Promise<string[]> => {
  const rows = await batchSql<{ location: string }[]>`
    SELECT DISTINCT location FROM replica WHERE expires_at > clock_timestamp() ORDER BY location`
  return rows.map(({ location }) => location)
}
