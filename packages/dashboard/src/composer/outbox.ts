/**
 * Way of an incident from the composer to the service: draft, five seconds in which it can be
 * undone, queue, publication. An incident is in the storage of the browser at every moment: until
 * its request is sent as a draft, then in the queue, with the same idempotency key in every attempt.
 */
import type { NewIncident } from '@status-page/contracts'
import {
  type ComposerDraft,
  isEmptyDraft,
  newIdempotencyKey,
  type PublishedIncident,
} from './draft.ts'
import { outcomeOf, type PublishOutcome } from './publish-outcome.ts'
import type { Claim } from './tab-claims.ts'
import type { QueuedIncident, Unsent, UnsentStorage } from './unsent-storage.ts'

/** Time between the decision and the request. */
export const UNDO_MS = 5_000
type Timer = ReturnType<typeof setTimeout>

/** The service recognizes repeats for 24 hours; the rest is a margin for clocks. */
const MAX_QUEUED_MS = 23 * 3_600_000

export interface Countdown {
  draft: ComposerDraft
  body: NewIncident
  /** Time of the request, in ms. */
  endsAt: number
}

export interface Publication {
  title: string
  /** Null when the reply with the incident was lost. */
  incident: PublishedIncident | null
}

export interface OutboxState {
  /** Draft that the composer opens; other tabs do not edit it. */
  current: ComposerDraft | null
  countdowns: readonly Countdown[]
  queue: readonly QueuedIncident[]
  /** Incidents whose request is in progress in this tab. */
  sendingIds: ReadonlySet<string>
  published: Publication | null
  needsLogin: boolean
}

export interface OutboxDeps {
  storage: UnsentStorage
  claim: Claim
  /** Returns whether the session is still the one of the owner of the drafts. */
  isSameSession(): Promise<boolean>
  send(body: NewIncident, idempotencyKey: string): Promise<PublishedIncident>
  onPublished(): void
  onSessionEnd(): void
}

export class Outbox {
  readonly #deps: OutboxDeps
  readonly #listeners = new Set<() => void>()
  readonly #countdowns = new Map<string, Countdown & { timer: Timer }>()
  readonly #sendingIds = new Set<string>()
  /** Functions that release the claims of this tab to drafts. */
  readonly #releases = new Map<string, () => void>()
  #currentId: string | null = null
  #published: Publication | null = null
  #needsLogin = false
  /** Number of logins, which an attempt that began before one has to count. */
  #logins = 0
  #retryTimer: Timer | undefined
  #state: OutboxState | null = null

  constructor(deps: OutboxDeps) {
    this.#deps = deps
  }

