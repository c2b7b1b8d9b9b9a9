/**
 * Readers of pages who are told of changes. However many follow a page, it is looked at once a change, by
 * the way of whoever asks for it, and they are told only where what it says has changed. Who may see it is
 * asked when a stream opens; each ends after a while, and at once when that may have changed.
 */
import { randomInt } from 'node:crypto'
import type { Readable } from 'node:stream'
import { organizationRevocationKey } from '../auth/credentials.ts'
import { discardBody, type UpstreamResponse } from '../forwarding/upstream-request.ts'
import type { PageCache, PageRequest, Served, Signal } from '../page-cache/page-cache.ts'
import { EventStream } from './event-stream.ts'
import { isFailure, type Sight, sightOf } from './page-version.ts'
import { noStream, type StreamBounds, StreamQuota } from './stream-quota.ts'

/** Below what proxies take for silence. */
const HEARTBEAT_MS = 25_000
/** Then the gate is passed anew. */
const LIFE_MS = { min: 240_000, max: 360_000 }
/** A change is told to all pages alike: so often at most one of them is looked at because of it. */
const LOOK_AGAIN_MS = 1_000
/** Pages change with the time of day, too. */
const QUIET_LOOK_MS = 60_000
/** Twenty looks a second, whatever is followed: the rest waits for its turn. */
const LOOK_EVERY_MS = 50
const MAX_LOOKS_UNDER_WAY = 4

export type Opened =
  | { kind: 'stream'; stream: Readable }
  /** What the page itself says to this reader. */
  | { kind: 'own'; answer: UpstreamResponse }
  /** The page tells of no changes. */
  | { kind: 'nothing' }

export interface SseClient {
  address: string
  /** The session that the page is shown to; null for a reader without one. */
  session: ReaderSession | null
}

interface ReaderSession {
  tokenHash: string
  organizationId: string | null
}

export interface PageEventHub {
  /** The stream begins with the present version; throws 503 when there are too many. */
  open(question: PageRequest, reader: SseClient): Promise<Opened>
  /**
   * Ends the streams of pages that are not for everybody which a revoked session opened. `mark` names
   * the session or its organization, as `Credentials` does; null: any session may be revoked.
   */
  endRevoked(revocationKey: string | null): void
  /** Ends every stream and opens no more. */
  close(): void
}

interface Deps {
  answers: Pick<PageCache, 'serve' | 'onSignal'>
  bounds?: StreamBounds
  now?: () => number
}

interface Follower {
  stream: EventStream
  question: PageRequest
  session: ReaderSession | null
  endsAt: number
}

interface Page extends Sight {
  key: string
  followers: Set<Follower>
  lookedAt: number
  signalledAt: number
}

export const createLive = (deps: Deps): PageEventHub => new Lines(deps)

class Lines implements PageEventHub {
  readonly #answers: Deps['answers']
  readonly #now: () => number
  readonly #places: StreamQuota
  readonly #pages = new Map<string, Page>()
  /** In the order in which they came to be due. */
  readonly #due = new Set<Page>()
  #looksUnderWay = 0
  #looking: NodeJS.Timeout | null = null
  #beating: NodeJS.Timeout | null = null
  #signalledAt = 0
  /** Counts what may have changed who sees a page. */
  #accessChanges = 0
  /** Counts revocations of sessions. */
  #revocations = 0
  #isClosed = false

