/** What looks at the deliveries of all organizations: claim, reap, expire, the rate window. */
import type { Crossing } from '@status-page/postgres'
import { sql } from 'drizzle-orm'

export const LEASE_SECONDS = 90
/** A few rows of each organization in turn, so that none waits for another's backlog. */
const CLAIM_PER_ORGANIZATION = 20
const CLAIM_ORGANIZATIONS = 50
const REAP_LIMIT = 500
const AGING_SECONDS = 600
const AGING_POINTS = 10
const RATE_WINDOW_SECONDS = 60

export interface Claimed {
  id: string
  organizationId: string
  destinationId: string
  attempts: number
}

type ClaimedRow = {
  id: string
  organization_id: string
  destination_id: string
  attempts: number
}

/** Leases the heads of lanes that are due, the most urgent first; waiting makes urgent. */
export const claimDue = async ({ tx }: Crossing, owner: string): Promise<Claimed[]> => {
  // Claims of two replicas go one after another, so that a destination is never served by both.
  await tx.execute(sql`SELECT pg_advisory_xact_lock(hashtextextended('notifier.claim', 0))`)
  const rows = await tx.execute<ClaimedRow>(sql`
    WITH waiting AS (
      SELECT DISTINCT organization_id FROM deliveries
      WHERE state = 'pending' AND next_attempt_at <= now() LIMIT ${CLAIM_ORGANIZATIONS}),
    due AS (
      SELECT head.id FROM waiting w CROSS JOIN LATERAL (
        SELECT d.id FROM deliveries d
        JOIN destinations e ON e.organization_id = d.organization_id AND e.id = d.destination_id
        WHERE d.organization_id = w.organization_id AND d.state = 'pending' AND d.next_attempt_at <= now()
          AND (e.blocked_until IS NULL OR e.blocked_until <= now())
          AND NOT EXISTS (SELECT FROM deliveries p WHERE p.lane = d.lane
            AND p.state IN ('pending', 'sending') AND p.lane_seq < d.lane_seq)
          AND NOT EXISTS (SELECT FROM deliveries s WHERE s.destination_id = d.destination_id
            AND s.state = 'sending')
        ORDER BY d.priority - ${AGING_POINTS} *
          floor(extract(epoch FROM now() - d.created_at) / ${AGING_SECONDS}), d.next_attempt_at
        LIMIT ${CLAIM_PER_ORGANIZATION} FOR UPDATE OF d SKIP LOCKED) head)
    UPDATE deliveries d SET state = 'sending', attempts = d.attempts + 1, lease_owner = ${owner}::uuid,
      lease_until = now() + make_interval(secs => ${LEASE_SECONDS})
    FROM due WHERE d.id = due.id RETURNING d.id, d.organization_id, d.destination_id, d.attempts`)
  return rows.map(claimedOf)
}

/** Deliveries whose sender died: due again. Their attempt may or may not have arrived. */
export const reap = async ({ tx }: Crossing): Promise<Claimed[]> => {
  const rows = await tx.execute<ClaimedRow>(sql`
    UPDATE deliveries SET state = 'pending', reason = 'retry', next_attempt_at = now(), lease_until = NULL,
      lease_owner = NULL, updated_at = now()
    WHERE id IN (SELECT id FROM deliveries WHERE state = 'sending' AND lease_until < now()
      LIMIT ${REAP_LIMIT} FOR UPDATE SKIP LOCKED)
    RETURNING id, organization_id, destination_id, attempts`)
  return rows.map(claimedOf)
}

export const expire = async ({ tx }: Crossing): Promise<number> => {
  const rows = await tx.execute(sql`
    UPDATE deliveries SET state = 'exhausted', reason = 'expired', finished_at = now(), updated_at = now()
    WHERE id IN (SELECT id FROM deliveries WHERE state = 'pending' AND expires_at <= now()
      LIMIT ${REAP_LIMIT} FOR UPDATE SKIP LOCKED)
    RETURNING id`)
  return rows.length
}

export const forgetRateHits = async ({ tx }: Crossing): Promise<void> => {
  await tx.execute(sql`DELETE FROM rate_hits
    WHERE at < clock_timestamp() - make_interval(secs => ${2 * RATE_WINDOW_SECONDS})`)
}

/** Finished deliveries are kept for the log, then dropped with their attempts. */
export const forgetFinished = async ({ tx }: Crossing, days: number): Promise<number> => {
  const rows = await tx.execute(sql`
    DELETE FROM deliveries WHERE id IN (SELECT id FROM deliveries
      WHERE finished_at < now() - make_interval(days => ${days}) LIMIT ${REAP_LIMIT})
    RETURNING id`)
  return rows.length
}

const claimedOf = (row: ClaimedRow): Claimed => ({
  id: row.id,
  organizationId: row.organization_id,
  destinationId: row.destination_id,
  attempts: row.attempts,
})
