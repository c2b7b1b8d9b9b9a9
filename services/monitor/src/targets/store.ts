/** Targets: the monitor's copy of ENDPOINT components, and the news that one has changed. */
import type { Scope } from '@status-page/postgres'
import { and, asc, eq, inArray, isNull, sql } from 'drizzle-orm'
import { checkHours, targetStates, targets, targetVerdicts } from '../tables.ts'
import type { TargetDefinition } from './rules.ts'

/** Notified with a component's id; whoever holds its shard reads it again. */
export const TARGET_CHANGED = 'monitor_target_changed'

export const announce = async (scope: Scope, componentId: string): Promise<void> => {
  await scope.tx.execute(sql`SELECT pg_notify(${TARGET_CHANGED}, ${componentId})`)
}

/** Keeps the newer of the copy and the given definition; null when that was the copy. */
export const upsert = async (
  scope: Scope,
  definition: TargetDefinition,
): Promise<'new' | 'changed' | null> => {
  const { componentId, ...rest } = definition
  const kept = await scope.tx
    .insert(targets)
    .values({ organizationId: scope.organizationId, ...definition })
    .onConflictDoUpdate({
      target: targets.componentId,
      set: { ...rest, updatedAt: sql`now()` },
      setWhere: sql`${targets.version} < ${definition.version} AND ${targets.deletedAt} IS NULL`,
    })
    .returning({ isNew: sql<boolean>`xmax = 0` })
  const [row] = kept
  return row === undefined ? null : row.isNew ? 'new' : 'changed'
}

/** Keeps a tombstone without anything of the component but its id. */
export const bury = async (scope: Scope, definition: TargetDefinition): Promise<void> => {
  const { organizationId, tx } = scope
  const { componentId, version } = definition
  const nothing = { name: '', url: '', headers: [], body: null, conditions: [] }
  await tx
    .insert(targets)
    .values({ organizationId, ...definition, ...nothing, deletedAt: sql`now()` })
    .onConflictDoUpdate({
      target: targets.componentId,
      set: { version, ...nothing, isEnabled: false, deletedAt: sql`now()` },
      setWhere: isNull(targets.deletedAt),
    })
  const own = (table: typeof targetStates | typeof targetVerdicts | typeof checkHours) =>
    and(eq(table.organizationId, organizationId), eq(table.componentId, componentId))
  await tx.delete(targetVerdicts).where(own(targetVerdicts))
  await tx.delete(targetStates).where(own(targetStates))
  await tx.delete(checkHours).where(own(checkHours))
}

export type TargetRow = typeof targets.$inferSelect

/** Unknown, deleted and foreign ids are simply absent. In the order in which rows are locked. */
export const listByIds = (scope: Scope, componentIds: readonly string[]): Promise<TargetRow[]> =>
  scope.tx
    .select()
    .from(targets)
    .where(
      and(
        eq(targets.organizationId, scope.organizationId),
        inArray(targets.componentId, [...componentIds]),
        isNull(targets.deletedAt),
      ),
    )
    .orderBy(asc(targets.componentId))
