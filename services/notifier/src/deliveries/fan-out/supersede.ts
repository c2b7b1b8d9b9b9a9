/** Effects of later events on pending deliveries: superseded, cancelled, or pending again. */
import type { Scope } from '@status-page/postgres'
import { sql } from 'drizzle-orm'
import { type FanOutChunk, within } from './fan-out.ts'
import { MONITOR_KINDS } from './match.ts'

/**
 * Minimum age of a pending delivery that a newer event may replace; one that can be sent at once is
 * never replaced.
 */
const SUPERSEDE_AFTER_SECONDS = 60

/** Maximum number of events that one delivery covers; its message names only some of them. */
export const MAX_COVERED = 500

/**
 * Replaces older pending deliveries with the same ordering key by the newer one, those with few
 * covered events first, up to `MAX_COVERED` events; webhooks receive every event.
 */
export const supersedePendingDeliveries = async (
  scope: Scope,
  eventId: string,
  chunk: FanOutChunk | null = null,
): Promise<void> => {
  await scope.tx.execute(sql`
    WITH new AS (
      SELECT d.id, d.destination_id, d.ordering_key, d.ordering_seq FROM deliveries d
      JOIN destinations e ON e.organization_id = d.organization_id AND e.id = d.destination_id
      WHERE d.organization_id = ${scope.organizationId} AND d.event_id = ${eventId}::uuid
        AND d.state = 'pending' AND e.type <> 'webhook' ${within(sql`d.destination_id`, chunk)}
        -- Evaluated once: the first event of an aggregate supersedes nothing, so no queue is scanned.
        AND EXISTS (SELECT FROM fanouts own JOIN fanouts f ON f.organization_id = own.organization_id
            AND f.aggregate_id = own.aggregate_id AND f.aggregate_version < own.aggregate_version
          WHERE own.organization_id = ${scope.organizationId} AND own.event_id = ${eventId}::uuid)),
    locked AS (
      SELECT o.*, n.id AS by FROM new n CROSS JOIN LATERAL (
        SELECT o.id, o.event_id, o.covered_event_ids FROM deliveries o
        WHERE o.organization_id = ${scope.organizationId} AND o.destination_id = n.destination_id
          AND o.ordering_key = n.ordering_key AND o.ordering_seq < n.ordering_seq
          AND o.state = 'pending'
          AND (o.attempts > 0 OR o.deferrals > 0 OR o.kind LIKE ${MONITOR_KINDS}
            OR o.next_attempt_at > now() + make_interval(secs => ${SUPERSEDE_AFTER_SECONDS})
            OR o.created_at < now() - make_interval(secs => ${SUPERSEDE_AFTER_SECONDS}))
        ORDER BY o.ordering_seq DESC LIMIT ${MAX_COVERED} FOR UPDATE SKIP LOCKED) o),
    old AS (
      SELECT * FROM (SELECT *, sum(1 + cardinality(covered_event_ids)) OVER (PARTITION BY by
        ORDER BY cardinality(covered_event_ids), id) AS total FROM locked) summed
      WHERE total <= ${MAX_COVERED}),
    superseded AS (
      UPDATE deliveries d SET state = 'superseded', reason = 'newer_update', superseded_by = old.by,
        finished_at = now(), updated_at = now() FROM old WHERE d.id = old.id)
    UPDATE deliveries d SET covered_event_ids = c.ids FROM (
      SELECT by, array_agg(id) AS ids FROM (
        SELECT by, event_id AS id FROM old UNION SELECT by, unnest(covered_event_ids) FROM old) x
      GROUP BY by) c
    WHERE d.id = c.by`)
}
/**
 * Cancels pending deliveries about a deleted incident; other events that they cover become pending
 * again.
 */
export const cancelDeliveriesAboutAggregate = async (
  scope: Scope,
  aggregateId: string,
): Promise<void> => {
  const cancelled = await scope.tx.execute<{ id: string }>(sql`
    UPDATE deliveries d SET state = 'cancelled', reason = 'deleted', finished_at = now(), updated_at = now()
    FROM fanouts f
    WHERE f.organization_id = ${scope.organizationId} AND f.aggregate_id = ${aggregateId}::uuid
      AND d.organization_id = f.organization_id AND d.event_id = f.event_id AND d.state = 'pending'
    RETURNING d.id`)
  await requeueAbsorbed(
    scope,
    cancelled.map(({ id }) => id),
  )
}

/** Cancels pending deliveries about a draft that was published, vetoed or closed. */
export const cancelDeliveriesAboutDraft = async (scope: Scope, draftId: string): Promise<void> => {
  const cancelled = await scope.tx.execute<{ id: string }>(sql`
    UPDATE deliveries d SET state = 'cancelled', reason = 'deleted', finished_at = now(),
      updated_at = now()
    FROM fanouts f
    WHERE d.organization_id = ${scope.organizationId} AND d.state = 'pending'
      AND d.kind LIKE 'incident-draft.%' AND f.organization_id = d.organization_id
      AND f.event_id = d.event_id AND f.payload #>> '{draft,id}' = ${draftId}
    RETURNING d.id`)
  await requeueAbsorbed(
    scope,
    cancelled.map(({ id }) => id),
  )
}

/** Makes the deliveries pending again that ended digests had absorbed. */
export const requeueAbsorbed = async (scope: Scope, ids: readonly string[]): Promise<void> => {
  if (ids.length === 0) return
  await scope.tx.execute(sql`
    UPDATE deliveries d SET state = 'pending', reason = NULL, superseded_by = NULL, finished_at = NULL,
      next_attempt_at = now(), updated_at = now()
    FROM deliveries ended
    WHERE ended.organization_id = ${scope.organizationId} AND ended.id = ANY (${sql.param([...ids])}::uuid[])
      AND d.organization_id = ended.organization_id AND d.destination_id = ended.destination_id
      AND d.event_id = ANY (ended.covered_event_ids) AND d.state = 'superseded'
      AND d.reason = 'digest'`)
}
