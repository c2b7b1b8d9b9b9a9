/**
 * Public answers of pages, asked for once a change and not once a request. A key is asked about by one
 * request at a time; the others wait for it. While core cannot answer, the last good answer is served,
 * marked with its time. What is not for everybody is never kept, and drops what was.
 */
import { discardBody, type UpstreamResponse } from '../forwarding/upstream-request.ts'
import type { CacheEntry } from './cache-entry.ts'
import { toCacheEntry } from './cache-policy.ts'
import type { DiskStore } from './disk-store.ts'
import type { MemoryStore } from './memory-store.ts'

const SECOND_MS = 1_000
/** As `stale-if-error` says. */
export const MAX_STALE_MS = 86_400 * SECOND_MS
/** A slow answer is waited for so long, then the last one does; the next request finds the new one. */
const REVALIDATE_TIMEOUT_MS = 2_000
/** After a failure nobody asks again for so long: a crowd would only hold down what tries to rise. */
const RETRY_AFTER_MS = 1_000
/** Of an answer that something may have changed: somebody's change is told without saying whose. */
const MIN_FRESH_MS = 1_000
/** So old an answer may be that is said while it is asked for again, unless its own page was changed. */
const MAX_STALE_REVALIDATING_MS = 2_000

export type Served =
  /** For everybody. */
  | { kind: 'cached'; entry: CacheEntry; isOutdated: boolean }
  /** For this request alone. */
  | { kind: 'passthrough'; response: UpstreamResponse }

export interface PageRequest {
  key: string
  slug: string
  /** With the tag of what is kept; throws or answers 5xx when there is no answer to be had. */
  load(etag: string | undefined): Promise<UpstreamResponse>
}

export interface PageCache {
  serve(request: PageRequest): Promise<Served>
  /** What is kept and may be served without asking anybody. */
  getFresh(key: string): CacheEntry | undefined
  /** Whether access to the entry's page changed since core confirmed the entry. */
  isRevoked(entry: CacheEntry): boolean
  /** As `current`, for others than who asks anew: what somebody has changed is seldom this answer. */
  getStale(key: string): CacheEntry | undefined
  /** Somebody's data changed, or perhaps nobody's. */
  markAllStale(): void
  /** Whether changes are notified; while they are not, every answer is revalidated. */
  setInvalidationConnected(isConnected: boolean): void
  /** An organization changed something here: its pages are asked for before they are served again. */
  invalidate(organizationId: string): void
  /** Invalidates and removes every entry of the organization, because access to its pages changed. */
  purge(organizationId: string): void
  /** When each organization last changed a page, where that may not have been heard here. */
  applyMissedInvalidations(changes: ReadonlyMap<string, number>): void
  /** Calls back for each of these, once it is heeded. */
  onInvalidate(listener: (invalidation: Invalidation) => void): void
}

/** Something may have changed: undefined, in any organization; or who may see what one shows. */
export interface Invalidation {
  organizationId: string | undefined
  isAccess: boolean
}

interface Deps {
  memory: MemoryStore
  disk: DiskStore
  now?: () => number
}

interface Failure {
  at: number
  /** What is said where nothing is kept. */
  respond(): Served
}

export const createPageCache = (deps: Deps): PageCache => new RevalidatingPageCache(deps)

class RevalidatingPageCache implements PageCache {
  readonly #memory: MemoryStore
  readonly #disk: DiskStore
  readonly #now: () => number
  /** Null: the answer is kept now. */
  readonly #flights = new Map<string, Promise<UpstreamResponse | null>>()
  readonly #failures = new Map<string, Failure>()
  readonly #invalidatedAt = new Map<string, number>()
  /** Of who may see the pages of an organization: what is older is shown to nobody. */
  readonly #accessRevokedAt = new Map<string, number>()
  /** For organizations that the bounded `#closings` dropped: requests in flight and files remain. */
  #revokedBefore = 0
  /** What core has not confirmed since is shown to nobody either: perhaps it was closed. */
  #missedAt: ReadonlyMap<string, number> = new Map()
  readonly #listeners: ((invalidation: Invalidation) => void)[] = []
  #staleSince = 0
  #isConnected = true

  constructor({ memory, disk, now = Date.now }: Deps) {
    this.#memory = memory
    this.#disk = disk
    this.#now = now
  }

