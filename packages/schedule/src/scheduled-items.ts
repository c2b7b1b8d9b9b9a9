/**
 * Items of the shards that this replica holds, in memory, each armed for its next slot. Changes
 * arrive by notification, and by comparison of versions in case a notification was lost.
 */
import { setTimeout as delay } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { Lease } from './leases.ts'
import type { LoadedItem, ScheduledItem } from './scheduled-item.ts'
import { type Shards, TRUST_MS } from './shards.ts'
import { fractionOf, nextSlot, SHARD_COUNT, shardOf, slotAt } from './slots.ts'
import type { Wheel } from './wheel.ts'

export type WantedItems = { shards: readonly number[] } | { ids: readonly string[] }

/** Queries and constructor of the items of a service. */
export interface ItemSource<Loaded extends LoadedItem, Item extends ScheduledItem<Loaded>> {
  /** Plural noun for log messages. */
  name: string
  /** Loads the active items of the shards or with the ids. */
  load(wanted: WantedItems): Promise<Loaded[]>
  /** Versions of the active items of the shards, by id. */
  loadVersions(shards: readonly number[]): Promise<ReadonlyMap<string, Item['version']>>
  /**
   * Returns the newest slot until `nowMs` with a stored result by id, without items that have none
   * within two days.
   */
  findLastSlots(loaded: readonly Loaded[], nowMs: number): Promise<ReadonlyMap<string, number>>
  /** Maximum duration of a run, after which its result is buffered. */
  maxRunMs(loaded: Loaded): number
  create(loaded: Loaded): Item
  /** Ids to reload after a notification with `id`; by default `id` itself. */
  idsOf?(id: string, items: Iterable<Item>): Iterable<string>
}

export interface ScheduledItemsOptions<
  Loaded extends LoadedItem,
  Item extends ScheduledItem<Loaded>,
> {
  source: ItemSource<Loaded, Item>
  wheel: Wheel
  shards: Pick<Shards, 'now' | 'epochOf'>
  logger: Logger
  fire: (item: Item) => void
  /** Items per comparison statement; tests use fewer. */
  compareBatch?: number
}

/**
 * Uncertain time before a take-over, besides that of a run: slots that a killed replica had run but
 * not stored, or ran after its last renewal while cut off from Postgres. Such a slot counts as no
 * data instead of being run twice.
 */
const UNSTORED_MS = 3000
const UNSEEN_MS = TRUST_MS

/**
 * Shards per load statement; with 100,000 items, larger result sets are promoted to the old heap
 * generation.
 */
const SHARDS_PER_LOAD = 4
/**
 * Missed slots are caught up within 2 s, or one per millisecond over all loads: never in a burst.
 */
const MAKE_UP_MS = 2000
/** Many items that have never run are spread over this time, or their interval if it is shorter. */
const FIRST_RUN_MS = 120_000
const RELOAD_RETRY_MS = 1000
/** Notifications within this time cause one reload. */
const RELOAD_DELAY_MS = 50
const RELOAD_BATCH = 1000
const COMPARE_BATCH = 2000
const COMPARE_REST_MS = 20

export class ScheduledItems<Loaded extends LoadedItem, Item extends ScheduledItem<Loaded>> {
  readonly #options: ScheduledItemsOptions<Loaded, Item>
  readonly #byShard = Array.from({ length: SHARD_COUNT }, () => new Map<string, Item>())
  readonly #stale = new Set<string>()
  /** Last renewal of the previous holder by shard; null when it released the shard. */
  readonly #silentSince = new Map<number, number | null>()
  #reloadTimer: NodeJS.Timeout | null = null
  #loading: Promise<void> = Promise.resolve()
  #madeUpAt = 0
  #stopped = false

  constructor(options: ScheduledItemsOptions<Loaded, Item>) {
    this.#options = options
  }

  get size(): number {
    return this.#byShard.reduce((sum, items) => sum + items.size, 0)
  }

  get(id: string): Item | undefined {
    return this.#byShard[shardOf(id)]?.get(id)
  }

  /**
   * Loads the items of the shards one load at a time; shards lost during loading are left out.
   */
  acquire(leases: readonly Pick<Lease, 'shard' | 'silentSinceMs'>[]): void {
    for (const { shard, silentSinceMs } of leases) this.#silentSince.set(shard, silentSinceMs)
    this.#loadInTurn(leases.map(({ shard }) => shard))
  }

