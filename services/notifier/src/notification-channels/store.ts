/** Channels in SQL, with the destinations and the carrier that follow from them. */
import {
  type AttemptOutcome,
  type AuditDraft,
  type notificationChannelOperations,
  type Query,
  sortOrderOf,
  windowOf,
} from '@status-page/contracts'
import { newId, type Scope } from '@status-page/postgres'
import { and, asc, count, desc, eq, ne, notInArray, type SQL, sql } from 'drizzle-orm'
import { forgetTransport, transportOf } from '../deliveries/transports.ts'
import {
  audiences,
  type CarrierType,
  type ChannelRow,
  carriers,
  deliveries,
  destinations,
  notificationChannels,
  transports,
} from '../tables.ts'
import type { Kept } from './rules.ts'

const own = ({ organizationId }: Scope) => eq(notificationChannels.organizationId, organizationId)

const kept = (scope: Scope) =>
  scope.tx
    .select({
      row: notificationChannels,
      isPaused: sql<boolean>`coalesce(${transports.reason} = 'channel_auth', false)`,
    })
    .from(notificationChannels)
    .leftJoin(transports, eq(transports.name, sql`'channel:' || ${notificationChannels.id}`))

type ListQuery = Query<typeof notificationChannelOperations.list>

export const listChannels = async (scope: Scope, query: ListQuery) => {
  const { limit, offset } = windowOf(query)
  const direction = sortOrderOf(query) === 'asc' ? asc : desc
  const rows = await kept(scope)
    .where(own(scope))
    .orderBy(direction(sortKeys[query.sortBy]), direction(notificationChannels.id))
    .limit(limit)
    .offset(offset)
  const [counted] = await scope.tx
    .select({ total: count() })
    .from(notificationChannels)
    .where(own(scope))
  return { rows, total: counted?.total ?? 0 }
}

const sortKeys: Record<ListQuery['sortBy'], SQL> = {
  name: sql`${notificationChannels.name}`,
  createdAt: sql`${notificationChannels.createdAt}`,
  updatedAt: sql`${notificationChannels.updatedAt}`,
}

export const findChannel = async (scope: Scope, id: string): Promise<Kept | undefined> => {
  const [found] = await kept(scope).where(and(own(scope), eq(notificationChannels.id, id)))
  return found
}

export const lockChannel = async (scope: Scope, id: string): Promise<ChannelRow | undefined> => {
  const [row] = await scope.tx
    .select()
    .from(notificationChannels)
    .where(and(own(scope), eq(notificationChannels.id, id)))
    .for('update')
  return row
}

export const insertChannel = async (scope: Scope, row: ChannelRow): Promise<void> => {
  await scope.tx.insert(notificationChannels).values(row)
  await settleDestinations(scope, row)
  await settleCarrier(scope, row)
}

/** What was learned of the way out is forgotten: it may be another one now. */
export const saveChannel = async (scope: Scope, row: ChannelRow): Promise<void> => {
  await scope.tx
    .update(notificationChannels)
    .set(row)
    .where(and(own(scope), eq(notificationChannels.id, row.id)))
  await forgetTransport(scope, transportOf(row.id))
  await settleDestinations(scope, row)
  await settleCarrier(scope, row)
}

export const removeChannel = async (scope: Scope, row: ChannelRow): Promise<void> => {
  await endDestinations(scope, row.id, [])
  await scope.tx
    .delete(notificationChannels)
    .where(and(own(scope), eq(notificationChannels.id, row.id)))
  await forgetTransport(scope, transportOf(row.id))
  await settleCarrier(scope, row)
}

const settleDestinations = async (scope: Scope, row: ChannelRow): Promise<void> => {
  const addresses = row.config.recipients ?? [ENDPOINT]
  await endDestinations(scope, row.id, addresses)
  for (const address of addresses) {
    const id = await saveDestination(scope, row, address)
    await saveAudience(scope, id, row)
  }
  if (!row.isEnabled) await cancelAll(scope, row.id, 'disabled')
}

