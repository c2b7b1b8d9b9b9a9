/**
 * Leases the shards of recurring work to the live replicas of a service, evenly.
 *
 * No shard is held by two: a lease ends in the database, by its clock, after the replica that held
 * it has stopped to trust it, by the monotonic clock. A replica that was stopped and woken finds
 * its leases lapsed before it has asked anybody.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { type Database, isConnectionFault } from '@status-page/postgres'
import type { Logger } from 'pino'
import { createDatabaseClock } from './database-clock.ts'
import { claim, type Lease, leave, prepareLocation, release, renew } from './leases.ts'
import { createLoop } from './loop.ts'
import { fairShare } from './slots.ts'

/** A dead replica's shards are free after this long. */
const TTL_MS = 6000
const RENEW_MS = 2000
/** How much earlier than the database the holder itself stops to trust a lease. */
const MARGIN_MS = 1000
/** A replica that can renew no more goes on this long after it asked for its last renewal. */
export const TRUST_MS = TTL_MS - MARGIN_MS
/** Surplus is given back in steps, so that its takers load their targets in steps. */
const RELEASE_PER_ROUND = 64
/** The last results of a shard are stored before it is handed on, if that takes no longer. */
export const HAND_OVER_MS = 1000
/** How long work goes on without Postgres. */
const HOLD_OVER_MS = 10 * 60_000

export interface ShardsOptions {
  database: Pick<Database, 'batchSql' | 'listen' | 'schema'>
  replicaId: string
  logger: Logger
  location?: string
  /** Shards of this replica from now on. Must not block: the next renewal waits for it. */
  onAcquired: (leases: readonly Lease[]) => void
  /** Shards that it holds no more. If they can be handed on in order, that waits for the promise. */
  onReleased: (shards: readonly number[]) => void | Promise<void>
  /**
   * Asked while Postgres cannot be reached: do the other replicas miss it too? Only then may leases
   * outlive their time. Left out, that is so if no other replica was alive.
   */
  peersAlsoCutOff?: (live: number) => boolean | Promise<boolean>
  monotonicNow?: () => number
  ttlMs?: number
  renewMs?: number
  marginMs?: number
  holdOverMs?: number
  handOverMs?: number
}

export interface Shards {
  start(): Promise<void>
  /** Releases everything and says so, for a replica that leaves in order. */
  stop(): Promise<void>
  /** Looked at on every fire. */
  holds(shard: number): boolean
  /** Epoch of a shard that is held, else 0. */
  epochOf(shard: number): number
  held(): number[]
  /** Leases outlive their time because Postgres is away. */
  isHeldOver(): boolean
  /** The database's time, the same in all replicas: epoch milliseconds. */
  now(): number
}

interface Trust {
  epoch: number
  /** By the monotonic clock. */
  validUntil: number
}

export const createShards = (options: ShardsOptions): Shards => {
  const leases = new Leases(options)
  const { database, renewMs = RENEW_MS, logger } = options
  let listening: { close(): Promise<void> } | null = null
  const loop = createLoop({
    intervalMs: renewMs,
    onError: (error) => logger.warn({ err: error }, 'failed to renew shard leases'),
    async run() {
      listening ??= await database.listen(channelOf(database.schema), () => loop.wake(), {
        onListening: () => loop.wake(),
      })
      await leases.round()
    },
  })
  const stop = async () => {
    await loop.stop()
    // Without Postgres the leases end by themselves.
    await leases.leave().catch((error) => logger.warn({ err: error }, 'failed to release shards'))
    await listening?.close().catch(() => undefined)
  }
  let stopped: Promise<void> | null = null
  return {
    start: () => loop.start(),
    stop() {
      stopped ??= stop()
      return stopped
    },
    holds: (shard) => leases.holds(shard),
    epochOf: (shard) => leases.trusted.get(shard)?.epoch ?? 0,
    held: () => [...leases.trusted.keys()].filter((shard) => leases.holds(shard)),
    isHeldOver: () => leases.heldOver,
    now: () => leases.clock.now(),
  }
}

const channelOf = (schema: string) => `${schema}_shards`