  readonly state = (): OutboxState => {
    this.#state ??= {
      current: this.#unsent().drafts.find(({ id }) => id === this.#currentId) ?? null,
      countdowns: [...this.#countdowns.values()],
      queue: this.#unsent().queue,
      sendingIds: new Set(this.#sendingIds),
      published: this.#published,
      needsLogin: this.#needsLogin,
    }
    return this.#state
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Starts attempts; returns the function that ends them. */
  start(): () => void {
    const unsubscribe = this.#deps.storage.subscribe(() => {
      this.#changed()
      this.#schedule()
    })
    void this.#adopt()
    this.retryNow()
    return () => {
      unsubscribe()
      clearTimeout(this.#retryTimer)
      for (const { timer } of this.#countdowns.values()) clearTimeout(timer)
      this.#countdowns.clear()
      for (const id of this.#releases.keys()) this.#release(id)
    }
  }

  /** Stores the draft as the current one. */
  save(draft: ComposerDraft): void {
    this.#currentId = draft.id
    void this.#claimDraft(draft.id)
    if (isEmptyDraft(draft)) this.#remove(draft.id)
    else this.#putDraft({ ...draft, changedAt: Date.now() })
    this.#changed()
  }

  discard({ id }: ComposerDraft): void {
    this.#remove(id)
    this.#release(id)
    this.#currentId = null
    this.#changed()
    void this.#adopt()
  }

  /** Sends the incident in five seconds; until then it remains a draft in the storage. */
  publish(entered: ComposerDraft, body: NewIncident): void {
    const draft = { ...entered, refusal: null }
    this.#putDraft(draft)
    if (this.#currentId === draft.id) this.#currentId = null
    const timer = setTimeout(() => this.#enqueue(draft.id), UNDO_MS)
    this.#countdowns.set(draft.id, { draft, body, endsAt: Date.now() + UNDO_MS, timer })
    this.#published = null
    this.#changed()
  }

  /** Makes an incident that is not sent yet, or waits, the current draft. */
  takeBack(id: string): void {
    const countdown = this.#countdowns.get(id)
    const draft = countdown?.draft ?? this.#queued(id)?.draft
    if (draft === undefined || this.#sendingIds.has(id)) return
    clearTimeout(countdown?.timer)
    this.#countdowns.delete(id)
    this.#putDraft(draft)
    this.#currentId = id
    void this.#claimDraft(id)
    this.#changed()
  }

  retryNow(): void {
    this.#logins++
    this.#needsLogin = false
    for (const { draft } of this.#unsent().queue) void this.#attempt(draft.id)
  }

  dismissPublished(): void {
    this.#published = null
    this.#changed()
  }

  #changed(): void {
    this.#state = null
    for (const listener of this.#listeners) listener()
  }

  #unsent(): Unsent {
    return this.#deps.storage.read()
  }

  #queued(id: string): QueuedIncident | undefined {
    return this.#unsent().queue.find(({ draft }) => draft.id === id)
  }

  #putDraft(draft: ComposerDraft): void {
    this.#deps.storage.change((unsent) => {
      const { drafts, queue } = without(unsent, draft.id)
      return { drafts: [draft, ...drafts], queue }
    })
  }

  #putQueued(queued: QueuedIncident): void {
    this.#deps.storage.change((unsent) => {
      const { drafts, queue } = without(unsent, queued.draft.id)
      return { drafts, queue: [...queue, queued] }
    })
  }

  #remove(id: string): void {
    this.#deps.storage.change((unsent) => without(unsent, id))
  }

  async #claimDraft(id: string): Promise<boolean> {
    if (this.#releases.has(id)) return true
    const release = await this.#deps.claim(`draft.${id}`)
    if (release !== null) this.#releases.set(id, release)
    return release !== null
  }

  #release(id: string): void {
    this.#releases.get(id)?.()
    this.#releases.delete(id)
  }

  /** Makes the latest draft that no other tab edits the current one. */
  async #adopt(): Promise<void> {
    for (const { id } of this.#unsent().drafts) {
      if (this.#countdowns.has(id) || !(await this.#claimDraft(id))) continue
      this.#currentId ??= id
      return this.#changed()
    }
  }

  #enqueue(id: string): void {
    const countdown = this.#countdowns.get(id)
    if (countdown === undefined) return
    this.#countdowns.delete(id)
    const { draft, body } = countdown
    this.#putQueued({ draft: withBody(draft, body), body, attempts: 0, nextAttemptAt: Date.now() })
    this.#changed()
    void this.#attempt(id)
  }

  async #attempt(id: string): Promise<void> {
    const releaseAttempt = await this.#deps.claim(`publish.${id}`)
    if (releaseAttempt === null) return
    const queued = this.#queued(id)
    if (queued !== undefined && !this.#sendingIds.has(id)) {
      this.#sendingIds.add(id)
      this.#changed()
      const logins = this.#logins
      const outcome = await outcomeOfAttempt(queued, this.#deps)
      this.#sendingIds.delete(id)
      // The login came between the request and its refusal, and found the attempt in progress.
      const isRepeated = outcome.kind === 'sign-in' && logins !== this.#logins
      this.#apply(queued, isRepeated ? { kind: 'retry', afterMs: 0 } : outcome)
      this.#changed()
    }
    releaseAttempt()
    this.#schedule()
  }

  #apply(queued: QueuedIncident, outcome: AttemptOutcome): void {
    const { draft, body } = queued
    this.#needsLogin = outcome.kind === 'sign-in'
    switch (outcome.kind) {
      case 'sign-in':
        // The login ends the wait: it calls `retryNow`.
        this.#putQueued({ ...queued, nextAttemptAt: Date.now() + MAX_QUEUED_MS })
        return
      case 'retry':
        this.#putQueued({
          draft: outcome.hasNewKey ? withBody(withNewKey(draft), body) : draft,
          body,
          attempts: queued.attempts + 1,
          nextAttemptAt: Date.now() + outcome.afterMs,
        })
        return
      case 'refused':
        this.#putDraft({ ...withNewKey(draft), refusal: outcome.refusal })
        this.#currentId = draft.id
        return
      default:
        this.#remove(draft.id)
        this.#release(draft.id)
        this.#published = { title: body.title ?? '', incident: outcome.incident }
        this.#deps.onPublished()
        void this.#adopt()
    }
  }

  #schedule(): void {
    clearTimeout(this.#retryTimer)
    const waiting = this.#unsent().queue.filter(({ draft }) => !this.#sendingIds.has(draft.id))
    if (waiting.length === 0) return
    const next = Math.min(...waiting.map(({ nextAttemptAt }) => nextAttemptAt))
    this.#retryTimer = setTimeout(() => this.#attemptDue(), Math.max(next - Date.now(), 0))
  }

  #attemptDue(): void {
    const due = this.#unsent().queue.filter(({ nextAttemptAt }) => nextAttemptAt <= Date.now())
    for (const { draft } of due) void this.#attempt(draft.id)
    if (due.length === 0) this.#schedule()
  }
}