  #loadInTurn(shards: readonly number[]): void {
    for (let start = 0; start < shards.length; start += SHARDS_PER_LOAD) {
      const some = shards.slice(start, start + SHARDS_PER_LOAD)
      this.#loading = this.#loading.then(() => this.#loadShards(some))
    }
  }

  /** True while an item of one of the shards is in flight. */
  isBusy(shards: readonly number[]): boolean {
    return shards.some((shard) => this.#of(shard).some(({ isInFlight }) => isInFlight))
  }

  release(shards: readonly number[]): void {
    for (const shard of shards) for (const { id } of [...this.#of(shard)]) this.#remove(id)
  }

  /** Schedules a reload of the items that a notification with the id concerns. */
  refresh(id: string): void {
    const { idsOf } = this.#options.source
    if (idsOf === undefined) this.#reloadSoon(id)
    else for (const one of idsOf(id, this.#all())) this.#reloadSoon(one)
  }

  #reloadSoon(id: string, delayMs = RELOAD_DELAY_MS): void {
    if (this.#stopped) return
    this.#stale.add(id)
    this.#reloadTimer ??= setTimeout(() => void this.#reload(), delayMs)
  }

  /**
   * Compares versions and reloads items whose change notification was lost. Returns their number.
   */
  async compare(signal?: AbortSignal): Promise<number> {
    await this.#loading
    let found = 0
    for (const [turn, shards] of this.#slices().entries()) {
      if (turn > 0) await delay(COMPARE_REST_MS, undefined, signal && { signal })
      await this.#loading
      if (this.#stopped) break
      found += await this.#compareShards(shards.filter((shard) => this.#isHeld(shard)))
    }
    return found
  }

  /** Batches of the held shards: 100,000 rows in one statement would delay all items. */
  #slices(): number[][] {
    const slices: number[][] = []
    let room = 0
    for (const [shard, { size }] of this.#byShard.entries()) {
      if (!this.#isHeld(shard)) continue
      if (room <= 0) {
        slices.push([])
        room = this.#options.compareBatch ?? COMPARE_BATCH
      }
      slices.at(-1)?.push(shard)
      room -= size
    }
    return slices
  }

  async #compareShards(shards: readonly number[]): Promise<number> {
    if (shards.length === 0) return 0
    const versions = await this.#options.source.loadVersions(shards)
    const known = shards.flatMap((shard) => [...this.#of(shard)].map(({ id }) => id))
    const changed = [...versions].filter(([id, version]) => this.get(id)?.version !== version)
    const gone = known.filter((id) => !versions.has(id))
    // Items of shards that were released during the comparison belong to another replica.
    const ours = [...changed.map(([id]) => id), ...gone].filter((id) => this.#isHeld(shardOf(id)))
    for (const id of ours) this.#reloadSoon(id)
    return ours.length
  }

  #isHeld(shard: number): boolean {
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
    const { logger, source } = this.#options
    const mine = wanted.filter((shard) => this.#isHeld(shard))
    if (mine.length === 0 || this.#stopped) return
    try {
      await this.#load({ shards: mine })
    } catch (error) {
      logger.warn({ err: error, shards: mine }, `failed to load ${source.name} of acquired shards`)
      if (!this.#stopped) setTimeout(() => this.#loadInTurn(mine), RELOAD_RETRY_MS).unref()
    }
  }

  async #reload(): Promise<void> {
    const { logger, source } = this.#options
    this.#reloadTimer = null
    const ids = [...this.#stale].slice(0, RELOAD_BATCH)
    for (const id of ids) this.#stale.delete(id)
    this.#loading = this.#loading.then(async () => {
      let delayMs = RELOAD_DELAY_MS
      try {
        const found = new Set(await this.#load({ ids }))
        for (const id of ids) if (!found.has(id)) this.#remove(id)
      } catch (error) {
        logger.warn({ err: error }, `failed to load changed ${source.name}`)
        for (const id of ids) this.#stale.add(id)
        delayMs = RELOAD_RETRY_MS
      }
      const [next] = this.#stale
      if (next !== undefined) this.#reloadSoon(next, delayMs)
    })
    await this.#loading
  }

  async #load(wanted: WantedItems): Promise<string[]> {
    const { source, shards } = this.#options
    const mine = (await source.load(wanted)).filter(({ shard }) => this.#isHeld(shard))
    const now = shards.now()
    const lastSlots = await source.findLastSlots(mine, now)
    const missed = mine.filter(
      ({ id, intervalMs }) => (lastSlots.get(id) ?? 0) < slotAt(id, intervalMs, now),
    )
    const window = 'shards' in wanted ? this.#makeUp(now, missed.length) : null
    for (const loaded of mine) {
      const lastSlotMs = lastSlots.get(loaded.id)
      const atMs = window === null ? now : catchUpAt(loaded, { lastSlotMs, window, now })
      this.#put(loaded, { now, lastSlotMs, atMs })
    }
    return mine.map(({ id }) => id)
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

  /** Arms an item for its newest slot, at `atMs`, when it was missed; else for the next one. */
  #put(loaded: Loaded, { now, lastSlotMs, atMs }: CatchUp): void {
    const { id, shard, intervalMs } = loaded
    const known = this.get(id)
    known?.update(loaded)
    const item = known ?? this.#options.source.create(loaded)
    this.#byShard[shard]?.set(id, item)
    const latest = slotAt(id, intervalMs, now)
    const next = latest + intervalMs
    const isStored = lastSlotMs !== undefined && lastSlotMs >= latest
    const isMissed = !isStored && latest > item.firedSlotMs && atMs < next
    if (isMissed && !this.#mayHaveRun(loaded, latest)) this.#arm(item, latest, atMs)
    else this.#arm(item, next, next)
  }

  #mayHaveRun(loaded: Loaded, slotMs: number): boolean {
    const since = this.#silentSince.get(loaded.shard) ?? null
    if (since === null) return false
    const unstoredMs = this.#options.source.maxRunMs(loaded) + UNSTORED_MS
    return slotMs >= since - unstoredMs && slotMs <= since + UNSEEN_MS
  }

  #arm(item: Item, slotMs: number, atMs: number): void {
    item.armedSlotMs = slotMs
    this.#options.wheel.set(item.id, atMs, this.#fire)
  }

  readonly #fire = (id: string, dueMs: number): void => {
    const item = this.get(id)
    if (item === undefined) return
    const now = this.#options.shards.now()
    item.dueMs = dueMs
    // After a stall the newest slot replaces earlier ones.
    item.firedSlotMs = Math.max(item.armedSlotMs, slotAt(id, item.intervalMs, now))
    const next = nextSlot(id, item.intervalMs, Math.max(now, item.firedSlotMs))
    this.#arm(item, next, next)
    this.#options.fire(item)
  }

  #remove(id: string): void {
    if (this.#byShard[shardOf(id)]?.delete(id)) this.#options.wheel.delete(id)
  }

  #of(shard: number): IteratorObject<Item> {
    return (this.#byShard[shard] ?? empty).values()
  }

  #all(): IteratorObject<Item> {
    return this.#byShard.values().flatMap((items) => items.values())
  }
}

interface Window {
  startMs: number
  lengthMs: number
}

interface CatchUp {
  now: number
  /** Absent when the item has no stored result. */
  lastSlotMs: number | undefined
  /** Time at which a missed slot runs. */
  atMs: number
}

/**
 * Time at which the newest slot of an acquired item runs if it was missed. Items that have never run
 * do not join a backlog: they are spread over their interval, which is their next slot, or over
 * `FIRST_RUN_MS`. Caught up, 100,000 new targets would need nearly twice their usual rate.
 */
const catchUpAt = (
  { id, intervalMs }: LoadedItem,
  { lastSlotMs, window, now }: Omit<CatchUp, 'atMs'> & { window: Window },
): number => {
  const isBehindBacklog = window.startMs > now + MAKE_UP_MS
  if (lastSlotMs !== undefined || !isBehindBacklog) {
    return window.startMs + fractionOf(id) * window.lengthMs
  }
  return intervalMs > FIRST_RUN_MS ? now + fractionOf(id) * FIRST_RUN_MS : Number.POSITIVE_INFINITY
}

const empty: ReadonlyMap<string, never> = new Map<string, never>()
