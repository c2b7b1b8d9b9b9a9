/** Destinations of a channel: its one endpoint, or one row per recipient. */
import { newId, type Scope } from '@status-page/postgres'
import { and, eq, inArray, ne, notInArray, sql } from 'drizzle-orm'
import { ENDPOINT_PLACEHOLDER } from '../channels/channel.ts'
import { audiences, type ChannelRow, type DestinationState, destinations } from '../tables.ts'

/** Creates the channel's current destinations and ends the others. */
export const syncDestinations = async (scope: Scope, row: ChannelRow): Promise<void> => {
  const addresses = row.config.recipients ?? [ENDPOINT_PLACEHOLDER]
  await endDestinations(scope, row.id, addresses)
  await saveAudiences(scope, await saveDestinations(scope, row, addresses), row)
  if (!row.isEnabled) await cancelAll(scope, row.id, 'disabled')
}

/**
 * Saves destinations in one statement and returns their ids. A suppressed recipient stays suppressed
 * when the channel is disabled or enabled; an endpoint is reactivated by every change of its
 * channel.
 */
const saveDestinations = async (
  scope: Scope,
  row: ChannelRow,
  addresses: readonly string[],
): Promise<string[]> => {
  if (addresses.length === 0) return []
  const { organizationId, now } = scope
  const isActive = row.isEnabled && row.disabledReason === null
  const state: DestinationState = isActive ? 'active' : 'disabled'
  const isEndpoint = addresses.includes(ENDPOINT_PLACEHOLDER)
  const common = {
    organizationId,
    kind: 'channel' as const,
    channelId: row.id,
    type: row.type,
    state,
    failStreak: 0,
    version: 1,
    ownVersion: 0,
    createdAt: now,
    updatedAt: now,
  }
  const saved = await scope.tx
    .insert(destinations)
    .values([...new Set(addresses)].map((address) => ({ ...common, id: newId(), address })))
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
  return saved.map(({ id }) => id)
}

/** Returns the destination of a test; an address that is not a recipient receives nothing else. */
export const testDestination = async (
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
  if (known !== undefined) return known.id
  const [id] = await saveDestinations(scope, row, [address])
  return id as string
}

const saveAudiences = async (scope: Scope, destinationIds: readonly string[], row: ChannelRow) => {
  if (destinationIds.length === 0) return
  const { organizationId } = scope
  const { events, componentIds, impacts } = row
  const preference = { events, componentIds, impacts }
  await scope.tx
    .insert(audiences)
    .values(
      destinationIds.map((destinationId) => ({ organizationId, destinationId, ...preference })),
    )
    .onConflictDoUpdate({
      target: [audiences.organizationId, audiences.destinationId],
      set: preference,
    })
}

/** Ends all destinations except the given addresses; the log shows them without their address. */
export const endDestinations = async (
  scope: Scope,
  channelId: string,
  except: readonly string[],
): Promise<void> => {
  const ended = await scope.tx
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
  if (ended.length === 0) return
  const ids = sql.param(ended.map(({ id }) => id))
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

/** Active destinations of the channels, regardless of their selection. */
export const listDestinations = async (scope: Scope, channelIds: readonly string[]) =>
  channelIds.length === 0
    ? []
    : await scope.tx
        .select({ id: destinations.id, type: destinations.type })
        .from(destinations)
        .innerJoin(
          audiences,
          and(
            eq(audiences.organizationId, destinations.organizationId),
            eq(audiences.destinationId, destinations.id),
          ),
        )
        .where(
          and(
            eq(destinations.organizationId, scope.organizationId),
            inArray(destinations.channelId, [...channelIds]),
            eq(destinations.state, 'active'),
          ),
        )