/** In the place of an address: the endpoint of a chat is a secret, and stands in the channel. */
export const ENDPOINT = 'endpoint'

/**
 * Switched off or on again, a destination that ended by itself stays ended; only an endpoint gets
 * another chance whenever its channel is changed.
 */
const saveDestination = async (scope: Scope, row: ChannelRow, address: string): Promise<string> => {
  const { organizationId, now } = scope
  const state = row.isEnabled && row.disabledReason === null ? 'active' : 'disabled'
  const isEndpoint = address === ENDPOINT
  const [saved] = await scope.tx
    .insert(destinations)
    .values({
      ...{ id: newId(), organizationId, kind: 'channel', channelId: row.id, type: row.type },
      ...{ address, state, failStreak: 0, version: 1, ownVersion: 0 },
      ...{ createdAt: now, updatedAt: now },
    })
    .onConflictDoUpdate({
      target: [destinations.organizationId, destinations.channelId, destinations.address],
      targetWhere: sql`kind = 'channel' AND state <> 'deleted'`,
      set: {
        state: isEndpoint
          ? sql`excluded.state`
          : sql`CASE WHEN ${destinations.state} IN ('active', 'disabled')
              THEN excluded.state ELSE ${destinations.state} END`,
        ...(isEndpoint ? { blockedUntil: null, failStreak: 0, firstFailAt: null } : {}),
        updatedAt: now,
      },
    })
    .returning({ id: destinations.id })
  return (saved as { id: string }).id
}

/** One that is not among the recipients gets the test and nothing else. */
export const trialDestination = async (
  scope: Scope,
  row: ChannelRow,
  address: string,
): Promise<string> => {
  const [known] = await scope.tx
    .select({ id: destinations.id })
    .from(destinations)
    .where(
      and(
        eq(destinations.organizationId, scope.organizationId),
        eq(destinations.channelId, row.id),
        eq(destinations.address, address),
        ne(destinations.state, 'deleted'),
      ),
    )
  return known?.id ?? saveDestination(scope, row, address)
}

const saveAudience = async (scope: Scope, destinationId: string, row: ChannelRow) => {
  const { events, componentIds, impacts } = row
  const wish = { events, componentIds, impacts, statusPageId: null }
  await scope.tx
    .insert(audiences)
    .values({ organizationId: scope.organizationId, destinationId, ...wish })
    .onConflictDoUpdate({
      target: [audiences.organizationId, audiences.destinationId],
      set: wish,
    })
}

/** Ends all destinations but those of the addresses; the log keeps them without their address. */
const endDestinations = async (
  scope: Scope,
  channelId: string,
  except: readonly string[],
): Promise<void> => {
  const gone = await scope.tx
    .update(destinations)
    .set({ state: 'deleted', address: '', updatedAt: scope.now })
    .where(
      and(
        eq(destinations.organizationId, scope.organizationId),
        eq(destinations.channelId, channelId),
        ne(destinations.state, 'deleted'),
        except.length === 0 ? undefined : notInArray(destinations.address, [...except]),
      ),
    )
    .returning({ id: destinations.id })
  if (gone.length === 0) return
  const ids = sql.param(gone.map(({ id }) => id))
  await scope.tx.execute(sql`
    DELETE FROM audiences WHERE organization_id = ${scope.organizationId}
      AND destination_id = ANY (${ids}::uuid[])`)
  await scope.tx.execute(sql`
    UPDATE deliveries SET state = 'cancelled', reason = 'deleted', finished_at = now(), updated_at = now()
    WHERE organization_id = ${scope.organizationId} AND destination_id = ANY (${ids}::uuid[])
      AND state = 'pending'`)
}

const cancelAll = async (scope: Scope, channelId: string, reason: 'disabled'): Promise<void> => {
  await scope.tx.execute(sql`
    UPDATE deliveries d SET state = 'cancelled', reason = ${reason}, finished_at = now(), updated_at = now()
    FROM destinations e
    WHERE e.organization_id = ${scope.organizationId} AND e.channel_id = ${channelId}::uuid
      AND d.organization_id = e.organization_id AND d.destination_id = e.id AND d.state = 'pending'`)
}

