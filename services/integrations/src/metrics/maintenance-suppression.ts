/** Projection of maintenances, which suppress status changes of METRIC components. */
import { eventHandler } from '@status-page/bus'
import { activeMaintenanceEvents, isMaintenanceActive } from '@status-page/contracts'
import { and, eq, lt, sql } from 'drizzle-orm'
import { maintenances } from '../tables.ts'

/** Retention of finished maintenances; longer than an event about one can be in flight. */
const RETENTION_DAYS = 90
const DAY_MS = 86_400_000

export const maintenanceEventHandler = eventHandler({
  consumer: 'integrations-maintenances',
  on: activeMaintenanceEvents,
  async handle(scope, { aggregate, occurredAt, data: { maintenance } }) {
    const { organizationId, tx, now } = scope
    const { id, startedAt, components } = maintenance
    // A maintenance that has not started suppresses nothing.
    if (startedAt === null) return
    const isActive = isMaintenanceActive(maintenance)
    const set = {
      version: aggregate.version,
      componentIds: components.map((component) => component.id),
      endedAt: isActive ? null : new Date(occurredAt),
      updatedAt: now,
    }
    await tx
      .insert(maintenances)
      .values({ organizationId, id, ...set })
      .onConflictDoUpdate({
        target: [maintenances.organizationId, maintenances.id],
        set: {
          ...set,
          endedAt: isActive ? null : sql`coalesce(${maintenances.endedAt}, excluded.ended_at)`,
        },
        setWhere: sql`${maintenances.version} < excluded.version`,
      })
    const forgotten = new Date(now.getTime() - RETENTION_DAYS * DAY_MS)
    await tx
      .delete(maintenances)
      .where(
        and(
          eq(maintenances.organizationId, organizationId),
          lt(maintenances.updatedAt, forgotten),
          sql`${maintenances.endedAt} IS NOT NULL`,
        ),
      )
  },
})
