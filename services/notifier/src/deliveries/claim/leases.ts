/** Statements over the deliveries of all organizations: claim, reap, expire, delete. */
import type { SystemScope } from '@status-page/postgres'
import { type SQL, sql } from 'drizzle-orm'
import { defaultChannelType, startProbes, transportName } from '../../channels/shared-transports.ts'
import { NIL_UUID } from '../../tables.ts'

/** Transport of a delivery. Account mail never uses a server that an organization configured. */
const transport = transportName(
  { type: sql.raw('e.type'), channelId: sql.raw('e.channel_id') },
  { channelId: sql.raw('c.channel_id') },
)

const defaultType = defaultChannelType({ type: sql.raw('e.type'), kind: sql.raw('e.kind') })

export const LEASE_SECONDS = 90
/** Maximum number of organizations per claim; the next claim continues after the last one. */
const CLAIM_ORGANIZATIONS = 200
/**
 * Alerts, account mail and confirmation requests. A literal, so that every plan uses the partial
 * index of these few rows.
 */
const unlimited = sql.raw('d.priority < 10')
/** Candidates per delivery to claim: some are blocked or wait for others. */
const CANDIDATES_PER_ROOM = 1.25
const MIN_CANDIDATES = 20
const MAX_CANDIDATES = 50_000
const REAP_LIMIT = 500
const AGING_SECONDS = 600
const AGING_POINTS = 10

export interface ClaimedDelivery {
  id: string
  organizationId: string
  destinationId: string
  /** Null for people with an account. */
  subscriberId: string | null
  attempts: number
  eventId: string
  coveredEventIds: readonly string[]
  /** Stored bytes of an earlier attempt. */
  body: Buffer | null
  expiresAt: Date
  /**
   * Time of `performance.now()` before the delivery was leased; -Infinity when the row may have
   * changed since.
   */
  readAtMs: number
  /**
   * Shared transport of the delivery with its number of consecutive failures; null when the
   * delivery uses none.
   */
  transport: ClaimedTransport | null
}

export interface ClaimedTransport {
  name: string
  failStreak: number
}

export interface DeliveryClaim {
  owner: string
  worker: string
  limit: number
  /** Organization at which the preceding claim ended. */
  after: string
  /** Restricts the claim to deliveries exempt from the limits. */
  isUnlimitedOnly: boolean
  /** True for organizations whose deliveries would only be deferred. */
  isRateLimited(organizationId: string): boolean
  /**
   * Restricts the claim to these organizations with a deep scan, whose cost grows with the backlog.
   */
  deepOrganizationIds: readonly string[]
}

export interface ClaimResult {
  claimed: ClaimedDelivery[]
  /** Organization at which this claim ended. */
  after: string
  /** Organizations whose due deliveries exceed the look-ahead of this claim. */
  overflowing: string[]
}

/**
 * Leases the oldest delivery of each destination that has a due one, organizations in turn. Within
 * an organization the destination with the most urgent delivery goes first, and urgency grows with
 * waiting time. The age is that of the event, whose id begins with its time: handlers run
 * concurrently and create deliveries out of order. A failed transport gets one delivery as a probe.
 */
export const claimDueDeliveries = async (
  systemScope: SystemScope,
  {
    owner,
    worker,
    limit,
    after,
    isUnlimitedOnly,
    isRateLimited,
    deepOrganizationIds,
  }: DeliveryClaim,
): Promise<ClaimResult> => {
  const { tx } = systemScope
  const readAtMs = performance.now()
  // Claims of two replicas are serialized, so that a destination is never served by both. A plan for
  // the values of each claim took 2 ms, ten times as long as the claim of one delivery.
  await tx.execute(sql`
    SELECT pg_advisory_xact_lock(hashtextextended(${`notifier.claim:${worker}`}, 0)),
      set_config('plan_cache_mode', 'force_generic_plan', true)`)
  const urgency = isUnlimitedOnly ? unlimited : sql`true`
  const isDeep = deepOrganizationIds.length > 0
  const due = isDeep ? deepOrganizationIds : await organizationsAfter(tx, worker, after, urgency)
  const organizations = due.filter((id) => !isRateLimited(id))
  // Continues after the rate-limited organizations: further ones may follow them.
  if (organizations.length === 0)
    return { claimed: [], after: due.at(-1) ?? after, overflowing: [] }
  const each = Math.ceil(limit / organizations.length)
  const depth = isDeep ? MAX_CANDIDATES : MIN_CANDIDATES + Math.ceil(CANDIDATES_PER_ROOM * each)
  const heads = { owner, worker, limit, organizations, each, depth, urgency }
  const rows = await leaseHeads(systemScope, heads)
  const claimed = rows.toSorted(byRank).map((row) => claimedOf(row, readAtMs))
  await startProbes(systemScope, failing(claimed))
  const lastTurn = rows.length < limit ? organizations.length : turnOf(rows)
  if (isDeep) return { claimed, after, overflowing: [] }
  const counts = Map.groupBy(claimed, ({ organizationId }) => organizationId)
  const underfilled = organizations
    .slice(0, lastTurn)
    .filter((id) => (counts.get(id)?.length ?? 0) < each)
  const overflowing =
    underfilled.length === 0
      ? []
      : await overflowingAmong(tx, { underfilled, worker, urgency, depth })
  return { claimed, after: organizations[lastTurn - 1] ?? after, overflowing }
}

