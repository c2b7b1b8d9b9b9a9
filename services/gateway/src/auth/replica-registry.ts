/**
 * Which gateways are alive. A replica caches credentials only while its own mark is fresh, and
 * whoever revokes one waits out the caches of the others: once it has answered, nobody honours it.
 * A replica that saw no other is alone for as long as its mark is fresh: a newcomer marks itself, looks,
 * and serves nobody before every such claim has run out.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { type Database, type Job, newId } from '@status-page/postgres'

/** How long a resolved credential is served from memory. */
export const CACHE_MS = 1_000
const HEARTBEAT_INTERVAL_MS = 1_000
/** By this process's clock, counted from before the mark was sent. */
const FRESH_MS = 3_000
/** By the database's clock; above FRESH_MS, so that who still caches is still seen. */
const SEEN_SECONDS = 5

export interface ReplicaRegistry {
  mayCache(): boolean
  /** While no other replica serves: a number that is new each time this one becomes alone. */
  soleReplicaSince(): number | null
  /** Resolves when no other replica can hold an answer from before the call. */
  waitForCacheExpiry(): Promise<void>
  heartbeat: Job
  /** Before the first request. */
  join(): Promise<void>
  leave(): Promise<void>
}

export const createReplicaRegistry = (database: Database): ReplicaRegistry => {
  const replicaId = newId()
  let freshUntilMs = 0
  let soleUntilMs = 0
  let solePeriods = 0

  const hasPeers = async () => {
    const others = await database.batchSql`
      SELECT FROM replicas WHERE id <> ${replicaId}
        AND seen_at > now() - make_interval(secs => ${SEEN_SECONDS}) LIMIT 1`
    return others.length > 0
  }
  /** Marks, then looks: of two that come at once, one at least sees the other. */
  const heartbeat = async () => {
    const sentMs = performance.now()
    await database.batchSql`
      INSERT INTO replicas (id) VALUES (${replicaId})
      ON CONFLICT (id) DO UPDATE SET seen_at = now()`
    freshUntilMs = sentMs + FRESH_MS
    const isSole = !(await hasPeers())
    // What others counted while the claim had run out is not known here: it begins anew.
    if (performance.now() >= soleUntilMs) solePeriods++
    soleUntilMs = isSole ? sentMs + FRESH_MS : 0
    return 0
  }

  return {
    mayCache: () => performance.now() < freshUntilMs,
    soleReplicaSince: () => (performance.now() < soleUntilMs ? solePeriods : null),
    async waitForCacheExpiry() {
      if (await hasPeers()) await sleep(CACHE_MS)
    },
    heartbeat: { name: 'presence', intervalMs: HEARTBEAT_INTERVAL_MS, run: heartbeat },
    async join() {
      await heartbeat()
      if (soleUntilMs === 0) await sleep(FRESH_MS)
    },
    async leave() {
      freshUntilMs = 0
      soleUntilMs = 0
      await database.batchSql`DELETE FROM replicas WHERE id = ${replicaId}`
    },
  }
}
