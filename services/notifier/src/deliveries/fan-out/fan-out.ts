/**
 * Creates the deliveries of an event, and supersedes or cancels pending ones when later events
 * arrive.
 */
import type { Envelope } from '@status-page/contracts'
import type { Scope, SystemScope } from '@status-page/postgres'
import { currentTraceparent } from '@status-page/tracing'
import { and, eq, gt, type SQL, sql } from 'drizzle-orm'
import { channelValue, lifetimeOf } from '../../channels/sql.ts'
import { type DestinationState, fanouts, NIL_UUID } from '../../tables.ts'
import { digestDelaySecondsOf, priorityOf, type RecipientMatch } from './match.ts'

/**
 * Channel notified in the transaction that creates deliveries; wakes the workers of every replica.
 */
export const DELIVERIES_DUE = 'notifier_deliveries_due'

export const wakeDeliveryWorkers = async (scope: Scope): Promise<void> => {
  await scope.tx.execute(sql`SELECT pg_notify(${DELIVERIES_DUE}, '')`)
}

/**
 * Condition that is true while one of the workers has a due delivery, by one index lookup per
 * worker. Without an order, the planner reads the whole table for a worker that has no delivery.
 */
export const haveDueDelivery = (workers: readonly string[]): string => `EXISTS (
  SELECT FROM (VALUES ${workers.map((name) => `('${name}')`)}) AS w (name) CROSS JOIN LATERAL (
    SELECT FROM deliveries d WHERE d.worker = w.name AND d.state = 'pending'
      AND d.next_attempt_at <= now()
    ORDER BY d.organization_id, d.next_attempt_at LIMIT 1) AS due)`

/** Notifies when a deferral has ended. */
export const wakeDueWorkers = async (
  { tx }: SystemScope,
  workers: readonly string[],
): Promise<void> => {
  await tx.execute(
    sql`SELECT pg_notify(${DELIVERIES_DUE}, '') WHERE ${sql.raw(haveDueDelivery(workers))}`,
  )
}

export const saveFanOutEvent = async (scope: Scope, event: Envelope): Promise<void> => {
  await scope.tx
    .insert(fanouts)
    .values({
      organizationId: scope.organizationId,
      eventId: event.id,
      kind: event.kind,
      aggregateId: event.aggregate.id,
      aggregateVersion: event.aggregate.version,
      payload: event.data,
      occurredAt: new Date(event.occurredAt),
      traceparent: currentTraceparent(),
    })
    .onConflictDoNothing()
}

/** True when a later event of the aggregate, or its deletion, is already stored. */
export const isSuperseded = async (scope: Scope, { aggregate }: Envelope): Promise<boolean> => {
  const rows = await scope.tx
    .select({ eventId: fanouts.eventId })
    .from(fanouts)
    .where(
      and(
        eq(fanouts.organizationId, scope.organizationId),
        eq(fanouts.aggregateId, aggregate.id),
        gt(fanouts.aggregateVersion, aggregate.version),
      ),
    )
    .limit(1)
  return rows.length > 0
}

/** Stored event of a monitor. */
interface StoredMonitorEvent {
  eventId: string
  kind: string
  isFlapping: boolean
}

/** Events of the same monitor after the given one, oldest first. */
export const listLaterMonitorEvents = (
  { tx, organizationId }: Scope,
  { aggregate }: Envelope,
): Promise<StoredMonitorEvent[]> =>
  tx
    .select({
      eventId: fanouts.eventId,
      kind: fanouts.kind,
      isFlapping: sql<boolean>`coalesce((${fanouts.payload} #>> '{monitor,isFlapping}')::boolean, false)`,
    })
    .from(fanouts)
    .where(
      and(
        eq(fanouts.organizationId, organizationId),
        eq(fanouts.aggregateId, aggregate.id),
        gt(fanouts.aggregateVersion, aggregate.version),
      ),
    )
    .orderBy(fanouts.aggregateVersion)

/** Returns whether an event of the aggregate is stored; waits for a transaction that stores one. */
export const hasFanOutEvent = async (
  { tx, organizationId }: Scope,
  aggregateId: string,
): Promise<boolean> => {
  await tx.execute(
    sql`SELECT pg_advisory_xact_lock(hashtextextended(${`notifier:fanout:${aggregateId}`}, 0))`,
  )
  const rows = await tx
    .select({ eventId: fanouts.eventId })
    .from(fanouts)
    .where(and(eq(fanouts.organizationId, organizationId), eq(fanouts.aggregateId, aggregateId)))
    .limit(1)
  return rows.length > 0
}

/** Range of destination ids: a chunk of a fan-out too large for one transaction. */
export interface FanOutChunk {
  after: string | null
  through: string
}

export const within = (column: SQL, chunk: FanOutChunk | null): SQL =>
  chunk === null
    ? sql``
    : sql`AND ${column} > ${chunk.after ?? NIL_UUID}::uuid AND ${column} <= ${chunk.through}::uuid`

