/** SQL of the overview: counts and components; lists come from the stores of their resources. */
import { type ComponentStatus, componentStatuses, downtimeStatuses } from '@status-page/contracts'
import { positionIn, type Scope } from '@status-page/postgres'
import { and, asc, count, eq, inArray, lt, ne } from 'drizzle-orm'
import { components, incidents } from '../tables.ts'

const isEnabledComponent = ({ organizationId }: Scope) =>
  and(eq(components.organizationId, organizationId), eq(components.isEnabled, true))

/** Number of enabled components with each status; zero for a status without components. */
export const countComponentsByStatus = async (
  scope: Scope,
): Promise<Record<ComponentStatus, number>> => {
  const rows = await scope.tx
    .select({ status: components.status, total: count() })
    .from(components)
    .where(isEnabledComponent(scope))
    .groupBy(components.status)
  const totals = new Map(rows.map(({ status, total }) => [status, total]))
  return Object.fromEntries(
    componentStatuses.map((status) => [status, totals.get(status) ?? 0]),
  ) as Record<ComponentStatus, number>
}

/** Enabled components with degraded performance or an outage, worst first. */
export const listDisruptedComponents = (scope: Scope, limit: number) =>
  scope.tx
    .select({ id: components.id, name: components.name, status: components.status })
    .from(components)
    .where(and(isEnabledComponent(scope), inArray(components.status, [...downtimeStatuses])))
    .orderBy(
      positionIn(downtimeStatuses.toReversed(), components.status),
      asc(components.name),
      asc(components.id),
    )
    .limit(limit)

/** Number of open incidents whose promised next update is overdue. */
export const countOverdueIncidents = async ({
  tx,
  organizationId,
  now,
}: Scope): Promise<number> => {
  const [counted] = await tx
    .select({ total: count() })
    .from(incidents)
    .where(
      and(
        eq(incidents.organizationId, organizationId),
        ne(incidents.status, 'resolved'),
        lt(incidents.nextUpdateAt, now),
      ),
    )
  return counted?.total ?? 0
}
