/**
 * One message for what several would say: about monitors when three have gathered, about anything when
 * a message each would take too long. Webhooks are for programs and always get each event.
 */
import type { Scope } from '@status-page/postgres'
import { sql } from 'drizzle-orm'
import type { LoadedDelivery } from './load-for-send.ts'
import { FIRST_LIMITED_PRIORITY, isAboutMonitor, MONITOR_KINDS } from './match.ts'
import { isLimited, type NotifyLimits } from './rate.ts'

/** Of messages about monitors: fewer are told one by one. */
const MIN_DIGESTED_EVENTS = 3
const TOLERABLE_MINUTES = 5
/** In one message, which names some of them only. */
const MAX_COVERED = 500

/**
 * Which of what else waits for the destination it would take over, as a pattern of kinds; null for nothing.
 * What is outside of the limits takes nothing over, and `takeOver` leaves it alone.
 */
export const digestKinds = (
  leased: LoadedDelivery,
  limits: NotifyLimits,
  waitingEverywhere: number,
): string | null => {
  const { destination, event, waiting } = leased
  if (destination.type === 'webhook' || !isLimited(leased) || waiting.all === 0) return null
  const perMinute = destination.kind === 'channel' ? limits.perChannel : limits.perSubscriber
  const isSlow =
    waiting.all > perMinute * TOLERABLE_MINUTES ||
    waitingEverywhere > limits.global * TOLERABLE_MINUTES
  if (isSlow) return '%'
  const isStorm = isAboutMonitor(event.kind) && waiting.aboutMonitors + 1 >= MIN_DIGESTED_EVENTS
  return isStorm ? MONITOR_KINDS : null
}

/** All events that it then stands for; null where there was nothing. It lives as long as the youngest of them. */
export const absorb = async (
  scope: Scope,
  { id, destinationId }: { id: string; destinationId: string },
  kinds: string,
): Promise<string[] | null> => {
  const [row] = await scope.tx.execute<{ covers: string[] }>(sql`
    WITH others AS (
      SELECT id, event_id, covers, expires_at FROM deliveries
      WHERE organization_id = ${scope.organizationId} AND destination_id = ${destinationId}
        AND state = 'pending' AND id <> ${id} AND kind LIKE ${kinds}
        AND priority >= ${FIRST_LIMITED_PRIORITY}
      LIMIT ${MAX_COVERED} FOR UPDATE SKIP LOCKED),
    gone AS (
      UPDATE deliveries d SET state = 'superseded', reason = 'digest', superseded_by = ${id},
        finished_at = now(), updated_at = now() FROM others WHERE d.id = others.id)
    UPDATE deliveries d SET covers = found.covers, expires_at = greatest(d.expires_at, found.expires_at)
    FROM (SELECT array_agg(DISTINCT covered) AS covers, max(expires_at) AS expires_at FROM (
      SELECT event_id AS covered, expires_at FROM others
      UNION ALL SELECT unnest(covers), expires_at FROM others
      UNION ALL SELECT unnest(own.covers), own.expires_at FROM deliveries own WHERE own.id = ${id}) x) found
    WHERE d.id = ${id} AND EXISTS (SELECT FROM others)
    RETURNING to_json(d.covers) AS covers`)
  return row?.covers ?? null
}

/** Lets go by itself what deliveries that end stood for. */
export const requeueCovered = async (scope: Scope, ids: readonly string[]): Promise<void> => {
  if (ids.length === 0) return
  await scope.tx.execute(sql`
    UPDATE deliveries d SET state = 'pending', reason = NULL, superseded_by = NULL, finished_at = NULL,
      next_attempt_at = now(), updated_at = now()
    FROM deliveries ended
    WHERE ended.organization_id = ${scope.organizationId} AND ended.id = ANY (${sql.param([...ids])}::uuid[])
      AND d.organization_id = ended.organization_id AND d.destination_id = ended.destination_id
      AND d.event_id = ANY (ended.covers) AND d.state = 'superseded' AND d.reason = 'digest'`)
}
