/** Queries on provider reports, opt-outs and receipts of hooks. */
import { type Scope, type SystemScope, tenantTable } from '@status-page/postgres'
import { and, eq, inArray, sql } from 'drizzle-orm'
import {
  type DestinationType,
  destinations,
  hookReceipts,
  notificationChannels,
  smsMessages,
  smsOptOuts,
} from '../tables.ts'

/** Returns the organization of a channel; null for an unknown id. */
export const organizationOfChannel = async (
  { tx }: SystemScope,
  channelId: string,
): Promise<string | null> => {
  const [row] = await tx
    .select({ organizationId: notificationChannels.organizationId })
    .from(notificationChannels)
    .where(eq(notificationChannels.id, channelId))
  return row?.organizationId ?? null
}

/** Records the receipt of a hook; false for a repeated one. */
export const recordHookReceipt = async (
  { organizationId, now, tx }: Scope,
  channelId: string,
  key: string,
): Promise<boolean> => {
  const inserted = await tx
    .insert(hookReceipts)
    .values({ organizationId, channelId, key, at: now })
    .onConflictDoNothing()
    .returning({ key: hookReceipts.key })
  return inserted.length > 0
}

export const lockMessage = async (scope: Scope, channelId: string, messageSid: string) => {
  const isOfChannel = eq(smsMessages.channelId, channelId)
  const [row] = await tenantTable(smsMessages)
    .select(scope, isOfChannel, eq(smsMessages.messageSid, messageSid))
    .for('update')
  return row ?? null
}

export const saveProviderStatus = async (
  scope: Scope,
  messageSid: string,
  providerStatus: string,
): Promise<void> => {
  await scope.tx
    .update(smsMessages)
    .set({ providerStatus })
    .where(
      and(
        eq(smsMessages.organizationId, scope.organizationId),
        eq(smsMessages.messageSid, messageSid),
      ),
    )
}

const hasAddress = (scope: Scope, channelId: string, type: DestinationType, address: string) =>
  and(
    eq(destinations.organizationId, scope.organizationId),
    eq(destinations.type, type),
    eq(destinations.address, address),
    sql`(${destinations.kind} = 'subscriber' OR ${destinations.channelId} = ${channelId}::uuid)`,
  )

/** Subscribers with the address, and the channel's own recipient. */
export const listDestinationsByAddress = (
  scope: Scope,
  channelId: string,
  type: DestinationType,
  address: string,
) =>
  scope.tx
    .select({ id: destinations.id, subscriberId: destinations.subscriberId })
    .from(destinations)
    .where(hasAddress(scope, channelId, type, address))

export const findDestinationById = async (scope: Scope, id: string) => {
  const [row] = await scope.tx
    .select({ id: destinations.id, subscriberId: destinations.subscriberId })
    .from(destinations)
    .where(and(eq(destinations.organizationId, scope.organizationId), eq(destinations.id, id)))
  return row ?? null
}

export const optOutPhone = async (
  { organizationId, now, tx }: Scope,
  channelId: string,
  phone: string,
): Promise<void> => {
  await tx
    .insert(smsOptOuts)
    .values({ organizationId, channelId, phone, at: now })
    .onConflictDoNothing()
}

/** Unsubscribed subscribers of the phone, with the version of each one's next event. */
export const resubscribeByPhone = (
  scope: Scope,
  channelId: string,
  phone: string,
): Promise<{ id: string; subscriberId: string | null; version: number }[]> =>
  scope.tx
    .update(destinations)
    .set({ ownVersion: sql`${destinations.ownVersion} + 1`, updatedAt: scope.now })
    .where(
      and(
        hasAddress(scope, channelId, 'sms', phone),
        eq(destinations.kind, 'subscriber'),
        eq(destinations.state, 'unsubscribed'),
      ),
    )
    .returning({
      id: destinations.id,
      subscriberId: destinations.subscriberId,
      version: destinations.ownVersion,
    })

/**
 * Removes the opt-out and reactivates the channel's own recipient; core decides about subscribers.
 */
export const optInPhone = async (scope: Scope, channelId: string, phone: string): Promise<void> => {
  await scope.tx
    .delete(smsOptOuts)
    .where(
      and(
        eq(smsOptOuts.organizationId, scope.organizationId),
        eq(smsOptOuts.channelId, channelId),
        eq(smsOptOuts.phone, phone),
      ),
    )
  await scope.tx
    .update(destinations)
    .set({ state: 'active', stateReason: null, updatedAt: scope.now })
    .where(
      and(
        hasAddress(scope, channelId, 'sms', phone),
        eq(destinations.kind, 'channel'),
        inArray(destinations.state, ['unsubscribed']),
      ),
    )
}
