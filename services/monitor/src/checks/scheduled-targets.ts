/**
 * Targets of the shards that this replica holds, in memory, each armed for its next slot. Changes
 * arrive by notification, and by comparison of versions in case a notification was lost.
 */
import { setTimeout as delay } from 'node:timers/promises'
import type { Database } from '@status-page/postgres'
import {
  fractionOf,
  type Lease,
  nextSlot,
  SHARD_COUNT,
  type Shards,
  shardOf,
  slotAt,
  TRUST_MS,
  type Wheel,
} from '@status-page/schedule'
import type { Logger } from 'pino'
import { findStored, loadTargets, loadVersions } from './batches.ts'
import { CheckTarget, type LoadedTarget } from './target.ts'

export interface ScheduledTargetsOptions {
  database: Database
  wheel: Wheel
  shards: Pick<Shards, 'now' | 'epochOf'>
  location: string
  logger: Logger
  fire: (target: CheckTarget) => void
  /** Targets per comparison statement; tests use fewer. */
  compareBatch?: number
}

/**
 * Uncertain time before a take-over: checks that a killed replica had run but not stored, or ran
 * after its last renewal while cut off from Postgres. Such a slot counts as no data instead of
 * being checked twice.
 */
const UNSTORED_MS = 3000
const UNSEEN_MS = TRUST_MS

/**
 * Shards per load statement; with 100,000 targets, larger result sets are promoted to the old heap
 * generation.
 */
const SHARDS_PER_LOAD = 4
/**
 * Missed slots are caught up within 2 s, or one per millisecond over all loads: never in a burst.
 */
const MAKE_UP_MS = 2000
const RELOAD_RETRY_MS = 1000
/** Notifications within this time cause one reload. */
const RELOAD_DELAY_MS = 50
const RELOAD_BATCH = 1000
const COMPARE_BATCH = 2000
const COMPARE_REST_MS = 20

export class ScheduledTargets {
  readonly #options: ScheduledTargetsOptions
  readonly #byShard = Array.from({ length: SHARD_COUNT }, () => new Map<string, CheckTarget>())
  readonly #stale = new Set<string>()
  /** Last renewal of the previous holder by shard; null when it released the shard. */
  readonly #silentSince = new Map<number, number | null>()
  #reloadTimer: NodeJS.Timeout | null = null
  #loading: Promise<void> = Promise.resolve()
  #madeUpAt = 0
  #stopped = false

  constructor(options: ScheduledTargetsOptions) {
    this.#options = options
  }

  get size(): number {
    return this.#byShard.reduce((sum, targets) => sum + targets.size, 0)
  }

  get(componentId: string): CheckTarget | undefined {
    return this.#byShard[shardOf(componentId)]?.get(componentId)
  }

  /**
   * Loads the targets of the shards one load at a time; shards lost during loading are left out.
   */
  acquire(leases: readonly Pick<Lease, 'shard' | 'silentSinceMs'>[]): void {
    for (const { shard, silentSinceMs } of leases) this.#silentSince.set(shard, silentSinceMs)
    const shards = leases.map(({ shard }) => shard)
    this.#loadInTurn(shards)
  }

