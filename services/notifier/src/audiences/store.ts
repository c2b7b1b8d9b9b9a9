/**
 * Copies of subscribers, components and organizations; an older version never replaces a newer one.
 */
import type {
  ComponentEventData,
  DeliveryReason,
  NotificationLimits,
  SubscriberEventData,
} from '@status-page/contracts'
import { newId, type Scope } from '@status-page/postgres'
import { and, eq, inArray, sql } from 'drizzle-orm'
import type { PgColumn } from 'drizzle-orm/pg-core'
import {
  audiences,
  components,
  type DestinationState,
  type DestinationType,
  deliveries,
  destinations,
  organizations,
} from '../tables.ts'

export interface Destination {
  id: string
  subscriberId: string
  version: number
  state: DestinationState
}

/**
 * Retains the delivery history only while address and state are unchanged: a new address, or a
 * reactivated destination, starts without one.
 */
const keepUnlessReplaced = (column: PgColumn) =>
  sql`CASE WHEN ${destinations.address} = excluded.address AND ${destinations.state} = excluded.state
    THEN ${column} END`

/** Subscriber as published by core, and its state in the notifier. */
export interface SubscriberWithState {
  subscriber: SubscriberEventData
  version: number
  state: DestinationState
}

/** Saves destinations and returns those that were stale. Each subscriber occurs at most once. */
export const saveDestinations = async (
  scope: Scope,
  subscribers: readonly SubscriberWithState[],
): Promise<Destination[]> => {
  if (subscribers.length === 0) return []
  const saved = await scope.tx
    .insert(destinations)
    .values(subscribers.map((one) => valuesOf(scope, one)))
    .onConflictDoUpdate({
      target: [destinations.organizationId, destinations.subscriberId],
      set: {
        ...Object.fromEntries(copied.map((name) => [name, excluded(destinations[name])])),
        blockedUntil: keepUnlessReplaced(destinations.blockedUntil),
        failStreak: sql`coalesce(${keepUnlessReplaced(destinations.failStreak)}, 0)`,
        firstFailAt: keepUnlessReplaced(destinations.firstFailAt),
        historySince: sql`coalesce(${keepUnlessReplaced(destinations.historySince)}, now())`,
      },
      setWhere: sql`${destinations.version} < excluded.version`,
    })
    .returning({
      id: destinations.id,
      subscriberId: destinations.subscriberId,
      version: destinations.version,
      state: destinations.state,
    })
  return saved.map(({ subscriberId, ...rest }) => ({
    ...rest,
    subscriberId: subscriberId as string,
  }))
}

const copied = [
  'type',
  'address',
  'statusPageId',
  'webhookSecret',
  'previousWebhookSecret',
  'previousWebhookSecretUntil',
  'manageToken',
  'state',
  'stateReason',
  'version',
  'updatedAt',
] as const

const excluded = ({ name }: PgColumn) => sql.raw(`excluded."${name}"`)

const valuesOf = (
  { organizationId, now }: Scope,
  { subscriber, version, state }: SubscriberWithState,
) => {
  const { previousWebhookSecret: previous } = subscriber
  return {
    id: newId(),
    organizationId,
    subscriberId: subscriber.id,
    type: subscriber.type,
    address: subscriber.email ?? subscriber.phone ?? subscriber.webhookUrl ?? '',
    statusPageId: subscriber.statusPageId,
    webhookSecret: subscriber.webhookSecret,
    previousWebhookSecret: previous?.sealed ?? null,
    previousWebhookSecretUntil: previous ? new Date(previous.until) : null,
    manageToken: subscriber.manageToken,
    state,
    stateReason: null,
    version,
    failStreak: 0,
    ownVersion: 0,
    createdAt: now,
    updatedAt: now,
  }
}

export const findDestination = async (
  scope: Scope,
  subscriberId: string,
): Promise<{ id: string; type: DestinationType } | null> => {
  const [row] = await scope.tx
    .select({ id: destinations.id, type: destinations.type })
    .from(destinations)
    .where(
      and(
        eq(destinations.organizationId, scope.organizationId),
        eq(destinations.subscriberId, subscriberId),
      ),
    )
  return row ?? null
}

