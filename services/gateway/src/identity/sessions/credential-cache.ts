/**
 * Cache of identified callers by the hash of their credential, for at most a second. Invariant: no
 * result of a query that began before a revocation is cached after it.
 */
import type { IdentifiedCaller } from './identified-caller.ts'
import { CACHE_MS, type ReplicaRegistry } from './replica-registry.ts'

const MAX_CACHED = 10_000

export interface CredentialCache {
  read(tokenHash: string): IdentifiedCaller | null
  /** Runs the query; caches its result unless a revocation arrived in the meantime. */
  load(tokenHash: string, query: () => Promise<IdentifiedCaller>): Promise<IdentifiedCaller>
  delete(tokenHash: string): void
  deleteOrganization(organizationId: string): void
  clear(): void
}

export const createCredentialCache = (
  replicas: Pick<ReplicaRegistry, 'mayCache'>,
): CredentialCache => {
  const cached = new Map<string, { identified: IdentifiedCaller; untilMs: number }>()
  let revocations = 0
  return {
    read(tokenHash) {
      const entry = cached.get(tokenHash)
      const isUsable =
        entry !== undefined && entry.untilMs > performance.now() && replicas.mayCache()
      return isUsable ? entry.identified : null
    },
    async load(tokenHash, query) {
      const requestedMs = performance.now()
      const revocationsBefore = revocations
      const identified = await query()
      if (identified.kind === 'none' || revocations !== revocationsBefore) return identified
      const [oldest] = cached.keys()
      if (cached.size >= MAX_CACHED && oldest !== undefined) cached.delete(oldest)
      cached.set(tokenHash, { identified, untilMs: requestedMs + CACHE_MS })
      return identified
    },
    delete(tokenHash) {
      revocations++
      cached.delete(tokenHash)
    },
    deleteOrganization(organizationId) {
      revocations++
      for (const [tokenHash, { identified }] of cached) {
        if (identified.caller.organizationId === organizationId) cached.delete(tokenHash)
      }
    },
    clear() {
      revocations++
      cached.clear()
    },
  }
}
