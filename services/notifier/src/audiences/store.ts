/** The notifier's copies of subscribers, components and organizations; an older version never wins. */
import type { ComponentFact, SubscriberFact } from '@status-page/contracts'
import { newId, type Scope } from '@status-page/postgres'
import { and, eq, inArray, sql } from 'drizzle-orm'
import type { PgColumn } from 'drizzle-orm/pg-core'
import {
  audiences,
  components,
  type DestinationState,
  destinations,
  organizations,
} from '../tables.ts'

export interface Destination {
  id: string
  version: number
  state: DestinationState
}

/** Another address has no past, nor has one that was ended and is active again. */
const unlessNew = (column: PgColumn) =>
  sql`CASE WHEN ${destinations.address} = excluded.address AND ${destinations.state} = excluded.state
    THEN ${column} END`

/** Null when the copy already has this version or a later one. */
export const saveDestination = async (
  scope: Scope,
  subscriber: SubscriberFact,
  version: number,
  state: DestinationState,
): Promise<Destination | null> => {
  const { previousWebhookSecret: previous } = subscriber
  const address = subscriber.email ?? subscriber.phone ?? subscriber.webhookUrl ?? ''
  const values = {
    type: subscriber.type,
    address,
    webhookSecret: subscriber.webhookSecret,
    previousWebhookSecret: previous?.sealed ?? null,
    previousWebhookSecretUntil: previous ? new Date(previous.until) : null,
    manageToken: subscriber.manageToken,
    state,
    stateReason: null,
    version,
    updatedAt: scope.now,
  }
  const [saved] = await scope.tx
    .insert(destinations)
    .values({
      id: newId(),
      organizationId: scope.organizationId,
      subscriberId: subscriber.id,
      failStreak: 0,
      ownVersion: 0,
      createdAt: scope.now,
      ...values,
    })
    .onConflictDoUpdate({
      target: [destinations.organizationId, destinations.subscriberId],
      set: {
        ...values,
        blockedUntil: unlessNew(destinations.blockedUntil),
        failStreak: sql`coalesce(${unlessNew(destinations.failStreak)}, 0)`,
        firstFailAt: unlessNew(destinations.firstFailAt),
        lastOkAt: unlessNew(destinations.lastOkAt),
      },
      setWhere: sql`${destinations.version} < excluded.version`,
    })
    .returning({
      id: destinations.id,
      version: destinations.version,
      state: destinations.state,
    })
  return saved ?? null
}

export const findDestination = async (
  scope: Scope,
  subscriberId: string,
): Promise<{ id: string } | null> => {
  const [row] = await scope.tx
    .select({ id: destinations.id })
    .from(destinations)
    .where(
      and(
        eq(destinations.organizationId, scope.organizationId),
        eq(destinations.subscriberId, subscriberId),
      ),
    )
  return row ?? null
}

export const saveAudience = async (
  scope: Scope,
  destinationId: string,
  { events, componentIds, statusPageId }: SubscriberFact,
): Promise<void> => {
  await scope.tx
    .insert(audiences)
    .values({
      organizationId: scope.organizationId,
      destinationId,
      events,
      componentIds,
      statusPageId,
    })
    .onConflictDoUpdate({
      target: [audiences.organizationId, audiences.destinationId],
      set: { events, componentIds, statusPageId },
    })
}

/** Ends a destination for good; its deliveries stay in the log, its address and secrets do not. */
export const forgetDestination = async (
  scope: Scope,
  subscriber: SubscriberFact,
  version: number,
): Promise<string | null> => {
  const nothing = {
    email: null,
    phone: null,
    webhookUrl: null,
    webhookSecret: null,
    previousWebhookSecret: null,
    manageToken: null,
  }
  const gone = await saveDestination(scope, { ...subscriber, ...nothing }, version, 'deleted')
  if (gone === null) return null
  await scope.tx
    .delete(audiences)
    .where(
      and(eq(audiences.organizationId, scope.organizationId), eq(audiences.destinationId, gone.id)),
    )
  return gone.id
}

export const saveComponent = async (
  scope: Scope,
  { id, name, isMuted }: Pick<ComponentFact, 'id' | 'name' | 'isMuted'>,
  version: number,
  isDeleted: boolean,
): Promise<void> => {
  const values = { name, isMuted, isDeleted, version }
  await scope.tx
    .insert(components)
    .values({ organizationId: scope.organizationId, id, ...values })
    .onConflictDoUpdate({
      target: [components.organizationId, components.id],
      set: values,
      setWhere: sql`${components.version} < excluded.version`,
    })
}

/** The copies that we have; a component that nobody told us about is missing. */
export const listComponents = async (
  scope: Scope,
  ids: readonly string[],
): Promise<{ id: string; isMuted: boolean }[]> =>
  ids.length === 0
    ? []
    : await scope.tx
        .select({ id: components.id, isMuted: components.isMuted })
        .from(components)
        .where(
          and(
            eq(components.organizationId, scope.organizationId),
            inArray(components.id, [...ids]),
          ),
        )

export const saveOrganization = async (
  scope: Scope,
  { id, name }: { id: string; name: string },
  version: number,
): Promise<void> => {
  await scope.tx
    .insert(organizations)
    .values({ organizationId: scope.organizationId, id, name, version })
    .onConflictDoUpdate({
      target: [organizations.organizationId, organizations.id],
      set: { name, version },
      setWhere: sql`${organizations.version} < excluded.version`,
    })
}

export const organizationName = async (scope: Scope): Promise<string | null> => {
  const [row] = await scope.tx
    .select({ name: organizations.name })
    .from(organizations)
    .where(eq(organizations.organizationId, scope.organizationId))
  return row?.name ?? null
}
