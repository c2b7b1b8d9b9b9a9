/** Dependencies between components in SQL. */
import { resourceTable, type Scope } from '@status-page/postgres'
import { and, eq, isNull, sql } from 'drizzle-orm'
import { type ComponentRow, components, dependentOutages } from '../../tables.ts'
import type { Dependencies } from './graph.ts'

const table = resourceTable(components)

/** All dependencies of the organization. */
export const loadDependencies = async (scope: Scope): Promise<Dependencies> => {
  const { id, dependsOn, organizationId } = components
  const rows = await scope.tx
    .select({ id, dependsOn })
    .from(components)
    .where(sql`${eq(organizationId, scope.organizationId)} AND ${dependsOn} <> '{}'`)
  return new Map(rows.map((row) => [row.id, row.dependsOn]))
}

/**
 * Removes components from the dependencies of all others, before they are deleted; returns the
 * changed rows with raised versions. The rows must be locked.
 */
export const removeFromDependencies = async (
  scope: Scope,
  ids: readonly string[],
): Promise<ComponentRow[]> => {
  const removed = sql`${sql.param([...ids])}::uuid[]`
  const remaining = sql`ARRAY(
    SELECT id FROM unnest(${components.dependsOn}) WITH ORDINALITY AS listed (id, position)
    WHERE id <> ALL (${removed}) ORDER BY position)`
  return scope.tx
    .update(components)
    .set({
      dependsOn: remaining,
      version: sql`${components.version} + 1`,
      updatedAt: scope.now,
    })
    .where(
      table.own(
        scope,
        sql`${components.dependsOn} && ${removed}`,
        sql`${components.id} <> ALL (${removed})`,
      ),
    )
    .returning()
}

/** Makes the explained outages due: after a change of dependencies, another decision may apply. */
export const reconsiderOutages = async ({ tx, organizationId, now }: Scope): Promise<void> => {
  const { organizationId: organization, decideAt } = dependentOutages
  await tx
    .update(dependentOutages)
    .set({ decideAt: now })
    .where(and(eq(organization, organizationId), isNull(decideAt)))
}
