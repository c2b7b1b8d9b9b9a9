/** Service levels in SQL, with the incidents of their components. */
import type { Query, slaOperations } from '@status-page/contracts'
import {
  containsFilter,
  equalsFilter,
  resourceTable,
  type Scope,
  type SystemScope,
} from '@status-page/postgres'
import { type SQL, sql } from 'drizzle-orm'
import type { TimeSpan } from '../components/uptime/uptime.ts'
import { type IncidentRow, type SlaRow, slaMisses, slas } from '../tables.ts'
import type { SlaIncidentTimes, TargetMiss } from './targets.ts'

const table = resourceTable(slas)

export const {
  find: findSla,
  lockAll: lockSlas,
  listAfterId: listSlasAfterId,
  insert: insertSla,
  save: saveSla,
  remove: removeSla,
} = table

export const findSlaNames = (scope: Scope, names: readonly string[]): Promise<string[]> =>
  table.findValues(scope, slas.name, names)

type ListQuery = Query<typeof slaOperations.list>

export const listSlas = (scope: Scope, query: ListQuery) => table.list(scope, query, filters(query))

const filters = ({ componentId, status, isEnabled, search }: ListQuery): (SQL | undefined)[] => [
  componentId === undefined ? undefined : sql`${componentId}::uuid = ANY (${slas.componentIds})`,
  equalsFilter(slas.status, status),
  equalsFilter(slas.isEnabled, isEnabled),
  containsFilter(slas.name, search),
]

/** Counts under a lock, so that concurrent requests cannot exceed the limit. */
export const lockAndCountSlas = async (scope: Scope): Promise<number> => {
  const { tx, organizationId } = scope
  await tx.execute(
    sql`SELECT pg_advisory_xact_lock(hashtextextended(${`core:slas:${organizationId}`}, 0))`,
  )
  return tx.$count(slas, table.own(scope))
}

/** Saves evaluations of locked rows in one statement. */
export const saveEvaluations = async (
  { tx, organizationId }: Scope,
  rows: readonly SlaRow[],
): Promise<void> => {
  if (rows.length === 0) return
  const changes = rows.map(({ id, version, status, current, dueAt }) => ({
    id,
    version,
    status,
    current,
    due_at: dueAt,
  }))
  await tx.execute(sql`
    UPDATE slas s SET version = change.version, status = change.status, current = change.current,
      due_at = change.due_at
    FROM jsonb_to_recordset(${JSON.stringify(changes)}::jsonb) AS change(
      id uuid, version int, status text, current json, due_at timestamptz)
    WHERE s.organization_id = ${organizationId} AND s.id = change.id`)
}

/** Makes the service levels of the components due after a correction of their history. */
export const markSlasDue = async (
  { tx, organizationId, now }: Scope,
  componentIds: readonly string[],
): Promise<void> => {
  await tx.execute(sql`
    UPDATE slas SET due_at = ${now.toISOString()}::timestamptz
    WHERE organization_id = ${organizationId} AND is_enabled
      AND component_ids && ${sql.param([...componentIds])}::uuid[]`)
}

export type DueSla = { id: string; organizationId: string }

/**
 * Claims due rows until `next`; rows claimed by a crashed replica become due again a minute later.
 */
export const claimDueSlas = (
  { tx, now }: SystemScope,
  { next, limit }: { next: Date; limit: number },
): Promise<DueSla[]> =>
  tx.execute<DueSla>(sql`
    UPDATE slas SET due_at = ${next.toISOString()}::timestamptz
    WHERE id IN (SELECT id FROM slas WHERE due_at <= ${now.toISOString()}::timestamptz
      ORDER BY due_at LIMIT ${limit} FOR UPDATE SKIP LOCKED)
    RETURNING id, organization_id AS "organizationId"`)

type IncidentTimesRow = {
  id: string
  title: string
  impact: IncidentRow['impact']
  started_at: string
  resolved_at: string | null
  responded_at: string | null
}

const toIncidentTimes = (row: IncidentTimesRow): SlaIncidentTimes => ({
  id: row.id,
  title: row.title,
  impact: row.impact,
  startedAt: new Date(row.started_at),
  resolvedAt: row.resolved_at === null ? null : new Date(row.resolved_at),
  respondedAt: row.responded_at === null ? null : new Date(row.responded_at),
})

/**
 * First update by a user, or acknowledgement of an alert about the incident, whichever is earlier.
 */
