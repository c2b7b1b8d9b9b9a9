/**
 * Rate limiters: one of @fastify/rate-limit per bucket and key, over our store. The plugin would
 * send the remaining seconds, so the headers are ours.
 */
import { isIPv4 } from 'node:net'
import rateLimit, { type FastifyRateLimitStore, normalizeIP } from '@fastify/rate-limit'
import { AppError, type BucketName, bucketNames } from '@status-page/contracts'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { CountResult } from './batch.ts'
import {
  bucketCapacityOf,
  type CountedBy,
  type RateCounter,
  type RateLimitState,
  type RateSettings,
  rateBuckets,
  tightestStateOf,
} from './buckets.ts'
import type { Counting } from './counting.ts'
import type { RateWindow } from './window.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Key of each counter that is being charged, by limiter. */
    rateKeys: Map<string, string> | null
    rateLimitStates: RateLimitState[] | null
  }
}

export interface Limiter {
  /**
   * Charges the counters and sets the headers of the tightest bucket so far; throws 429 when one is
   * exceeded.
   */
  charge(
    request: FastifyRequest,
    reply: FastifyReply,
    counters: readonly RateCounter[],
  ): Promise<void>
  /** Charges a synchronized counter in memory; sets no headers and does not throw. */
  chargeInMemory(counter: RateCounter): RateLimitState
  /** Counts a rejected request in this process, without a query; returns its headers. */
  rejectedHeaders(counters: readonly RateCounter[]): Record<string, string>
}

/** Network of an address: a /64 is one subscriber, so it counts as one address. */
export const addressNetworkOf = (address: string): string => normalizeIP(address)

/**
 * Prefix of an IPv6 allocation. An attacker gets many /64 of a /48, and many addresses of a /24, so
 * they share one budget.
 */
const ALLOCATION_PREFIX = 48

/** The allocation of an address: the /48 of IPv6, the /24 of IPv4. */
export const addressAllocationOf = (address: string): string => {
  const network = normalizeIP(address, ALLOCATION_PREFIX)
  return isIPv4(network) ? network.slice(0, network.lastIndexOf('.')) : network
}

type PluginLimiter = ReturnType<FastifyInstance['createRateLimit']>

export const registerLimiter = async (
  fastify: FastifyInstance,
  counting: Counting,
  settings: RateSettings,
): Promise<Limiter> => {
  await fastify.register(rateLimit, { global: false, store: storeOver(counting) as never })
  fastify.decorateRequest('rateKeys', null)
  fastify.decorateRequest('rateLimitStates', null)
  const limiters = createPluginLimiters(fastify, settings)
  const windows = new Map(bucketNames.map((bucket) => [bucket, windowOf(bucket, settings)]))

  const chargeCounter = async (
    request: FastifyRequest,
    { bucket, by }: RateCounter,
  ): Promise<RateLimitState> => {
    const limit = limiters.get(nameOf(bucket, by)) as PluginLimiter
    const result = await limit(request)
    if (result.isAllowed) throw new Error('no address is exempt from limits')
    const { max, timeWindow, remaining, ttl, isExceeded } = result
    return { bucket, capacity: max, windowMs: timeWindow, remaining, waitMs: ttl, isExceeded }
  }

  return {
    async charge(request, reply, counters) {
      if (counters.length === 0) return
      request.rateKeys = new Map(counters.map(({ bucket, by, key }) => [nameOf(bucket, by), key]))
      const states = await Promise.all(counters.map((counter) => chargeCounter(request, counter)))
      request.rateLimitStates = [...(request.rateLimitStates ?? []), ...states]
      const tightestState = tightestStateOf(request.rateLimitStates)
      if (tightestState !== null) reply.headers(rateLimitHeaders(tightestState))
      if (tightestState?.isExceeded) throw tooMany(tightestState)
    },
    chargeInMemory({ bucket, key }) {
      const window = windows.get(bucket) as RateWindow
      const { capacity, windowMs } = window
      const { isGranted, total, waitMs } = counting.synced.count(key, window)
      const remaining = Math.max(0, capacity - total)
      return { bucket, capacity, windowMs, remaining, waitMs, isExceeded: !isGranted }
    },
    rejectedHeaders(counters) {
      const tightestState = tightestStateOf(
        counters.map((counter) => countRejected(counting, settings, counter)),
      )
      return tightestState === null ? {} : rateLimitHeaders(tightestState)
    },
  }
}

/** One limiter of the plugin per bucket and kind of key, by `nameOf`. */
const createPluginLimiters = (fastify: FastifyInstance, settings: RateSettings) => {
  const limiters = new Map<string, PluginLimiter>()
  for (const bucket of bucketNames) {
    for (const by of ['address', 'caller', 'subject'] as const) {
      const name = nameOf(bucket, by)
      const options = {
        max: bucketCapacityOf(bucket, settings),
        timeWindow: rateBuckets[bucket].windowMs,
        keyGenerator: (request: FastifyRequest) => request.rateKeys?.get(name) ?? name,
        synced: rateBuckets[bucket].synced,
      }
      limiters.set(name, fastify.createRateLimit(options))
    }
  }
  return limiters
}

const countRejected = (
  { rejectedCounters }: Counting,
  settings: RateSettings,
  { bucket, key }: RateCounter,
): RateLimitState => {
  const window = windowOf(bucket, settings)
  const { total, waitMs } = rejectedCounters.charge(key, window, 1, Date.now())
  const remaining = window.capacity - total
  return { bucket, ...window, remaining, waitMs, isExceeded: false }
}

const windowOf = (bucket: BucketName, settings: RateSettings): RateWindow => ({
  windowMs: rateBuckets[bucket].windowMs,
  capacity: bucketCapacityOf(bucket, settings),
})

const nameOf = (bucket: BucketName, by: CountedBy) => `${bucket}|${by}`

/** Store by the plugin's contract; the plugin creates one child per limiter with its options. */
const storeOver = (counting: Counting) => {
  class Store {
    readonly #synced: boolean

    constructor(options: { synced?: boolean }) {
      this.#synced = options.synced === true
    }

    incr(...[key, done, windowMs, capacity]: Parameters<FastifyRateLimitStore['incr']>) {
      const window = { windowMs, capacity }
      const onCount = ({ isGranted, total, waitMs }: CountResult) =>
        done(null, { current: isGranted ? total : capacity + 1, ttl: waitMs })
      const count = (this.#synced ? counting.synced.count : counting.shared)(key, window)
      if (count instanceof Promise) count.then(onCount, done)
      else onCount(count)
    }

    child(options: object) {
      return new Store(options)
    }
  }
  return Store
}

const SECOND_MS = 1_000

const rateLimitHeaders = ({
  capacity,
  remaining,
  waitMs,
}: RateLimitState): Record<string, string> => ({
  'x-ratelimit-limit': String(capacity),
  'x-ratelimit-remaining': String(remaining),
  'x-ratelimit-reset': String(Math.ceil((Date.now() + waitMs) / SECOND_MS)),
})

/** Response headers as alternating names and values. */
export const rawRateLimitHeaders = (state: RateLimitState): string[] =>
  Object.entries(rateLimitHeaders(state)).flat()

const tooMany = ({ bucket, capacity, windowMs, waitMs }: RateLimitState): AppError => {
  const retryAfter = Math.max(1, Math.ceil(waitMs / SECOND_MS))
  return new AppError(
    'RATE_LIMIT_EXCEEDED',
    `Rate limit exceeded, retry in ${retryAfter} s`,
    { limit: capacity, window: `${windowMs / SECOND_MS}s`, retryAfter, bucket },
    { 'retry-after': String(retryAfter) },
  )
}
