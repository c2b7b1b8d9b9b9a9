/**
 * Rate limiter of the edge over the counters of `counting.ts`. Of @fastify/rate-limit only the
 * normalization of addresses is used: a limiter of it for each counter would send the remaining
 * seconds, and took 10 µs of processor time per request.
 */
import { isIPv4 } from 'node:net'
import { normalizeIP } from '@fastify/rate-limit'
import {
  AppError,
  type BucketName,
  bucketNames,
  type CountedBy,
  rateBuckets,
} from '@status-page/contracts'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
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
  /** Charges a rejected request in memory, without a query; returns its headers. */
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

export const registerLimiter = (
  fastify: FastifyInstance,
  counting: Counting,
  settings: RateSettings,
): Limiter => {
  fastify.decorateRequest('rateLimitStates', null)
  const windowOf = createWindows(settings)

  const count = (counter: RateCounter): RateLimitState | Promise<RateLimitState> => {
    const window = windowOf(counter)
    const charge = rateBuckets[counter.bucket].synced ? counting.chargeLocally : counting.charge
    const counted = charge(counter.key, window)
    return counted instanceof Promise
      ? counted.then((result) => stateOf(counter, window, result))
      : stateOf(counter, window, counted)
  }
  const chargeInMemory = (counter: RateCounter): RateLimitState => {
    const window = windowOf(counter)
    return stateOf(counter, window, counting.chargeLocally(counter.key, window))
  }

  return {
    async charge(request, reply, counters) {
      if (counters.length === 0) return
      const states = await Promise.all(counters.map(count))
      request.rateLimitStates = [...(request.rateLimitStates ?? []), ...states]
      const tightestState = tightestStateOf(request.rateLimitStates)
      if (tightestState !== null) reply.headers(rateLimitHeaders(tightestState))
      if (tightestState?.isExceeded) throw tooMany(tightestState)
    },
    chargeInMemory,
    rejectedHeaders(counters) {
      const tightestState = tightestStateOf(counters.map(chargeInMemory))
      return tightestState === null ? {} : rateLimitHeaders(tightestState)
    },
  }
}

/** Windows of all counters, which have the same capacity for every key. */
const createWindows = (settings: RateSettings) => {
  const windowsOf = (bucket: BucketName): Record<CountedBy, RateWindow> => {
    const { windowMs } = rateBuckets[bucket]
    const windowOf = (by: CountedBy) => ({
      windowMs,
      capacity: bucketCapacityOf({ bucket, by }, settings),
    })
    return {
      address: windowOf('address'),
      caller: windowOf('caller'),
      subject: windowOf('subject'),
    }
  }
  const windows = Object.fromEntries(
    bucketNames.map((bucket) => [bucket, windowsOf(bucket)]),
  ) as Record<BucketName, ReturnType<typeof windowsOf>>
  return ({ bucket, by }: RateCounter): RateWindow => windows[bucket][by]
}

const stateOf = (
  { bucket }: RateCounter,
  { capacity, windowMs }: RateWindow,
  { isGranted, total, waitMs }: CountResult,
): RateLimitState => ({
  bucket,
  capacity,
  windowMs,
  remaining: isGranted ? Math.max(0, capacity - total) : 0,
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

const rateLimitHeaders = (state: RateLimitState): Record<string, string> => {
  const raw = rawRateLimitHeaders(state)
  const headers: Record<string, string> = {}
  for (let at = 0; at < raw.length; at += 2) headers[raw[at] ?? ''] = raw[at + 1] ?? ''
  return headers
}

const tooMany = ({ bucket, capacity, windowMs, waitMs }: RateLimitState): AppError => {
  const retryAfter = Math.max(1, Math.ceil(waitMs / SECOND_MS))
  return new AppError(
    'RATE_LIMIT_EXCEEDED',
    `Rate limit exceeded, retry in ${retryAfter} s`,
    { limit: capacity, window: `${windowMs / SECOND_MS}s`, retryAfter, bucket },
    { 'retry-after': String(retryAfter) },
  )
}