/** Saves the events, components and incident that each destination selected. */
export const saveAudiences = async (
  { organizationId, tx }: Scope,
  preferences: readonly (Pick<SubscriberEventData, 'events' | 'componentIds' | 'incidentId'> & {
    destinationId: string
  })[],
): Promise<void> => {
  if (preferences.length === 0) return
  const { events, componentIds, incidentId } = audiences
  await tx
    .insert(audiences)
    .values(
      preferences.map((preference) => ({
        organizationId,
        destinationId: preference.destinationId,
        events: preference.events,
        componentIds: preference.componentIds,
        incidentId: preference.incidentId,
      })),
    )
    .onConflictDoUpdate({
      target: [audiences.organizationId, audiences.destinationId],
      set: {
        events: excluded(events),
        componentIds: excluded(componentIds),
        incidentId: excluded(incidentId),
      },
    })
}

/** Deletes a destination's address, secrets and selection; its deliveries stay in the log. */
export const deleteDestination = async (
  scope: Scope,
  subscriber: SubscriberEventData,
  version: number,
): Promise<string | null> => {
  const noContactData = {
    email: null,
    phone: null,
    webhookUrl: null,
    webhookSecret: null,
    previousWebhookSecret: null,
    manageToken: null,
  }
  const subscribers = {
    subscriber: { ...subscriber, ...noContactData },
    version,
    state: 'deleted',
  } as const
  const [deleted] = await saveDestinations(scope, [subscribers])
  if (deleted === undefined) return null
  await scope.tx
    .delete(audiences)
    .where(
      and(
        eq(audiences.organizationId, scope.organizationId),
        eq(audiences.destinationId, deleted.id),
      ),
    )
  return deleted.id
}

export const saveComponent = async (
  scope: Scope,
  { id, name, isMuted, ancestorIds, dependsOn = [] }: ComponentEventData,
  version: number,
  isDeleted: boolean,
): Promise<void> => {
  const hasDependencies = dependsOn.length > 0
  const values = { name, isMuted, isDeleted, ancestorIds, hasDependencies, version }
  await scope.tx
    .insert(components)
    .values({ organizationId: scope.organizationId, id, ...values })
    .onConflictDoUpdate({
      target: [components.organizationId, components.id],
      set: values,
      setWhere: sql`${components.version} < excluded.version`,
    })
}

export interface ComponentCopy {
  id: string
  isMuted: boolean
  isDeleted: boolean
  /** Parent first, root last. */
  ancestorIds: string[]
  hasDependencies: boolean
}

/** Returns the known components; one whose event has not arrived is missing. */
export const listComponents = async (
  scope: Scope,
  ids: readonly string[],
): Promise<ComponentCopy[]> =>
  ids.length === 0
    ? []
    : await scope.tx
        .select({
          id: components.id,
          isMuted: components.isMuted,
          isDeleted: components.isDeleted,
          ancestorIds: components.ancestorIds,
          hasDependencies: components.hasDependencies,
        })
        .from(components)
        .where(
          and(
            eq(components.organizationId, scope.organizationId),
            inArray(components.id, [...ids]),
          ),
        )

export const saveOrganization = async (
  scope: Scope,
  organization: { id: string; name: string; notificationLimits?: NotificationLimits },
  version: number,
): Promise<void> => {
  const { id, name, notificationLimits = null } = organization
  await scope.tx
    .insert(organizations)
    .values({ organizationId: scope.organizationId, id, name, notificationLimits, version })
    .onConflictDoUpdate({
      target: [organizations.organizationId, organizations.id],
      set: { name, notificationLimits, version },
      setWhere: sql`${organizations.version} < excluded.version`,
    })
}

/** Returns the organization's own limits; null when it has set none. */
export const organizationLimits = async (scope: Scope): Promise<NotificationLimits | null> => {
  const [row] = await scope.tx
    .select({ limits: organizations.notificationLimits })
    .from(organizations)
    .where(eq(organizations.organizationId, scope.organizationId))
  return row?.limits ?? null
}

/** Cancels a destination's pending deliveries; those in flight complete. */
export const cancelDeliveriesToDestination = async (
  scope: Scope,
  destinationId: string,
  reason: Extract<DeliveryReason, 'unsubscribed' | 'disabled' | 'deleted'>,
): Promise<void> => {
  await scope.tx
    .update(deliveries)
    .set({ state: 'cancelled', reason, finishedAt: scope.now, updatedAt: scope.now })
    .where(
      and(
        eq(deliveries.organizationId, scope.organizationId),
        eq(deliveries.destinationId, destinationId),
        eq(deliveries.state, 'pending'),
      ),
    )
}
