/**
 * Event streams of pages. A page with any number of clients is requested once per change, through
 * the page cache with the request of one client; the clients receive an event only where the
 * version changed. Access is checked when a stream opens. Each stream ends after some minutes, and
 * at once when access may have changed.
 */
import { randomInt } from 'node:crypto'
import type { Readable } from 'node:stream'
import { organizationRevocationKey } from '../identity/sessions/credentials.ts'
import type { Invalidation, PageCache, PageRequest } from '../page-cache/page-cache.ts'
import type { PageResponse } from '../page-cache/upstream-outcome.ts'
import { discardBody, type UpstreamResponse } from '../upstream/upstream-request.ts'
import { EventStream } from './event-stream.ts'
import { isUpstreamFailure, type PageVersion, readPageVersion } from './page-version.ts'
import { type StreamBounds, StreamQuota, tooManyStreams } from './stream-quota.ts'

/** Interval below the idle timeout of common proxies. */
const HEARTBEAT_MS = 25_000
/** Lifetime of a stream; the client reconnects, which checks its access again. */
const STREAM_LIFETIME_MS = { min: 240_000, max: 360_000 }
/** Minimum time between two refreshes of a page: an invalidation concerns all pages. */
const MIN_REFRESH_INTERVAL_MS = 1_000
/**
 * Refresh interval of a page without invalidations, because pages also change with the time of day.
 */
const IDLE_REFRESH_MS = 60_000
/** At most twenty refreshes per second over all pages; the others are queued. */
const REFRESH_TICK_MS = 50
const MAX_REFRESHES_IN_FLIGHT = 4

export type OpenStreamResult =
  | { kind: 'stream'; stream: Readable }
  /** Response of the page itself to this client. */
  | { kind: 'passthrough'; response: UpstreamResponse }
  /** The page has no version and so no events. */
  | { kind: 'no-events' }

export interface SseClient {
  address: string
  /** Session that grants access to the page; null for a client without one. */
  session: ReaderSession | null
}

interface ReaderSession {
  tokenHash: string
  organizationId: string | null
}

export interface PageEventHub {
  /** Opens a stream that begins with the present version; throws 503 when there are too many. */
  open(request: PageRequest, reader: SseClient): Promise<OpenStreamResult>
  /**
   * Ends the streams of pages with restricted access that a revoked session opened. `revocationKey`
   * names the session or its organization, as `Credentials` does; null: any session may be revoked.
   */
  endRevoked(revocationKey: string | null): void
  /** Ends every stream and rejects new ones. */
  close(): void
}

interface Deps {
  cache: Pick<PageCache, 'serve' | 'keyOf' | 'onInvalidate'>
  bounds?: StreamBounds
  now?: () => number
}

interface SseSubscription {
  stream: EventStream
  request: PageRequest
  session: ReaderSession | null
  endsAt: number
}

interface Page extends PageVersion {
  key: string
  subscriptions: Set<SseSubscription>
  refreshedAt: number
  invalidatedAt: number
}

export const createPageEventHub = (deps: Deps): PageEventHub => new SsePageEventHub(deps)

class SsePageEventHub implements PageEventHub {
  readonly #cache: Deps['cache']
  readonly #now: () => number
  readonly #quota: StreamQuota
  readonly #pages = new Map<string, Page>()
  /** Pages with a scheduled refresh, in order. */
  readonly #due = new Set<Page>()
  #refreshesInFlight = 0
  #refreshTimer: NodeJS.Timeout | null = null
  #heartbeatTimer: NodeJS.Timeout | null = null
  #invalidatedAt = 0
  /** Number of access changes. */
  #accessChanges = 0
  /** Number of session revocations. */
  #revocations = 0
  #isClosed = false

