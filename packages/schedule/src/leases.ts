/**
 * Queries of shard leases. A shard names its owner, and one row per replica holds the time until
 * which all shards of the replica are leased: a renewal writes one row. A time per shard was 256
 * row versions every two seconds, also in a service without work. The database's clock decides.
 *
 * A claim locks the rows of the expired replicas whose shards it takes, and a renewal reads the
 * shards after it has written its row. Either the claim waits for the renewal and finds the replica
 * alive, or the renewal waits for the claim and finds the shards gone.
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
  /** Time until a lease of the others expires unless it is renewed; null without others. */
  nextExpiryMs: number | null
  held: readonly Lease[]
  /** `held` as text, which rarely changes. */
  heldText: string
}

export interface LeaseHolder {
  location: string
  replicaId: string
  ttlMs: number
}

type Sql = Database['batchSql']

/** Time after which expired replicas without shards are deleted. */
const FORGET_REPLICAS_AFTER = '1 hour'

/** Creates the leases of a location; any replica may be the first. */
export const prepareLocation = async (sql: Sql, location: string): Promise<void> => {
  await sql`
    INSERT INTO shard_lease (location, shard)
    SELECT ${location}, shard FROM generate_series(0, ${SHARD_COUNT - 1}::int) AS shard
    ON CONFLICT DO NOTHING`
  await sql`
    DELETE FROM replica r WHERE expires_at < now() - ${FORGET_REPLICAS_AFTER}::interval
      AND NOT EXISTS (SELECT FROM shard_lease WHERE owner = r.id)`
}

/**
 * Renews the lease of the replica, then reads its shards: in this order, see above. They are one
 * text, which is parsed when it differs from that of the last round: a row for each shard was most
 * of the processor time of a round.
 */
export const renew = async (
  sql: Sql,
  holder: LeaseHolder,
  last: Round | null = null,
): Promise<Round> => {
  const { location, replicaId, ttlMs } = holder
  const [row] = await sql<{ now_ms: number; others: number; expiry_ms: number | null }[]>`
    WITH alive AS (
      INSERT INTO replica (id, location, expires_at)
      VALUES (${replicaId}, ${location}, now() + ${ttlMs}::int * interval '1 ms')
      ON CONFLICT (id) DO UPDATE SET expires_at = EXCLUDED.expires_at)
    SELECT extract(epoch FROM clock_timestamp())::float8 * 1000 AS now_ms, count(*)::int AS others,
      extract(epoch FROM min(expires_at) - now())::float8 * 1000 AS expiry_ms
    FROM replica WHERE location = ${location} AND id <> ${replicaId} AND expires_at > now()`
  if (row === undefined) throw new Error('renewing shard leases gave no row')
  const [{ held: heldText } = { held: '' }] = await sql<{ held: string }[]>`
    SELECT coalesce(string_agg(shard || ':' || epoch, ',' ORDER BY shard), '') AS held
    FROM shard_lease WHERE location = ${location} AND owner = ${replicaId}`
  return {
    nowMs: row.now_ms,
    live: row.others + 1,
    nextExpiryMs: row.expiry_ms,
    held: heldText === last?.heldText ? last.held : parseHeld(heldText),
    heldText,
  }
}

const parseHeld = (text: string): Lease[] =>
  text.split(',').flatMap((lease) => {
    const [shard, epoch] = lease.split(':')
    return epoch === undefined
      ? []
      : [{ shard: Number(shard), epoch: Number(epoch), silentSinceMs: null }]
  })

/** Claims free shards, and those of expired replicas, up to the fair share. */
export const claim = async (sql: Sql, holder: LeaseHolder, round: Round): Promise<Lease[]> => {
  const wanted = maxShardsPerReplica(round.live) - round.held.length
  if (wanted <= 0) return []
  const { location, replicaId, ttlMs } = holder
  const rows = await sql<{ shard: number; epoch: number; expired_ms: number | null }[]>`
    WITH expired AS (
      SELECT id, expires_at FROM replica WHERE location = ${location} AND expires_at <= now()
      FOR NO KEY UPDATE),
    free AS (
      SELECT l.shard, expired.expires_at
      FROM shard_lease l LEFT JOIN expired ON expired.id = l.owner
      WHERE l.location = ${location} AND (l.owner IS NULL OR expired.id IS NOT NULL)
      ORDER BY l.shard LIMIT ${wanted}
      FOR UPDATE OF l SKIP LOCKED)
    UPDATE shard_lease l SET owner = ${replicaId}, epoch = epoch + 1
    FROM free WHERE l.location = ${location} AND l.shard = free.shard
    RETURNING l.shard, l.epoch::float8 AS epoch,
      extract(epoch FROM free.expires_at)::float8 * 1000 AS expired_ms`
  return rows.map(({ shard, epoch, expired_ms: expiredMs }) => ({
    shard,
    epoch,
    silentSinceMs: expiredMs === null ? null : expiredMs - ttlMs,
  }))
}

/** Releases shards and notifies the other replicas. */
export const release = async (sql: Sql, holder: LeaseHolder, shards: number[], channel: string) => {
  const { location, replicaId } = holder
  await sql`
    WITH released AS (
      UPDATE shard_lease SET owner = NULL
      WHERE location = ${location} AND owner = ${replicaId} AND shard = ANY (${shards}::int[]))
    SELECT pg_notify(${channel}, ${location})`
}

/** Ends the lease of the replica, which releases its shards, and notifies the other replicas. */
export const leave = async (sql: Sql, holder: LeaseHolder, channel: string): Promise<void> => {
  await sql`
    WITH ended AS (DELETE FROM replica WHERE id = ${holder.replicaId})
    SELECT pg_notify(${channel}, ${holder.location})`
}

/** Locations with live replicas. */
export const liveLocations = async ({
  batchSql,
}: Pick<Database, 'batchSql'>): Promise<string[]> => {
  const rows = await batchSql<{ location: string }[]>`
    SELECT DISTINCT location FROM replica WHERE expires_at > clock_timestamp() ORDER BY location`
  return rows.map(({ location }) => location)
}
