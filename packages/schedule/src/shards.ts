/**
 * Leases the shards of recurring work evenly to the live replicas of a service.
 *
 * No two replicas hold a shard: a lease expires in the database, by its clock, after its holder has
 * stopped to trust it, by the monotonic clock. A replica that was suspended finds its leases lapsed
 * before it queries the database; those that no other replica claimed continue with the same epoch.
 */
import { withTimeout } from '@status-page/concurrency'
import { type Database, isConnectionFault } from '@status-page/postgres'
import type { Logger } from 'pino'
import { createDatabaseClock } from './database-clock.ts'
import { claim, type Lease, leave, prepareLocation, type Round, release, renew } from './leases.ts'
import { createLoop } from './loop.ts'
import { maxShardsPerReplica } from './slots.ts'

/** Time after which the shards of a dead replica are free. */
const TTL_MS = 6000
const RENEW_MS = 2000
/** Time after the expiry of a lease for the next round to find it expired. */
const EXPIRED_MS = 10
/** Time by which the holder stops to trust a lease before it expires in the database. */
const MARGIN_MS = 1000
/** Time that a replica continues after its last successful renewal request. */
export const TRUST_MS = TTL_MS - MARGIN_MS
/** Maximum surplus released per round, so that other replicas load their targets gradually. */
const RELEASE_PER_ROUND = 64
/** Maximum time to store the last results of a shard before it is released. */
export const HAND_OVER_MS = 1000
/** Maximum time that work continues without Postgres. */
const HOLD_OVER_MS = 10 * 60_000

export interface ShardsOptions {
  database: Pick<Database, 'batchSql' | 'listen' | 'schema'>
  replicaId: string
  logger: Logger
  location?: string
  /** Receives newly held shards. Must not block: the next renewal waits for it. */
  onAcquired: (leases: readonly Lease[]) => void
  /** Receives lost shards. An orderly release waits for the promise. */
  onReleased: (shards: readonly number[]) => void | Promise<void>
  /**
   * Called while Postgres is unreachable: whether the other replicas are cut off too. Only then may
   * leases outlive their time. By default, when no other replica was alive.
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
  /** Releases all shards and notifies the other replicas. */
  stop(): Promise<void>
  /** Whether the shard is held; called for every fired entry. */
  holds(shard: number): boolean
  /** Epoch of a held shard, else 0. */
  epochOf(shard: number): number
  held(): number[]
  /** Whether leases outlive their time because Postgres is unreachable. */
  isHeldOver(): boolean
  /** Database time in epoch milliseconds, the same in all replicas. */
  now(): number
}

interface Trust {
  epoch: number
  /** Monotonic time in milliseconds. */
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
      const { nextExpiryMs } = await leases.round()
      // The shards of a replica that has died are claimed when its lease expires.
      return nextExpiryMs === null ? null : nextExpiryMs + EXPIRED_MS
    },
  })
  const stop = async () => {
    await loop.stop()
    // Without Postgres the leases expire by themselves.
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

/** Leases of one replica, updated in each round. */
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
  #round: Round | null = null
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

  async round(): Promise<Round> {
    try {
      return await this.#renewAndShare()
    } catch (error) {
      if (isConnectionFault(error)) await this.#holdOver()
      throw error
    }
  }

  async leave(): Promise<void> {
    await this.#drop([...this.trusted.keys()])
    const { batchSql, schema } = this.#options.database
    await leave(batchSql, this.#holder, channelOf(schema))
  }

  async #renewAndShare(): Promise<Round> {
    const { batchSql } = this.#options.database
    if (!this.#prepared) await prepareLocation(batchSql, this.#holder.location)
    this.#prepared = true
    const sentAt = this.#monotonicNow()
    const round = await renew(batchSql, this.#holder, this.#round)
    this.#round = round
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
    await this.#releaseSurplus(mine.size - maxShardsPerReplica(round.live))
    return round
  }

  /**
   * Trusts leases from the time of the request, however long the response took; returns the new
   * ones.
   */
  #trust(leases: readonly Lease[], sentAt: number): Lease[] {
    const validUntil = sentAt + this.#trustMs
    return leases.filter(({ shard, epoch }) => {
      const known = this.trusted.get(shard)?.epoch
      this.trusted.set(shard, { epoch, validUntil })
      return known !== epoch
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
    const { handOverMs = HAND_OVER_MS, onReleased } = this.#options
    await withTimeout(onReleased(shards), handOverMs, () => {})
  }

  /** Extends leases that are still trusted, never lapsed ones, which another replica may hold. */
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