  constructor({ cache, bounds, now = Date.now }: Deps) {
    this.#cache = cache
    this.#now = now
    this.#quota = new StreamQuota(bounds)
    cache.onInvalidate((invalidation) => this.#onInvalidation(invalidation))
  }

  async open(request: PageRequest, { address, session }: SseClient): Promise<OpenStreamResult> {
    if (this.#isClosed) throw tooManyStreams()
    const release = this.#quota.take(address)
    let isOpen = false
    try {
      const accessBefore = this.#accessChanges
      const revocationsBefore = this.#revocations
      const requestedAt = this.#now()
      const served = await this.#cache.serve(request)
      if (this.#isClosed) throw tooManyStreams()
      const pageVersion = readPageVersion(served, requestedAt)
      if (pageVersion === null) return toRefusal(served)
      const stream = new EventStream()
      stream.once('close', release)
      isOpen = true
      // A client that was admitted before an access change has to reconnect.
      const mayBeRevoked =
        session !== null && !pageVersion.isPublic && this.#revocations !== revocationsBefore
      if (this.#accessChanges !== accessBefore || mayBeRevoked) stream.finish()
      else this.#subscribe({ request, session, stream }, pageVersion)
      return { kind: 'stream', stream }
    } finally {
      if (!isOpen) release()
    }
  }

  endRevoked(revocationKey: string | null) {
    this.#revocations++
    for (const page of this.#pages.values()) {
      if (page.isPublic) continue
      for (const { stream, session } of page.subscriptions) {
        if (session !== null && isAffected(session, revocationKey)) stream.finish()
      }
    }
  }

  close() {
    this.#isClosed = true
    for (const page of this.#pages.values()) endAll(page)
  }

  #subscribe(reader: Omit<SseSubscription, 'endsAt'>, pageVersion: PageVersion) {
    const { request, stream } = reader
    const key = this.#cache.keyOf(request)
    const known = this.#pages.get(key)
    const page: Page = known ?? {
      ...pageVersion,
      key,
      subscriptions: new Set(),
      refreshedAt: pageVersion.requestedAt,
      invalidatedAt: this.#invalidatedAt,
    }
    this.#pages.set(key, page)
    // The page became restricted without an invalidation: its clients were admitted without a
    // check.
    if (page.isPublic && !pageVersion.isPublic) endAll(page)
    this.#applyVersion(page, pageVersion)
    const endsAt = this.#now() + randomInt(STREAM_LIFETIME_MS.min, STREAM_LIFETIME_MS.max)
    const subscription = { ...reader, endsAt }
    page.subscriptions.add(subscription)
    stream.sendData(page.version)
    stream.once('close', () => this.#unsubscribe(page, subscription))
    this.#heartbeatTimer ??= setInterval(() => this.#heartbeat(), HEARTBEAT_MS).unref()
  }

  #unsubscribe(page: Page, subscription: SseSubscription) {
    page.subscriptions.delete(subscription)
    if (page.subscriptions.size > 0) return
    this.#due.delete(page)
    if (this.#pages.get(page.key) === page) this.#pages.delete(page.key)
    if (this.#pages.size > 0 || this.#heartbeatTimer === null) return
    clearInterval(this.#heartbeatTimer)
    this.#heartbeatTimer = null
  }

  #heartbeat() {
    const now = this.#now()
    for (const page of this.#pages.values()) {
      for (const { stream, endsAt } of page.subscriptions) {
        if (now < endsAt) stream.heartbeat()
        else stream.finish()
      }
      if (now - page.refreshedAt >= IDLE_REFRESH_MS) this.#scheduleRefresh(page)
    }
  }

  #onInvalidation({ organizationId, isAccess }: Invalidation) {
    this.#invalidatedAt = this.#now()
    if (isAccess) this.#accessChanges++
    for (const page of this.#pages.values()) {
      if (!isSame(organizationId, page.organizationId)) continue
      if (isAccess) endAll(page)
      else {
        page.invalidatedAt = this.#invalidatedAt
        this.#scheduleRefresh(page)
      }
    }
  }

  #scheduleRefresh(page: Page) {
    this.#due.add(page)
    this.#refreshTimer ??= setInterval(() => this.#refreshNext(), REFRESH_TICK_MS).unref()
  }

  #refreshNext() {
    if (this.#due.size === 0 && this.#refreshTimer !== null) {
      clearInterval(this.#refreshTimer)
      this.#refreshTimer = null
    }
    if (this.#refreshesInFlight >= MAX_REFRESHES_IN_FLIGHT) return
    const latest = this.#now() - MIN_REFRESH_INTERVAL_MS
    const page = this.#due.values().find(({ refreshedAt }) => refreshedAt <= latest)
    if (page === undefined) return
    this.#due.delete(page)
    this.#refreshesInFlight++
    this.#refresh(page).finally(() => {
      this.#refreshesInFlight--
    })
  }

  async #refresh(page: Page): Promise<void> {
    const [probe] = page.subscriptions
    if (probe === undefined) return
    page.refreshedAt = this.#now()
    const served = await this.#cache.serve(probe.request).catch(() => null)
    // A failure or an outdated response has no current version; clients keep the last one.
    if (served === null || isUpstreamFailure(served)) return
    const pageVersion = readPageVersion(served, page.refreshedAt)
    if (served.kind === 'passthrough') discardBody(served.response)
    if (page.isPublic && !pageVersion?.isPublic) return endAll(page)
    if (pageVersion !== null) return this.#applyVersion(page, pageVersion)
    // This client has lost access; the next refresh uses another one.
    probe.stream.finish()
    page.subscriptions.delete(probe)
    if (page.subscriptions.size > 0) this.#scheduleRefresh(page)
  }

  #applyVersion(page: Page, pageVersion: PageVersion) {
    if (pageVersion.requestedAt < page.requestedAt) return
    const isNew = pageVersion.version !== page.version
    Object.assign(page, pageVersion)
    if (isNew) for (const { stream } of page.subscriptions) stream.sendData(pageVersion.version)
    // The response was requested before the latest invalidation.
    if (pageVersion.requestedAt < page.invalidatedAt) this.#scheduleRefresh(page)
  }
}

/** True also where one organization is unknown. */
const isSame = (first: string | undefined, other: string | undefined): boolean =>
  first === undefined || other === undefined || first === other

const isAffected = (
  { tokenHash, organizationId }: ReaderSession,
  revocationKey: string | null,
): boolean =>
  revocationKey === null ||
  revocationKey === tokenHash ||
  (organizationId !== null && revocationKey === organizationRevocationKey(organizationId))

const endAll = ({ subscriptions }: Page): void => {
  for (const { stream } of subscriptions) stream.finish()
}

const toRefusal = (served: PageResponse): OpenStreamResult => {
  if (served.kind === 'passthrough' && served.response.status !== 200) return served
  if (served.kind === 'passthrough') discardBody(served.response)
  return { kind: 'no-events' }
}
