/**
 * Registry of the gateways that cache credentials. A replica caches them only while its own
 * heartbeat is fresh, and a revocation waits until the caches of the other replicas have expired;
 * after its response no replica accepts the credential.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { type Database, type Job, newId } from '@status-page/postgres'

/** Lifetime of a cached credential. */
export const CACHE_MS = 1_000
const HEARTBEAT_INTERVAL_MS = 1_000
/** Lifetime of a heartbeat by this process's clock, counted from before it was sent. */
const FRESH_MS = 3_000
/**
 * Lifetime of a heartbeat by the database's clock; longer than FRESH_MS, so that a replica that may
 * still cache is visible to others.
 */
const SEEN_SECONDS = 5
/**
 * Time after the last use of a credential at which the heartbeats pause: they would be a fifth of
 * the wake-ups of an idle gateway, and each is a commit.
 */
const IDLE_MS = 10_000

export interface ReplicaRegistry {
  /**
   * Whether the result of a query that begins now may be cached, and a cached one used. The first
   * call after a pause of the heartbeats sends one.
   */
  mayCache(): boolean
  /** Resolves when no other replica can hold a cache entry from before the call. */
  waitForCacheExpiry(): Promise<void>
  heartbeat: Job
  /** Registers this replica, which caches nothing before; called before the first request. */
  join(): Promise<void>
  /** Removes this replica from the registry; it caches nothing afterwards. */
  leave(): Promise<void>
}

export const createReplicaRegistry = (database: Database): ReplicaRegistry => {
  const replicaId = newId()
  let isRegistered = false
  let freshUntilMs = 0
  let usedAtMs = Number.NEGATIVE_INFINITY

  const hasPeers = async () => {
    const others = await database.batchSql`
      SELECT FROM replicas WHERE id <> ${replicaId}
        AND seen_at > now() - make_interval(secs => ${SEEN_SECONDS}) LIMIT 1`
    return others.length > 0
  }
  const heartbeat = async () => {
    const sentMs = performance.now()
    await database.batchSql`
      INSERT INTO replicas (id) VALUES (${replicaId})
      ON CONFLICT (id) DO UPDATE SET seen_at = now()`
    if (isRegistered) freshUntilMs = sentMs + FRESH_MS
  }
  const isIdle = () => performance.now() - usedAtMs > IDLE_MS

  return {
    mayCache() {
      // The job repeats a heartbeat that fails, and reports it.
      if (isRegistered && isIdle()) heartbeat().catch(() => {})
      usedAtMs = performance.now()
      return usedAtMs < freshUntilMs
    },
    async waitForCacheExpiry() {
      if (await hasPeers()) await sleep(CACHE_MS)
    },
    heartbeat: {
      name: 'presence',
      intervalMs: HEARTBEAT_INTERVAL_MS,
      async run() {
        if (!isIdle()) await heartbeat()
        return 0
      },
    },
    async join() {
      isRegistered = true
      await heartbeat()
    },
    async leave() {
      isRegistered = false
      freshUntilMs = 0
      await database.batchSql`DELETE FROM replicas WHERE id = ${replicaId}`
    },
  }
}