  constructor({ answers, bounds, now = Date.now }: Deps) {
    this.#answers = answers
    this.#now = now
    this.#places = new StreamQuota(bounds)
    answers.onSignal((signal) => this.#hear(signal))
  }

  async open(question: PageRequest, { address, session }: SseClient): Promise<Opened> {
    if (this.#isClosed) throw noStream()
    const leave = this.#places.take(address)
    let isOpen = false
    try {
      const accessBefore = this.#accessChanges
      const revocationsBefore = this.#revocations
      const requestedAt = this.#now()
      const served = await this.#answers.serve(question)
      if (this.#isClosed) throw noStream()
      const sight = sightOf(served, requestedAt)
      if (sight === null) return refusalOf(served)
      const stream = new EventStream()
      stream.once('close', leave)
      isOpen = true
      // A reader that was admitted by what may no longer be true has to open another stream.
      const mayBeRevoked =
        session !== null && !sight.isForAll && this.#revocations !== revocationsBefore
      if (this.#accessChanges !== accessBefore || mayBeRevoked) stream.finish()
      else this.#follow({ question, session, stream }, sight)
      return { kind: 'stream', stream }
    } finally {
      if (!isOpen) leave()
    }
  }

  endRevoked(revocationKey: string | null) {
    this.#revocations++
    for (const page of this.#pages.values()) {
      if (page.isForAll) continue
      for (const { stream, session } of page.followers) {
        if (session !== null && isMarked(session, revocationKey)) stream.finish()
      }
    }
  }

  close() {
    this.#isClosed = true
    for (const page of this.#pages.values()) endAll(page)
  }

  #follow(reader: Omit<Follower, 'endsAt'>, sight: Sight) {
    const { question, stream } = reader
    const { key } = question
    const known = this.#pages.get(key)
    const page: Page = known ?? {
      ...sight,
      key,
      followers: new Set(),
      lookedAt: sight.requestedAt,
      signalledAt: this.#signalledAt,
    }
    this.#pages.set(key, page)
    // Nobody has told of it, but these have not been asked who they are.
    if (page.isForAll && !sight.isForAll) endAll(page)
    this.#show(page, sight)
    const endsAt = this.#now() + randomInt(LIFE_MS.min, LIFE_MS.max)
    const follower = { ...reader, endsAt }
    page.followers.add(follower)
    stream.tell(page.version)
    stream.once('close', () => this.#leave(page, follower))
    this.#beating ??= setInterval(() => this.#heartbeat(), HEARTBEAT_MS).unref()
  }

  #leave(page: Page, follower: Follower) {
    page.followers.delete(follower)
    if (page.followers.size > 0) return
    this.#due.delete(page)
    if (this.#pages.get(page.key) === page) this.#pages.delete(page.key)
    if (this.#pages.size > 0 || this.#beating === null) return
    clearInterval(this.#beating)
    this.#beating = null
  }

  #heartbeat() {
    const now = this.#now()
    for (const page of this.#pages.values()) {
      for (const { stream, endsAt } of page.followers) {
        if (now < endsAt) stream.heartbeat()
        else stream.finish()
      }
      if (now - page.lookedAt >= QUIET_LOOK_MS) this.#lookSoon(page)
    }
  }

  #hear({ organizationId, isAccess }: Signal) {
    this.#signalledAt = this.#now()
    if (isAccess) this.#accessChanges++
    for (const page of this.#pages.values()) {
      if (!isSame(organizationId, page.organizationId)) continue
      if (isAccess) endAll(page)
      else {
        page.signalledAt = this.#signalledAt
        this.#lookSoon(page)
      }
    }
  }

  #lookSoon(page: Page) {
    this.#due.add(page)
    this.#looking ??= setInterval(() => this.#lookAtNext(), LOOK_EVERY_MS).unref()
  }

  #lookAtNext() {
    if (this.#due.size === 0 && this.#looking !== null) {
      clearInterval(this.#looking)
      this.#looking = null
    }
    if (this.#looksUnderWay >= MAX_LOOKS_UNDER_WAY) return
    const latest = this.#now() - LOOK_AGAIN_MS
    const page = this.#due.values().find(({ lookedAt }) => lookedAt <= latest)
    if (page === undefined) return
    this.#due.delete(page)
    this.#looksUnderWay++
    this.#look(page).finally(() => {
      this.#looksUnderWay--
    })
  }

  async #look(page: Page): Promise<void> {
    const [scout] = page.followers
    if (scout === undefined) return
    page.lookedAt = this.#now()
    const served = await this.#answers.serve(scout.question).catch(() => null)
    // What was told stands until somebody answers; nothing new is known of a late page either.
    if (served === null || isFailure(served)) return
    const sight = sightOf(served, page.lookedAt)
    if (served.kind === 'own') discardBody(served.answer)
    if (page.isForAll && !sight?.isForAll) return endAll(page)
    if (sight !== null) return this.#show(page, sight)
    // This one is not let in any more; the next look is for another.
    scout.stream.finish()
    page.followers.delete(scout)
    if (page.followers.size > 0) this.#lookSoon(page)
  }

  #show(page: Page, sight: Sight) {
    if (sight.requestedAt < page.requestedAt) return
    const isNew = sight.version !== page.version
    Object.assign(page, sight)
    if (isNew) for (const { stream } of page.followers) stream.tell(sight.version)
    // It was asked for before the latest change.
    if (sight.requestedAt < page.signalledAt) this.#lookSoon(page)
  }
}

/** Whose it is may not be known. */
const isSame = (one: string | undefined, other: string | undefined): boolean =>
  one === undefined || other === undefined || one === other

const isMarked = (
  { tokenHash, organizationId }: ReaderSession,
  revocationKey: string | null,
): boolean =>
  revocationKey === null ||
  revocationKey === tokenHash ||
  (organizationId !== null && revocationKey === organizationRevocationKey(organizationId))

const endAll = ({ followers }: Page): void => {
  for (const { stream } of followers) stream.finish()
}

const refusalOf = (served: Served): Opened => {
  if (served.kind === 'own' && served.answer.status !== 200) return served
  if (served.kind === 'own') discardBody(served.answer)
  return { kind: 'nothing' }
}