interface HeadsClaim extends Pick<DeliveryClaim, 'owner' | 'worker' | 'limit'> {
  organizations: readonly string[]
  /** Maximum number of deliveries per organization. */
  each: number
  /** Number of examined candidates per organization and order. */
  depth: number
  urgency: SQL
}

/**
 * Leases the oldest delivery of each destination, organizations in turn. A delivery that was
 * deferred without an attempt counts as due with the others of its destination: a newer one would
 * overtake it when the limit or the host has room earlier than planned. Rows are joined by their
 * physical position, which saves two lookups of the id per delivery; a row that another transaction
 * changed in the meantime is left to the next claim.
 */
const leaseHeads = (
  { tx }: SystemScope,
  { owner, worker, limit, organizations, each, depth, urgency }: HeadsClaim,
) => {
  // The most urgent candidates, and those made urgent by waiting.
  const candidates = (order: SQL) => candidatesBy(order, { worker, depth, urgency })
  return tx.execute<ClaimedRow>(sql`
    WITH heads AS (
      SELECT head.row, head.id, head.subscriber_id, head.transport, head.fail_streak, w.turn,
        row_number() OVER (PARTITION BY w.turn ORDER BY head.urgency, head.event_id) AS rank,
        row_number() OVER (PARTITION BY head.transport ORDER BY w.turn) AS probe
      FROM unnest(${sql.param(organizations)}::uuid[]) WITH ORDINALITY AS w(organization_id, turn)
      CROSS JOIN LATERAL (
        SELECT oldest.row, oldest.id, first.urgency, first.event_id, e.subscriber_id, ${transport} AS transport,
          coalesce(t.fail_streak, 0) AS fail_streak
        FROM (
          SELECT DISTINCT ON (d.destination_id) d.organization_id, d.destination_id, d.event_id,
            d.is_unlimited, d.priority - ${AGING_POINTS} *
              floor(date_part('epoch', now() - d.created_at) / ${AGING_SECONDS}) AS urgency
          FROM (${candidates(sql`d.priority, d.next_attempt_at`)} UNION ALL ${candidates(sql`d.next_attempt_at`)}) d
          ORDER BY d.destination_id, d.is_unlimited DESC, urgency, d.event_id) first
        CROSS JOIN LATERAL ${destinationOf} e
        CROSS JOIN LATERAL ${oldestAt(urgency)} oldest
        LEFT JOIN default_channels c ON c.organization_id = first.organization_id
          AND c.type = ${defaultType}
        LEFT JOIN transports t ON t.name = ${transport}
        WHERE (t.blocked_until IS NULL OR t.blocked_until <= now())
          AND (e.blocked_until IS NULL OR e.blocked_until <= now())
          AND NOT EXISTS (SELECT FROM deliveries s WHERE s.destination_id = first.destination_id
            AND s.state = 'sending')
        ORDER BY first.urgency, first.event_id
        LIMIT ${each}) head),
    due AS (
      SELECT d.ctid AS row, heads.subscriber_id, heads.turn, heads.rank, heads.transport,
        heads.fail_streak
      FROM heads JOIN deliveries d ON d.ctid = heads.row
      WHERE d.id = heads.id AND d.state = 'pending' AND (heads.fail_streak = 0 OR heads.probe = 1) ORDER BY heads.turn LIMIT ${limit} FOR UPDATE OF d SKIP LOCKED)
    UPDATE deliveries d SET state = 'sending', attempts = d.attempts + 1, lease_owner = ${owner}::uuid,
      lease_until = now() + make_interval(secs => ${LEASE_SECONDS})
    FROM due WHERE d.ctid = due.row
    RETURNING d.id, d.organization_id, d.destination_id, due.subscriber_id, d.attempts, d.event_id,
      to_json(nullif(d.covered_event_ids, '{}')) AS covered_event_ids, d.body,
      date_part('epoch', d.expires_at) * 1000 AS expires_at_ms, due.turn, due.rank,
      due.transport, due.fail_streak`)
}

/**
 * Due deliveries of an organization `w` in the given order. The few without a limit precede others
 * to their destination, unless an earlier one of their ordering key is open.
 */
