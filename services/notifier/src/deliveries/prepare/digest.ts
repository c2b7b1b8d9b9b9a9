/**
 * Digests: one message for several events. Monitor events are combined from three on, other events
 * when single messages would take too long. Webhooks serve programs and receive each event.
 */
import type { Scope } from '@status-page/postgres'
import { sql } from 'drizzle-orm'
import { FIRST_LIMITED_PRIORITY, isMonitorEventKind, MONITOR_KINDS } from '../fan-out/match.ts'
import { MAX_COVERED } from '../fan-out/supersede.ts'
import { isSubjectToLimits, type NotifyLimits } from '../limits/rate.ts'
import type { LoadedDelivery } from './load-for-send.ts'

/** Minimum number of monitor events in a digest. */
const MIN_DIGESTED_EVENTS = 3
const TOLERABLE_MINUTES = 5
/**
 * Returns the LIKE pattern of the event kinds that a digest would absorb from the destination's
 * pending deliveries; null for none. Deliveries exempt from the limits neither absorb nor are
 * absorbed.
 */
export const digestibleKindsPattern = (
  leased: LoadedDelivery,
  limits: NotifyLimits,
  waitingEverywhere: number,
): string | null => {
  const { destination, event, waiting } = leased
  if (destination.type === 'webhook' || !isSubjectToLimits(leased) || waiting.all === 0) return null
  const perMinute = destination.kind === 'channel' ? limits.perChannel : limits.perSubscriber
  const isSlow =
    waiting.all > perMinute * TOLERABLE_MINUTES ||
    waitingEverywhere > limits.global * TOLERABLE_MINUTES
  if (isSlow) return '%'
  const isStorm = isMonitorEventKind(event.kind) && waiting.aboutMonitors + 1 >= MIN_DIGESTED_EVENTS
  return isStorm ? MONITOR_KINDS : null
}

/**
 * Absorbs pending deliveries, those with few covered events first, up to `MAX_COVERED` events, and
 * returns the ids of all covered events; null when none was absorbed.
 * The digest expires with its youngest event.
 */
export const absorbIntoDigest = async (
  scope: Scope,
  { id, destinationId }: { id: string; destinationId: string },
  kinds: string,
): Promise<string[] | null> => {
  const [row] = await scope.tx.execute<{ covered_event_ids: string[] }>(sql`
    WITH own AS (
      SELECT ${MAX_COVERED} - cardinality(covered_event_ids) AS free FROM deliveries
      WHERE id = ${id}),
    locked AS (
      SELECT id, event_id, covered_event_ids, expires_at FROM deliveries
      WHERE organization_id = ${scope.organizationId} AND destination_id = ${destinationId}
        AND state = 'pending' AND id <> ${id} AND kind LIKE ${kinds}
        AND priority >= ${FIRST_LIMITED_PRIORITY}
      LIMIT (SELECT greatest(free, 0) FROM own) FOR UPDATE SKIP LOCKED),
    others AS (
      SELECT id, event_id, covered_event_ids, expires_at
      FROM (SELECT *, sum(1 + cardinality(covered_event_ids))
        OVER (ORDER BY cardinality(covered_event_ids), id) AS total FROM locked) summed
      WHERE total <= (SELECT free FROM own)),
    gone AS (
      UPDATE deliveries d SET state = 'superseded', reason = 'digest', superseded_by = ${id},
        finished_at = now(), updated_at = now() FROM others WHERE d.id = others.id)
    UPDATE deliveries d SET covered_event_ids = found.covered_event_ids,
      expires_at = greatest(d.expires_at, found.expires_at)
    FROM (SELECT array_agg(DISTINCT covered) AS covered_event_ids, max(expires_at) AS expires_at
      FROM (
      SELECT event_id AS covered, expires_at FROM others
      UNION ALL SELECT unnest(covered_event_ids), expires_at FROM others
      UNION ALL SELECT unnest(own.covered_event_ids), own.expires_at FROM deliveries own
        WHERE own.id = ${id}) x) found
    WHERE d.id = ${id} AND EXISTS (SELECT FROM others)
    RETURNING to_json(d.covered_event_ids) AS covered_event_ids`)
  return row?.covered_event_ids ?? null
}
