/** Corrections of the status history by an incident, in SQL, and their effect on the history. */
import type { Scope } from '@status-page/postgres'
import { mapCooperatively, runCooperatively } from '@status-page/service'
import { and, eq, inArray, sql } from 'drizzle-orm'
import { findComponents } from '../components/store.ts'
import { correctStatusHistory } from '../components/uptime/correction-store.ts'
import type { StatusSpan } from '../components/uptime/corrections.ts'
import type { TimeSpan } from '../components/uptime/uptime.ts'
import { markSlasDue } from '../sla/store.ts'
import {
  type IncidentRow,
  type IncidentUpdateRow,
  incidentStatusSpans,
  incidentUpdates,
} from '../tables.ts'
import { historySpans } from './history-spans.ts'
import type { IncidentDecision } from './rules.ts'
import * as store from './store.ts'

type ComponentSpan = TimeSpan & { componentId: string }
type IncidentSpan = StatusSpan & ComponentSpan & { incidentId: string }

const INSERT_ROWS = 1_000
/** Components whose history is rewritten at once. */
const BATCH_COMPONENTS = 20

type CorrectedIncident = Pick<IncidentDecision, 'incident' | 'components'>

/**
 * Replaces the corrections of a resolved incident after it was saved, and applies them to the
 * history. Its present and previous components must be locked.
 */
export const saveStatusSpans = async (
  scope: Scope,
  corrected: CorrectedIncident,
): Promise<void> => {
  const { id, resolvedAt, isBackfilled, reopenCount } = corrected.incident
  if (resolvedAt === null) return
  if (isBackfilled && reopenCount === 0) await displayAtResolution(scope, { id, resolvedAt })
  await applySpans(scope, await replaceSpansOf(scope, [corrected]))
}

/** Incidents whose updates are read at once. */
const BATCH_INCIDENTS = 100

/**
 * Same for imported incidents, resolved or open: the history is corrected once, up to the present.
 */
export const saveImportedSpans = async (
  scope: Scope,
  corrected: readonly CorrectedIncident[],
): Promise<void> => {
  const changed = new Map<string, TimeSpan>()
  for (let start = 0; start < corrected.length; start += BATCH_INCIDENTS) {
    const batch = corrected.slice(start, start + BATCH_INCIDENTS)
    for (const { componentId, from, to } of await replaceSpansOf(scope, batch)) {
      const known = changed.get(componentId) ?? { from, to }
      changed.set(componentId, { from: Math.min(known.from, from), to: Math.max(known.to, to) })
    }
  }
  await applySpans(
    scope,
    [...changed].map(([componentId, span]) => ({ componentId, ...span })),
  )
}

/** Returns the previous and the present corrections. */
const replaceSpansOf = async (
  scope: Scope,
  corrected: readonly CorrectedIncident[],
): Promise<ComponentSpan[]> => {
  const ids = corrected.map(({ incident }) => incident.id)
  const before = await spansOf(scope, ids)
  const updates = await store.updatesOf(scope, ids)
  const listed = corrected.flatMap(({ components }) => components)
  const existing = await findComponents(scope, [
    ...new Set(listed.map(({ componentId }) => componentId)),
  ])
  const after: IncidentSpan[] = []
  for (const { incident, components } of corrected) {
    const oldestFirst = (updates.get(incident.id) ?? []).toReversed()
    const componentIds = components
      .map(({ componentId }) => componentId)
      .filter((componentId) => existing.has(componentId))
    const spans = await computeSpans(scope, incident, { updates: oldestFirst, componentIds })
    after.push(...spans)
  }
  await replaceSpans(scope, ids, after)
  return [...before, ...after]
}

const computeSpans = async (
  scope: Scope,
  incident: IncidentRow,
  { updates, componentIds }: { updates: readonly IncidentUpdateRow[]; componentIds: string[] },
): Promise<IncidentSpan[]> => {
  const isOnlyImported = updates.every(({ isImported }) => isImported)
  const others = isOnlyImported
    ? new Map<string, TimeSpan[]>()
    : await otherIncidentTimes(scope, incident.id, componentIds)
  const times = { ...incident, resolvedAt: incident.resolvedAt ?? scope.now }
  const spans = mapCooperatively(componentIds, (componentId) =>
    historySpans(times, updates, componentId, others.get(componentId) ?? []).map((span) => ({
      ...span,
      incidentId: incident.id,
      componentId,
    })),
  )
  return (await runCooperatively(spans)).flat()
}

export const removeIncidentAndCorrections = async (scope: Scope, id: string): Promise<void> => {
  const before = await spansOf(scope, [id])
  await store.removeIncident(scope, id)
  await applySpans(scope, before)
}

const applySpans = async (scope: Scope, changed: readonly ComponentSpan[]): Promise<void> => {
  if (changed.length === 0) return
  const byComponent = Map.groupBy(changed, ({ componentId }) => componentId)
  const ids = [...byComponent.keys()]
  const existing = await findComponents(scope, ids)
  for (let start = 0; start < ids.length; start += BATCH_COMPONENTS) {
    const batch = ids.slice(start, start + BATCH_COMPONENTS)
    const components = batch.flatMap((id) => existing.get(id) ?? [])
    const spans = batch.flatMap((id) => byComponent.get(id) ?? [])
    await correctStatusHistory(scope, components, outerSpan(spans))
  }
  await markSlasDue(scope, ids)
}

const outerSpan = (spans: readonly TimeSpan[]): TimeSpan => {
  let { from, to } = spans[0] as TimeSpan
  for (const span of spans) {
    from = Math.min(from, span.from)
    to = Math.max(to, span.to)
  }
  return { from, to }
}

const ofIncidents = ({ organizationId }: Scope, ids: readonly string[]) =>
  and(
    eq(incidentStatusSpans.organizationId, organizationId),
    inArray(incidentStatusSpans.incidentId, [...ids]),
  )

const spansOf = async (scope: Scope, incidentIds: readonly string[]): Promise<ComponentSpan[]> => {
  const rows = await scope.tx
    .select()
    .from(incidentStatusSpans)
    .where(ofIncidents(scope, incidentIds))
  return rows.map(({ componentId, startedAt, endedAt }) => ({
    componentId,
    from: startedAt.getTime(),
    to: endedAt.getTime(),
  }))
}

const replaceSpans = async (
  scope: Scope,
  incidentIds: readonly string[],
  spans: readonly IncidentSpan[],
): Promise<void> => {
  const { tx, organizationId } = scope
  await tx.delete(incidentStatusSpans).where(ofIncidents(scope, incidentIds))
  for (let start = 0; start < spans.length; start += INSERT_ROWS) {
    const chunk = spans.slice(start, start + INSERT_ROWS)
    await tx.insert(incidentStatusSpans).values(
      chunk.map(({ incidentId, componentId, status, from, to }) => ({
        organizationId,
        incidentId,
        componentId,
        status,
        startedAt: new Date(from),
        endedAt: new Date(to),
      })),
    )
  }
}

/** Displays the first update at the time of the resolution, unless it was edited. */
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
        eq(incidentUpdates.isImported, false),
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
  const times = new Map<string, TimeSpan[]>(componentIds.map((id) => [id, []]))
  for (const row of rows) {
    const from = Date.parse(row.opened_at)
    const to = row.closed_at === null ? now.getTime() : Date.parse(row.closed_at)
    if (from < to) times.get(row.component_id)?.push({ from, to })
  }
  return times
}
