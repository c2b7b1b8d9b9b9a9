/**
 * Public answers of pages, asked for once a change and not once a request. A key is asked about by one
 * request at a time; the others wait for it. While core cannot answer, the last good answer is served,
 * marked with its time. What is not for everybody is never kept, and drops what was.
 */
import { discardBody, type UpstreamResponse } from '../forwarding/upstream-request.ts'
import type { CacheEntry } from './cache-entry.ts'
import { keep } from './cache-policy.ts'
import type { Disk } from './disk-store.ts'
import type { Memory } from './memory-store.ts'

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
const MAX_AGE_MEANWHILE_MS = 2_000

export type Served =
  /** For everybody. */
  | { kind: 'kept'; kept: CacheEntry; isOutdated: boolean }
  /** For this request alone. */
  | { kind: 'own'; answer: UpstreamResponse }

export interface PageRequest {
  key: string
  slug: string
  /** With the tag of what is kept; throws or answers 5xx when there is no answer to be had. */
  ask(etag: string | undefined): Promise<UpstreamResponse>
}

export interface PageCache {
  serve(request: PageRequest): Promise<Served>
  /** What is kept and may be served without asking anybody. */
  current(key: string): CacheEntry | undefined
  /** Whether access to the entry's page changed since core confirmed the entry. */
  isRevoked(entry: CacheEntry): boolean
  /** As `current`, for others than who asks anew: what somebody has changed is seldom this answer. */
  meanwhile(key: string): CacheEntry | undefined
  /** Somebody's data changed, or perhaps nobody's. */
  markAllStale(): void
  /** Whether changes are notified; while they are not, every answer is revalidated. */
  listens(isListening: boolean): void
  /** An organization changed something here: its pages are asked for before they are served again. */
  changed(organizationId: string, isAccess: boolean): void
  /** When each organization last changed a page, where that may not have been heard here. */
  missed(changes: ReadonlyMap<string, number>): void
  /** Calls back for each of these, once it is heeded. */
  onSignal(listener: (signal: Signal) => void): void
}

/** Something may have changed: undefined, in any organization; or who may see what one shows. */
export interface Signal {
  organizationId: string | undefined
  isAccess: boolean
}

interface Deps {
  memory: Memory
  disk: Disk
  now?: () => number
}

interface Failure {
  at: number
  /** What is said where nothing is kept. */
  say(): Served
}

export const createPageAnswers = (deps: Deps): PageCache => new Answers(deps)

class Answers implements PageCache {
  readonly #memory: Memory
  readonly #disk: Disk
  readonly #now: () => number
  /** Null: the answer is kept now. */
  readonly #flights = new Map<string, Promise<UpstreamResponse | null>>()
  readonly #failures = new Map<string, Failure>()
  readonly #changes = new Map<string, number>()
  /** Of who may see the pages of an organization: what is older is shown to nobody. */
  readonly #closings = new Map<string, number>()
  /** For organizations that the bounded `#closings` dropped: requests in flight and files remain. */
  #revokedBefore = 0
  /** What core has not confirmed since is shown to nobody either: perhaps it was closed. */
  #missed: ReadonlyMap<string, number> = new Map()
  readonly #listeners: ((signal: Signal) => void)[] = []
  #toldAt = 0
  #isListening = true

  constructor({ memory, disk, now = Date.now }: Deps) {
    this.#memory = memory
    this.#disk = disk
    this.#now = now
  }

  serve(request: PageRequest): Promise<Served> {
    return this.#serve(request, MAX_FLIGHTS)
  }

  current(key: string): CacheEntry | undefined {
    const kept = this.#memory.get(key)
    return kept !== undefined && this.#isFresh(kept) ? kept : undefined
  }

  meanwhile(key: string): CacheEntry | undefined {
    const kept = this.#memory.get(key)
    if (kept === undefined || !this.#isListening || this.#isChanged(kept)) return undefined
    const age = this.#now() - kept.requestedAt
    return age < Math.min(kept.maxAgeMs, MAX_AGE_MEANWHILE_MS) ? kept : undefined
  }

  async #serve(request: PageRequest, flightsLeft: number): Promise<Served> {
    const { key, ask } = request
    const current = this.current(key)
    if (current !== undefined) return asKept(current)
    const kept = this.#memory.get(key)
    const failure = this.#failures.get(key)
    const isTooSoon = failure !== undefined && this.#now() - failure.at < RETRY_AFTER_MS
    if (isTooSoon) return this.#outdatedOr(key, failure.say)
    const { flight, isOwn } = this.#flightOf(request, kept)
    const first = await outcomeOf(kept === undefined ? flight : withinPatience(flight))
    // Access was revoked during the wait, or may have been: the entry must not be served, however late core is.
    const mayBeRevoked = !this.#isListening || (kept !== undefined && this.isRevoked(kept))
    const outcome = first === LATE && mayBeRevoked ? await outcomeOf(flight) : first
    if (outcome instanceof Failed) return this.#failed(key, outcome.say)
    if (outcome === LATE && kept !== undefined) {
      // The answer that nobody waits for any more, if it is one for this request alone.
      if (isOwn) flight.then((answer) => answer !== null && discardBody(answer), ignored)
      return asKept(kept)
    }
    const fresh = this.#memory.get(key)
    if (outcome === null && fresh !== undefined) {
      // What was under way already may not have seen the change that this request follows.
      const isOld = !isOwn && !this.#isFresh(fresh) && flightsLeft > 1
      return isOld ? this.#serve(request, flightsLeft - 1) : asKept(fresh)
    }
    // What another request was answered may not be for this one.
    const isForThis = isOwn && outcome !== null && outcome !== LATE
    return { kind: 'own', answer: isForThis ? outcome : await ask(undefined) }
  }

