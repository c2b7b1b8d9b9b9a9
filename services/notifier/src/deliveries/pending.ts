/** Internal operation: number and age of the pending deliveries of an organization. */
import { type PendingDeliveries, pendingDeliveryOperations } from '@status-page/contracts'
import type { Scope } from '@status-page/postgres'
import { createRoutes, type Route } from '@status-page/service'
import { and, count, eq, gte, min } from 'drizzle-orm'
import { deliveries } from '../tables.ts'

const EXHAUSTED_MS = 24 * 3_600_000

export const pendingDeliveryRoutes: Route[] = createRoutes(pendingDeliveryOperations, {
  read: ({ read }) => read(countPendingDeliveries),
})

const countPendingDeliveries = async (scope: Scope): Promise<PendingDeliveries> => {
  const { tx, now } = scope
  const inState = (state: 'pending' | 'exhausted') =>
    and(eq(deliveries.organizationId, scope.organizationId), eq(deliveries.state, state))
  const [pending] = await tx
    .select({ total: count(), oldestAt: min(deliveries.createdAt) })
    .from(deliveries)
    .where(inState('pending'))
  const since = new Date(now.getTime() - EXHAUSTED_MS)
  const [exhausted] = await tx
    .select({ total: count() })
    .from(deliveries)
    .where(and(inState('exhausted'), gte(deliveries.createdAt, since)))
  return {
    pending: pending?.total ?? 0,
    oldestPendingAt: pending?.oldestAt?.toISOString() ?? null,
    exhausted: exhausted?.total ?? 0,
  }
}
