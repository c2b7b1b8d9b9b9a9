/**
 * Suppression of targets under maintenance: results decide nothing until it is over. The first
 * result after it announces a failure that outlives it.
 */
import { eventHandler } from '@status-page/bus'
import {
  activeMaintenanceEvents,
  type EventDraft,
  isMaintenanceActive,
  type MaintenanceEventData,
} from '@status-page/contracts'
import type { Scope } from '@status-page/postgres'
import { and, eq, lt, sql } from 'drizzle-orm'
import { maintenances } from '../tables.ts'
import { lockVerdict, settleVerdicts } from '../verdicts/store.ts'
import { listByIds } from './store.ts'

/** End of a maintenance that is still active. */
const FOREVER = new Date('9999-12-31T00:00:00.000Z')
/** Retention of finished maintenances; longer than an event about one can be in flight. */
const RETENTION_DAYS = 90
const DAY_MS = 86_400_000

export const maintenanceEventHandler = eventHandler({
  consumer: 'monitor-maintenances',
  on: activeMaintenanceEvents,
  async handle(scope, { aggregate, occurredAt, data: { maintenance } }) {
    const events: EventDraft[] = []
    // A maintenance that has not started suppresses nothing.
    if (maintenance.startedAt !== null) {
      await lockSuppressions(scope)
      const componentIds = await saveMaintenance(scope, maintenance, aggregate.version)
      for (const target of await listByIds(scope, componentIds)) {
        await updateSuppression(scope, target.componentId, new Date(occurredAt))
        events.push(...(await settle(scope, target)))
      }
    }
    return { events, audit: [] }
  },
})

/** Suppresses a new target whose maintenance is already active. */
export const suppressNewTarget = async (scope: Scope, componentId: string): Promise<void> => {
  await lockSuppressions(scope)
  await updateSuppression(scope, componentId, scope.now)
}

/** Serializes maintenances and new targets of an organization, so that each sees the others. */
const lockSuppressions = async ({ tx, organizationId }: Scope): Promise<void> => {
  await tx.execute(
    sql`SELECT pg_advisory_xact_lock(hashtextextended(${`monitor:suppressions:${organizationId}`}, 0))`,
  )
}

/**
 * Stores the maintenance; returns its previous and current components, none when a newer version is
 * stored.
 */
const saveMaintenance = async (
  scope: Scope,
  { id, status, components }: MaintenanceEventData,
  version: number,
): Promise<string[]> => {
  const { tx, organizationId } = scope
  const [known] = await tx
    .select()
    .from(maintenances)
    .where(and(eq(maintenances.organizationId, organizationId), eq(maintenances.id, id)))
  if (known !== undefined && known.version >= version) return []
  const componentIds = isMaintenanceActive({ status })
    ? components.map((component) => component.id)
    : []
  const set = { version, componentIds, updatedAt: scope.now }
  await tx
    .insert(maintenances)
    .values({ organizationId, id, ...set })
    .onConflictDoUpdate({ target: [maintenances.organizationId, maintenances.id], set })
  const retainedSince = new Date(scope.now.getTime() - RETENTION_DAYS * DAY_MS)
  await tx
    .delete(maintenances)
    .where(
      and(
        eq(maintenances.organizationId, organizationId),
        lt(maintenances.updatedAt, retainedSince),
        eq(maintenances.componentIds, []),
      ),
    )
  return [...new Set([...(known?.componentIds ?? []), ...componentIds])]
}

/**
 * Suppresses the target while an active maintenance lists it; checks that began before the end stay
 * suppressed.
 */
const updateSuppression = async (
  { tx, organizationId }: Scope,
  id: string,
  at: Date,
): Promise<void> => {
  await tx.execute(sql`
    UPDATE target_verdicts SET suppressed_until = CASE
      WHEN EXISTS (SELECT FROM maintenances m WHERE m.organization_id = ${organizationId}
        AND ${id}::uuid = ANY (m.component_ids)) THEN ${FOREVER.toISOString()}::timestamptz
      WHEN suppressed_until = ${FOREVER.toISOString()}::timestamptz
        THEN ${at.toISOString()}::timestamptz
      ELSE suppressed_until END
    WHERE organization_id = ${organizationId} AND component_id = ${id}`)
}

/**
 * Re-evaluates the verdict, because locations or quorum may have changed during the maintenance.
 */
const settle = async (
  scope: Scope,
  target: Awaited<ReturnType<typeof listByIds>>[number],
): Promise<EventDraft[]> => {
  const verdict = await lockVerdict(scope, target.componentId)
  if (verdict === undefined) return []
  const since = scope.now.toISOString()
  return settleVerdicts(scope, [{ target, verdict, since, result: null }])
}
