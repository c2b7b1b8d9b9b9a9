/** Outages of components with dependencies in SQL. */
import { type Scope, type SystemScope, tenantTable } from '@status-page/postgres'
import { and, eq, inArray, sql } from 'drizzle-orm'
import { type DependentOutageRow, dependentOutages } from '../../tables.ts'

const table = tenantTable(dependentOutages)

export const listOutages = ({ tx, organizationId }: Scope): Promise<DependentOutageRow[]> =>
  tx
    .select()
    .from(dependentOutages)
    .where(sql`${dependentOutages.organizationId} = ${organizationId}`)
    .orderBy(dependentOutages.componentId)

/** Replaces an earlier outage of the component, whose end was not received. */
export const saveOutage = async ({ tx }: Scope, row: DependentOutageRow): Promise<void> => {
  await tx
    .insert(dependentOutages)
    .values(row)
    .onConflictDoUpdate({
      target: [dependentOutages.organizationId, dependentOutages.componentId],
      set: row,
    })
}

export const removeOutages = async (
  scope: Scope,
  componentIds: readonly string[],
): Promise<void> => {
  if (componentIds.length === 0) return
  await table.removeAll(scope, inArray(dependentOutages.componentId, [...componentIds]))
}

/** Deletes the outage of a component and returns it. */
export const takeOutage = async (
  { tx, organizationId }: Scope,
  componentId: string,
): Promise<DependentOutageRow | undefined> => {
  const rows = await tx
    .delete(dependentOutages)
    .where(
      and(
        eq(dependentOutages.organizationId, organizationId),
        eq(dependentOutages.componentId, componentId),
      ),
    )
    .returning()
  return rows[0]
}

/** Time of the next decision, or the cause of an outage that waits for its end. */
export interface OutageChange {
  componentId: string
  causeId: string | null
  decideAt: Date | null
}

export const saveOutageChanges = async (
  { tx, organizationId }: Scope,
  changes: readonly OutageChange[],
): Promise<void> => {
  if (changes.length === 0) return
  await tx.execute(sql`
    UPDATE dependent_outages o SET cause_id = change."causeId", decide_at = change."decideAt"
    FROM jsonb_to_recordset(${JSON.stringify(changes)}::jsonb) AS change(
      "componentId" uuid, "causeId" uuid, "decideAt" timestamptz)
    WHERE o.organization_id = ${organizationId} AND o.component_id = change."componentId"`)
}

/** Open incident of each component, an automatic one first, then the newest. */
export const openIncidentIds = async (
  { tx, organizationId }: Scope,
  componentIds: readonly string[],
): Promise<Map<string, string>> => {
  const rows = await tx.execute<{ component_id: string; id: string }>(sql`
    SELECT DISTINCT ON (c.component_id) c.component_id, i.id
    FROM incident_components c
    JOIN incidents i ON i.organization_id = c.organization_id AND i.id = c.incident_id
    WHERE c.organization_id = ${organizationId} AND i.status <> 'resolved'
      AND c.component_id = ANY (${sql.param([...componentIds])}::uuid[]) AND NOT c.is_explained
    ORDER BY c.component_id, i.is_auto_created DESC, i.created_at DESC, i.id DESC`)
  return new Map(rows.map((row) => [row.component_id, row.id]))
}

/**
 * Organizations with a due decision, or with an outage whose cause has ended: its status is none of
 * those that explain the outage.
 */
export const listOrganizationsToDecide = async (
  { tx, now }: SystemScope,
  explaining: Readonly<Record<string, readonly string[]>>,
  limit: number,
): Promise<{ organizationId: string }[]> => {
  const statuses = sql`(${JSON.stringify(explaining)}::jsonb -> (o.monitor ->> 'derivedStatus'))`
  const rows = await tx.execute<{ organization_id: string }>(sql`
    SELECT organization_id FROM dependent_outages
    WHERE decide_at <= ${now.toISOString()}::timestamptz
    UNION
    SELECT o.organization_id FROM dependent_outages o LEFT JOIN components c
      ON c.organization_id = o.organization_id AND c.id = o.cause_id
    WHERE o.decide_at IS NULL AND (c.id IS NULL OR NOT c.is_enabled
      OR NOT jsonb_exists(${statuses}, c.status)
        AND NOT EXISTS (SELECT FROM jsonb_array_elements(c.claims) AS claim
          WHERE claim ->> 'source' = 'monitor'
            AND jsonb_exists(${statuses}, claim ->> 'status')))
    LIMIT ${limit}`)
  return rows.map((row) => ({ organizationId: row.organization_id }))
}
