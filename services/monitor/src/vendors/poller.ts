/**
 * Polls the pages of vendors: each once a minute for the whole installation, by the replica that
 * holds its shard. Pages wait in queues per host, and slow ones are counted apart, so that no vendor
 * delays another.
 */
import { HostQueues, type HostSlot, withTimeout } from '@status-page/concurrency'
import { type Database, hasDueRow, type Job } from '@status-page/postgres'
import type { Shards } from '@status-page/schedule'
import type { Logger } from 'pino'
import { claimDuePages, type DuePage, saveReading } from './pages.ts'
import type { VendorReader } from './reader.ts'

const INTERVAL_MS = 1_000
/** Maximum pages that are queued or polled on a replica. */
const MAX_CLAIMED = 256
/** Maximum wait for a slot; the page is due again when its lease expires. */
const MAX_WAIT_MS = 30_000
const LIMITS = {
  maxInFlight: 8,
  maxPerHost: 2,
  maxSlow: 128,
  maxSlowPerHost: 8,
  slowAfterMs: 1_000,
}
/** Maximum time that a stop waits for polls in flight. */
const STOP_MS = 3_000

export interface VendorPollerOptions {
  database: Database
  reader: VendorReader
  shards: Pick<Shards, 'held'>
  logger: Logger
  /** Whether the replica has lost its own network: the polls would fail for another reason. */
  isNetworkLost(): Promise<boolean>
}

interface QueuedPage extends DuePage {
  host: string
}

export class VendorPoller {
  readonly job: Job
  readonly #options: VendorPollerOptions
  readonly #queues = new HostQueues<QueuedPage>(LIMITS)
  readonly #polls = new Set<Promise<void>>()
  #admitTimer: NodeJS.Timeout | null = null
  #isStopping = false

  constructor(options: VendorPollerOptions) {
    this.#options = options
    this.job = {
      name: 'vendor-pages',
      intervalMs: INTERVAL_MS,
      due: hasDueRow('vendor_pages', 'next_poll_at'),
      run: () => this.#claim(),
    }
  }

  gauges() {
    return { inFlight: this.#polls.size, waiting: this.#queues.waiting }
  }

  /** Waits for the polls in flight. */
  async stop(): Promise<void> {
    this.#isStopping = true
    if (this.#admitTimer !== null) clearTimeout(this.#admitTimer)
    await withTimeout(Promise.all(this.#polls), STOP_MS, () => {})
  }

  async #claim(): Promise<number> {
    const { database, shards, isNetworkLost } = this.#options
    this.#admit()
    const limit = MAX_CLAIMED - this.#queues.waiting - this.#polls.size
    if (this.#isStopping || limit <= 0 || (await isNetworkLost())) return 0
    const pages = await claimDuePages(database, { shards: shards.held(), limit })
    for (const page of pages) {
      this.#queues.enqueue({ ...page, host: new URL(page.url).host }, performance.now())
    }
    this.#admit()
    return pages.length
  }

  #admit(): void {
    this.#queues.takeOverdue(performance.now(), MAX_WAIT_MS)
    while (!this.#isStopping) {
      const slot = this.#queues.takeNext(performance.now(), MAX_WAIT_MS)
      if (slot === null) break
      const poll = this.#poll(slot).finally(() => {
        this.#polls.delete(poll)
        this.#queues.release(slot)
        this.#admit()
      })
      this.#polls.add(poll)
    }
    if (this.#queues.waiting === 0 || this.#isStopping) return
    // A poll that has become slow frees its place.
    this.#admitTimer ??= setTimeout(() => {
      this.#admitTimer = null
      this.#admit()
    }, INTERVAL_MS)
  }

  async #poll({ item: page }: HostSlot<QueuedPage>): Promise<void> {
    const { database, reader, logger } = this.#options
    try {
      await saveReading(database, page, await reader.read(page))
    } catch (err) {
      logger.error({ err, url: page.url }, "failed to poll a vendor's page")
    }
  }
}
