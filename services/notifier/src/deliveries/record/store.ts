/** Queries and updates on deliveries and destinations of one organization. */
import type { AttemptOutcome, DeliveryReason, DeliveryState } from '@status-page/contracts'
import type { Scope } from '@status-page/postgres'
import { and, between, desc, eq, gt, inArray, ne, or, sql } from 'drizzle-orm'
import {
  type DestinationState,
  defaultChannels,
  deliveries,
  deliveryAttempts,
  destinationSuppressions,
  destinations,
  fanouts,
  notificationChannels,
  type SuppressionReason,
  smsMessages,
  softBounces,
  subscriberNotifications,
} from '../../tables.ts'
import { MAX_SOFT_BOUNCES, SOFT_BOUNCE_DAYS } from './rules.ts'

const MAX_FAILED_EVENTS = 3
const DAY_MS = 24 * 60 * 60 * 1000

export type StoredDelivery = Awaited<ReturnType<typeof readLeasedDelivery>>

/** Join of deliveries with their destinations. */
export const isDestinationOfDelivery = and(
  eq(destinations.organizationId, deliveries.organizationId),
  eq(destinations.id, deliveries.destinationId),
)

/** Join of subscribers with the default channels that send to them. */
export const isDefaultChannelOfDestination = and(
  eq(defaultChannels.organizationId, destinations.organizationId),
  eq(defaultChannels.type, sql`${destinations.type}`),
  eq(destinations.kind, 'subscriber'),
)

/**
 * Returns a delivery with its event and destination; null when another owner holds the lease. A
 * null owner skips the check.
 */
export const readLeasedDelivery = async (scope: Scope, id: string, owner: string | null) => {
  const [row] = await scope.tx
    .select({
      delivery: deliveries,
      destination: destinations,
      event: fanouts,
      /**
       * Channel that transports the message: the destination's own, or the default channel of its
       * type.
       */
      channel: notificationChannels,
    })
    .from(deliveries)
    .innerJoin(destinations, isDestinationOfDelivery)
    .innerJoin(
      fanouts,
      and(
        eq(fanouts.organizationId, deliveries.organizationId),
        eq(fanouts.eventId, deliveries.eventId),
      ),
    )
    .leftJoin(defaultChannels, isDefaultChannelOfDestination)
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

/** Attempt as stored in a row of its own; a success is stored in the row of its delivery. */
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
    // The reaper recorded `unknown` before a slow sender returned with the result.
    .onConflictDoUpdate({
      target: [
        deliveryAttempts.organizationId,
        deliveryAttempts.deliveryId,
        deliveryAttempts.number,
      ],
      set: values,
    })
}

/** Columns of a delivery for the attempt that delivered it. */
export const deliveredColumns = (
  number: number,
  { startedAt, durationMs, statusCode }: Omit<AttemptRecord, 'outcome' | 'error'>,
) => ({
  deliveredAttempt: number,
  deliveredStartedAt: startedAt,
  deliveredDurationMs: Math.round(durationMs),
  deliveredStatusCode: statusCode,
})

export interface DeliveryChange extends Partial<ReturnType<typeof deliveredColumns>> {
  state: DeliveryState
  reason: DeliveryReason | null
  nextAttemptAt?: Date
  finishedAt: Date | null
  orderingKey?: string
  /** Exact bytes for the next attempt to repeat. */
  body?: Buffer
}

/** Records a success regardless of the lease holder; any other result only for the holder. */
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

/**
 * Returns the time of the last success at a failing destination, of those in the delivery log; null
 * without one since the address or the state changed. Deliveries that were created after the first
 * failure have no success, and can be many.
 */
export const readLastSuccessAt = async (
  scope: Scope,
  { id, historySince }: { id: string; historySince: Date },
  firstFailAt: Date,
): Promise<Date | null> => {
  const [row] = await scope.tx
    .select({ finishedAt: deliveries.finishedAt })
    .from(deliveries)
    .where(
      and(
        eq(deliveries.organizationId, scope.organizationId),
        eq(deliveries.destinationId, id),
        eq(deliveries.state, 'delivered'),
        between(deliveries.createdAt, historySince, firstFailAt),
      ),
    )
    .orderBy(desc(deliveries.createdAt))
    .limit(1)
  return row?.finishedAt ?? null
}

/**
 * Counts the other events that failed at the destination since its last success, up to the number
 * that matters.
 */
export const countOtherFailedEvents = async (
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
        // The reaper recorded the attempt as `unknown` before a slow sender returned its success.
        sql`${deliveries.deliveredAttempt} IS DISTINCT FROM ${deliveryAttempts.number}`,
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

/**
 * Ends the destination and returns the version for its event; null when it had ended before. A
 * complaint replaces a weaker reason.
 */
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
        or(
          inArray(destinations.state, ['active', 'disabled']),
          sql`${end.reason} = 'complaint' AND ${destinations.state} = 'quarantined'
            AND ${destinations.stateReason} IS DISTINCT FROM 'complaint'`,
        ),
      ),
    )
    .returning({ version: destinations.ownVersion })
  return ended ?? null
}

/** Records the notification for the next summary to core. */
export const recordNotified = async (scope: Scope, subscriberId: string): Promise<void> => {
  const { organizationId, now, tx } = scope
  await tx
    .insert(subscriberNotifications)
    .values({ organizationId, subscriberIds: [subscriberId], notifiedAt: now })
}

/** Records a soft bounce and returns the number of recent ones. */
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

/** Status of a message before its first report. */
const ACCEPTED = 'accepted'

export const saveMessageId = async (
  { organizationId, now, tx }: Scope,
  messageSid: string,
  about: { channelId: string; destinationId: string; eventId: string },
): Promise<void> => {
  await tx
    .insert(smsMessages)
    .values({ organizationId, messageSid, ...about, providerStatus: ACCEPTED, createdAt: now })
    .onConflictDoNothing()
}

/** Records one suppression per destination and day, however often it is reactivated. */
export const recordSuppression = async (
  { organizationId, now, tx }: Scope,
  destinationId: string,
  reason: SuppressionReason,
): Promise<void> => {
  const day = now.toISOString().slice(0, 'yyyy-mm-dd'.length)
  await tx
    .insert(destinationSuppressions)
    .values({ organizationId, destinationId, day, reason, at: now })
    .onConflictDoNothing()
}