/**
 * SQL for the destinations `d` in the given states whose selection `a` matches the event. Of
 * several subscriptions of one address, only the oldest that matches: a person gets one message per
 * event, whatever the scopes and pages.
 */
export const matchingDestinations = (
  scope: Scope,
  match: RecipientMatch,
  states: readonly DestinationState[] = ['active'],
): SQL => sql`
  FROM destinations d
  JOIN audiences a ON a.organization_id = d.organization_id AND a.destination_id = d.id
  WHERE d.organization_id = ${scope.organizationId}
    AND d.state = ANY (${sql.param([...states])}::text[])
    AND d.type <> ALL (${sql.param([...match.excludedTypes])}::text[])
    AND CASE d.kind WHEN 'channel'
      THEN ((a.events = '{}' AND NOT ${match.requiresNamedSelector}::boolean)
          OR ${match.channelSelector}::text = ANY (a.events))
        AND (a.impacts = '{}' OR ${match.impact}::text IS NULL OR ${match.impact}::text = ANY (a.impacts))
      ELSE ${isSelected(sql`a`, match)} END
    AND ${isInScope({ destination: sql`d`, audience: sql`a` }, match)} ${withoutNotified(scope, match)}
    AND (d.kind <> 'subscriber' OR NOT EXISTS (
      SELECT FROM destinations e
      JOIN audiences b ON b.organization_id = e.organization_id AND b.destination_id = e.id
      WHERE e.organization_id = d.organization_id AND e.type = d.type AND e.address = d.address
        AND e.kind = 'subscriber' AND e.state = 'active' AND e.id < d.id
        AND ${isSelected(sql`b`, match)} AND ${isInScope({ destination: sql`e`, audience: sql`b` }, match)}))`

/** Excludes destinations that have a notification of the incident, unless it was suppressed. */
const withoutNotified = (scope: Scope, { isCatchUp, incidentId }: RecipientMatch): SQL =>
  isCatchUp
    ? sql`AND NOT EXISTS (
        SELECT FROM fanouts f
        JOIN deliveries b ON b.organization_id = f.organization_id AND b.event_id = f.event_id
        WHERE f.organization_id = ${scope.organizationId} AND f.aggregate_id = ${incidentId}::uuid
          AND b.destination_id = d.id AND b.state <> 'suppressed')`
    : sql``

const isSelected = (audience: SQL, { selectors }: RecipientMatch): SQL =>
  sql`${audience}.events && ${sql.param([...selectors])}::text[]`

const isInScope = (
  { destination, audience }: { destination: SQL; audience: SQL },
  { scopeIds, statusPageIds, incidentId }: RecipientMatch,
): SQL => sql`
  (${audience}.component_ids = '{}' OR ${audience}.component_ids && ${sql.param([...scopeIds])}::uuid[])
  AND (${destination}.status_page_id IS NULL
    OR ${destination}.status_page_id = ANY (${sql.param([...statusPageIds])}::uuid[]))
  AND (${audience}.incident_id IS NULL OR ${audience}.incident_id = ${incidentId}::uuid)`

/** Inserts one row per matching destination; repeated runs add nothing. */
export const fanOut = async (
  scope: Scope,
  event: Envelope,
  match: RecipientMatch,
  chunk: FanOutChunk | null = null,
): Promise<void> => {
  const occurredAt = new Date(event.occurredAt).toISOString()
  const { count } = await scope.tx.execute(sql`
    INSERT INTO deliveries (organization_id, destination_id, event_id, kind, worker, ordering_key,
      ordering_seq, priority, state, reason, finished_at, next_attempt_at, expires_at)
    SELECT d.organization_id, d.id, ${event.id}::uuid, ${event.kind},
      ${channelValue(sql`d.type`, ({ worker }) => worker.name)}, ${event.aggregate.id}::uuid,
      ${event.aggregate.version}, ${priorityOf(event.kind)}, ${match.state},
      ${match.deliveryReason},
      ${match.state === 'suppressed' ? sql`now()` : null},
      now() + CASE d.type WHEN 'webhook' THEN 0 ELSE ${digestDelaySecondsOf(event.kind)} END * interval '1 second',
      ${occurredAt}::timestamptz + ${lifetimeOf(sql`d.type`)}
    ${matchingDestinations(scope, match)} ${within(sql`d.id`, chunk)}
    ON CONFLICT (organization_id, event_id, destination_id) DO NOTHING`)
  const isFirst = chunk === null || chunk.after === null
  if (isFirst && count >= MIN_ANALYZE_ROWS) await scope.tx.execute(sql`SELECT refresh_statistics()`)
}

/** Minimum number of new rows after which the planner's statistics are refreshed. */
const MIN_ANALYZE_ROWS = 2_000
