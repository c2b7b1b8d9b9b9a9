/** Defers deliveries because of a limit or a block, one statement per batch. */
import type { DeliveryReason } from '@status-page/contracts'
import type { RawSystemScope } from '@status-page/postgres'
import { MAX_WINDOWS_AHEAD } from './charge.ts'
import type { RateRefusal } from './rate.ts'

/**
 * Maximum number of pending deliveries deferred per destination; the rest is deferred when claimed.
 */
const REST_LIMIT = 10_000
/** Spread of retries that wait for the same host or server and would be due at one instant. */
const JITTER_MS = 500
/** Tolerance between two times of one instant, which are stored in milliseconds. */
const ROUNDING_MS = 10

export interface DeliveryDeferral {
  id: string
  reason: DeliveryReason
  waitMs: number
  /** Start of the wait, as a timestamp in the database's text form; now when absent. */
  since?: string
}

/**
 * Defers deliveries because of a limit or a block, without counting an attempt. A limit's deferral
 * ends at the instant that frees it, so that older and newer messages are due together and the
 * older goes first. A block's deferral is spread, by the same time for all deliveries of a
 * destination.
 */
export const deferDeliveries = (
  { sql }: RawSystemScope,
  owner: string,
  deferred: readonly DeliveryDeferral[],
): Promise<unknown> => sql`
  UPDATE deliveries d SET state = 'pending', reason = p.reason, attempts = d.attempts - 1,
    deferrals = d.deferrals + 1, lease_until = NULL, lease_owner = NULL, updated_at = now(),
    next_attempt_at = coalesce(p.since, now())
      + make_interval(secs => (p.wait_ms + CASE p.reason WHEN 'rate_limit' THEN 0
        ELSE abs(hashtextextended(d.destination_id::text, 0) % ${JITTER_MS}::int) END) / 1000)
  FROM unnest(${deferred.map(({ id }) => id)}::uuid[], ${deferred.map(({ reason }) => reason)}::text[],
    ${deferred.map(({ waitMs }) => waitMs)}::float8[],
    ${deferred.map(({ since }) => since ?? null) as never}::timestamptz[])
    AS p(id, reason, wait_ms, since)
  WHERE d.id = p.id AND d.lease_owner = ${owner}::uuid AND d.state = 'sending'`

/**
 * Releases claimed deliveries that will not be sent for a while, and returns the ids whose lease
 * was still held.
 */
export const releaseDeliveries = async (
  { sql }: RawSystemScope,
  owner: string,
  { ids, waitMs }: { ids: readonly string[]; waitMs: number },
): Promise<Set<string>> => {
  const rows = await sql<{ id: string }[]>`
  UPDATE deliveries SET state = 'pending', attempts = attempts - 1, lease_until = NULL,
    lease_owner = NULL, updated_at = now(),
    next_attempt_at = now() + make_interval(secs => ${waitMs}::float8 / 1000)
  WHERE id = ANY (${[...ids]}::uuid[]) AND lease_owner = ${owner}::uuid AND state = 'sending'
  RETURNING id`
  return new Set(rows.map(({ id }) => id))
}

export interface RateLimitedDestination {
  id: string
  perMinute: number
  refusal: RateRefusal
  /** Time of the refusal, as a timestamp in the database's text form. */
  since: string
}

/**
 * Defers the pending deliveries of destinations whose own limit is full, each until about its turn,
 * oldest first: one by one they would be claimed and deferred every minute. The refused message is
 * included: it may be newer than one deferred before.
 */
export const deferPendingToDestinations = (
  { sql }: RawSystemScope,
  full: readonly RateLimitedDestination[],
): Promise<unknown> => sql`
  WITH rest AS (
    SELECT d.id, f.free_at, floor((row_number() OVER (PARTITION BY d.destination_id
      ORDER BY d.event_id) - 1) / f.per_minute) AS window
    FROM (SELECT g.id, g.per_minute, g.since + make_interval(secs => g.free_ms / 1000) AS free_at
      FROM unnest(${full.map(({ id }) => id)}::uuid[],
        ${full.map(({ perMinute }) => perMinute)}::float8[],
        ${full.map(({ refusal }) => refusal.freeMs)}::float8[],
        ${full.map(({ since }) => since) as never}::timestamptz[])
        AS g(id, per_minute, free_ms, since)) f
    CROSS JOIN LATERAL (
      SELECT p.id, p.destination_id, p.event_id
      FROM deliveries p WHERE p.destination_id = f.id AND p.state = 'pending'
        -- Account mail, alerts and questions stand outside of the limits.
        AND p.priority >= 10
        AND p.next_attempt_at < f.free_at + make_interval(secs => ${ROUNDING_MS}::float8 / 1000)
      LIMIT ${REST_LIMIT} FOR UPDATE SKIP LOCKED) d)
  UPDATE deliveries d SET reason = 'rate_limit', deferrals = d.deferrals + 1, updated_at = now(),
    next_attempt_at = rest.free_at
      + make_interval(secs => 60 * least(rest.window, ${MAX_WINDOWS_AHEAD}::int))
  FROM rest WHERE d.id = rest.id AND (rest.window > 0
    OR d.next_attempt_at < rest.free_at - make_interval(secs => ${ROUNDING_MS}::float8 / 1000))`
