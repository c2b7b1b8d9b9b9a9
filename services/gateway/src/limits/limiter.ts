/** Rate limiter of the edge: charges the counters of a request, sets the headers, refuses with 429. */
import { isIPv4 } from 'node:net'
import { AppError, type BucketName, bucketNames, rateBuckets } from '@status-page/contracts'
import { networkOf } from '@status-page/outbound'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import {
  bucketCapacityOf,
  type RateCounter,
  type RateLimitState,
  type RateSettings,
  tightestStateOf,
} from './buckets.ts'
import type { Counting } from './counting.ts'
import type { CountResult } from './local-windows.ts'
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

/** Prefix of an IPv6 network that one subscriber has. */
const SUBSCRIBER_PREFIX = 64

/** Network of an address: a /64 is one subscriber, so it counts as one address. */
export const addressNetworkOf = (address: string): string => networkOf(address, SUBSCRIBER_PREFIX)

/**
 * Prefix of an IPv6 allocation. An attacker gets many /64 of a /48, and many addresses of a /24, so
 * they share one budget.
 */
const ALLOCATION_PREFIX = 48

/** The allocation of an address: the /48 of IPv6, the /24 of IPv4. */
export const addressAllocationOf = (address: string): string => {
  const network = networkOf(address, ALLOCATION_PREFIX)
  return isIPv4(network) ? network.slice(0, network.lastIndexOf('.')) : network
}

export const registerLimiter = (
  fastify: FastifyInstance,
  counting: Counting,
  settings: RateSettings,
): Limiter => {
  fastify.decorateRequest('rateLimitStates', null)
  const windows = windowsOf(settings)

  const count = async ({ bucket, key }: RateCounter): Promise<RateLimitState> => {
    const charge = rateBuckets[bucket].synced ? counting.chargeLocally : counting.charge
    return stateOf(bucket, windows[bucket], await charge(key, windows[bucket]))
  }
  const chargeInMemory = ({ bucket, key }: RateCounter): RateLimitState =>
    stateOf(bucket, windows[bucket], counting.chargeLocally(key, windows[bucket]))

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

const windowsOf = (settings: RateSettings) =>
  Object.fromEntries(
    bucketNames.map((bucket) => [
      bucket,
      {
        windowMs: rateBuckets[bucket].windowMs,
        capacity: bucketCapacityOf(bucket, settings),
      },
    ]),
  ) as Record<BucketName, RateWindow>

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
