/**
 * Listens for changes of pages. While the connection is lost, silent or unconfirmed, or missed
 * changes are not applied, no cached response is served without a revalidation.
 */
import { lastEventTimes } from '@status-page/bus'
import { statusPageDeleted, statusPageUpdated } from '@status-page/contracts'
import type { Database, Listening } from '@status-page/postgres'
import type { BackgroundWork, Logger } from '@status-page/service'
import { organizationsDeletedWithin } from '../erasure/store.ts'
import { MAX_STALE_MS, type PageCache } from './page-cache.ts'

const CATCH_UP_RETRY_MS = 1_000
/** Half of the maximum silence. */
const CONFIRM_INTERVAL_MS = 500
/** Time without a response after which a connection counts as silent. */
const MAX_SILENCE_MS = 1_000
/**
 * Time after the last lookup of an entry at which the confirmations pause: they would be a third of
 * the wake-ups of an idle gateway. Longer than the refresh interval of pages with event streams, whose
 * clients receive a revoked access without a lookup of their own.
 */
const IDLE_MS = 120_000
/** Channel that receives the schema of the outbox at every commit of an event. */
const OUTBOX_CHANNEL = 'outbox_new'
const WATCHED_SCHEMA = 'core'
/** Channel that receives the organization id when access to one of its pages changes. */
const ACCESS_CHANNEL = 'page_access'

interface Deps {
  database: Database
  logger: Logger
  cache: Pick<
    PageCache,
    'applyMissedInvalidations' | 'markAllStale' | 'onLookup' | 'purge' | 'setInvalidationConnected'
  >
}

export const createPageListener = (deps: Deps): BackgroundWork => new PageListener(deps)

class PageListener implements BackgroundWork {
  readonly #deps: Deps
  readonly #channels: ReadonlyMap<string, (payload: string) => void>
  readonly #subscriptions: Listening[] = []
  /** Channels that the present connection listens on. */
  readonly #listening = new Set<string>()
  #disconnections = 0
  #hasCaughtUp = false
  #caughtUp: Promise<void> = Promise.resolve()
  #isConnected = false
  /** Time at which the last confirmed request was sent. */
  #confirmedAtMs = 0
  #isConfirming = false
  #isStarted = false
  #lookedUpAtMs = Number.NEGATIVE_INFINITY
  /** Undefined while the confirmations pause. */
  #timer: NodeJS.Timeout | undefined
  #retry: NodeJS.Timeout | undefined

  constructor(deps: Deps) {
    const { cache } = deps
    this.#deps = deps
    this.#channels = new Map<string, (payload: string) => void>([
      [ACCESS_CHANNEL, (organizationId) => cache.purge(organizationId)],
      [OUTBOX_CHANNEL, (schema) => schema === WATCHED_SCHEMA && cache.markAllStale()],
    ])
  }

  async start() {
    const { database, cache } = this.#deps
    cache.setInvalidationConnected(false)
    cache.onLookup(() => this.#onLookup())
    for (const [channel, onNotify] of this.#channels) {
      const onListening = () => this.#onListening(channel)
      const options = { onListening, onLost: () => this.#onConnectionLost() }
      this.#subscriptions.push(await database.listen(channel, onNotify, options))
    }
    await this.#caughtUp
    this.#isStarted = true
  }

  async stop() {
    this.#isStarted = false
    clearInterval(this.#timer)
    await Promise.all(this.#subscriptions.map((subscription) => subscription.close()))
    clearTimeout(this.#retry)
  }

  #onListening(channel: string) {
    this.#listening.add(channel)
    if (this.#listening.size === this.#channels.size) this.#caughtUp = this.#catchUp()
  }

  #onConnectionLost() {
    this.#disconnections++
    this.#listening.clear()
    this.#hasCaughtUp = false
    clearTimeout(this.#retry)
    this.#update()
  }

  async #catchUp(): Promise<void> {
    const { database, logger, cache } = this.#deps
    const disconnections = this.#disconnections
    try {
      const changes = await readMissedInvalidations(database)
      if (disconnections !== this.#disconnections) return
      cache.applyMissedInvalidations(changes)
      this.#hasCaughtUp = true
      this.#confirmed(performance.now())
    } catch (error) {
      if (disconnections !== this.#disconnections) return
      logger.warn({ err: error }, 'failed to load missed page changes, will retry')
      this.#retry = setTimeout(() => void this.#catchUp(), CATCH_UP_RETRY_MS)
    }
  }

  #onLookup() {
    this.#lookedUpAtMs = performance.now()
    if (!this.#isStarted || this.#timer !== undefined) return
    this.#timer = setInterval(() => this.#confirm(), CONFIRM_INTERVAL_MS)
    this.#confirm()
  }

  #pause() {
    clearInterval(this.#timer)
    this.#timer = undefined
    this.#update()
  }

  #confirm() {
    this.#update()
    const [subscription] = this.#subscriptions
    if (this.#isConfirming || !this.#hasCaughtUp || subscription === undefined) return
    if (performance.now() - this.#lookedUpAtMs > IDLE_MS) return this.#pause()
    this.#isConfirming = true
    const sentAtMs = performance.now()
    subscription
      .confirm()
      .then(() => this.#confirmed(sentAtMs))
      .catch(() => {})
      .finally(() => {
        this.#isConfirming = false
      })
  }

  #confirmed(sentAtMs: number) {
    this.#confirmedAtMs = Math.max(this.#confirmedAtMs, sentAtMs)
    this.#update()
  }

  #update() {
    const isRecent = performance.now() - this.#confirmedAtMs < MAX_SILENCE_MS
    const isConnected = this.#timer !== undefined && this.#hasCaughtUp && isRecent
    if (isConnected === this.#isConnected) return
    this.#isConnected = isConnected
    this.#deps.cache.setInvalidationConnected(isConnected)
  }
}

/** Age of the oldest change that matters: entries are cached no longer than this. */
const WITHIN_MS = MAX_STALE_MS + 3_600_000

/**
 * Time of the latest change per organization, in milliseconds since 1970; deleted organizations are
 * included.
 */
const readMissedInvalidations = async (database: Database): Promise<Map<string, number>> => {
  const changes = await lastEventTimes(database.batchSql, {
    producer: 'core',
    aggregateType: 'status-page',
    withinMs: WITHIN_MS,
    kinds: [statusPageUpdated.kind, statusPageDeleted.kind],
  })
  for (const [organizationId, at] of await organizationsDeletedWithin(database, WITHIN_MS)) {
    changes.set(organizationId, at)
  }
  return changes
}
