/** Writes the outcomes of a batch of deliveries, one statement per kind of outcome. */
import type { DeliveryReason, DeliveryState } from '@status-page/contracts'
import type { RawSystemScope } from '@status-page/postgres'
import { MAX_WINDOWS_AHEAD } from '../limits/charge.ts'
import type { RateRefusal } from '../limits/rate.ts'

type Sql = RawSystemScope['sql']

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

export interface EndedDelivery {
  id: string
  state: DeliveryState
  reason: DeliveryReason
}

export const finishDeliveries = (
  { sql }: RawSystemScope,
  owner: string,
  ended: readonly EndedDelivery[],
): Promise<unknown> => sql`
  UPDATE deliveries d SET state = e.state, reason = e.reason, finished_at = now(),
    lease_until = NULL, lease_owner = NULL, updated_at = now()
  FROM unnest(${ended.map(({ id }) => id)}::uuid[], ${ended.map(({ state }) => state)}::text[],
    ${ended.map(({ reason }) => reason)}::text[]) AS e(id, state, reason)
  WHERE d.id = e.id AND d.lease_owner = ${owner}::uuid AND d.state = 'sending'`

/** Saves the bytes that every attempt repeats, where rendering again might differ. */
export const saveMessageBodies = (
  { sql }: RawSystemScope,
  bodies: readonly { id: string; body: Buffer }[],
): Promise<unknown> => sql`
  UPDATE deliveries d SET body = decode(b.body, 'base64')
  FROM unnest(${bodies.map(({ id }) => id)}::uuid[],
    ${bodies.map(({ body }) => body.toString('base64'))}::text[]) AS b(id, body)
  WHERE d.id = b.id AND d.body IS NULL`

export interface DeliveredRow {
  id: string
  organizationId: string
  destinationId: string
  attempt: number
  startedAt: Date
  durationMs: number
  statusCode: number | null
  /** Notified subscriber, reported to core; null where there is none. */
  subscriberId: string | null
  /** Channel that the message was addressed to. */
  channelId: string | null
  /** Shared transport of the message, which works. */
  transport: string | null
}

/**
 * Records successes: attempt, delivery and destination in one statement, regardless of the current
 * lease holder. Returns the seconds from creation to success by id; deliveries recorded before are
 * missing.
 */
export const recordDelivered = async (
  { sql }: RawSystemScope,
  rows: readonly DeliveredRow[],
): Promise<Map<string, number>> => {
  const recorded = sql<{ id: string; age: number }[]>`
    WITH input AS (SELECT * FROM unnest(${deliveredColumns(sql, rows)}) AS t(id, organization_id,
      destination_id, number, started_at, duration_ms, status_code, subscriber_id)),
    done AS (
      UPDATE deliveries d SET state = 'delivered', reason = NULL, finished_at = now(),
        lease_until = NULL, lease_owner = NULL, updated_at = now()
      FROM input WHERE d.id = input.id AND d.state <> 'delivered'
      RETURNING d.id, extract(epoch FROM now() - d.created_at)::float8 AS age),
    -- The reaper wrote 'unknown' before a slow sender came back with the truth.
    attempts AS (
      INSERT INTO delivery_attempts AS a (organization_id, delivery_id, number, started_at,
        duration_ms, outcome, status_code)
      SELECT organization_id, id, number, started_at, duration_ms, 'delivered', status_code
      FROM input
      ON CONFLICT (organization_id, delivery_id, number) DO UPDATE SET
        started_at = excluded.started_at, duration_ms = excluded.duration_ms,
        outcome = excluded.outcome, status_code = excluded.status_code, error = NULL),
    sound AS (
      UPDATE destinations e SET blocked_until = NULL, fail_streak = 0, first_fail_at = NULL,
        last_ok_at = now(), updated_at = now()
      FROM input JOIN done USING (id) WHERE e.id = input.destination_id),
    news AS (
      INSERT INTO subscriber_notifications AS s (organization_id, subscriber_id, notified_at)
      SELECT DISTINCT organization_id, subscriber_id, now() FROM input JOIN done USING (id)
      WHERE subscriber_id IS NOT NULL ORDER BY 1, 2
      ON CONFLICT (organization_id, subscriber_id) DO UPDATE SET notified_at = excluded.notified_at)
    SELECT id, age FROM done`.execute()
  const [done] = await Promise.all([recorded, markHealthy(sql, rows)])
  return new Map(done.map(({ id, age }) => [id, age]))
}

const deliveredColumns = (sql: Sql, rows: readonly DeliveredRow[]) => {
  const column = <T>(read: (row: DeliveredRow) => T) => rows.map(read) as never
  return sql`
    ${column(({ id }) => id)}::uuid[],
    ${column(({ organizationId }) => organizationId)}::uuid[],
    ${column(({ destinationId }) => destinationId)}::uuid[],
    ${column(({ attempt }) => attempt)}::int[],
    ${column(({ startedAt }) => startedAt.toISOString())}::timestamptz[],
    ${column(({ durationMs }) => Math.round(durationMs))}::int[],
    ${column(({ statusCode }) => statusCode)}::int[],
    ${column(({ subscriberId }) => subscriberId)}::uuid[]`
}

/**
 * Unblocks transports and records the channels' last delivery; writes nothing while no transport is
 * blocked.
 */
const markHealthy = (sql: Sql, rows: readonly DeliveredRow[]): Promise<unknown> => {
  const transports = distinct(rows.map(({ transport }) => transport))
  const noted: Promise<unknown>[] = []
  if (transports.length > 0) {
    noted.push(sql`UPDATE transports SET blocked_until = NULL, reason = NULL, fail_streak = 0
      WHERE name = ANY (${transports}::text[]) AND fail_streak > 0`)
  }
  const channels = distinct(rows.map(({ channelId }) => channelId))
  if (channels.length > 0) {
    noted.push(sql`UPDATE notification_channels
      SET last_delivery_at = now(), last_delivery_status = 'delivered'
      WHERE id = ANY (${channels}::uuid[])`)
  }
  return Promise.all(noted)
}

const distinct = (values: readonly (string | null)[]): string[] => [
  ...new Set(values.filter((value) => value !== null)),
]
