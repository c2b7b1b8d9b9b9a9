/** What looks at the deliveries of all organizations: claim, reap, expire, forget. */
import type { SystemScope } from '@status-page/postgres'
import { type SQL, sql } from 'drizzle-orm'
import { startProbes, transportName } from './transports.ts'

/** Nobody's account mail goes through a server of an organization's choice. */
const transport = transportName(
  { type: sql.raw('e.type'), channelId: sql.raw('e.channel_id') },
  { channelId: sql.raw('c.channel_id') },
)

/** Before the first organization. */
export const NIL_UUID = '00000000-0000-0000-0000-000000000000'

export const LEASE_SECONDS = 90
/** Organizations looked at in one claim; the next claim goes on with the one after them. */
const CLAIM_ORGANIZATIONS = 200
/** Alerts, account mail and questions. A literal, so that every plan finds the index of these few. */
const unlimited = sql.raw('d.priority < 10')
/** Looked at for each that is taken: some are blocked, or wait for others. */
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
  /** That it goes through, with its failures in a row; null where nothing is shared. */
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
  /** The organization whose turn was last. */
  after: string
  /** Only what stands outside of the limits. */
  isUnlimitedOnly: boolean
  /** Organizations that would only be put off. */
  isRateLimited(organizationId: string): boolean
  /** Only these organizations, but far into what is due of them: costs as much as waits. */
  deepOrganizationIds: readonly string[]
}

export interface ClaimResult {
  claimed: ClaimedDelivery[]
  /** The organization whose turn was last. */
  after: string
  /** Organizations that had their turn, and of whose due deliveries the first hid others. */
  overflowing: string[]
}

/**
 * Leases the heads of lanes that are due, one a destination, organizations in turn; within one the most
 * urgent first, and waiting makes urgent. Among the equally urgent the oldest goes first, not the one that was
 * due first: a deferral would let a newer message overtake. Through a transport that failed goes one delivery, which tries it.
 */
