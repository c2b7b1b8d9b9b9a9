/**
 * Metrics of the shards that this replica holds, in memory, each armed for its next slot. Changes
 * arrive by notification, and by comparison of versions in case a notification was lost.
 */
import type { Database } from '@status-page/postgres'
import {
  type Candidate,
  fractionOf,
  nextSlot,
  type Shards,
  slotAt,
  type Wheel,
} from '@status-page/schedule'
import type { Logger } from 'pino'
import { type LoadedMetric, loadMetrics, loadVersions, versionOf } from './batches.ts'

/** Metric in memory. */
export interface ScheduledMetric extends LoadedMetric, Candidate {
  intervalMs: number
  armedSlotMs: number
  /** Newest fired slot; earlier than every time before the first. */
  firedSlotMs: number
  dueMs: number
  /** True while a poll is queued or in flight; a slot that becomes due in between is skipped. */
  isBusy: boolean
}

export interface ScheduledMetricsOptions {
  database: Database
  wheel: Wheel
  shards: Pick<Shards, 'now' | 'epochOf' | 'held'>
  logger: Logger
  fire: (metric: ScheduledMetric) => void
}

/** Missed slots are caught up within 2 s: never in a burst. */
const MAKE_UP_MS = 2000
const RETRY_MS = 1000
/** Notifications within this time cause one reload. */
const RELOAD_DELAY_MS = 50
const RELOAD_BATCH = 1000

export class ScheduledMetrics {
  readonly #options: ScheduledMetricsOptions
  readonly #metrics = new Map<string, ScheduledMetric>()
  readonly #stale = new Set<string>()
  #reloadTimer: NodeJS.Timeout | null = null
  #loading: Promise<void> = Promise.resolve()
  #stopped = false

  constructor(options: ScheduledMetricsOptions) {
    this.#options = options
  }

  get size(): number {
    return this.#metrics.size
  }

  get(id: string): ScheduledMetric | undefined {
    return this.#metrics.get(id)
  }

  /** Loads the metrics of the shards; shards lost during loading are left out. */
  acquire(shards: readonly number[]): void {
    this.#loading = this.#loading.then(() => this.#loadShards(shards))
  }

  /** True while a poll of one of the shards is queued or in flight. */
  isBusy(shards: readonly number[]): boolean {
    const among = new Set(shards)
    return this.#metrics.values().some(({ shard, isBusy }) => isBusy && among.has(shard))
  }

  release(shards: readonly number[]): void {
    const gone = new Set(shards)
    for (const { id, shard } of this.#metrics.values()) if (gone.has(shard)) this.#remove(id)
  }

  /** Schedules a reload by the id of a metric or of its integration. */
  refresh(id: string): void {
    if (this.#stopped) return
    this.#stale.add(id)
    for (const metric of this.#metrics.values()) {
      if (metric.integration.id === id) this.#stale.add(metric.id)
    }
    this.#reloadTimer ??= setTimeout(() => void this.#reload(), RELOAD_DELAY_MS)
  }

  /** Compares versions and reloads metrics whose change notification was lost. */
  async compare(): Promise<void> {
    await this.#loading
    const versions = await loadVersions(this.#options.database, this.#options.shards.held())
    for (const [id, version] of versions) {
      const known = this.get(id)
      if (known === undefined || versionOf(known) !== version) this.refresh(id)
    }
    for (const id of this.#metrics.keys()) if (!versions.has(id)) this.refresh(id)
  }

  /** Resolves when all requested loads are done. */
  async settled(): Promise<void> {
    await this.#loading
  }

  async stop(): Promise<void> {
    this.#stopped = true
    if (this.#reloadTimer !== null) clearTimeout(this.#reloadTimer)
    await this.#loading
    for (const id of [...this.#metrics.keys()]) this.#remove(id)
  }

  async #loadShards(wanted: readonly number[]): Promise<void> {
    const { shards, database, logger } = this.#options
    const mine = wanted.filter((shard) => shards.epochOf(shard) > 0)
    if (mine.length === 0 || this.#stopped) return
    try {
      this.#putAll(await loadMetrics(database, { shards: mine }))
    } catch (error) {
      logger.warn({ err: error, shards: mine.length }, 'failed to load metrics of acquired shards')
      setTimeout(() => this.acquire(mine), RETRY_MS).unref()
    }
  }

  async #reload(): Promise<void> {
    this.#reloadTimer = null
    const ids = [...this.#stale].slice(0, RELOAD_BATCH)
    for (const id of ids) this.#stale.delete(id)
    this.#loading = this.#loading.then(async () => {
      try {
        const loaded = await loadMetrics(this.#options.database, { ids })
        const found = new Set(loaded.map(({ id }) => id))
        for (const id of ids) if (!found.has(id)) this.#remove(id)
        this.#putAll(loaded)
      } catch (error) {
        this.#options.logger.warn({ err: error }, 'failed to load changed metrics')
        for (const id of ids) this.#stale.add(id)
      }
      const [next] = this.#stale
      if (next !== undefined) this.refresh(next)
    })
    await this.#loading
  }

  #putAll(loaded: readonly LoadedMetric[]): void {
    const { shards } = this.#options
    const now = shards.now()
    for (const metric of loaded) if (shards.epochOf(metric.shard) > 0) this.#put(metric, now)
  }

  #put(loaded: LoadedMetric, now: number): void {
    const { id, intervalSeconds, polledSlotMs, derivedStatus } = loaded
    const known = this.#metrics.get(id)
    const metric: ScheduledMetric = Object.assign(known ?? unseen(), loaded, {
      intervalMs: intervalSeconds * 1000,
      host: loaded.integration.id,
      isUrgent: derivedStatus !== 'operational',
    })
    this.#metrics.set(id, metric)
    const latest = slotAt(id, metric.intervalMs, now)
    const next = latest + metric.intervalMs
    const makeUpAt = now + fractionOf(id) * MAKE_UP_MS
    const isMissed = latest > Math.max(metric.firedSlotMs, polledSlotMs ?? metric.firedSlotMs)
    if (isMissed && makeUpAt < next) this.#arm(metric, latest, makeUpAt)
    else this.#arm(metric, next, next)
  }

  #arm(metric: ScheduledMetric, slotMs: number, atMs: number): void {
    metric.armedSlotMs = slotMs
    this.#options.wheel.set(metric.id, atMs, this.#fire)
  }

  readonly #fire = (id: string, dueMs: number): void => {
    const metric = this.#metrics.get(id)
    if (metric === undefined) return
    const now = this.#options.shards.now()
    metric.dueMs = dueMs
    // After a stall the newest slot replaces earlier ones.
    metric.firedSlotMs = Math.max(metric.armedSlotMs, slotAt(id, metric.intervalMs, now))
    const next = nextSlot(id, metric.intervalMs, Math.max(now, metric.firedSlotMs))
    this.#arm(metric, next, next)
    this.#options.fire(metric)
  }

  #remove(id: string): void {
    this.#options.wheel.delete(id)
    this.#metrics.delete(id)
  }
}

const unseen = () => ({
  dueMs: Number.NEGATIVE_INFINITY,
  armedSlotMs: Number.NEGATIVE_INFINITY,
  firedSlotMs: Number.NEGATIVE_INFINITY,
  isBusy: false,
})
