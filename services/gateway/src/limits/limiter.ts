/**
 * Rate limiter of the edge: one limiter of @fastify/rate-limit per bucket and kind of key, over the
 * store of `counting.ts`. The plugin would send the remaining seconds, so the headers are ours. It
 * returns a promise per counter, so that a counter which the copy in this process decides is
 * charged without it.
 */
import { isIPv4 } from 'node:net'
import rateLimit, { type FastifyRateLimitStore, normalizeIP } from '@fastify/rate-limit'
import {
  AppError,
  type BucketName,
  bucketNames,
  type CountedBy,
  rateBuckets,
} from '@status-page/contracts'
import { chunksOf } from '@status-page/postgres'
import { entryLimit } from '@status-page/service'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { LRUCache } from 'lru-cache'
import {
  bucketCapacityOf,
  type RateCounter,
  type RateLimitState,
  type RateSettings,
  tightestStateOf,
} from './buckets.ts'
import type { Counting } from './counting.ts'
import type { CountResult } from './pending-charges.ts'
import type { RateWindow } from './window.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Counters that are being charged. */
    rateCounters: readonly RateCounter[]
    /** Tightest of the counters that were charged so far. */
    tightestRateLimit: RateLimitState | null
  }
}

export interface Limiter {
  /**
   * Charges the counters and sets the headers of the tightest bucket so far; throws 429 when one is
   * exceeded. Returns undefined where no counter waits for Postgres.
   */
  charge(
    request: FastifyRequest,
    reply: FastifyReply,
    counters: readonly RateCounter[],
  ): Promise<void> | undefined
  /** Charges a synchronized counter in memory; sets no headers and does not throw. */
  chargeInMemory(counter: RateCounter): RateLimitState
  /** Charges a rejected request in memory, without a query; returns its headers. */
  rejectedHeaders(counters: readonly RateCounter[]): Record<string, string>
}

const MAX_KNOWN_NETWORKS = 10_000

/** Networks of IPv6 addresses, because parsing one takes 9 µs of processor time. */
const knownNetworks = new LRUCache<string, string>(entryLimit(MAX_KNOWN_NETWORKS))

/** Network of an address: a /64 is one subscriber, so it counts as one address. */
export const addressNetworkOf = (address: string): string => {
  if (!address.includes(':')) return address
  const known = knownNetworks.get(address)
  if (known !== undefined) return known
  const network = normalizeIP(address)
  knownNetworks.set(address, network)
  return network
}

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

export const registerLimiter = async (
  fastify: FastifyInstance,
  counting: Counting,
  settings: RateSettings,
): Promise<Limiter> => {
  await fastify.register(rateLimit, { global: false, store: storeOver(counting) as never })
  fastify.decorateRequest('rateCounters')
  fastify.decorateRequest('tightestRateLimit', null)
  const limiters = createLimiters(fastify, settings)

  const limiterOf = ({ bucket, by }: RateCounter) => limiters[bucket][by]
  const count = async (request: FastifyRequest, counter: RateCounter): Promise<RateLimitState> => {
    const result = await limiterOf(counter).limit(request)
    if (result.isAllowed) throw new Error('no address is exempt from limits')
    const { max, timeWindow, remaining, ttl, isExceeded } = result
    return {
      bucket: counter.bucket,
      capacity: max,
      windowMs: timeWindow,
      remaining,
      waitMs: ttl,
      isExceeded,
    }
  }
  const chargeInMemory = (counter: RateCounter): RateLimitState => {
    const { window } = limiterOf(counter)
    return stateOf(counter.bucket, window, counting.chargeLocally(counter.key, window))
  }
  const chargeAtOnce = (counter: RateCounter): RateLimitState | null => {
    const { bucket, key } = counter
    if (rateBuckets[bucket].synced) return chargeInMemory(counter)
    const { window } = limiterOf(counter)
    const charged = counting.chargeAtOnce(key, window)
    return charged === null ? null : stateOf(bucket, window, charged)
  }

  return {
    charge(request, reply, counters) {
      request.rateCounters = counters
      const charges = counters.map((counter) => chargeAtOnce(counter) ?? count(request, counter))
      if (isDecided(charges)) return applyStates(request, reply, charges)
      return Promise.all(charges).then((states) => applyStates(request, reply, states))
    },
    chargeInMemory,
    rejectedHeaders(counters) {
      const tightestState = tightestStateOf(counters.map(chargeInMemory))
      return tightestState === null ? {} : rateLimitHeaders(tightestState)
    },
  }
}

