/** Corrections of the status history by an incident, in SQL, and their effect on the history. */
import type { Scope } from '@status-page/postgres'
import { and, eq, sql } from 'drizzle-orm'
import { findComponents } from '../components/store.ts'
import { correctStatusHistory } from '../components/uptime/correction-store.ts'
import type { StatusSpan } from '../components/uptime/corrections.ts'
import type { TimeSpan } from '../components/uptime/uptime.ts'
import { markSlasDue } from '../sla/store.ts'
import { incidentStatusSpans, incidentUpdates } from '../tables.ts'
import { historySpans } from './history-spans.ts'
import type { IncidentDecision } from './rules.ts'
import * as store from './store.ts'

type ComponentSpan = StatusSpan & { componentId: string }

/**
 * Replaces the corrections of a resolved incident after it was saved, and applies them to the
 * history. Its present and previous components must be locked.
 */
export const saveStatusSpans = async (
  scope: Scope,
  { incident, components }: Pick<IncidentDecision, 'incident' | 'components'>,
): Promise<void> => {
  const { id, resolvedAt } = incident
  if (resolvedAt === null) return
  if (incident.isBackfilled && incident.reopenCount === 0) {
    await displayAtResolution(scope, { id, resolvedAt })
  }
  const before = await spansOf(scope, id)
  const updates = (await store.updatesOf(scope, [id])).get(id) ?? []
  const ids = components.map(({ componentId }) => componentId)
  const others = await otherIncidentTimes(scope, id, ids)
  const existing = await findComponents(scope, ids)
  const after = [...existing.keys()].flatMap((componentId) =>
    historySpans(
      { ...incident, resolvedAt },
      updates.toReversed(),
      componentId,
      others.get(componentId) ?? [],
    ).map((span) => ({ ...span, componentId })),
  )
  await replaceSpans(scope, id, after)
  await applySpans(scope, [...before, ...after])
}

export const removeIncidentAndCorrections = async (scope: Scope, id: string): Promise<void> => {
  const before = await spansOf(scope, id)
  await store.removeIncident(scope, id)
  await applySpans(scope, before)
}

const applySpans = async (scope: Scope, changed: readonly ComponentSpan[]): Promise<void> => {
  if (changed.length === 0) return
  const ids = [...new Set(changed.map(({ componentId }) => componentId))]
  const existing = await findComponents(scope, ids)
  const span = {
    from: Math.min(...changed.map(({ from }) => from)),
    to: Math.max(...changed.map(({ to }) => to)),
  }
  await correctStatusHistory(scope, [...existing.values()], span)
  await markSlasDue(scope, ids)
}

const ofIncident = ({ organizationId }: Scope, id: string) =>
  and(
    eq(incidentStatusSpans.organizationId, organizationId),
    eq(incidentStatusSpans.incidentId, id),
  )

const spansOf = async (scope: Scope, id: string): Promise<ComponentSpan[]> => {
  const rows = await scope.tx.select().from(incidentStatusSpans).where(ofIncident(scope, id))
  return rows.map(({ componentId, status, startedAt, endedAt }) => ({
    componentId,
    status,
    from: startedAt.getTime(),
    to: endedAt.getTime(),
  }))
}

const replaceSpans = async (
  scope: Scope,
  incidentId: string,
  spans: readonly ComponentSpan[],
): Promise<void> => {
  const { tx, organizationId } = scope
  await tx.delete(incidentStatusSpans).where(ofIncident(scope, incidentId))
  if (spans.length === 0) return
  await tx.insert(incidentStatusSpans).values(
    spans.map(({ componentId, status, from, to }) => ({
      organizationId,
      incidentId,
      componentId,
      status,
      startedAt: new Date(from),
      endedAt: new Date(to),
    })),
  )
}

/** Moves the displayed time of the first update along, unless it was edited. */
const displayAtResolution = async (
  { tx, organizationId }: Scope,
  { id, resolvedAt }: { id: string; resolvedAt: Date },
): Promise<void> => {
  await tx
    .update(incidentUpdates)
    .set({ displayAt: resolvedAt })
    .where(
      and(
        eq(incidentUpdates.organizationId, organizationId),
        eq(incidentUpdates.incidentId, id),
        eq(incidentUpdates.incidentVersion, 1),
        eq(incidentUpdates.updatedAt, incidentUpdates.createdAt),
      ),
    )
}

type OtherRow = { component_id: string; opened_at: string; closed_at: string | null }

/** Times of other incidents of the components during which these could set their status. */
const otherIncidentTimes = async (
  { tx, organizationId, now }: Scope,
  id: string,
  componentIds: readonly string[],
): Promise<Map<string, TimeSpan[]>> => {
  const rows = await tx.execute<OtherRow>(sql`
    SELECT c.component_id, i.created_at AS opened_at, i.resolved_at AS closed_at
    FROM incident_components c JOIN incidents i ON i.organization_id = c.organization_id
      AND i.id = c.incident_id
    WHERE c.organization_id = ${organizationId} AND i.id <> ${id}
      AND (NOT i.is_backfilled OR i.reopen_count > 0)
      AND c.component_id = ANY (${sql.param([...componentIds])}::uuid[])`)
  const times = new Map<string, TimeSpan[]>(componentIds.map((one) => [one, []]))
  for (const row of rows) {
    const from = Date.parse(row.opened_at)
    const to = row.closed_at === null ? now.getTime() : Date.parse(row.closed_at)
    if (from < to) times.get(row.component_id)?.push({ from, to })
  }
  return times
}