const candidatesBy = (
  order: SQL,
  { worker, depth, urgency }: Pick<HeadsClaim, 'worker' | 'depth' | 'urgency'>,
): SQL => sql`(
  SELECT d.organization_id, d.destination_id, d.event_id, d.priority, d.created_at,
    ${unlimited} AND ${isHeadOfKey} AS is_unlimited
  FROM deliveries d WHERE d.worker = ${worker} AND d.organization_id = w.organization_id
    AND d.state = 'pending' AND d.next_attempt_at <= now() AND ${urgency}
  ORDER BY ${order} LIMIT ${depth})`

/**
 * Destination of `first`, looked up by its key: the planner would otherwise read all destinations
 * for each batch.
 */
const destinationOf = sql`(
  SELECT e.id, e.kind, e.type, e.channel_id, e.subscriber_id, e.blocked_until
  FROM destinations e
  WHERE e.organization_id = first.organization_id AND e.id = first.destination_id
  LIMIT 1)`

/**
 * True when no earlier delivery with the ordering key of `d` is pending. One that is being sent
 * excludes the destination from the claim.
 */
const isHeadOfKey = sql`NOT EXISTS (SELECT FROM deliveries p
  WHERE p.destination_id = d.destination_id AND p.ordering_key = d.ordering_key
    AND p.state = 'pending' AND p.ordering_seq < d.ordering_seq)`

/** Oldest delivery to the destination of `first` that is due or was deferred without an attempt. */
const oldestAt = (urgency: SQL): SQL => sql`(
  SELECT d.ctid AS row, d.id FROM deliveries d
  WHERE d.destination_id = first.destination_id AND d.state = 'pending'
    AND (${unlimited}) = first.is_unlimited AND ${urgency}
    AND (d.next_attempt_at <= now() OR d.reason IN ('rate_limit', 'endpoint_blocked'))
    AND ${isHeadOfKey}
  ORDER BY d.event_id LIMIT 1)`

/**
 * Organizations whose due deliveries exceed the claim's look-ahead: the examined ones are blocked,
 * later ones may not be.
 */
const overflowingAmong = async (
  tx: SystemScope['tx'],
  {
    underfilled,
    worker,
    urgency,
    depth,
  }: { underfilled: readonly string[]; worker: string; urgency: SQL; depth: number },
): Promise<string[]> => {
  const rows = await tx.execute<{ id: string }>(sql`
    SELECT w.id FROM unnest(${sql.param([...underfilled])}::uuid[]) AS w(id)
    WHERE ${depth} <= (SELECT count(*) FROM (
      SELECT FROM deliveries d WHERE d.worker = ${worker} AND d.organization_id = w.id
        AND d.state = 'pending' AND d.next_attempt_at <= now() AND ${urgency} LIMIT ${depth}) due)`)
  return rows.map(({ id }) => id)
}

const failing = (claimed: readonly ClaimedDelivery[]): string[] =>
  claimed.flatMap(({ transport }) =>
    transport !== null && transport.failStreak > 0 ? [transport.name] : [],
  )

/**
 * Organizations with due deliveries, in a circle that starts after `after`; one index lookup each.
 */
const organizationsAfter = async (
  tx: SystemScope['tx'],
  worker: string,
  after: string,
  urgency: SQL,
): Promise<string[]> => {
  const next = (cursor: SQL) => sql`(SELECT d.organization_id FROM deliveries d
    WHERE d.worker = ${worker} AND d.state = 'pending' AND d.next_attempt_at <= now() AND ${urgency}
      AND d.organization_id > ${cursor}
    ORDER BY d.organization_id LIMIT 1)`
  const rows = await tx.execute<{ id: string }>(sql`
    WITH RECURSIVE later AS (
      SELECT ${next(sql`${after}::uuid`)} AS id
      UNION ALL SELECT ${next(sql`later.id`)} FROM later WHERE later.id IS NOT NULL),
    earlier AS (
      SELECT ${next(sql`${NIL_UUID}::uuid`)} AS id
      UNION ALL SELECT ${next(sql`earlier.id`)} FROM earlier WHERE earlier.id < ${after}::uuid)
    SELECT id FROM later WHERE id IS NOT NULL
    UNION ALL SELECT id FROM earlier WHERE id <= ${after}::uuid
    LIMIT ${CLAIM_ORGANIZATIONS}`)
  return rows.map(({ id }) => id)
}

/** Sorts the oldest of each organization first, because the limits admit a batch in its order. */
const byRank = (one: ClaimedRow, other: ClaimedRow): number =>
  Number(one.rank) - Number(other.rank) || Number(one.turn) - Number(other.turn)

const turnOf = (rows: readonly ClaimedRow[]) => Math.max(...rows.map(({ turn }) => Number(turn)))

/**
 * Makes deliveries due again whose sender died. Their attempt may have arrived; a result that a
 * surviving sender recorded stays.
 */
