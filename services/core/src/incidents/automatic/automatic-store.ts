/**
 * Queries for the handlers of check events: automatic incidents, and whether a user posted an
 * update.
 */
import type { Scope } from '@status-page/postgres'
import { and, desc, eq, ne, sql } from 'drizzle-orm'
import type { DeletedComponentPages } from '../../status-pages/settings/shown.ts'
import { type IncidentRow, incidents, incidentUpdates } from '../../tables.ts'
import { inOrganization, listsAnyComponent, updatesOfIncidents } from '../store.ts'

/**
 * Advisory lock on automatic decisions of an organization, so that one fault opens one incident.
 */
export const lockAutomaticDecisions = async ({ tx, organizationId }: Scope): Promise<void> => {
  await tx.execute(
    sql`SELECT pg_advisory_xact_lock(hashtextextended(${`core:automatic:${organizationId}`}, 0))`,
  )
}

/** Automatic incidents, newest first: all open ones, and the latest one of the component. */
export const listAutomaticIncidents = async (
  scope: Scope,
  componentId: string,
): Promise<IncidentRow[]> => {
  const automatic = and(inOrganization(scope), eq(incidents.isAutoCreated, true))
  const newest = [desc(incidents.createdAt), desc(incidents.id)]
  const open = await scope.tx
    .select()
    .from(incidents)
    .where(and(automatic, ne(incidents.status, 'resolved')))
    .orderBy(...newest)
  const [latest] = await scope.tx
    .select()
    .from(incidents)
    .where(and(automatic, listsAnyComponent(scope, [componentId])))
    .orderBy(...newest)
    .limit(1)
  const isListed = latest === undefined || open.some(({ id }) => id === latest.id)
  return isListed ? open : [...open, latest]
}

export const incidentIdsWithUserUpdates = async (
  scope: Scope,
  ids: readonly string[],
): Promise<Set<string>> => {
  if (ids.length === 0) return new Set()
  const rows = await scope.tx
    .selectDistinct({ id: incidentUpdates.incidentId })
    .from(incidentUpdates)
    .where(and(updatesOfIncidents(scope, ids), eq(incidentUpdates.byPerson, true)))
  return new Set(rows.map(({ id }) => id))
}

/** Deletes the oldest automatic update except the first, which gives the reason of the incident. */
export const removeOldestAutomaticUpdate = async (
  { tx, organizationId }: Scope,
  incidentId: string,
): Promise<void> => {
  await tx.execute(sql`
    DELETE FROM incident_updates WHERE organization_id = ${organizationId} AND id = (
      SELECT id FROM incident_updates WHERE organization_id = ${organizationId}
        AND incident_id = ${incidentId} AND NOT by_person
      ORDER BY incident_version OFFSET 1 LIMIT 1)`)
}

/** Open automatic incidents in which checks of one of the components fail, in order of their ids. */
export const incidentIdsOfFailingChecks = async (
  { tx, organizationId }: Scope,
  componentIds: readonly string[],
): Promise<string[]> => {
  const rows = await tx.execute<{ id: string }>(sql`
    SELECT DISTINCT i.id FROM incident_components c
    JOIN incidents i ON i.organization_id = c.organization_id AND i.id = c.incident_id
    WHERE c.organization_id = ${organizationId}
      AND c.component_id = ANY (${sql.param([...componentIds])}::uuid[])
      AND c.is_failing AND i.is_auto_created AND i.status <> 'resolved'
    ORDER BY i.id`)
  return rows.map(({ id }) => id)
}

/** Locks the open incidents that list one of the components, in order of their ids. */
export const lockOpenIncidents = async (
  { tx, organizationId }: Scope,
  componentIds: readonly string[],
): Promise<void> => {
  await tx.execute(sql`
    SELECT FROM incidents i
    WHERE i.organization_id = ${organizationId} AND i.status <> 'resolved' AND EXISTS (
      SELECT FROM incident_components c
      WHERE c.organization_id = i.organization_id AND c.incident_id = i.id
        AND c.component_id = ANY (${sql.param([...componentIds])}::uuid[]))
    ORDER BY i.id FOR UPDATE OF i`)
}

/** Locks the components, and those that the incidents list, in order of their ids. */
export const lockComponentsOfIncidents = async (
  { tx, organizationId }: Scope,
  incidentIds: readonly string[],
  componentIds: readonly string[],
): Promise<void> => {
  await tx.execute(sql`
    SELECT FROM components
    WHERE organization_id = ${organizationId}
      AND (id = ANY (${sql.param([...componentIds])}::uuid[]) OR id IN (
        SELECT component_id FROM incident_components WHERE organization_id = ${organizationId}
          AND incident_id = ANY (${sql.param([...incidentIds])}::uuid[])))
    ORDER BY id FOR UPDATE`)
}

/**
 * Stores, for each component, the pages that show it, on the open incidents that list the
 * component. The caller has locked the incidents, so that a concurrent change does not overwrite
 * the pages.
 */
export const savePagesOfDeletedComponents = async (
  { tx, organizationId }: Scope,
  retained: readonly DeletedComponentPages[],
): Promise<void> => {
  await tx.execute(sql`
    UPDATE incident_components c
    SET retained_page_ids = ARRAY(SELECT jsonb_array_elements_text(shown."pageIds")::uuid)
    FROM jsonb_to_recordset(${JSON.stringify(retained)}::jsonb)
      AS shown("componentId" uuid, "pageIds" jsonb), incidents i
    WHERE c.organization_id = ${organizationId} AND c.component_id = shown."componentId"
      AND i.organization_id = c.organization_id AND i.id = c.incident_id
      AND i.status <> 'resolved'`)
}
