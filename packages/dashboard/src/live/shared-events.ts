/**
 * One event stream for all tabs of a browser. The tab that holds a Web Lock follows the stream and
 * publishes its events on a BroadcastChannel. A lock was chosen over a SharedWorker: it is released
 * when its tab crashes, needs no second bundle, and browsers on phones without SharedWorker have
 * it. Each tab has the cursor of the last event that it received, so that the next leader continues
 * without a gap.
 */
import { followEvents, STALE_AFTER_MS, type StreamRefusal } from './event-connection.ts'
import { type LiveEvent, liveEventOf } from './event-queries.ts'

/** Interval in which tabs look for a leader that does not respond. */
const LEADER_CHECK_MS = 5_000
const LEADER_SIGN_MS = 10_000

type TabMessage =
  /** A new tab asks for the state of the stream. */
  | { type: 'hello' }
  /** Sign of the leader, also without contact with the service. */
  | { type: 'state'; contactAtMs: number; cursor: string | null }
  | { type: 'event'; event: LiveEvent }
  | { type: 'resync' }
  | { type: 'refused'; refusal: StreamRefusal }

export interface SharedEventsDeps {
  url: string
  /** Identity of organization and user: tabs of others have a stream of their own. */
  name: string
  onContact(contactAtMs: number): void
  onEvent(event: LiveEvent): void
  /** Events may be missing: every read is repeated. */
  onResync(): void
  /** The stream was opened again: the session may have changed. */
  onReconnect(): void
  /** The service refuses the stream; nothing follows. */
  onRefused(refusal: StreamRefusal): void
}

/** Follows the events of this browser; returns the function that ends this. */
export const followSharedEvents = (deps: SharedEventsDeps): (() => void) => {
  const tab = new EventTab(deps)
  void tab.campaign()
  return () => tab.stop()
}

class EventTab {
  readonly #deps: SharedEventsDeps
  readonly #channel: BroadcastChannel
  readonly #stopping = new AbortController()
  #cursor: string | null = null
  #contactAtMs = Date.now()
  #isLeader = false
  #leaderSeenAtMs = Date.now()

  constructor(deps: SharedEventsDeps) {
    this.#deps = deps
    this.#channel = new BroadcastChannel(deps.name)
    this.#channel.onmessage = ({ data }) => this.#receive(data as TabMessage)
    this.#publish({ type: 'hello' })
    deps.onContact(this.#contactAtMs)
  }

  stop() {
    this.#stopping.abort()
    this.#channel.close()
  }

  /** Leads the tabs whenever the lock is free, until the tab stops. */
  async campaign(): Promise<void> {
    const { signal } = this.#stopping
    while (!signal.aborted) {
      const leading = new AbortController()
      try {
        await this.#acquire(() => this.#lead(AbortSignal.any([signal, leading.signal])))
      } catch {
        // Another tab took the lock over, or this one stops.
      } finally {
        leading.abort()
        this.#isLeader = false
      }
    }
  }

  /** Runs the work while this tab holds the lock; takes the lock of a leader that does not respond. */
  async #acquire(work: () => Promise<void>): Promise<void> {
    const { locks } = navigator as { locks?: LockManager }
    // Without a secure context there are no locks: each tab has a stream of its own.
    if (locks === undefined) return work()
    const waiting = new AbortController()
    const signal = AbortSignal.any([this.#stopping.signal, waiting.signal])
    let isLost = false
    const timer = setInterval(() => {
      isLost = !this.#isLeader && this.#isLeaderLost()
      if (isLost) waiting.abort()
    }, LEADER_CHECK_MS)
    try {
      await locks.request(this.#deps.name, { signal }, work)
    } catch (error) {
      if (!isLost || this.#stopping.signal.aborted) throw error
      await locks.request(this.#deps.name, { steal: true }, work)
    } finally {
      clearInterval(timer)
    }
  }

  /** The browser has suspended the leader, such as a hidden tab of a phone. */
  #isLeaderLost(): boolean {
    const isVisible = document.visibilityState === 'visible'
    return isVisible && Date.now() - this.#leaderSeenAtMs > STALE_AFTER_MS
  }

  async #lead(signal: AbortSignal): Promise<void> {
    this.#isLeader = true
    const timer = setInterval(() => this.#publishState(), LEADER_SIGN_MS)
    let openings = 0
    const refusal = await followEvents(
      {
        url: this.#deps.url,
        signal,
        fetch: (input, init) => fetch(input, init),
        delay: delayUntilPromising,
        onOpen: (isContinued) => {
          if (!isContinued) this.#resync()
          if (openings++ > 0) this.#deps.onReconnect()
        },
        onContact: (cursor) => {
          this.#cursor = cursor
          this.#contactAtMs = Date.now()
          this.#deps.onContact(this.#contactAtMs)
          this.#publishState()
        },
        onMessage: ({ event, data }) => (event === 'resync' ? this.#resync() : this.#emit(data)),
      },
      this.#cursor,
    )
    clearInterval(timer)
    if (refusal === null || signal.aborted) return
    this.#publish({ type: 'refused', refusal })
    this.#refuse(refusal)
  }

  #receive(message: TabMessage) {
    switch (message.type) {
      case 'hello':
        return this.#isLeader ? this.#publishState() : undefined
      case 'state':
        this.#leaderSeenAtMs = Date.now()
        this.#cursor = message.cursor
        this.#contactAtMs = message.contactAtMs
        return this.#deps.onContact(message.contactAtMs)
      case 'event':
        return this.#deps.onEvent(message.event)
      case 'resync':
        return this.#deps.onResync()
      case 'refused':
        return this.#refuse(message.refusal)
    }
  }

  #emit(data: string) {
    const event = liveEventOf(data)
    if (event === null) return this.#resync()
    this.#publish({ type: 'event', event })
    this.#deps.onEvent(event)
  }

  #resync() {
    this.#publish({ type: 'resync' })
    this.#deps.onResync()
  }

  #refuse(refusal: StreamRefusal) {
    this.stop()
    this.#deps.onRefused(refusal)
  }

  #publishState() {
    this.#publish({ type: 'state', contactAtMs: this.#contactAtMs, cursor: this.#cursor })
  }

  #publish(message: TabMessage) {
    if (!this.#stopping.signal.aborted) this.#channel.postMessage(message)
  }
}

/** Resolves after the delay, or as soon as the network is back or the tab is shown again. */
const delayUntilPromising = (delayMs: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer)
      window.removeEventListener('online', end)
      document.removeEventListener('visibilitychange', endIfVisible)
      signal.removeEventListener('abort', end)
      resolve()
    }
    const endIfVisible = () => document.visibilityState === 'visible' && end()
    const timer = setTimeout(end, delayMs)
    window.addEventListener('online', end)
    document.addEventListener('visibilitychange', endIfVisible)
    signal.addEventListener('abort', end)
    if (signal.aborted) end()
  })
