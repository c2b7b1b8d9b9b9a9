/**
 * Page cache of public responses: requested once per change, not once per request. Concurrent
 * requests for a key share one upstream request. While core is unavailable, the last good response
 * is served, marked with its time. Responses that are not public are never cached and evict the
 * entry.
 */
import { withTimeout } from '@status-page/concurrency'
import { unavailable } from '@status-page/contracts'
import { discardBody, type UpstreamResponse } from '../upstream/upstream-request.ts'
import type { CacheEntry } from './cache-entry.ts'
import { negotiatedLocales, toCacheEntry } from './cache-policy.ts'
import type { DiskStore } from './disk-store.ts'
import { EntryMemory } from './entry-memory.ts'
import { EntryValidity } from './entry-validity.ts'
import { entryKey, LanguageVariants, type VariantRequest } from './language-variants.ts'
import { UpstreamFailures } from './upstream-failures.ts'
import {
  cachedResponseOf,
  MIN_ERROR_STATUS,
  type PageResponse,
  settleUpstream,
  TIMED_OUT,
  UpstreamFailure,
} from './upstream-outcome.ts'

const SECOND_MS = 1_000
/**
 * Maximum age of an entry that is served while core is unavailable, the value of `stale-if-error`.
 */
export const MAX_STALE_MS = 86_400 * SECOND_MS
/**
 * Maximum time to wait for a revalidation. After it the stale entry is served; a later request
 * finds the new one.
 */
const REVALIDATE_TIMEOUT_MS = 2_000
/**
 * Maximum time to wait while invalidations are not received, so that access may have been revoked.
 * After it core counts as unavailable: a database that hangs must not make pages hang.
 */
const UNCONFIRMED_TIMEOUT_MS = 5_000

export interface PageRequest extends VariantRequest {
  slug: string
  /**
   * Requests the page with the etag of the cached entry; throws or returns 5xx where core cannot
   * respond.
   */
  load(etag: string | undefined): Promise<UpstreamResponse>
}

export interface PageCache {
  serve(request: PageRequest): Promise<PageResponse>
  /** Key of the entry for the request, which differs by language for pages in several ones. */
  keyOf(request: VariantRequest): string
  /** Entry that needs no revalidation. */
  getFresh(key: string): CacheEntry | undefined
  /** Whether access to the entry's page changed since core confirmed the entry. */
  isRevoked(entry: CacheEntry): boolean
  /** Whether memory has no entry; the disk may have some. */
  isEmpty(): boolean
  /** Marks all entries stale after a change of an unknown organization. */
  markAllStale(): void
  /** Sets whether invalidations are received; while they are not, every response is revalidated. */
  setInvalidationConnected(isConnected: boolean): void
  /** Requires a revalidation of the organization's pages, after a change through this gateway. */
  invalidate(organizationId: string): void
  /**
   * Invalidates and removes every entry of the organization, because access to its pages changed.
   */
  purge(organizationId: string): void
  /** Applies the latest change of each organization that this gateway may have missed. */
  applyMissedInvalidations(changes: ReadonlyMap<string, number>): void
  /** Calls back after each invalidation has been applied. */
  onInvalidate(listener: (invalidation: Invalidation) => void): void
  /** Calls back before each lookup of a fresh entry; one listener at most. */
  onLookup(listener: () => void): void
}

/**
 * Invalidation of one organization, or of an unknown one (undefined); `isAccess`: access to pages
 * changed.
 */
export interface Invalidation {
  organizationId: string | undefined
  isAccess: boolean
}

/** Upstream request; its reply is null when the response was cached. */
interface Flight {
  reply: Promise<UpstreamResponse | null>
  startedAt: number
}

interface Deps {
  disk: DiskStore
  now?: () => number
}

export const createPageCache = (deps: Deps): PageCache => new RevalidatingPageCache(deps)