/** The oldest enabled channel of the kind carries the subscribers' messages. */
const settleCarrier = async (scope: Scope, { type }: ChannelRow): Promise<void> => {
  if (type !== 'email' && type !== 'sms') return
  const { organizationId, tx } = scope
  // Two channels that change at once would each find the other as it was.
  await tx.execute(
    sql`SELECT pg_advisory_xact_lock(hashtextextended(${`notifier.carrier:${organizationId}`}, 0))`,
  )
  const [oldest] = await tx
    .select({ id: notificationChannels.id })
    .from(notificationChannels)
    .where(
      and(
        own(scope),
        eq(notificationChannels.type, type),
        eq(notificationChannels.isEnabled, true),
      ),
    )
    .orderBy(asc(notificationChannels.createdAt), asc(notificationChannels.id))
    .limit(1)
  await saveCarrier(scope, type, oldest?.id ?? null)
}

const saveCarrier = async (
  { organizationId, tx }: Scope,
  type: CarrierType,
  channelId: string | null,
): Promise<void> => {
  if (channelId === null) {
    await tx
      .delete(carriers)
      .where(and(eq(carriers.organizationId, organizationId), eq(carriers.type, type)))
    return
  }
  await tx
    .insert(carriers)
    .values({ organizationId, type, channelId })
    .onConflictDoUpdate({ target: [carriers.organizationId, carriers.type], set: { channelId } })
}

/** What became of the last message to it; a change of no interest to anybody else. */
export const noteDelivery = async (
  scope: Scope,
  id: string,
  outcome: AttemptOutcome,
): Promise<void> => {
  await scope.tx
    .update(notificationChannels)
    .set({ lastDeliveryAt: scope.now, lastDeliveryStatus: outcome })
    .where(and(own(scope), eq(notificationChannels.id, id)))
}

/** Its far end is gone: nothing more goes there until somebody changes the channel. */
export const disableChannel = async (
  scope: Scope,
  { id, name }: Pick<ChannelRow, 'id' | 'name'>,
  reason: string,
): Promise<AuditDraft> => {
  await scope.tx
    .update(notificationChannels)
    .set({ disabledReason: reason, updatedAt: scope.now })
    .where(and(own(scope), eq(notificationChannels.id, id)))
  return {
    ...{ action: 'notification_channel.update', entityType: 'notification_channel' },
    ...{ entityId: id, entityName: name },
    changes: { status: { from: 'active', to: 'disabled' } },
  }
}

export interface Trial {
  deliveryId: string
  eventId: string
  destinationId: string
  kind: string
  payload: object
  /** Nothing of it is tried again. */
  state: 'delivered' | 'exhausted'
}

/** Keeps in the log what was sent outside of the pipeline. */
export const insertTrial = async (scope: Scope, trial: Trial): Promise<void> => {
  const { organizationId, now, tx } = scope
  const { deliveryId, eventId, destinationId, kind, state } = trial
  await tx.execute(sql`
    INSERT INTO fanouts (organization_id, event_id, kind, aggregate_id, aggregate_version, payload, occurred_at)
    VALUES (${organizationId}, ${eventId}, ${kind}, ${eventId}, 1, ${JSON.stringify(trial.payload)}::jsonb,
      ${now.toISOString()}::timestamptz)`)
  await tx.insert(deliveries).values({
    ...{ id: deliveryId, organizationId, destinationId, eventId, kind, state },
    ...{ lane: `${destinationId}:${eventId}`, laneSeq: 1, priority: 0 },
    ...{ reason: state === 'exhausted' ? 'attempts' : null, attempts: 1, deferrals: 0 },
    ...{ nextAttemptAt: now, covers: [], createdAt: now, updatedAt: now },
    ...{ finishedAt: now, expiresAt: now },
  })
}