const respondedAt = sql`least(
  (SELECT min(u.created_at) FROM incident_updates u
    WHERE u.organization_id = i.organization_id AND u.incident_id = i.id AND u.by_person),
  (SELECT min(a.acknowledged_at) FROM oncall_alerts a WHERE a.organization_id = i.organization_id
    AND a.dedup_key IN ('incident:' || i.id, 'component:' || i.trigger_component_id)
    AND a.acknowledged_at >= i.started_at
    AND (i.resolved_at IS NULL OR a.triggered_at <= i.resolved_at)))`

/** Time for which resolved incidents are examined; more than the job may be late. */
const LOOKBACK_HOURS = 24
const MAX_WATCHED_INCIDENTS = 1_000

/** Incidents that may have missed a target of these service levels and are younger than they are. */
export const listPossiblyMissedIncidents = async (
  { tx, organizationId, now }: Scope,
  slaIds: readonly string[],
): Promise<{ slaId: string; incident: SlaIncidentTimes }[]> => {
  const rows = await tx.execute<IncidentTimesRow & { sla_id: string }>(sql`
    WITH recent AS (
      SELECT * FROM incidents WHERE organization_id = ${organizationId} AND status <> 'resolved'
      UNION ALL
      SELECT * FROM incidents WHERE organization_id = ${organizationId} AND resolved_at
        > ${now.toISOString()}::timestamptz - make_interval(hours => ${LOOKBACK_HOURS}))
    SELECT s.id AS sla_id, i.id, i.title, i.impact, i.started_at, i.resolved_at,
      ${respondedAt} AS responded_at
    FROM recent i JOIN slas s ON s.organization_id = i.organization_id
      AND s.created_at <= i.created_at AND s.id = ANY (${sql.param([...slaIds])}::uuid[])
    WHERE NOT (i.is_backfilled AND i.status = 'resolved')
      AND EXISTS (SELECT FROM incident_components c WHERE c.organization_id = i.organization_id
        AND c.incident_id = i.id AND c.component_id = ANY (s.component_ids))
      AND (SELECT count(*) FROM sla_misses m WHERE m.organization_id = i.organization_id
        AND m.sla_id = s.id AND m.incident_id = i.id) <
        (s.response_target_minutes IS NOT NULL)::int + (s.resolution_target_minutes IS NOT NULL)::int
    ORDER BY i.started_at LIMIT ${MAX_WATCHED_INCIDENTS}`)
  return rows.map((row) => ({ slaId: row.sla_id, incident: toIncidentTimes(row) }))
}

/** Incidents of the components that started in the span, newest first. */
export const listIncidentsInSpan = async (
  { tx, organizationId }: Scope,
  componentIds: readonly string[],
  { from, to }: TimeSpan,
  limit: number,
): Promise<SlaIncidentTimes[]> => {
  const rows = await tx.execute<IncidentTimesRow>(sql`
    SELECT i.id, i.title, i.impact, i.started_at, i.resolved_at, ${respondedAt} AS responded_at
    FROM incidents i WHERE i.organization_id = ${organizationId}
      AND i.started_at >= ${new Date(from).toISOString()}::timestamptz
      AND i.started_at < ${new Date(to).toISOString()}::timestamptz
      AND i.id IN (SELECT c.incident_id FROM incident_components c
        WHERE c.organization_id = ${organizationId}
          AND c.component_id = ANY (${sql.param([...componentIds])}::uuid[]))
    ORDER BY i.started_at DESC, i.id DESC LIMIT ${limit}`)
  return rows.map(toIncidentTimes)
}

export interface IncidentTargetMiss extends TargetMiss {
  slaId: string
  incidentId: string
}

/** Inserts misses and returns the new ones, so that each is published once. */
export const recordTargetMisses = async (
  { tx, organizationId, now }: Scope,
  misses: readonly IncidentTargetMiss[],
): Promise<Set<string>> => {
  if (misses.length === 0) return new Set()
  const recorded = await tx
    .insert(slaMisses)
    .values(
      misses.map(({ slaId, incidentId, kind, dueAt }) => ({
        organizationId,
        slaId,
        incidentId,
        kind,
        dueAt,
        notifiedAt: now,
      })),
    )
    .onConflictDoNothing()
    .returning()
  return new Set(recorded.map(targetMissKey))
}

/** Key of a miss; ids and kinds contain no space. */
export const targetMissKey = (
  miss: Pick<IncidentTargetMiss, 'slaId' | 'incidentId' | 'kind'>,
): string => [miss.slaId, miss.incidentId, miss.kind].join(' ')
