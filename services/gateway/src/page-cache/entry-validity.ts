/**
 * Validity of cache entries by their age and the invalidations received: fresh, stale or
 * revoked.
 */
import type { CacheEntry } from './cache-entry.ts'

const SECOND_MS = 1_000
/**
 * TTL of an entry after an invalidation that names no organization: most such changes concern
 * another one.
 */
const MIN_FRESH_MS = SECOND_MS
/**
 * Maximum organizations whose invalidations are stored; beyond it, the stored ones become one of
 * every organization.
 */
const MAX_ORGANIZATIONS = 10_000
/** Margin between a change and its commit, a request and its response, and two clocks. */
const CLOCK_MARGIN_MS = 60 * SECOND_MS

export class EntryValidity {
  readonly #now: () => number
  readonly #invalidatedAt = new Map<string, number>()
  /** Invalidation of organizations without one in `#invalidatedAt`, which is bounded. */
  #invalidatedBefore = 0
  /** Time of the last access change per organization; older entries are never served. */
  readonly #accessRevokedAt = new Map<string, number>()
  /** Access change of organizations without one in `#accessRevokedAt`, which is bounded. */
  #revokedBefore = 0
  /**
   * Time of the last change that may have been missed, per organization; entries that core has not
   * confirmed since are never served.
   */
  #missedAt: ReadonlyMap<string, number> = new Map()
  #staleSince = 0
  #isConnected = true

  constructor(now: () => number) {
    this.#now = now
  }

  /** Whether invalidations are received. */
  get isConnected(): boolean {
    return this.#isConnected
  }

  isFresh(entry: CacheEntry): boolean {
    const { requestedAt, maxAgeMs } = entry
    const age = this.#now() - requestedAt
    if (!this.#isConnected || this.#isInvalidated(entry)) return false
    return age < maxAgeMs && (requestedAt > this.#staleSince || age < MIN_FRESH_MS)
  }

  /** Whether access to the entry's page changed, or may have, since core confirmed the entry. */
  isRevoked({ requestedAt, validatedAt, organizationId }: CacheEntry): boolean {
    if (validatedAt <= (this.#missedAt.get(organizationId) ?? 0)) return true
    return requestedAt <= (this.#accessRevokedAt.get(organizationId) ?? this.#revokedBefore)
  }

  markAllStale(): void {
    this.#staleSince = this.#now()
  }

  /** Sets whether invalidations are received; without them no entry is fresh. */
  setConnected(isConnected: boolean): void {
    this.#isConnected = isConnected
    this.markAllStale()
  }

  invalidate(organizationId: string): void {
    if (this.#invalidatedAt.size >= MAX_ORGANIZATIONS) {
      this.#invalidatedBefore = this.#now()
      this.#invalidatedAt.clear()
    }
    this.#invalidatedAt.set(organizationId, this.#now())
  }

  revoke(organizationId: string): void {
    this.invalidate(organizationId)
    if (this.#accessRevokedAt.size >= MAX_ORGANIZATIONS) {
      this.#revokedBefore = this.#now()
      this.#accessRevokedAt.clear()
    }
    this.#accessRevokedAt.set(organizationId, this.#now())
  }

  /** Revokes entries from before the latest change of each organization. */
  revokeMissed(changes: ReadonlyMap<string, number>): void {
    const now = this.#now()
    const latest = (at: number) => Math.min(at + CLOCK_MARGIN_MS, now)
    this.#missedAt = new Map([...changes].map(([id, at]) => [id, latest(at)]))
  }

  #isInvalidated({ requestedAt, organizationId }: CacheEntry): boolean {
    return requestedAt <= (this.#invalidatedAt.get(organizationId) ?? this.#invalidatedBefore)
  }
}