  #loadInTurn(shards: readonly number[]): void {
    for (let start = 0; start < shards.length; start += SHARDS_PER_LOAD) {
      const some = shards.slice(start, start + SHARDS_PER_LOAD)
      this.#loading = this.#loading.then(() => this.#loadShards(some))
    }
  }

  /** True while a check of one of the shards is in flight. */
  isBusy(shards: readonly number[]): boolean {
    return shards.some((shard) =>
      (this.#byShard[shard] ?? empty).values().some(({ isInFlight }) => isInFlight),
    )
  }

  release(shards: readonly number[]): void {
    for (const shard of shards) {
      for (const componentId of [...(this.#byShard[shard] ?? empty).keys()]) {
        this.#remove(componentId)
      }
    }
  }

  /** Schedules a reload of the target. */
  refresh(componentId: string): void {
    if (this.#stopped) return
    this.#stale.add(componentId)
    this.#reloadTimer ??= setTimeout(() => void this.#reload(), RELOAD_DELAY_MS)
  }

  /**
   * Compares versions and reloads targets whose change notification was lost. Returns their number.
   */
  async compare(signal?: AbortSignal): Promise<number> {
    await this.#loading
    let found = 0
    for (const [turn, shards] of this.#slices().entries()) {
      if (turn > 0) await delay(COMPARE_REST_MS, undefined, signal && { signal })
      await this.#loading
      if (this.#stopped) break
      found += await this.#compareShards(shards.filter((shard) => this.#isSuppressed(shard)))
    }
    return found
  }

  /** Batches of the held shards: 100,000 rows in one statement would delay all checks. */
  #slices(): number[][] {
    const slices: number[][] = []
    let room = 0
    for (const shard of this.#byShard.keys()) {
      if (!this.#isSuppressed(shard)) continue
      if (room <= 0) {
        slices.push([])
        room = this.#options.compareBatch ?? COMPARE_BATCH
      }
      slices.at(-1)?.push(shard)
      room -= this.#byShard[shard]?.size ?? 0
    }
    return slices
  }

  async #compareShards(shards: readonly number[]): Promise<number> {
    if (shards.length === 0) return 0
    const { database, location } = this.#options
    const versions = await loadVersions(database, location, shards)
    const kept = shards.flatMap((shard) => [...(this.#byShard[shard] ?? empty).keys()])
    const changed = [...versions].filter(([id, version]) => this.get(id)?.version !== version)
    const gone = kept.filter((id) => !versions.has(id))
    // Targets of shards that were released during the comparison belong to another replica.
    const ours = [...changed.map(([id]) => id), ...gone].filter((id) =>
      this.#isSuppressed(shardOf(id)),
    )
    for (const componentId of ours) this.refresh(componentId)
    return ours.length
  }

  #isSuppressed(shard: number): boolean {
    return this.#options.shards.epochOf(shard) > 0
  }

  /** Resolves when all requested loads are done. */
  async settled(): Promise<void> {
    await this.#loading
  }

  async stop(): Promise<void> {
    this.#stopped = true
    if (this.#reloadTimer !== null) clearTimeout(this.#reloadTimer)
    await this.#loading
    this.release(this.#byShard.keys().toArray())
  }

  async #loadShards(wanted: readonly number[]): Promise<void> {
    const { logger } = this.#options
    const mine = wanted.filter((shard) => this.#isSuppressed(shard))
    if (mine.length === 0 || this.#stopped) return
    try {
      await this.#load({ shards: mine })
    } catch (error) {
      logger.warn({ err: error, shards: mine }, 'failed to load targets of acquired shards')
      if (!this.#stopped) setTimeout(() => this.#loadInTurn(mine), RELOAD_RETRY_MS).unref()
    }
  }

  async #reload(): Promise<void> {
    this.#reloadTimer = null
    const componentIds = [...this.#stale].slice(0, RELOAD_BATCH)
    for (const componentId of componentIds) this.#stale.delete(componentId)
    this.#loading = this.#loading.then(async () => {
      try {
        const found = new Set(await this.#load({ componentIds }))
        for (const id of componentIds) if (!found.has(id)) this.#remove(id)
      } catch (error) {
        this.#options.logger.warn({ err: error }, 'failed to load changed targets')
        for (const componentId of componentIds) this.#stale.add(componentId)
      }
      const [next] = this.#stale
      if (next !== undefined) this.refresh(next)
    })
    await this.#loading
  }

  async #load(wanted: Parameters<typeof loadTargets>[2]): Promise<string[]> {
    const { database, shards, location } = this.#options
    const loaded = await loadTargets(database, location, wanted)
    const mine = loaded.filter(({ shard }) => this.#isSuppressed(shard))
    const now = shards.now()
    const slots = mine.map(({ organizationId, componentId, intervalMs }) => ({
      organizationId,
      componentId,
      slotMs: slotAt(componentId, intervalMs, now),
    }))
    const stored = await findStored(database, slots, location)
    const window = 'shards' in wanted ? this.#makeUp(now, mine.length - stored.size) : atOnce(now)
    for (const target of mine) this.#put(target, now, stored.has(target.componentId), window)
    return mine.map(({ componentId }) => componentId)
  }

  /**
   * Time window in which missed slots of a load are caught up; it begins after those of earlier
   * loads.
   */
  #makeUp(now: number, missed: number): Window {
    const startMs = Math.max(now, this.#madeUpAt)
    this.#madeUpAt = startMs + missed
    return { startMs, lengthMs: Math.max(MAKE_UP_MS, missed) }
  }

  #put(loaded: LoadedTarget, now: number, isStored: boolean, window: Window): void {
    const { componentId, shard } = loaded
    const known = this.get(componentId)
    known?.update(loaded)
    const target = known ?? new CheckTarget(loaded)
    this.#byShard[shard]?.set(componentId, target)
    const latest = slotAt(componentId, target.intervalMs, now)
    const next = latest + target.intervalMs
    const makeUpAt = window.startMs + fractionOf(componentId) * window.lengthMs
    const isMissed = !isStored && latest > target.firedSlotMs && makeUpAt < next
    if (isMissed && !this.#mayBeChecked(shard, latest)) this.#arm(target, latest, makeUpAt)
    else this.#arm(target, next, next)
  }

  #mayBeChecked(shard: number, slotMs: number): boolean {
    const since = this.#silentSince.get(shard) ?? null
    return since !== null && slotMs >= since - UNSTORED_MS && slotMs <= since + UNSEEN_MS
  }

  #arm(target: CheckTarget, slotMs: number, atMs: number): void {
    target.armedSlotMs = slotMs
    this.#options.wheel.set(target.componentId, atMs, this.#fire)
  }

  readonly #fire = (componentId: string, dueMs: number): void => {
    const target = this.get(componentId)
    if (target === undefined) return
    const now = this.#options.shards.now()
    target.dueMs = dueMs
    // After a stall the newest slot replaces earlier ones.
    target.firedSlotMs = Math.max(target.armedSlotMs, slotAt(componentId, target.intervalMs, now))
    const next = nextSlot(componentId, target.intervalMs, Math.max(now, target.firedSlotMs))
    this.#arm(target, next, next)
    this.#options.fire(target)
  }

  #remove(componentId: string): void {
    const target = this.get(componentId)
    if (target === undefined) return
    this.#options.wheel.delete(componentId)
    this.#byShard[target.shard]?.delete(componentId)
  }
}

interface Window {
  startMs: number
  lengthMs: number
}

const atOnce = (startMs: number): Window => ({ startMs, lengthMs: 0 })

const empty: ReadonlyMap<string, CheckTarget> = new Map()