  serve(request: PageRequest): Promise<Served> {
    return this.#serve(request, MAX_FLIGHTS)
  }

  getFresh(key: string): CacheEntry | undefined {
    const entry = this.#memory.get(key)
    return entry !== undefined && this.#isFresh(entry) ? entry : undefined
  }

  getStale(key: string): CacheEntry | undefined {
    const entry = this.#memory.get(key)
    if (entry === undefined || !this.#isConnected || this.#isChanged(entry)) return undefined
    const age = this.#now() - entry.requestedAt
    return age < Math.min(entry.maxAgeMs, MAX_STALE_REVALIDATING_MS) ? entry : undefined
  }

  async #serve(request: PageRequest, flightsLeft: number): Promise<Served> {
    const { key, load } = request
    const fresh = this.getFresh(key)
    if (fresh !== undefined) return asCached(fresh)
    const entry = this.#memory.get(key)
    const failure = this.#failures.get(key)
    const isTooSoon = failure !== undefined && this.#now() - failure.at < RETRY_AFTER_MS
    if (isTooSoon) return this.#outdatedOr(key, failure.respond)
    const { flight, isOwn } = this.#flightOf(request, entry)
    const first = await settle(entry === undefined ? flight : withTimeout(flight))
    // Access was revoked during the wait, or may have been: the entry must not be served, however late core is.
    const mayBeRevoked = !this.#isConnected || (entry !== undefined && this.isRevoked(entry))
    const outcome = first === LATE && mayBeRevoked ? await settle(flight) : first
    if (outcome instanceof Failed) return this.#onFailure(key, outcome.respond)
    if (outcome === LATE && entry !== undefined) {
      // The answer that nobody waits for any more, if it is one for this request alone.
      if (isOwn) flight.then((response) => response !== null && discardBody(response), ignored)
      return asCached(entry)
    }
    const stored = this.#memory.get(key)
    if (outcome === null && stored !== undefined) {
      // What was under way already may not have seen the change that this request follows.
      const isOld = !isOwn && !this.#isFresh(stored) && flightsLeft > 1
      return isOld ? this.#serve(request, flightsLeft - 1) : asCached(stored)
    }
    // What another request was answered may not be for this one.
    const isForCaller = isOwn && outcome !== null && outcome !== LATE
    return { kind: 'passthrough', response: isForCaller ? outcome : await load(undefined) }
  }

  markAllStale() {
    this.#staleSince = this.#now()
    this.#notify({ organizationId: undefined, isAccess: false })
  }

  setInvalidationConnected(isConnected: boolean) {
    this.#isConnected = isConnected
    this.markAllStale()
  }

  invalidate(organizationId: string) {
    this.#markInvalidated(organizationId)
    this.#notify({ organizationId, isAccess: false })
  }

  purge(organizationId: string) {
    this.#markInvalidated(organizationId)
    if (this.#accessRevokedAt.size >= MAX_CHANGES) {
      this.#revokedBefore = this.#now()
      this.#accessRevokedAt.clear()
      this.#memory.deleteWhere(() => true)
    }
    this.#accessRevokedAt.set(organizationId, this.#now())
    this.#memory.deleteWhere((entry) => entry.organizationId === organizationId)
    this.#disk.purge(organizationId)
    this.#notify({ organizationId, isAccess: true })
  }

