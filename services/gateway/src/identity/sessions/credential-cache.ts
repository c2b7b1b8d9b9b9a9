/**
 * Cache of identified callers by the hash of their credential, for at most a second. Invariant: no
 * request after a revocation receives the result of a query that began before it.
 */
import { entryLimit } from '@status-page/service'
import { LRUCache } from 'lru-cache'
import type { IdentifiedCaller } from './identified-caller.ts'
import { CACHE_MS, type ReplicaRegistry } from './replica-registry.ts'

const MAX_CACHED = 10_000

export interface CredentialCache {
  read(tokenHash: string): IdentifiedCaller | null
  /**
   * Runs the query, or waits for that of a concurrent request; caches its result unless a revocation
   * arrived in the meantime.
   */
  load(tokenHash: string, query: () => Promise<IdentifiedCaller>): Promise<IdentifiedCaller>
  delete(tokenHash: string): void
  deleteOrganization(organizationId: string): void
  clear(): void
}

interface CachedCredential {
  identified: IdentifiedCaller
  untilMs: number
}

interface RunningQuery {
  result: Promise<IdentifiedCaller>
  /**
   * End of the lifetime of the result, counted from before the query; in the past where a revocation
   * may not wait for this replica.
   */
  untilMs: number
}

export const createCredentialCache = (
  replicas: Pick<ReplicaRegistry, 'mayCache'>,
  nowMs: () => number = () => performance.now(),
): CredentialCache => {
  const cached = new LRUCache<string, CachedCredential>(entryLimit(MAX_CACHED))
  /**
   * Queries that concurrent requests share; otherwise every connection of a busy client would query
   * its credential whenever the entry expires. A revocation removes all of them.
   */
  const running = new Map<string, RunningQuery>()
  const isUsable = ({ untilMs }: { untilMs: number }) => untilMs > nowMs() && replicas.mayCache()

  const start = async (tokenHash: string, query: () => Promise<IdentifiedCaller>) => {
    const untilMs = replicas.mayCache() ? nowMs() + CACHE_MS : Number.NEGATIVE_INFINITY
    const started = { result: query(), untilMs }
    running.set(tokenHash, started)
    const isCurrent = () => running.get(tokenHash) === started
    try {
      const identified = await started.result
      if (isCurrent() && identified.kind !== 'none') cached.set(tokenHash, { identified, untilMs })
      return identified
    } finally {
      if (isCurrent()) running.delete(tokenHash)
    }
  }
  return {
    read(tokenHash) {
      const entry = cached.get(tokenHash)
      return entry !== undefined && isUsable(entry) ? entry.identified : null
    },
    async load(tokenHash, query) {
      const concurrent = running.get(tokenHash)
      if (concurrent !== undefined && isUsable(concurrent)) {
        const identified = await concurrent.result
        // A refused credential may have been enabled since that query began.
        if (identified.kind !== 'none') return identified
      }
      return start(tokenHash, query)
    },
    delete(tokenHash) {
      running.clear()
      cached.delete(tokenHash)
    },
    deleteOrganization(organizationId) {
      running.clear()
      for (const [tokenHash, { identified }] of cached) {
        if (identified.caller.organizationId === organizationId) cached.delete(tokenHash)
      }
    },
    clear() {
      running.clear()
      cached.clear()
    },
  }
}