class RevalidatingPageCache implements PageCache {
  readonly #memory = new EntryMemory()
  readonly #languages = new LanguageVariants()
  readonly #disk: DiskStore
  readonly #now: () => number
  /** Upstream requests in flight by key. */
  readonly #flights = new Map<string, Flight>()
  readonly #failures: UpstreamFailures
  readonly #validity: EntryValidity
  readonly #listeners: ((invalidation: Invalidation) => void)[] = []
  #notifyLookup = () => {}

  constructor({ disk, now = Date.now }: Deps) {
    this.#disk = disk
    this.#now = now
    this.#failures = new UpstreamFailures(now)
    this.#validity = new EntryValidity(now)
  }

  serve(request: PageRequest): Promise<PageResponse> {
    return this.#serve(request, MAX_FLIGHTS)
  }

  keyOf(request: VariantRequest): string {
    return this.#languages.keyOf(request, this.#memory.get(request.key))
  }

  getFresh(key: string): CacheEntry | undefined {
    this.#notifyLookup()
    const entry = this.#memory.get(key)
    return entry !== undefined && this.#validity.isFresh(entry) ? entry : undefined
  }

  isEmpty() {
    return this.#memory.isEmpty()
  }

  async #serve(request: PageRequest, flightsLeft: number): Promise<PageResponse> {
    const { load } = request
    const key = this.keyOf(request)
    const fresh = this.getFresh(key)
    if (fresh !== undefined) return cachedResponseOf(fresh)
    const entry = this.#memory.get(key)
    const recentFailure = this.#failures.findRecent(key)
    if (recentFailure !== undefined) return this.#outdatedOr(request, recentFailure)
    const { flight, isOwn } = this.#flightOf(request, key, entry)
    const { reply } = flight
    const first = await settleUpstream(
      entry === undefined
        ? reply
        : withTimeout(reply, this.#remainingOf(flight, REVALIDATE_TIMEOUT_MS), timedOut),
    )
    const outcome = first === TIMED_OUT ? await this.#settleLate(flight, entry) : first
    if (isOwn && (outcome === TIMED_OUT || outcome === noResponse)) {
      // Discards the late response if it is not public: no request reads it.
      reply.then((response) => response !== null && discardBody(response), ignored)
    }
    if (outcome instanceof UpstreamFailure) return this.#onFailure(request, key, outcome.respond)
    if (outcome === TIMED_OUT && entry !== undefined) return cachedResponseOf(entry)
    const stored = this.#memory.get(this.keyOf(request))
    // A request that was in flight before may not include the change that this request follows, and
    // its response may be in another language.
    const isUsable = stored !== undefined && this.#validity.isFresh(stored)
    if (outcome === null && !isOwn && !isUsable && flightsLeft > 1)
      return this.#serve(request, flightsLeft - 1)
    if (outcome === null && stored !== undefined) return cachedResponseOf(stored)
    // A passthrough response to another request may not be valid for this one.
    const isForCaller = isOwn && outcome !== null && outcome !== TIMED_OUT
    return { kind: 'passthrough', response: isForCaller ? outcome : await load(undefined) }
  }

