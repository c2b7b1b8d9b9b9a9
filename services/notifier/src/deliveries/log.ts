/** Queries of the delivery log for the API. */
import type { AttemptOutcome, DeliveryEvent, DeliveryState } from '@status-page/contracts'
import { equalsFilter, type Scope, tenantTable } from '@status-page/postgres'
import { and, asc, count, desc, eq, gte, inArray, lt } from 'drizzle-orm'
import { transportName } from '../channels/shared-transports.ts'
import {
  defaultChannels,
  deliveries,
  deliveryAttempts,
  destinations,
  fanouts,
  notificationChannels,
  transports,
} from '../tables.ts'
import { isDefaultChannelOfDestination, isDestinationOfDelivery } from './record/store.ts'

export interface DeliveryFilters {
  state?: DeliveryState
  event?: DeliveryEvent
  eventId?: string
  subscriberId?: string
  channelId?: string
  incidentId?: string
  from?: string
  to?: string
}

/** Events of the incident; they are stored as long as one of their deliveries. */
const eventsOfIncident = (scope: Scope, incidentId: string) =>
  scope.tx
    .select({ eventId: fanouts.eventId })
    .from(fanouts)
    .where(
      and(eq(fanouts.organizationId, scope.organizationId), eq(fanouts.aggregateId, incidentId)),
    )

const conditionsOf = (scope: Scope, filters: DeliveryFilters) =>
  and(
    eq(deliveries.organizationId, scope.organizationId),
    equalsFilter(deliveries.state, filters.state),
    equalsFilter(deliveries.kind, filters.event),
    equalsFilter(deliveries.eventId, filters.eventId),
    filters.subscriberId === undefined
      ? undefined
      : eq(destinations.subscriberId, filters.subscriberId),
    equalsFilter(destinations.channelId, filters.channelId),
    filters.incidentId === undefined
      ? undefined
      : inArray(deliveries.eventId, eventsOfIncident(scope, filters.incidentId)),
    filters.from === undefined ? undefined : gte(deliveries.createdAt, new Date(filters.from)),
    filters.to === undefined ? undefined : lt(deliveries.createdAt, new Date(filters.to)),
  )

const logged = (scope: Scope) =>
  scope.tx
    .select({
      delivery: deliveries,
      destination: destinations,
      transport: transports,
      channelName: notificationChannels.name,
    })
    .from(deliveries)
    .innerJoin(destinations, isDestinationOfDelivery)
    .leftJoin(defaultChannels, isDefaultChannelOfDestination)
    .leftJoin(transports, eq(transports.name, transportName(destinations, defaultChannels)))
    .leftJoin(
      notificationChannels,
      and(
        eq(notificationChannels.organizationId, destinations.organizationId),
        eq(notificationChannels.id, destinations.channelId),
      ),
    )

export type DeliveryLogRow = Awaited<ReturnType<typeof logged>>[number]

export const listDeliveries = async (
  scope: Scope,
  filters: DeliveryFilters,
  window: { limit: number; offset: number },
  order: 'asc' | 'desc',
): Promise<{ total: number; rows: DeliveryLogRow[] }> => {
  const where = conditionsOf(scope, filters)
  const direction = order === 'asc' ? asc : desc
  const [counted] = await scope.tx
    .select({ total: count() })
    .from(deliveries)
    .innerJoin(destinations, isDestinationOfDelivery)
    .where(where)
  const rows = await logged(scope)
    .where(where)
    .orderBy(direction(deliveries.createdAt), direction(deliveries.id))
    .limit(window.limit)
    .offset(window.offset)
  return { total: counted?.total ?? 0, rows }
}

export const readDelivery = async (scope: Scope, id: string) => {
  const [row] = await logged(scope).where(
    and(eq(deliveries.organizationId, scope.organizationId), eq(deliveries.id, id)),
  )
  if (row === undefined) return null
  const undelivered = await tenantTable(deliveryAttempts).select(
    scope,
    eq(deliveryAttempts.deliveryId, id),
  )
  return { ...row, attempts: attemptsOf(row.delivery, undelivered) }
}

/** Attempts in their order; the success replaces what the reaper recorded for its attempt. */
const attemptsOf = (
  delivery: DeliveryLogRow['delivery'],
  undelivered: readonly (typeof deliveryAttempts.$inferSelect)[],
) => {
  const { deliveredAttempt: number, deliveredStartedAt: startedAt } = delivery
  const { deliveredDurationMs: durationMs, deliveredStatusCode: statusCode } = delivery
  if (number === null || startedAt === null || durationMs === null) return byNumber(undelivered)
  const outcome: AttemptOutcome = 'delivered'
  const success = { number, startedAt, durationMs, outcome, statusCode, error: null }
  return byNumber([...undelivered.filter((one) => one.number !== number), success])
}

const byNumber = <Attempt extends { number: number }>(attempts: readonly Attempt[]): Attempt[] =>
  attempts.toSorted((one, other) => one.number - other.number)