const without = ({ drafts, queue }: Unsent, id: string): Unsent => ({
  drafts: drafts.filter((draft) => draft.id !== id),
  queue: queue.filter(({ draft }) => draft.id !== id),
})

type AttemptOutcome =
  | Exclude<PublishOutcome, { kind: 'published' | 'changed' | 'retry' }>
  | { kind: 'published'; incident: PublishedIncident | null }
  /** `hasNewKey`: it is certain that nothing was published with the present key. */
  | { kind: 'retry'; afterMs: number; hasNewKey?: true }

const outcomeOfAttempt = async (
  queued: QueuedIncident,
  { isSameSession, send, onSessionEnd }: OutboxDeps,
): Promise<AttemptOutcome> => {
  const { body, draft, attempts } = queued
  if (Date.now() - (draft.sent?.firstAt ?? Date.now()) > MAX_QUEUED_MS) {
    return { kind: 'refused', refusal: { kind: 'expired' } }
  }
  try {
    if (!(await isSameSession())) return { kind: 'sign-in' }
    return { kind: 'published', incident: await send(body, draft.idempotencyKey) }
  } catch (error) {
    const outcome = outcomeOf(error, attempts + 1)
    if (outcome.kind === 'sign-in') onSessionEnd()
    if (outcome.kind === 'published') return { kind: 'published', incident: null }
    return outcome.kind === 'changed' ? await resolveChange(queued, send) : outcome
  }
}

/**
 * Another body was sent with the key before. The repeat of that request returns its stored reply:
 * the incident that was published, or an error after which nothing was.
 */
const resolveChange = async (
  { draft, body, attempts }: QueuedIncident,
  send: OutboxDeps['send'],
): Promise<AttemptOutcome> => {
  const text = JSON.stringify(body)
  const others = (draft.sent?.bodies ?? []).filter((one) => JSON.stringify(one) !== text)
  for (const other of others) {
    try {
      const incident = await send(other, draft.idempotencyKey)
      return { kind: 'refused', refusal: { kind: 'conflict', published: incident } }
    } catch (error) {
      const outcome = outcomeOf(error, attempts + 1)
      if (outcome.kind === 'changed') continue
      if (outcome.kind === 'published') return { kind: 'published', incident: null }
      if (outcome.kind !== 'refused') return outcome
      return { kind: 'retry', afterMs: 0, hasNewKey: true }
    }
  }
  return { kind: 'retry', afterMs: 0, hasNewKey: true }
}

/** Draft that remembers the body before its request is sent. */
const withBody = (draft: ComposerDraft, body: NewIncident): ComposerDraft => {
  const { bodies = [], firstAt = Date.now() } = draft.sent ?? {}
  const text = JSON.stringify(body)
  const others = bodies.filter((one) => JSON.stringify(one) !== text)
  return { ...draft, sent: { bodies: [body, ...others], firstAt } }
}

/** An error reply is stored with its key, so that another request needs another key. */
const withNewKey = (draft: ComposerDraft): ComposerDraft => ({
  ...draft,
  idempotencyKey: newIdempotencyKey(),
  sent: null,
})
