/** Sends again what was given up: the same row, with its attempts, its event and its bytes. */
import { conflict, notFound, subscriberConfirmationRequested } from '@status-page/contracts'
import type { Scope } from '@status-page/postgres'
import { and, eq, ne, type SQL, sql } from 'drizzle-orm'
import { destinations, notificationChannels } from '../tables.ts'
import { wakeDeliveryWorkers } from './fan-out.ts'
import { lifetimesMs } from './rules.ts'

/** More would hold their rows for long; the answer says how many it were, and the next call goes on. */
const REPLAY_LIMIT = 100_000

const secondsOf = sql.join(
  Object.entries(lifetimesMs).map(([type, ms]) => sql`WHEN ${type}::text THEN ${ms / 1000}::int`),
  sql` `,
)

/** What is only true for a time: account mail, alerts, questions. Their end stays where it was. */
const isPersonal = sql`(e.kind = 'user' OR d.kind = ${subscriberConfirmationRequested.kind})`

/** Lanes stay, so that what is sent again about one incident goes in its order. */
const requeue = (scope: Scope, chosen: SQL) =>
  scope.tx.execute<{ id: string }>(sql`
    UPDATE deliveries r SET state = 'pending', reason = NULL, next_attempt_at = now(), finished_at = NULL,
      updated_at = now(), expires_at = chosen.expires_at
    FROM (
      SELECT d.id, CASE WHEN ${isPersonal} THEN d.expires_at
          ELSE now() + make_interval(secs => CASE e.type ${secondsOf} END) END AS expires_at
      FROM deliveries d
      JOIN destinations e ON e.organization_id = d.organization_id AND e.id = d.destination_id
      WHERE d.organization_id = ${scope.organizationId} AND ${chosen}
      FOR UPDATE OF d) chosen
    WHERE r.organization_id = ${scope.organizationId} AND r.id = chosen.id
    RETURNING r.id`)

/** 404 for an unknown one, 409 where its state, or the time that has passed, does not allow it. */
export const replayOne = async (scope: Scope, id: string): Promise<void> => {
  const requeued = await requeue(
    scope,
    sql`d.id = ${id}::uuid AND d.state IN ('exhausted', 'cancelled')
      AND NOT (${isPersonal} AND d.expires_at <= now())`,
  )
  if (requeued.length > 0) return wakeDeliveryWorkers(scope)
  const known = await scope.tx.execute(sql`SELECT FROM deliveries
    WHERE organization_id = ${scope.organizationId} AND id = ${id}::uuid`)
  if (known.length === 0) throw notFound()
  throw conflict('invalid_state', 'Only an exhausted or cancelled delivery can be sent again')
}

export interface ReplayScope {
  since: string
  channelId?: string
  subscriberId?: string
}

/** How many it were. */
export const replayExhausted = async (
  scope: Scope,
  { since, channelId, subscriberId }: ReplayScope,
): Promise<number> => {
  const requeued = await requeue(
    scope,
    sql`d.state = 'exhausted' AND d.created_at >= ${since}::timestamptz AND NOT ${isPersonal}
      ${channelId === undefined ? sql`` : sql`AND e.channel_id = ${channelId}::uuid`}
      ${subscriberId === undefined ? sql`` : sql`AND e.subscriber_id = ${subscriberId}::uuid`}
      ORDER BY d.created_at LIMIT ${REPLAY_LIMIT}`,
  )
  if (requeued.length > 0) await wakeDeliveryWorkers(scope)
  return requeued.length
}

/** The field of the scope that names nothing of the organization's own; null when all do. */
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
