/** People as destinations: one destination per mail address, for account mail and alerts alike. */
import type { Envelope } from '@status-page/contracts'
import { newId, type Scope } from '@status-page/postgres'
import { sql } from 'drizzle-orm'
import { channels } from '../../channels/index.ts'
import { type DestinationType, deliveries, destinations } from '../../tables.ts'

export const saveMailDestination = async (
  scope: Scope,
  { email, userId }: { email: string; userId: string | null },
): Promise<DeliveryDestination> => {
  const [saved] = await scope.tx
    .insert(destinations)
    .values({
      id: newId(),
      organizationId: scope.organizationId,
      kind: 'user',
      userId,
      type: 'email',
      address: email,
      state: 'active',
      failStreak: 0,
      version: 1,
      ownVersion: 0,
      createdAt: scope.now,
      updatedAt: scope.now,
    })
    .onConflictDoUpdate({
      target: [destinations.organizationId, destinations.address],
      targetWhere: sql`kind = 'user'`,
      set: { userId, updatedAt: scope.now },
    })
    .returning({ id: destinations.id, type: destinations.type })
  return saved as DeliveryDestination
}

export interface DeliveryDestination {
  id: string
  type: DestinationType
}

/**
 * Adds a delivery with its own priority and expiry, by default the lifetime of its channel kind; it
 * is unique per event and destination.
 */
export const addDelivery = async (
  scope: Scope,
  event: Envelope,
  { id: destinationId, type }: DeliveryDestination,
  { priority, expiresAt }: { priority: number; expiresAt?: Date },
): Promise<void> => {
  const { lifetimeMs, worker } = channels[type]
  await scope.tx
    .insert(deliveries)
    .values({
      id: newId(),
      organizationId: scope.organizationId,
      destinationId,
      eventId: event.id,
      kind: event.kind,
      worker: worker.name,
      orderingKey: event.aggregate.id,
      orderingSeq: event.aggregate.version,
      priority,
      state: 'pending',
      attempts: 0,
      deferrals: 0,
      nextAttemptAt: scope.now,
      coveredEventIds: [],
      createdAt: scope.now,
      updatedAt: scope.now,
      expiresAt: expiresAt ?? new Date(Date.parse(event.occurredAt) + lifetimeMs),
    })
    .onConflictDoNothing()
}