type Charge = RateLimitState | Promise<RateLimitState>

const isDecided = (charges: readonly Charge[]): charges is readonly RateLimitState[] =>
  !charges.some((charge) => charge instanceof Promise)

/** Sets the headers of the tightest bucket of the request; throws 429 when it is exceeded. */
const applyStates = (
  request: FastifyRequest,
  reply: FastifyReply,
  states: readonly RateLimitState[],
): undefined => {
  const tightest = tightestStateOf(states, request.tightestRateLimit)
  request.tightestRateLimit = tightest
  if (tightest === null) return
  const headers = rawRateLimitHeaders(tightest)
  for (let at = 0; at < headers.length; at += 2) reply.header(headers[at] ?? '', headers[at + 1])
  if (tightest.isExceeded) throw tooMany(tightest)
}

interface BucketLimiter {
  limit: ReturnType<FastifyInstance['createRateLimit']>
  window: RateWindow
}

const createLimiters = (fastify: FastifyInstance, settings: RateSettings) => {
  const limiterOf = (bucket: BucketName, by: CountedBy): BucketLimiter => {
    const isOwn = (counter: RateCounter) => counter.bucket === bucket && counter.by === by
    const { windowMs, synced } = rateBuckets[bucket]
    const capacity = bucketCapacityOf({ bucket, by }, settings)
    const limit = fastify.createRateLimit({
      max: capacity,
      timeWindow: windowMs,
      keyGenerator: ({ rateCounters }: FastifyRequest) => rateCounters.find(isOwn)?.key ?? '',
      synced,
    } as Parameters<typeof fastify.createRateLimit>[0])
    return { limit, window: { windowMs, capacity } }
  }
  const limitersOf = (bucket: BucketName): Record<CountedBy, BucketLimiter> => ({
    address: limiterOf(bucket, 'address'),
    caller: limiterOf(bucket, 'caller'),
    subject: limiterOf(bucket, 'subject'),
  })
  return Object.fromEntries(bucketNames.map((bucket) => [bucket, limitersOf(bucket)])) as Record<
    BucketName,
    Record<CountedBy, BucketLimiter>
  >
}

/** Store by the contract of the plugin, which creates one child per limiter with its options. */
const storeOver = (counting: Counting) => {
  class Store {
    readonly #charge: Counting['charge'] | Counting['chargeLocally']

    constructor({ synced }: { synced?: boolean }) {
      this.#charge = synced === true ? counting.chargeLocally : counting.charge
    }

    incr(...[key, done, windowMs, capacity]: Parameters<FastifyRateLimitStore['incr']>) {
      const onCount = ({ isGranted, total, waitMs }: CountResult) =>
        done(null, { current: isGranted ? total : capacity + 1, ttl: waitMs })
      const count = this.#charge(key, { windowMs, capacity })
      if (count instanceof Promise) count.then(onCount, done)
      else onCount(count)
    }

    child(options: { synced?: boolean }) {
      return new Store(options)
    }
  }
  return Store
}

const stateOf = (
  bucket: BucketName,
  { capacity, windowMs }: RateWindow,
  { isGranted, total, waitMs }: CountResult,
): RateLimitState => ({
  bucket,
  capacity,
  windowMs,
  remaining: Math.max(0, capacity - total),
  waitMs,
  isExceeded: !isGranted,
})

const SECOND_MS = 1_000

/** Response headers as alternating names and values. */
export const rawRateLimitHeaders = ({ capacity, remaining, waitMs }: RateLimitState): string[] => [
  'x-ratelimit-limit',
  String(capacity),
  'x-ratelimit-remaining',
  String(remaining),
  'x-ratelimit-reset',
  String(Math.ceil((Date.now() + waitMs) / SECOND_MS)),
]

const rateLimitHeaders = (state: RateLimitState): Record<string, string> =>
  Object.fromEntries(chunksOf(rawRateLimitHeaders(state), 2))

const tooMany = ({ bucket, capacity, windowMs, waitMs }: RateLimitState): AppError => {
  const retryAfter = Math.max(1, Math.ceil(waitMs / SECOND_MS))
  return new AppError(
    'RATE_LIMIT_EXCEEDED',
    `Rate limit exceeded, retry in ${retryAfter} s`,
    { limit: capacity, window: `${windowMs / SECOND_MS}s`, retryAfter, bucket },
    { 'retry-after': String(retryAfter) },
  )
}