/** What one replica knows of its leases; each round brings it up to date. */
class Leases {
  readonly trusted = new Map<number, Trust>()
  readonly clock
  heldOver = false
  readonly #options
  readonly #holder
  readonly #monotonicNow: () => number
  readonly #trustMs: number
  #prepared = false
  #live = 1
  #renewedAt = Number.NEGATIVE_INFINITY

  constructor(options: ShardsOptions) {
    const { location = 'default', replicaId, ttlMs = TTL_MS, marginMs = MARGIN_MS } = options
    this.#options = options
    this.#monotonicNow = options.monotonicNow ?? (() => performance.now())
    this.#holder = { location, replicaId, ttlMs }
    this.#trustMs = ttlMs - marginMs
    this.clock = createDatabaseClock(this.#monotonicNow)
  }

  holds(shard: number): boolean {
    const lease = this.trusted.get(shard)
    return lease !== undefined && this.#monotonicNow() < lease.validUntil
  }

  async round(): Promise<void> {
    try {
      await this.#renewAndShare()
    } catch (error) {
      if (isConnectionFault(error)) await this.#holdOver()
      throw error
    }
  }

  async leave(): Promise<void> {
    const shards = [...this.trusted.keys()]
    await this.#drop(shards)
    const { batchSql, schema } = this.#options.database
    await leave(batchSql, this.#holder)
    await release(batchSql, this.#holder, shards, channelOf(schema))
  }

  async #renewAndShare(): Promise<void> {
    const { batchSql } = this.#options.database
    if (!this.#prepared) await prepareLocation(batchSql, this.#holder.location)
    this.#prepared = true
    const sentAt = this.#monotonicNow()
    const round = await renew(batchSql, this.#holder)
    this.clock.observe(round.nowMs, sentAt, this.#monotonicNow())
    this.#live = round.live
    this.#renewedAt = sentAt
    this.heldOver = false
    const fresh = this.#trust(round.held, sentAt)

    const claimedAt = this.#monotonicNow()
    const claimed = await claim(batchSql, this.#holder, round)
    fresh.push(...this.#trust(claimed, claimedAt))

    const mine = new Set([...round.held, ...claimed].map(({ shard }) => shard))
    await this.#drop([...this.trusted.keys()].filter((shard) => !mine.has(shard)))
    if (fresh.length > 0) this.#options.onAcquired(fresh)
    await this.#releaseSurplus(mine.size - fairShare(round.live))
  }

  /** Counted from before the question was sent, however long the answer took. Gives the new ones. */
  #trust(leases: readonly Lease[], sentAt: number): Lease[] {
    const validUntil = sentAt + this.#trustMs
    return leases.filter(({ shard, epoch }) => {
      const known = this.trusted.get(shard)?.epoch
      this.trusted.set(shard, { epoch, validUntil })
      // One higher than before: lapsed, but nobody held it in between, so work goes on as it was.
      return known !== epoch && known !== epoch - 1
    })
  }

  async #releaseSurplus(surplus: number): Promise<void> {
    if (surplus <= 0) return
    const shards = [...this.trusted.keys()].slice(-Math.min(surplus, RELEASE_PER_ROUND))
    await this.#drop(shards)
    const { batchSql, schema } = this.#options.database
    await release(batchSql, this.#holder, shards, channelOf(schema))
  }

  async #drop(shards: number[]): Promise<void> {
    if (shards.length === 0) return
    for (const shard of shards) this.trusted.delete(shard)
    const handOver = new AbortController()
    const { handOverMs = HAND_OVER_MS, onReleased } = this.#options
    const limit = sleep(handOverMs, undefined, { signal: handOver.signal }).catch(() => undefined)
    await Promise.race([onReleased(shards), limit])
    handOver.abort()
  }

  /** Prolongs what is still trusted, never what has lapsed: another may hold that by now. */
  async #holdOver(): Promise<void> {
    const { peersAlsoCutOff = (live) => live === 1, holdOverMs = HOLD_OVER_MS } = this.#options
    if (!(await peersAlsoCutOff(this.#live))) return
    const now = this.#monotonicNow()
    const validUntil = Math.min(now + this.#trustMs, this.#renewedAt + holdOverMs)
    for (const [shard, lease] of this.trusted) {
      if (!this.holds(shard) || lease.validUntil >= validUntil) continue
      this.trusted.set(shard, { ...lease, validUntil })
      this.heldOver = true
    }
  }
}