  #markInvalidated(organizationId: string) {
    if (this.#invalidatedAt.size >= MAX_CHANGES) {
      this.#invalidatedAt.clear()
      this.#memory.deleteWhere(() => true)
    }
    this.#invalidatedAt.set(organizationId, this.#now())
  }

  onInvalidate(listener: (invalidation: Invalidation) => void) {
    this.#listeners.push(listener)
  }

  #notify(invalidation: Invalidation) {
    for (const listener of this.#listeners) listener(invalidation)
  }

  applyMissedInvalidations(changes: ReadonlyMap<string, number>) {
    const now = this.#now()
    const latest = (at: number) => Math.min(at + CLOCK_MARGIN_MS, now)
    this.#missedAt = new Map([...changes].map(([id, at]) => [id, latest(at)]))
    this.#memory.deleteWhere((entry) => this.isRevoked(entry))
  }

  isRevoked({ requestedAt, validatedAt, organizationId }: CacheEntry): boolean {
    if (validatedAt <= (this.#missedAt.get(organizationId) ?? 0)) return true
    return requestedAt <= (this.#accessRevokedAt.get(organizationId) ?? this.#revokedBefore)
  }

  /** By its own organization, here. */
  #isChanged({ requestedAt, organizationId }: CacheEntry): boolean {
    return requestedAt <= (this.#invalidatedAt.get(organizationId) ?? 0)
  }

  #isFresh(entry: CacheEntry): boolean {
    const { requestedAt, maxAgeMs } = entry
    const age = this.#now() - requestedAt
    if (!this.#isConnected || this.#isChanged(entry)) return false
    return age < maxAgeMs && (requestedAt > this.#staleSince || age < MIN_FRESH_MS)
  }

  #flightOf(request: PageRequest, before: CacheEntry | undefined) {
    const { key } = request
    const inFlight = this.#flights.get(key)
    if (inFlight !== undefined) return { flight: inFlight, isOwn: false }
    const flight = this.#fetchEntry(request, before).finally(() => this.#flights.delete(key))
    // Whoever waits is told; when nobody does any more, nobody needs to be.
    flight.catch(ignored)
    this.#flights.set(key, flight)
    return { flight, isOwn: true }
  }

  async #fetchEntry(
    { key, slug, load }: PageRequest,
    before: CacheEntry | undefined,
  ): Promise<UpstreamResponse | null> {
    const requestedAt = this.#now()
    const response = await load(before?.etag)
    if (response.status >= MIN_ERROR_STATUS) return response
    this.#failures.delete(key)
    const entry = toCacheEntry(response, { before, slug, requestedAt, validatedAt: this.#now() })
    // Whoever waits for it asks again.
    if (entry !== null && this.isRevoked(entry)) return null
    if (entry !== null) {
      this.#memory.set(key, entry)
      this.#disk.write(key, entry)
      return null
    }
    this.#memory.delete(key)
    this.#disk.remove(key)
    return response
  }

  #onFailure(key: string, respond: Failure['respond']): Promise<Served> {
    if (this.#failures.size >= MAX_FAILURES) this.#failures.clear()
    this.#failures.set(key, { at: this.#now(), respond })
    return this.#outdatedOr(key, respond)
  }

  async #outdatedOr(key: string, respond: Failure['respond']): Promise<Served> {
    const entry = this.#memory.get(key) ?? (await this.#disk.read(key))
    if (entry === undefined || this.isRevoked(entry)) return respond()
    if (this.#now() - entry.validatedAt > MAX_STALE_MS) return respond()
    this.#memory.set(key, entry)
    return { kind: 'cached', entry, isOutdated: true }
  }
}

const ignored = () => {}

const asCached = (entry: CacheEntry): Served => ({ kind: 'cached', entry, isOutdated: false })

const MIN_ERROR_STATUS = 500
/** One that was under way, and one of its own or begun after. */
const MAX_FLIGHTS = 3
const MAX_FAILURES = 10_000
const MAX_CHANGES = 10_000

/** Between a change and its commit, a question and its answer, one clock and another. */
const CLOCK_MARGIN_MS = 60_000

class Failed {
  readonly respond: Failure['respond']
  constructor(respond: Failure['respond']) {
    this.respond = respond
  }
}

/** An answer of 500 and above is no more of one than none. */
const settle = async <T extends UpstreamResponse | null | symbol>(flight: Promise<T>) => {
  try {
    const outcome = await flight
    if (outcome === null || typeof outcome === 'symbol' || outcome.status < MIN_ERROR_STATUS)
      return outcome
    return new Failed(() => ({ kind: 'passthrough', response: outcome }))
  } catch (error) {
    return new Failed(() => {
      throw error
    })
  }
}

const LATE = Symbol('late')

const withTimeout = async <T>(flight: Promise<T>): Promise<T | typeof LATE> => {
  const { promise: timeout, resolve } = Promise.withResolvers<typeof LATE>()
  const timer = setTimeout(() => resolve(LATE), REVALIDATE_TIMEOUT_MS)
  try {
    return await Promise.race([flight, timeout])
  } finally {
    clearTimeout(timer)
  }
}