  markAllStale() {
    this.#toldAt = this.#now()
    this.#signal({ organizationId: undefined, isAccess: false })
  }

  listens(isListening: boolean) {
    this.#isListening = isListening
    this.markAllStale()
  }

  changed(organizationId: string, isAccess: boolean) {
    if (this.#changes.size >= MAX_CHANGES) {
      this.#changes.clear()
      this.#memory.forget(() => true)
    }
    this.#changes.set(organizationId, this.#now())
    if (isAccess) {
      if (this.#closings.size >= MAX_CHANGES) {
        this.#revokedBefore = this.#now()
        this.#closings.clear()
        this.#memory.forget(() => true)
      }
      this.#closings.set(organizationId, this.#now())
      this.#memory.forget((kept) => kept.organizationId === organizationId)
      this.#disk.forget(organizationId)
    }
    this.#signal({ organizationId, isAccess })
  }

  onSignal(listener: (signal: Signal) => void) {
    this.#listeners.push(listener)
  }

  #signal(signal: Signal) {
    for (const listener of this.#listeners) listener(signal)
  }

  missed(changes: ReadonlyMap<string, number>) {
    const now = this.#now()
    const latest = (at: number) => Math.min(at + UNCERTAIN_MS, now)
    this.#missed = new Map([...changes].map(([id, at]) => [id, latest(at)]))
    this.#memory.forget((kept) => this.isRevoked(kept))
  }

  isRevoked({ requestedAt, validatedAt, organizationId }: CacheEntry): boolean {
    if (validatedAt <= (this.#missed.get(organizationId) ?? 0)) return true
    return requestedAt <= (this.#closings.get(organizationId) ?? this.#revokedBefore)
  }

  /** By its own organization, here. */
  #isChanged({ requestedAt, organizationId }: CacheEntry): boolean {
    return requestedAt <= (this.#changes.get(organizationId) ?? 0)
  }

  #isFresh(kept: CacheEntry): boolean {
    const { requestedAt, maxAgeMs } = kept
    const age = this.#now() - requestedAt
    if (!this.#isListening || this.#isChanged(kept)) return false
    return age < maxAgeMs && (requestedAt > this.#toldAt || age < MIN_FRESH_MS)
  }

  #flightOf(request: PageRequest, before: CacheEntry | undefined) {
    const { key } = request
    const underWay = this.#flights.get(key)
    if (underWay !== undefined) return { flight: underWay, isOwn: false }
    const flight = this.#fly(request, before).finally(() => this.#flights.delete(key))
    // Whoever waits is told; when nobody does any more, nobody needs to be.
    flight.catch(ignored)
    this.#flights.set(key, flight)
    return { flight, isOwn: true }
  }

  async #fly(
    { key, slug, ask }: PageRequest,
    before: CacheEntry | undefined,
  ): Promise<UpstreamResponse | null> {
    const requestedAt = this.#now()
    const answer = await ask(before?.etag)
    if (answer.status >= MIN_FAULT) return answer
    this.#failures.delete(key)
    const kept = keep(answer, { before, slug, requestedAt, validatedAt: this.#now() })
    // Whoever waits for it asks again.
    if (kept !== null && this.isRevoked(kept)) return null
    if (kept !== null) {
      this.#memory.set(key, kept)
      this.#disk.write(key, kept)
      return null
    }
    this.#memory.delete(key)
    this.#disk.remove(key)
    return answer
  }

  #failed(key: string, say: Failure['say']): Promise<Served> {
    if (this.#failures.size >= MAX_FAILURES) this.#failures.clear()
    this.#failures.set(key, { at: this.#now(), say })
    return this.#outdatedOr(key, say)
  }

  async #outdatedOr(key: string, say: Failure['say']): Promise<Served> {
    const kept = this.#memory.get(key) ?? (await this.#disk.read(key))
    if (kept === undefined || this.isRevoked(kept)) return say()
    if (this.#now() - kept.validatedAt > MAX_STALE_MS) return say()
    this.#memory.set(key, kept)
    return { kind: 'kept', kept, isOutdated: true }
  }
}

const ignored = () => {}

const asKept = (kept: CacheEntry): Served => ({ kind: 'kept', kept, isOutdated: false })

const MIN_FAULT = 500
/** One that was under way, and one of its own or begun after. */
const MAX_FLIGHTS = 3
const MAX_FAILURES = 10_000
const MAX_CHANGES = 10_000

/** Between a change and its commit, a question and its answer, one clock and another. */
const UNCERTAIN_MS = 60_000

class Failed {
  readonly say: Failure['say']
  constructor(say: Failure['say']) {
    this.say = say
  }
}

/** An answer of 500 and above is no more of one than none. */
const outcomeOf = async <T extends UpstreamResponse | null | symbol>(flight: Promise<T>) => {
  try {
    const outcome = await flight
    if (outcome === null || typeof outcome === 'symbol' || outcome.status < MIN_FAULT)
      return outcome
    return new Failed(() => ({ kind: 'own', answer: outcome }))
  } catch (error) {
    return new Failed(() => {
      throw error
    })
  }
}

const LATE = Symbol('late')

const withinPatience = async <T>(flight: Promise<T>): Promise<T | typeof LATE> => {
  const { promise: late, resolve } = Promise.withResolvers<typeof LATE>()
  const timer = setTimeout(() => resolve(LATE), REVALIDATE_TIMEOUT_MS)
  try {
    return await Promise.race([flight, late])
  } finally {
    clearTimeout(timer)
  }
}
