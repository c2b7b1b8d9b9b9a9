/**
 * Which gateways are alive. A replica caches credentials only while its own mark is fresh, and
 * whoever revokes one waits out the caches of the others: once it has answered, nobody honours it.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { type Database, type DueWork, newId } from '@status-page/postgres'

/** How long a resolved credential is served from memory. */
export const CACHE_MS = 1_000
const BEAT_MS = 1_000
/** By this process's clock, counted from before the mark was sent. */
const FRESH_MS = 3_000
/** By the database's clock; above FRESH_MS, so that who still caches is still seen. */
const SEEN_SECONDS = 5

export interface Presence {
  mayCache(): boolean
  /** Resolves when no other replica can hold an answer from before the call. */
  outlastCaches(): Promise<void>
  beat: DueWork
  leave(): Promise<void>
}

export const createPresence = (database: Database): Presence => {
  const replicaId = newId()
  let freshUntilMs = 0

  const beat = async () => {
    const sentMs = performance.now()
    await database.hot`
      INSERT INTO replicas (id) VALUES (${replicaId})
      ON CONFLICT (id) DO UPDATE SET seen_at = now()`
    freshUntilMs = sentMs + FRESH_MS
    return 0
  }

  return {
    mayCache: () => performance.now() < freshUntilMs,
    async outlastCaches() {
      const others = await database.hot`
        SELECT FROM replicas WHERE id <> ${replicaId}
          AND seen_at > now() - make_interval(secs => ${SEEN_SECONDS}) LIMIT 1`
      if (others.length > 0) await sleep(CACHE_MS)
    },
    beat: { name: 'presence', intervalMs: BEAT_MS, run: beat },
    async leave() {
      freshUntilMs = 0
      await database.hot`DELETE FROM replicas WHERE id = ${replicaId}`
    },
  }
}
