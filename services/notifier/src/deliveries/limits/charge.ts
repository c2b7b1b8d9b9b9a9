/**
 * Charges the rate limits for a whole batch: one lock, one query over the last minute, one row per
 * limit. A message is charged to all of its limits or to none. A refusal states the wait; unsent
 * messages are refunded.
 */
import type { RawSystemScope } from '@status-page/postgres'
import { type RateKey, type RateRefusal, WINDOW_SECONDS } from './rate.ts'

const WINDOW_MS = WINDOW_SECONDS * 1_000
/**
 * Maximum number of windows that a refusal plans ahead, because a limit may be raised in the
 * meantime.
 */
export const MAX_WINDOWS_AHEAD = 5

export interface RateRequest {
  keys: readonly RateKey[]
}

/** Use of one limit in the current window, and the times at which hits expire. */
export interface RateBucket {
  key: string
  max: number
  used: number
  /** Hits and the milliseconds until they leave the window, earliest first. */
  leaving: readonly (readonly [hits: number, ms: number])[]
}

export interface ChargeResult {
  /** Time of the charge, as a timestamp in the database's text form. */
  at: string
  /** A refusal per request, in order; null for an admitted request. */
  refusals: (RateRefusal | null)[]
}

export const chargeRateLimits = async (
  { sql }: RawSystemScope,
  requests: readonly RateRequest[],
): Promise<ChargeResult> => {
  // Every message counts against the global limit, so its lock covers the others. The lock lasts
  // until the end of the transaction, which does nothing else.
  const [, [clock]] = await Promise.all([
    sql`SELECT pg_advisory_xact_lock(hashtextextended('notifier.rate-limits', 0))`,
    // Waiting for the lock makes now() stale.
    sql<{ at: string }[]>`SELECT clock_timestamp()::text AS at`,
  ])
  const at = (clock as { at: string }).at
  const buckets = await readBuckets(sql, countedByKey(requests), at)
  const { refusals, taken } = allocateRequests(requests, buckets)
  if (taken.size > 0) await insertHits(sql, at, taken)
  return { at, refusals }
}

/**
 * Reads the use of each limit, and the times at which hits expire where a limit would be exceeded.
 * Limits without a hit, such as those of most destinations, return no row.
 */
const readBuckets = async (
  sql: RawSystemScope['sql'],
  requested: ReturnType<typeof countedByKey>,
  at: string,
): Promise<RateBucket[]> => {
  const windowStart = sql`${at}::timestamptz - make_interval(secs => ${WINDOW_SECONDS})`
  const rows = await sql<Pick<RateBucket, 'key' | 'used'>[]>`
    SELECT k.key, h.used::int FROM unnest(${[...requested.keys()]}::uuid[]) AS k(key)
    CROSS JOIN LATERAL (
      SELECT sum(r.hits) AS used FROM rate_hits r WHERE r.key = k.key AND r.at > ${windowStart}) h
    WHERE h.used IS NOT NULL`
  const exceeded = rows.filter(({ key, used }) => {
    const { max, requested: wanted } = requested.get(key) as RequestedHits
    return used + wanted > max
  })
  const expiring =
    exceeded.length === 0
      ? []
      : await sql<Pick<RateBucket, 'key' | 'leaving'>[]>`
          SELECT k.key, json_agg(json_build_array(h.hits,
            extract(epoch FROM h.at - ${at}::timestamptz) * 1000 + ${WINDOW_MS}::int)
            ORDER BY h.at) AS leaving
          FROM unnest(${exceeded.map(({ key }) => key)}::uuid[]) AS k(key)
          CROSS JOIN LATERAL (SELECT sum(r.hits) AS hits, r.at FROM rate_hits r
            WHERE r.key = k.key AND r.at > ${windowStart} GROUP BY r.at) h
          WHERE h.hits > 0 GROUP BY k.key`
  const used = new Map(rows.map((row) => [row.key, row.used]))
  const leaving = new Map(expiring.map((row) => [row.key, row.leaving]))
  return [...requested].map(([key, { max }]) => ({
    key,
    max,
    used: used.get(key) ?? 0,
    leaving: leaving.get(key) ?? [],
  }))
}

const insertHits = (
  sql: RawSystemScope['sql'],
  at: string,
  hitsByKey: ReadonlyMap<string, number>,
): Promise<unknown> => sql`
  INSERT INTO rate_hits (key, at, hits)
  SELECT hit.key, ${at}::timestamptz, hit.hits
  FROM unnest(${[...hitsByKey.keys()]}::uuid[], ${[...hitsByKey.values()]}::int[]) AS hit (key, hits)`

/** Charge of one message. */
export interface RateCharge {
  at: string
  keys: readonly RateKey[]
}

/**
 * Refunds the charges of unsent messages, dated with the time of the charge so that both leave the
 * window together. A later date would admit one message too many after the charge has left.
 */
export const refundCharges = async (
  { sql }: RawSystemScope,
  charges: readonly RateCharge[],
): Promise<void> => {
  for (const [at, unsent] of Map.groupBy(charges, (charge) => charge.at)) {
    const hitsByKey = new Map<string, number>()
    for (const { key } of unsent.flatMap(({ keys }) => keys)) {
      hitsByKey.set(key, (hitsByKey.get(key) ?? 0) - 1)
    }
    await insertHits(sql, at, hitsByKey)
  }
}

interface RequestedHits {
  max: number
  requested: number
}

const countedByKey = (requests: readonly RateRequest[]) => {
  const requested = new Map<string, RequestedHits>()
  for (const { key, max } of requests.flatMap(({ keys }) => keys)) {
    requested.set(key, { max, requested: (requested.get(key)?.requested ?? 0) + 1 })
  }
  return requested
}

/** Returns the refusals in the order of the requests, and the hits per limit. */
export const allocateRequests = (
  requests: readonly RateRequest[],
  buckets: readonly RateBucket[],
) => {
  const states = new Map(buckets.map((bucket) => [bucket.key, createBucketState(bucket)]))
  const taken = new Map<string, number>()
  const refusals = requests.map(({ keys }): RateRefusal | null => {
    const full = keys.flatMap(({ key }) => {
      const state = states.get(key)
      return state === undefined || state.isFree() ? [] : [state]
    })
    if (full.length > 0) return longest(full.map((state) => state.refuse()))
    for (const { key } of keys) {
      states.get(key)?.take()
      taken.set(key, (taken.get(key) ?? 0) + 1)
    }
    return null
  })
  return { refusals, taken }
}

const longest = (refusals: readonly RateRefusal[]): RateRefusal =>
  refusals.reduce((late, one) => (one.waitMs > late.waitMs ? one : late))

const createBucketState = ({ key, max, used, leaving }: RateBucket) => {
  let taken = 0
  let refused = 0
  const expiriesMs = leaving.flatMap(([hits, ms]) => Array.from({ length: hits }, () => ms))
  /**
   * Milliseconds until the nth hit from now expires: first the stored hits, then those of this
   * batch, then further windows.
   */
  const freeMs = (position: number): number => {
    const window = Math.min(Math.floor(position / max), MAX_WINDOWS_AHEAD)
    const first = used + taken - max + (position % max)
    return (expiriesMs[first] ?? WINDOW_MS) + window * WINDOW_MS
  }
  return {
    isFree: () => used + taken < max,
    take() {
      taken++
    },
    refuse: (): RateRefusal => ({ key, waitMs: freeMs(refused++), freeMs: freeMs(0) }),
  }
}