  /** Continues to wait where access was or may have been revoked during the wait for core. */
  async #settleLate(flight: Flight, entry: CacheEntry | undefined) {
    const settled = settleUpstream(flight.reply)
    // The entry must not be served, however late core is.
    if (entry !== undefined && this.isRevoked(entry)) return settled
    if (this.#validity.isConnected) return TIMED_OUT
    return withTimeout(settled, this.#remainingOf(flight, UNCONFIRMED_TIMEOUT_MS), () => noResponse)
  }

  /** Remaining part of a time-out that begins with the upstream request, which others may share. */
  #remainingOf({ startedAt }: Flight, timeoutMs: number): number {
    return Math.max(0, startedAt + timeoutMs - this.#now())
  }

  markAllStale() {
    this.#validity.markAllStale()
    this.#notify({ organizationId: undefined, isAccess: false })
  }

  setInvalidationConnected(isConnected: boolean) {
    this.#validity.setConnected(isConnected)
    this.#notify({ organizationId: undefined, isAccess: false })
  }

  invalidate(organizationId: string) {
    this.#validity.invalidate(organizationId)
    this.#notify({ organizationId, isAccess: false })
  }

  purge(organizationId: string) {
    this.#validity.revoke(organizationId)
    this.#memory.deleteWhere((entry) => entry.organizationId === organizationId)
    this.#disk.purge(organizationId)
    this.#notify({ organizationId, isAccess: true })
  }

  onInvalidate(listener: (invalidation: Invalidation) => void) {
    this.#listeners.push(listener)
  }

  onLookup(listener: () => void) {
    this.#notifyLookup = listener
  }

  #notify(invalidation: Invalidation) {
    for (const listener of this.#listeners) listener(invalidation)
  }

  applyMissedInvalidations(changes: ReadonlyMap<string, number>) {
    this.#validity.revokeMissed(changes)
    this.#memory.deleteWhere((entry) => this.isRevoked(entry))
  }

  isRevoked(entry: CacheEntry): boolean {
    return this.#validity.isRevoked(entry)
  }

  #flightOf(request: PageRequest, key: string, before: CacheEntry | undefined) {
    const inFlight = this.#flights.get(key)
    if (inFlight !== undefined) return { flight: inFlight, isOwn: false }
    const startedAt = this.#now()
    const reply = this.#fetchEntry(request, key, before).finally(() => this.#flights.delete(key))
    // Waiting requests handle the rejection; without any it must not be an unhandled one.
    reply.catch(ignored)
    const flight = { reply, startedAt }
    this.#flights.set(key, flight)
    return { flight, isOwn: true }
  }

  async #fetchEntry(
    request: PageRequest,
    key: string,
    before: CacheEntry | undefined,
  ): Promise<UpstreamResponse | null> {
    const { slug, load } = request
    const requestedAt = this.#now()
    const response = await load(before?.etag)
    if (response.status >= MIN_ERROR_STATUS) return response
    this.#failures.delete(key)
    const times = { requestedAt, validatedAt: this.#now() }
    const entry = await toCacheEntry(response, { before, slug, ...times })
    this.#languages.setLocales(request.key, entry?.locales ?? negotiatedLocales(response.headers))
    // Requests that waited for this revalidation start another one.
    if (entry !== null && this.isRevoked(entry)) return null
    const storedKey = entry === null ? null : entryKey(request.key, entry)
    if (storedKey !== key) {
      this.#memory.delete(key)
      this.#disk.remove(key)
    }
    if (entry === null || storedKey === null) return response
    this.#memory.set(storedKey, entry)
    this.#disk.write(storedKey, entry)
    return null
  }

  #onFailure(
    request: PageRequest,
    key: string,
    respond: () => PageResponse,
  ): Promise<PageResponse> {
    this.#failures.add(key, respond)
    return this.#outdatedOr(request, respond)
  }

  async #outdatedOr(request: PageRequest, respond: () => PageResponse): Promise<PageResponse> {
    const pageEntry = await this.#readOutdated(request.key)
    const key = this.#languages.keyOf(request, pageEntry)
    const variant = key === request.key ? undefined : await this.#readOutdated(key)
    // Without the visitor's language, the page's own one.
    const entry = variant ?? pageEntry
    return entry === undefined ? respond() : { kind: 'cached', entry, isOutdated: true }
  }

  async #readOutdated(key: string): Promise<CacheEntry | undefined> {
    const entry = this.#memory.get(key) ?? (await this.#disk.read(key))
    if (entry === undefined || this.isRevoked(entry)) return undefined
    if (this.#now() - entry.validatedAt > MAX_STALE_MS) return undefined
    this.#memory.set(key, entry)
    return entry
  }
}

const ignored = () => {}
const timedOut = (): typeof TIMED_OUT => TIMED_OUT

const RETRY_AFTER_SECONDS = 1
const noResponse = new UpstreamFailure(() => {
  throw unavailable('core does not respond', RETRY_AFTER_SECONDS)
})

/**
 * One request that was in flight already, and one that began after it, of this caller or another.
 */
const MAX_FLIGHTS = 3
