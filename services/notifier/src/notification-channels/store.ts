/** Queries on channels, and the updates of destinations and default channels that follow. */
import {
  type AttemptOutcome,
  type AuditDraft,
  type ChannelType,
  draftAudit,
  limitAndOffset,
  type notificationChannelOperations,
  type Query,
  sortOrderOf,
} from '@status-page/contracts'
import { resourceTable, type Scope } from '@status-page/postgres'
import { and, asc, desc, eq, inArray, sql } from 'drizzle-orm'
import { channels } from '../channels/index.ts'
import { channelTransportName, resetTransport } from '../channels/shared-transports.ts'
import {
  type ChannelRow,
  defaultChannels,
  deliveries,
  deliveryAttempts,
  notificationChannels,
  transports,
} from '../tables.ts'
import { endDestinations, syncDestinations } from './destinations.ts'
import type { ChannelState } from './rules.ts'

const table = resourceTable(notificationChannels)

export const { lock: lockChannel, lockAll: lockChannels, listAfterId: listChannelsAfterId } = table

export const findChannelNames = (scope: Scope, names: readonly string[]): Promise<string[]> =>
  table.findValues(scope, notificationChannels.name, names)

const selectChannels = (scope: Scope) =>
  scope.tx
    .select({
      row: notificationChannels,
      isPaused: sql<boolean>`coalesce(${transports.reason} = 'channel_auth', false)`,
    })
    .from(notificationChannels)
    .leftJoin(transports, eq(transports.name, sql`'channel:' || ${notificationChannels.id}`))

type ListQuery = Query<typeof notificationChannelOperations.list>

export const listChannels = async (scope: Scope, query: ListQuery) => {
  const { limit, offset } = limitAndOffset(query)
  const direction = sortOrderOf(query) === 'asc' ? asc : desc
  const rows = await selectChannels(scope)
    .where(table.own(scope))
    .orderBy(direction(notificationChannels[query.sortBy]), direction(notificationChannels.id))
    .limit(limit)
    .offset(offset)
  return { rows, total: await scope.tx.$count(notificationChannels, table.own(scope)) }
}

export const findChannel = async (scope: Scope, id: string): Promise<ChannelState | undefined> => {
  const isWanted = table.own(scope, eq(notificationChannels.id, id))
  const [found] = await selectChannels(scope).where(isWanted)
  return found
}

export const insertChannel = async (scope: Scope, row: ChannelRow): Promise<void> => {
  await table.insert(scope, row)
  await syncDestinations(scope, row)
  await updateDefaultChannel(scope, row)
}

export const findChannels = (scope: Scope, ids: readonly string[]): Promise<ChannelState[]> =>
  selectChannels(scope).where(table.own(scope, inArray(notificationChannels.id, [...ids])))

/** Saves a channel and resets its transport, which may have changed. */
export const saveChannel = async (scope: Scope, row: ChannelRow): Promise<void> => {
  await table.save(scope, row)
  await resetTransport(scope, channelTransportName(row.id))
  await syncDestinations(scope, row)
  await updateDefaultChannel(scope, row)
}

export const removeChannel = async (scope: Scope, row: ChannelRow): Promise<void> => {
  await endDestinations(scope, row.id, [])
  await table.remove(scope, row.id)
  await resetTransport(scope, channelTransportName(row.id))
  await updateDefaultChannel(scope, row)
}

/** Selects the oldest enabled channel of the type as the default for subscribers' messages. */
const updateDefaultChannel = async (scope: Scope, { type }: ChannelRow): Promise<void> => {
  if (channels[type].operatorTransport === null) return
  const { organizationId, tx } = scope
  // Two concurrent changes would each read the other channel's former state.
  await tx.execute(
    sql`SELECT pg_advisory_xact_lock(
      hashtextextended(${`notifier.default_channel:${organizationId}`}, 0))`,
  )
  const [oldest] = await table
    .select(scope, eq(notificationChannels.type, type), eq(notificationChannels.isEnabled, true))
    .orderBy(notificationChannels.createdAt, notificationChannels.id)
    .limit(1)
  await saveDefaultChannel(scope, type, oldest?.id ?? null)
}

const saveDefaultChannel = async (
  { organizationId, tx }: Scope,
  type: ChannelType,
  channelId: string | null,
): Promise<void> => {
  if (channelId === null) {
    await tx
      .delete(defaultChannels)
      .where(
        and(eq(defaultChannels.organizationId, organizationId), eq(defaultChannels.type, type)),
      )
    return
  }
  await tx
    .insert(defaultChannels)
    .values({ organizationId, type, channelId })
    .onConflictDoUpdate({
      target: [defaultChannels.organizationId, defaultChannels.type],
      set: { channelId },
    })
}

/** Records the outcome of the last message; not published as an event. */
export const recordLastDelivery = (
  scope: Scope,
  id: string,
  outcome: AttemptOutcome,
): Promise<void> => {
  const last = { lastDeliveryAt: scope.now, lastDeliveryStatus: outcome }
  return table.update(scope, last, eq(notificationChannels.id, id))
}

/** Disables a channel whose endpoint no longer exists, until the channel is changed. */
export const disableChannel = async (
  scope: Scope,
  { id, name }: Pick<ChannelRow, 'id' | 'name'>,
  reason: string,
): Promise<AuditDraft> => {
  const change = { disabledReason: reason, updatedAt: scope.now }
  await table.update(scope, change, eq(notificationChannels.id, id))
  const changes = { status: { from: 'active', to: 'disabled' } }
  return draftAudit('notification_channel.update', { id, name }, changes)
}

export interface TestDelivery {
  deliveryId: string
  eventId: string
  destinationId: string
  type: ChannelType
  kind: string
  payload: object
  /** Final state: tests are not retried. */
  state: 'delivered' | 'exhausted'
  attempt: Omit<typeof deliveryAttempts.$inferInsert, 'organizationId' | 'deliveryId' | 'number'>
}

/** Adds a test message, which bypasses the pipeline, to the delivery log. */
export const insertTestDelivery = async (scope: Scope, test: TestDelivery): Promise<void> => {
  const { organizationId, now, tx } = scope
  const { deliveryId, eventId, destinationId, kind, state } = test
  await tx.execute(sql`
    INSERT INTO fanouts (organization_id, event_id, kind, aggregate_id, aggregate_version, payload, occurred_at)
    VALUES (${organizationId}, ${eventId}, ${kind}, ${eventId}, 1, ${JSON.stringify(test.payload)}::jsonb,
      ${now.toISOString()}::timestamptz)`)
  await tx.insert(deliveries).values({
    id: deliveryId,
    organizationId,
    destinationId,
    eventId,
    kind,
    worker: channels[test.type].worker.name,
    state,
    orderingKey: eventId,
    orderingSeq: 1,
    priority: 0,
    reason: state === 'exhausted' ? 'attempts' : null,
    attempts: 1,
    deferrals: 0,
    nextAttemptAt: now,
    coveredEventIds: [],
    createdAt: now,
    updatedAt: now,
    finishedAt: now,
    expiresAt: now,
    ...(state === 'delivered' && {
      deliveredAttempt: 1,
      deliveredStartedAt: test.attempt.startedAt,
      deliveredDurationMs: test.attempt.durationMs,
      deliveredStatusCode: test.attempt.statusCode ?? null,
    }),
  })
  if (state === 'delivered') return
  await tx
    .insert(deliveryAttempts)
    .values({ organizationId, deliveryId, number: 1, ...test.attempt })
}
