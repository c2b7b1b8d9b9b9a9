/** Replays deliveries that were given up: the same row, with its attempts, event and bytes. */
import { conflict, notFound, subscriberConfirmationRequested } from '@status-page/contracts'
import type { Scope } from '@status-page/postgres'
import { and, eq, ne, type SQL, sql } from 'drizzle-orm'
import { lifetimeOf } from '../channels/sql.ts'
import { TEST_EVENT } from '../messages/sample.ts'
import { deliveries, destinations, notificationChannels } from '../tables.ts'
import { wakeDeliveryWorkers } from './fan-out/fan-out.ts'

/**
 * Maximum number of deliveries per call, to bound row locks; the response states the count, and the
 * next call continues.
 */
const REPLAY_LIMIT = 100_000

/**
 * Account mail, alerts and confirmation requests, which are valid for a limited time. Replay does
 * not extend it.
 */
const isPersonal = sql`(e.kind = 'user' OR d.kind = ${subscriberConfirmationRequested.kind})`

/** A test delivery is a log entry of a message that was sent at once; its content is not stored. */
const isTest = sql`d.kind = ${TEST_EVENT}`

/** Ordering keys stay, so that replayed deliveries about one incident are sent in order. */
const requeue = (scope: Scope, chosen: SQL) =>
  scope.tx.execute<{ id: string }>(sql`
    UPDATE deliveries r SET state = 'pending', reason = NULL, next_attempt_at = now(), finished_at = NULL,
      updated_at = now(), expires_at = chosen.expires_at
    FROM (
      SELECT d.id, CASE WHEN ${isPersonal} THEN d.expires_at
          ELSE now() + ${lifetimeOf(sql`e.type`)} END AS expires_at
      FROM deliveries d
      JOIN destinations e ON e.organization_id = d.organization_id AND e.id = d.destination_id
      WHERE d.organization_id = ${scope.organizationId} AND ${chosen}
      FOR UPDATE OF d) chosen
    WHERE r.organization_id = ${scope.organizationId} AND r.id = chosen.id
    RETURNING r.id`)

/** Throws 404 for an unknown delivery, and 409 where its kind, state or expiry forbids a replay. */
export const replayDelivery = async (scope: Scope, id: string): Promise<void> => {
  const requeued = await requeue(
    scope,
    sql`d.id = ${id}::uuid AND d.state IN ('exhausted', 'cancelled')
      AND NOT ${isTest} AND NOT (${isPersonal} AND d.expires_at <= now())`,
  )
  if (requeued.length > 0) return wakeDeliveryWorkers(scope)
  const [known] = await scope.tx
    .select({ kind: deliveries.kind })
    .from(deliveries)
    .where(and(eq(deliveries.organizationId, scope.organizationId), eq(deliveries.id, id)))
  if (known === undefined) throw notFound()
  if (known.kind === TEST_EVENT) {
    throw conflict('invalid_state', 'A test delivery cannot be sent again; send a new test')
  }
  throw conflict('invalid_state', 'Only an exhausted or cancelled delivery can be sent again')
}

export interface ReplayScope {
  since: string
  channelId?: string
  subscriberId?: string
}

/** Returns the number of replayed deliveries. */
export const replayExhaustedDeliveries = async (
  scope: Scope,
  { since, channelId, subscriberId }: ReplayScope,
): Promise<number> => {
  const requeued = await requeue(
    scope,
    sql`d.state = 'exhausted' AND d.created_at >= ${since}::timestamptz AND NOT ${isPersonal}
      AND NOT ${isTest}
      ${channelId === undefined ? sql`` : sql`AND e.channel_id = ${channelId}::uuid`}
      ${subscriberId === undefined ? sql`` : sql`AND e.subscriber_id = ${subscriberId}::uuid`}
      ORDER BY d.created_at LIMIT ${REPLAY_LIMIT}`,
  )
  if (requeued.length > 0) await wakeDeliveryWorkers(scope)
  return requeued.length
}

/** Returns the scope field whose id does not exist in the organization; null when all exist. */
export const findUnknownId = async (
  scope: Scope,
  { channelId, subscriberId }: ReplayScope,
): Promise<'channelId' | 'subscriberId' | null> => {
  const { organizationId, tx } = scope
  if (channelId !== undefined) {
    const { id, organizationId: owner } = notificationChannels
    const where = and(eq(owner, organizationId), eq(id, channelId))
    const rows = await tx.select({ id }).from(notificationChannels).where(where)
    if (rows.length === 0) return 'channelId'
  }
  if (subscriberId !== undefined) {
    const { id, subscriberId: named, organizationId: owner, state } = destinations
    const where = and(eq(owner, organizationId), eq(named, subscriberId), ne(state, 'deleted'))
    const rows = await tx.select({ id }).from(destinations).where(where)
    if (rows.length === 0) return 'subscriberId'
  }
  return null
}
