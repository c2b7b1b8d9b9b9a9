/** Flapping monitors: one notice, then no messages until the status is stable, then one summary. */
import type { Envelope, MonitorEventData } from '@status-page/contracts'
import {
  asWorker,
  createDueItemsRun,
  type Database,
  hasDueRow,
  type Job,
  newId,
  type Scope,
  write,
} from '@status-page/postgres'
import { and, eq, lte, sql } from 'drizzle-orm'
import { listComponents } from '../../audiences/store.ts'
import { fanouts, flaps } from '../../tables.ts'
import { completeFanOut } from './chunked-fan-out.ts'
import { monitorRecipientMatchOf } from './match.ts'
import { supersedePendingDeliveries } from './supersede.ts'

const STABLE_MINUTES = 15
const INTERVAL_MS = 10_000
const BATCH = 100

/**
 * Records the latest event of a flapping component; true when flapping was announced before, so
 * that this event is suppressed.
 */
export const recordFlap = async (
  scope: Scope,
  eventId: string,
  { componentId, isFlapping }: MonitorEventData,
): Promise<boolean> => {
  if (isFlapping !== true) {
    await scope.tx.delete(flaps).where(isFlapOf(scope, componentId))
    return false
  }
  const rows = await scope.tx.execute<{ was_known: boolean }>(sql`
    INSERT INTO flaps AS f (organization_id, component_id, event_id, stable_at)
    VALUES (${scope.organizationId}, ${componentId}, ${eventId},
      now() + make_interval(mins => ${STABLE_MINUTES}))
    ON CONFLICT (organization_id, component_id)
      DO UPDATE SET event_id = excluded.event_id, stable_at = excluded.stable_at
    RETURNING xmax <> 0 AS was_known`)
  return rows[0]?.was_known === true
}

const isFlapOf = ({ organizationId }: Scope, componentId: string) =>
  and(eq(flaps.organizationId, organizationId), eq(flaps.componentId, componentId))

/** Suppresses a recovery for destinations that were not notified of the outage. */
export const suppressUnannouncedRecovery = async (
  scope: Scope,
  { id, aggregate }: Envelope,
): Promise<void> => {
  const since = sql`f.organization_id = ${scope.organizationId} AND f.aggregate_id = ${aggregate.id}
    AND f.aggregate_version < ${aggregate.version} AND f.kind IN ('monitor.down', 'monitor.degraded')
    AND f.aggregate_version > coalesce((SELECT max(aggregate_version) FROM fanouts
      WHERE organization_id = ${scope.organizationId} AND aggregate_id = ${aggregate.id}
        AND aggregate_version < ${aggregate.version} AND kind = 'monitor.recovered'), 0)`
  await scope.tx.execute(sql`
    UPDATE deliveries d SET state = 'suppressed', reason = 'flapping', finished_at = now(), updated_at = now()
    FROM fanouts own
    WHERE d.organization_id = ${scope.organizationId} AND d.event_id = ${id} AND d.state = 'pending'
      AND own.organization_id = d.organization_id AND own.event_id = d.event_id
      AND own.payload #>> '{monitor,isFlapping}' IS DISTINCT FROM 'true'
      AND EXISTS (SELECT FROM fanouts f WHERE ${since})
      AND NOT EXISTS (
        SELECT FROM fanouts f JOIN deliveries b ON b.organization_id = f.organization_id
          AND b.event_id = f.event_id AND b.destination_id = d.destination_id
        WHERE ${since} AND (b.state IN ('delivered', 'sending', 'pending')
          OR b.state = 'superseded' AND b.reason IN ('digest', 'newer_update')))`)
}

/** Makes a suppressed recovery pending for destinations that are notified of its outage only now. */
export const resumeRecovery = async (
  scope: Scope,
  { outageId, recoveryId }: { outageId: string; recoveryId: string },
): Promise<void> => {
  await scope.tx.execute(sql`
    UPDATE deliveries d SET state = 'pending', reason = NULL, finished_at = NULL, updated_at = now(),
      next_attempt_at = o.next_attempt_at
    FROM deliveries o
    WHERE d.organization_id = ${scope.organizationId} AND d.event_id = ${recoveryId}
      AND d.state = 'suppressed' AND d.reason = 'flapping'
      AND o.organization_id = d.organization_id AND o.destination_id = d.destination_id
      AND o.event_id = ${outageId} AND o.state = 'pending'`)
  await supersedePendingDeliveries(scope, recoveryId)
}

/** Announces the status of components that stopped flapping. */
export const flapSummaryJob = (database: Database): Job => ({
  name: 'flap-summaries',
  intervalMs: INTERVAL_MS,
  due: hasDueRow('flaps', 'stable_at'),
  run: createDueItemsRun({
    batchSize: BATCH,
    find: (limit) =>
      asWorker(database, ({ tx }) =>
        tx.execute<{ organization_id: string; component_id: string }>(sql`
          SELECT organization_id, component_id FROM flaps WHERE stable_at <= now()
          ORDER BY stable_at LIMIT ${limit}`),
      ),
    keyOf: ({ organization_id, component_id }) => `${organization_id}/${component_id}`,
    work: ({ organization_id: organizationId, component_id: componentId }) =>
      write(database, { organizationId }, async (scope) => {
        await announceSummary(scope, componentId)
        return true
      }),
  }),
})

const announceSummary = async (scope: Scope, componentId: string): Promise<void> => {
  const [ended] = await scope.tx
    .delete(flaps)
    .where(and(isFlapOf(scope, componentId), lte(flaps.stableAt, sql`now()`)))
    .returning({ eventId: flaps.eventId })
  if (ended === undefined) return
  const [last] = await scope.tx
    .select()
    .from(fanouts)
    .where(
      and(eq(fanouts.organizationId, scope.organizationId), eq(fanouts.eventId, ended.eventId)),
    )
  if (last === undefined) return
  const { monitor } = last.payload as { monitor: MonitorEventData }
  const [copy] = await listComponents(scope, [componentId])
  const summary: Envelope = {
    id: newId(),
    kind: last.kind,
    organizationId: scope.organizationId,
    producer: 'monitor',
    aggregate: { type: 'monitor', id: last.aggregateId, version: last.aggregateVersion },
    occurredAt: scope.now.toISOString(),
    data: { monitor: { ...monitor, isFlapping: false } },
  }
  await completeFanOut(
    scope,
    summary,
    monitorRecipientMatchOf(last.kind, monitor, copy ?? null, false),
  )
}