export const claimDue = async (
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
  // Claims of two replicas go one after another, so that a destination is never served by both.
  await tx.execute(
    sql`SELECT pg_advisory_xact_lock(hashtextextended(${`notifier.claim:${worker}`}, 0))`,
  )
  const urgency = isUnlimitedOnly ? unlimited : sql`true`
  const isDeep = deepOrganizationIds.length > 0
  const due = isDeep ? deepOrganizationIds : await organizationsAfter(tx, worker, after, urgency)
  const organizations = due.filter((id) => !isRateLimited(id))
  // Past those that are held: there may be more than one look shows, and others behind them.
  if (organizations.length === 0)
    return { claimed: [], after: due.at(-1) ?? after, overflowing: [] }
  const each = Math.ceil(limit / organizations.length)
  const depth = isDeep ? MAX_CANDIDATES : MIN_CANDIDATES + Math.ceil(CANDIDATES_PER_ROOM * each)
  // The most urgent, and those that waiting has made urgent.
  const candidates = (order: SQL) => sql`(
    SELECT d.id, d.organization_id, d.destination_id, d.lane, d.lane_seq, d.priority,
      d.next_attempt_at, d.created_at
    FROM deliveries d WHERE d.way = ${worker} AND d.organization_id = w.organization_id
      AND d.state = 'pending' AND d.next_attempt_at <= now() AND ${urgency}
    ORDER BY ${order} LIMIT ${depth})`
  const rows = await tx.execute<ClaimedRow>(sql`
    WITH heads AS (
      SELECT head.id, head.subscriber_id, head.transport, head.fail_streak, w.turn,
        row_number() OVER (PARTITION BY w.turn ORDER BY head.urgency, head.created_at, head.id) AS rank,
        row_number() OVER (PARTITION BY head.transport ORDER BY w.turn, head.place) AS probe
      FROM unnest(${sql.param(organizations)}::uuid[]) WITH ORDINALITY AS w(organization_id, turn)
      CROSS JOIN LATERAL (
        SELECT first.* FROM (
          SELECT d.id, d.created_at, e.subscriber_id, urgency, ${transport} AS transport,
            coalesce(t.fail_streak, 0) AS fail_streak,
            row_number() OVER (PARTITION BY d.destination_id ORDER BY urgency, d.created_at, d.id) AS place
          FROM (${candidates(sql`d.priority, d.next_attempt_at`)} UNION ${candidates(sql`d.next_attempt_at`)}) d
          JOIN destinations e ON e.organization_id = d.organization_id AND e.id = d.destination_id
          LEFT JOIN carriers c ON c.organization_id = e.organization_id AND c.type = e.type
            AND e.kind = 'subscriber'
          LEFT JOIN transports t ON t.name = ${transport}
          CROSS JOIN LATERAL (SELECT d.priority - ${AGING_POINTS} *
            floor(extract(epoch FROM now() - d.created_at) / ${AGING_SECONDS}) AS urgency) u
          WHERE (t.blocked_until IS NULL OR t.blocked_until <= now())
            AND (e.blocked_until IS NULL OR e.blocked_until <= now())
            AND NOT EXISTS (SELECT FROM deliveries p WHERE p.destination_id = d.destination_id AND p.lane = d.lane
              AND p.state IN ('pending', 'sending') AND p.lane_seq < d.lane_seq)
            AND NOT EXISTS (SELECT FROM deliveries s WHERE s.destination_id = d.destination_id
              AND s.state = 'sending')) first
        WHERE place = 1 ORDER BY urgency, created_at, id
        LIMIT ${each}) head),
    due AS (
      SELECT d.id, heads.subscriber_id, heads.turn, heads.rank, heads.transport, heads.fail_streak
      FROM heads JOIN deliveries d ON d.id = heads.id
      WHERE d.state = 'pending' AND (heads.fail_streak = 0 OR heads.probe = 1) ORDER BY heads.turn LIMIT ${limit} FOR UPDATE OF d SKIP LOCKED)
    UPDATE deliveries d SET state = 'sending', attempts = d.attempts + 1, lease_owner = ${owner}::uuid,
      lease_until = now() + make_interval(secs => ${LEASE_SECONDS})
    FROM due WHERE d.id = due.id
    RETURNING d.id, d.organization_id, d.destination_id, due.subscriber_id, d.attempts, due.turn,
      due.rank, due.transport, due.fail_streak`)
  const claimed = rows.toSorted(byRank).map(claimedOf)
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

/** Those with more that is due than a claim has looked at: what it saw cannot go now, what it did not might. */
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
      SELECT FROM deliveries d WHERE d.way = ${worker} AND d.organization_id = w.id
        AND d.state = 'pending' AND d.next_attempt_at <= now() AND ${urgency} LIMIT ${depth}) due)`)
  return rows.map(({ id }) => id)
}

const failing = (claimed: readonly ClaimedDelivery[]): string[] =>
  claimed.flatMap(({ transport }) =>
    transport !== null && transport.failStreak > 0 ? [transport.name] : [],
  )

/** Those with something due, from the one after `after` once around; each costs one look at the index. */
const organizationsAfter = async (
  tx: SystemScope['tx'],
  worker: string,
  after: string,
  urgency: SQL,
): Promise<string[]> => {
  const next = (than: SQL) => sql`(SELECT d.organization_id FROM deliveries d
    WHERE d.way = ${worker} AND d.state = 'pending' AND d.next_attempt_at <= now() AND ${urgency}
      AND d.organization_id > ${than}
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

/** The oldest of each organization come first, because the limits admit a batch in its order. */
const byRank = (one: ClaimedRow, other: ClaimedRow): number =>
  Number(one.rank) - Number(other.rank) || Number(one.turn) - Number(other.turn)

const turnOf = (rows: readonly ClaimedRow[]) => Math.max(...rows.map(({ turn }) => Number(turn)))

/**
 * Deliveries whose sender died are due again. Their attempt may or may not have arrived; what a
 * sender that lives after all has written about it stays.
 */
export const reap = async ({ tx }: SystemScope): Promise<number> => {
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

export const expire = async ({ tx }: SystemScope): Promise<number> => {
  const rows = await tx.execute(sql`
    UPDATE deliveries SET state = 'exhausted', reason = 'expired', finished_at = now(), updated_at = now()
    WHERE id IN (SELECT id FROM deliveries WHERE state = 'pending' AND expires_at <= now()
      LIMIT ${REAP_LIMIT} FOR UPDATE SKIP LOCKED)
    RETURNING id`)
  return rows.length
}

/** Finished deliveries are kept for the log, then dropped with their attempts. */
export const deleteFinished = async ({ tx }: SystemScope, days: number): Promise<number> => {
  const rows = await tx.execute(sql`
    WITH gone AS (
      DELETE FROM deliveries WHERE id IN (SELECT id FROM deliveries
        WHERE finished_at < now() - make_interval(days => ${days}) LIMIT ${REAP_LIMIT})
      RETURNING organization_id, id),
    attempts AS (
      DELETE FROM delivery_attempts a USING gone
      WHERE a.organization_id = gone.organization_id AND a.delivery_id = gone.id)
    SELECT id FROM gone`)
  return rows.length
}

/** The event behind them goes with the last of its deliveries. */
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
 * What providers told us of messages that nobody asks about any more, an hour of each at a time: to
 * pick rows one by one would need the right to read all of them.
 */
export const deleteOldReports = async ({ tx }: SystemScope, days: number): Promise<number> => {
  const old = sql`now() - make_interval(days => ${days})`
  const oldest = (table: SQL, at: SQL) => sql`DELETE FROM ${table} WHERE ${at} < least(${old},
    (SELECT min(${at}) + interval '1 hour' FROM ${table})) RETURNING 1`
  const rows = await tx.execute(sql`
    WITH messages AS (${oldest(sql`sms_messages`, sql`created_at`)}),
      receipts AS (${oldest(sql`hook_receipts`, sql`at`)}),
      failures AS (${oldest(sql`soft_failures`, sql`at`)})
    SELECT 1 FROM messages UNION ALL SELECT 1 FROM receipts UNION ALL SELECT 1 FROM failures`)
  return rows.length
}

type ClaimedRow = {
  id: string
  organization_id: string
  destination_id: string
  subscriber_id: string | null
  attempts: number
  turn: string
  rank: string
  transport: string | null
  fail_streak: number
}

const claimedOf = (row: ClaimedRow): ClaimedDelivery => ({
  id: row.id,
  organizationId: row.organization_id,
  destinationId: row.destination_id,
  subscriberId: row.subscriber_id,
  attempts: row.attempts,
  transport: row.transport === null ? null : { name: row.transport, failStreak: row.fail_streak },
})