export const releaseExpiredLeases = async ({ tx }: SystemScope): Promise<number> => {
  const rows = await tx.execute(sql`
    WITH reaped AS (
      UPDATE deliveries SET state = 'pending', reason = 'retry', next_attempt_at = now(),
        lease_until = NULL, lease_owner = NULL, updated_at = now()
      WHERE id IN (SELECT id FROM deliveries WHERE state = 'sending' AND lease_until < now()
        LIMIT ${REAP_LIMIT} FOR UPDATE SKIP LOCKED)
      RETURNING id, organization_id, attempts),
    noted AS (
      INSERT INTO delivery_attempts (organization_id, delivery_id, number, started_at, duration_ms, outcome)
      SELECT organization_id, id, attempts, now(), 0, 'unknown' FROM reaped ON CONFLICT DO NOTHING)
    SELECT id FROM reaped`)
  return rows.length
}

export const expireDeliveries = async ({ tx }: SystemScope): Promise<number> => {
  const rows = await tx.execute(sql`
    UPDATE deliveries SET state = 'exhausted', reason = 'expired', finished_at = now(), updated_at = now()
    WHERE id IN (SELECT id FROM deliveries WHERE state = 'pending' AND expires_at <= now()
      LIMIT ${REAP_LIMIT} FOR UPDATE SKIP LOCKED)
    RETURNING id`)
  return rows.length
}

/**
 * Deletes finished deliveries and their attempts after the retention period. Ids begin with the time
 * of creation, so that the primary key finds old deliveries; the few that were finished much later
 * are skipped.
 */
export const deleteFinishedDeliveries = async (
  { tx }: SystemScope,
  days: number,
): Promise<number> => {
  const rows = await tx.execute(sql`
    WITH gone AS (
      DELETE FROM deliveries WHERE id IN (SELECT id FROM deliveries
        WHERE id < first_id_at(now() - make_interval(days => ${days}))
          AND finished_at < now() - make_interval(days => ${days})
        ORDER BY id LIMIT ${REAP_LIMIT})
      RETURNING organization_id, id),
    attempts AS (
      DELETE FROM delivery_attempts a USING gone
      WHERE a.organization_id = gone.organization_id AND a.delivery_id = gone.id)
    SELECT id FROM gone`)
  return rows.length
}

/** Deletes events whose last delivery was deleted. */
export const deleteOldEvents = async ({ tx }: SystemScope, days: number): Promise<number> => {
  const rows = await tx.execute(sql`
    DELETE FROM fanouts WHERE (organization_id, event_id) IN (
      SELECT f.organization_id, f.event_id FROM fanouts f
      WHERE f.occurred_at < now() - make_interval(days => ${days})
        AND NOT EXISTS (SELECT FROM deliveries d
          WHERE d.organization_id = f.organization_id AND d.event_id = f.event_id)
      ORDER BY f.occurred_at LIMIT ${REAP_LIMIT})
    RETURNING event_id`)
  return rows.length
}

/**
 * Deletes old provider reports, one hour of each table at a time: selecting single rows would
 * require the right to read all of them.
 */
export const deleteOldProviderReports = async (
  { tx }: SystemScope,
  days: number,
): Promise<number> => {
  const old = sql`now() - make_interval(days => ${days})`
  const oldest = (table: SQL, at: SQL) => sql`DELETE FROM ${table} WHERE ${at} < least(${old},
    (SELECT min(${at}) + interval '1 hour' FROM ${table})) RETURNING 1`
  const rows = await tx.execute(sql`
    WITH messages AS (${oldest(sql`sms_messages`, sql`created_at`)}),
      receipts AS (${oldest(sql`hook_receipts`, sql`at`)}),
      failures AS (${oldest(sql`soft_bounces`, sql`at`)})
    SELECT 1 FROM messages UNION ALL SELECT 1 FROM receipts UNION ALL SELECT 1 FROM failures`)
  return rows.length
}

type ClaimedRow = {
  id: string
  organization_id: string
  destination_id: string
  subscriber_id: string | null
  attempts: number
  event_id: string
  covered_event_ids: string[] | null
  body: Buffer | null
  expires_at_ms: number
  turn: string
  rank: string
  transport: string | null
  fail_streak: number
}

const claimedOf = (row: ClaimedRow, readAtMs: number): ClaimedDelivery => ({
  id: row.id,
  organizationId: row.organization_id,
  destinationId: row.destination_id,
  subscriberId: row.subscriber_id,
  attempts: row.attempts,
  eventId: row.event_id,
  coveredEventIds: row.covered_event_ids ?? [],
  body: row.body,
  expiresAt: new Date(row.expires_at_ms),
  readAtMs,
  transport: row.transport === null ? null : { name: row.transport, failStreak: row.fail_streak },
})
