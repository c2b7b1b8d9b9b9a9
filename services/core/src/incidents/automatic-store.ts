/** What the reactions to checks look for in SQL: automatic incidents, and whether a person took over. */
import type { Scope } from '@status-page/postgres'
import { and, desc, eq, ne, sql } from 'drizzle-orm'
import { type IncidentRow, incidents, incidentUpdates } from '../tables.ts'
import { lists, own, updatesOwn } from './store.ts'

/** One automatic decision at a time in an organization, so that no two open for the same fault. */
export const lockAutomatic = async ({ tx, organizationId }: Scope): Promise<void> => {
  await tx.execute(
    sql`SELECT pg_advisory_xact_lock(hashtextextended(${`core:automatic:${organizationId}`}, 0))`,
  )
}

/** Automatic incidents, newest first: all open ones, and the component's last one. */
export const automaticIncidents = async (
  scope: Scope,
  componentId: string,
): Promise<IncidentRow[]> => {
  const automatic = and(own(scope), eq(incidents.isAutoCreated, true))
  const newest = [desc(incidents.createdAt), desc(incidents.id)]
  const open = await scope.tx
    .select()
    .from(incidents)
    .where(and(automatic, ne(incidents.status, 'resolved')))
    .orderBy(...newest)
  const [last] = await scope.tx
    .select()
    .from(incidents)
    .where(and(automatic, lists(scope, [componentId])))
    .orderBy(...newest)
    .limit(1)
  const known = last === undefined || open.some(({ id }) => id === last.id)
  return known ? open : [...open, last]
}

export const withPersonalUpdates = async (
  scope: Scope,
  ids: readonly string[],
): Promise<Set<string>> => {
  if (ids.length === 0) return new Set()
  const rows = await scope.tx
    .selectDistinct({ id: incidentUpdates.incidentId })
    .from(incidentUpdates)
    .where(and(updatesOwn(scope, ids), eq(incidentUpdates.byPerson, true)))
  return new Set(rows.map(({ id }) => id))
}

/** The oldest word of the checks but the first, which tells why the incident was opened. */
export const removeOldestNote = async (
  { tx, organizationId }: Scope,
  incidentId: string,
): Promise<void> => {
  await tx.execute(sql`
    DELETE FROM incident_updates WHERE organization_id = ${organizationId} AND id = (
      SELECT id FROM incident_updates WHERE organization_id = ${organizationId}
        AND incident_id = ${incidentId} AND NOT by_person
      ORDER BY incident_version OFFSET 1 LIMIT 1)`)
}
