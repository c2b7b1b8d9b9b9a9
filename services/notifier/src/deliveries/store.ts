/** Deliveries in one organization: what a sender needs, and what it learned. */
import type { AttemptOutcome, DeliveryReason, DeliveryState } from '@status-page/contracts'
import type { Scope } from '@status-page/postgres'
import { and, eq, gt, inArray, ne, sql } from 'drizzle-orm'
import {
  type DestinationState,
  defaultChannels,
  deliveries,
  deliveryAttempts,
  destinations,
  fanouts,
  notificationChannels,
  softBounces,
  subscriberNotifications,
} from '../tables.ts'
import { MAX_SOFT_BOUNCES, SOFT_BOUNCE_DAYS } from './rules.ts'

const MAX_FAILED_EVENTS = 3
const DAY_MS = 24 * 60 * 60 * 1000

export type StoredDelivery = Awaited<ReturnType<typeof readLeased>>

/** A delivery with its event and destination; null when another holds the lease. Owner null: whoever. */
export const readLeased = async (scope: Scope, id: string, owner: string | null) => {
  const [row] = await scope.tx
    .select({
      delivery: deliveries,
      destination: destinations,
      event: fanouts,
      /** That it goes through: its own, or the carrier of its kind. */
      channel: notificationChannels,
    })
    .from(deliveries)
    .innerJoin(
      destinations,
      and(
        eq(destinations.organizationId, deliveries.organizationId),
        eq(destinations.id, deliveries.destinationId),
      ),
    )
    .innerJoin(
      fanouts,
      and(
        eq(fanouts.organizationId, deliveries.organizationId),
        eq(fanouts.eventId, deliveries.eventId),
      ),
    )
    .leftJoin(
      defaultChannels,
      and(
        eq(defaultChannels.organizationId, destinations.organizationId),
        eq(defaultChannels.type, sql`${destinations.type}`),
        eq(destinations.kind, 'subscriber'),
      ),
    )
    .leftJoin(
      notificationChannels,
      and(
        eq(notificationChannels.organizationId, deliveries.organizationId),
        eq(
          notificationChannels.id,
          sql`coalesce(${destinations.channelId}, ${defaultChannels.channelId})`,
        ),
      ),
    )
    .where(
      and(
        eq(deliveries.organizationId, scope.organizationId),
        eq(deliveries.id, id),
        owner === null ? undefined : eq(deliveries.leaseOwner, owner),
      ),
    )
  return row ?? null
}

export interface AttemptRecord {
  startedAt: Date
  durationMs: number
  outcome: AttemptOutcome
  statusCode: number | null
  error: string | null
}

export const addAttempt = async (
  scope: Scope,
  deliveryId: string,
  number: number,
  attempt: AttemptRecord,
): Promise<void> => {
  const values = { ...attempt, durationMs: Math.round(attempt.durationMs) }
  await scope.tx
    .insert(deliveryAttempts)
    .values({ organizationId: scope.organizationId, deliveryId, number, ...values })
    // The reaper wrote `unknown` before a slow sender came back with the truth.
    .onConflictDoUpdate({
      target: [
        deliveryAttempts.organizationId,
        deliveryAttempts.deliveryId,
        deliveryAttempts.number,
      ],
      set: values,
    })
}

export interface DeliveryChange {
  state: DeliveryState
  reason: DeliveryReason | null
  nextAttemptAt?: Date
  finishedAt: Date | null
  orderingKey?: string
  /** Exact bytes that the next attempt is to repeat. */
  body?: Buffer
}

/** A success is recorded whoever holds the lease now; anything else only by its holder. */
export const finishAttempt = async (
  scope: Scope,
  id: string,
  owner: string,
  change: DeliveryChange,
): Promise<boolean> => {
  const mine =
    change.state === 'delivered'
      ? sql`${deliveries.state} <> 'delivered'`
      : sql`${deliveries.leaseOwner} = ${owner} AND ${deliveries.state} = 'sending'`
  const rows = await scope.tx
    .update(deliveries)
    .set({ ...change, leaseUntil: null, leaseOwner: null, updatedAt: scope.now })
    .where(and(eq(deliveries.organizationId, scope.organizationId), eq(deliveries.id, id), mine))
    .returning({ id: deliveries.id })
  return rows.length === 1
}

/** Other events that failed at the destination since its last success, as far as it matters. */
export const otherFailedEvents = async (
  scope: Scope,
  { destinationId, eventId }: { destinationId: string; eventId: string },
  since: Date | null,
): Promise<number> => {
  const rows = await scope.tx
    .selectDistinct({ eventId: deliveries.eventId })
    .from(deliveryAttempts)
    .innerJoin(
      deliveries,
      and(
        eq(deliveries.organizationId, deliveryAttempts.organizationId),
        eq(deliveries.id, deliveryAttempts.deliveryId),
      ),
    )
    .where(
      and(
        eq(deliveries.organizationId, scope.organizationId),
        eq(deliveries.destinationId, destinationId),
        ne(deliveries.eventId, eventId),
        ne(deliveryAttempts.outcome, 'delivered'),
        since === null ? undefined : gt(deliveryAttempts.startedAt, since),
      ),
    )
    .limit(MAX_FAILED_EVENTS)
  return rows.length
}

export const updateDestination = async (
  scope: Scope,
  id: string,
  change: Partial<typeof destinations.$inferInsert>,
): Promise<void> => {
  await scope.tx
    .update(destinations)
    .set({ ...change, updatedAt: scope.now })
    .where(and(eq(destinations.organizationId, scope.organizationId), eq(destinations.id, id)))
}

/** Ends the destination and answers the version of the fact about it; null when it had ended before. */
export const endDestination = async (
  scope: Scope,
  id: string,
  end: { state: Extract<DestinationState, 'quarantined' | 'unsubscribed'>; reason: string },
): Promise<{ version: number } | null> => {
  const [ended] = await scope.tx
    .update(destinations)
    .set({
      state: end.state,
      stateReason: end.reason,
      ownVersion: sql`${destinations.ownVersion} + 1`,
      updatedAt: scope.now,
    })
    .where(
      and(
        eq(destinations.organizationId, scope.organizationId),
        eq(destinations.id, id),
        inArray(destinations.state, ['active', 'disabled']),
      ),
    )
    .returning({ version: destinations.ownVersion })
  return ended ?? null
}

/** For the next summary. */
export const recordNotified = async (scope: Scope, subscriberId: string): Promise<void> => {
  const { organizationId, now, tx } = scope
  await tx
    .insert(subscriberNotifications)
    .values({ organizationId, subscriberId, notifiedAt: now })
    .onConflictDoUpdate({
      target: [subscriberNotifications.organizationId, subscriberNotifications.subscriberId],
      set: { notifiedAt: now },
    })
}

/** Notes a failure that ends the address only in time, and counts those of the last days. */
export const recordSoftBounce = async (
  scope: Scope,
  destinationId: string,
  cause: string,
): Promise<number> => {
  const { organizationId, now, tx } = scope
  await tx
    .insert(softBounces)
    .values({ organizationId, destinationId, cause, at: now })
    .onConflictDoNothing()
  const rows = await tx
    .select({ cause: softBounces.cause })
    .from(softBounces)
    .where(
      and(
        eq(softBounces.organizationId, organizationId),
        eq(softBounces.destinationId, destinationId),
        gt(softBounces.at, new Date(now.getTime() - SOFT_BOUNCE_DAYS * DAY_MS)),
      ),
    )
    .limit(MAX_SOFT_BOUNCES)
  return rows.length
}
