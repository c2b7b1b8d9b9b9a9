/** Targets: the projection of ENDPOINT components, with notifications of their changes. */
import { isAnyOf, type Scope, tenantTable } from '@status-page/postgres'
import { and, eq, isNull, sql } from 'drizzle-orm'
import { checkHours, targetStates, targets, targetVerdicts } from '../tables.ts'
import { isOfTargets, type RecordingScope, type TargetKey } from '../target-key.ts'
import type { TargetDefinition } from './rules.ts'

/** Channel notified with a component id; the holder of its shard reloads the target. */
export const TARGET_CHANGED_CHANNEL = 'monitor_target_changed'

export const notifyTargetChanged = async (scope: Scope, componentId: string): Promise<void> => {
  await scope.tx.execute(sql`SELECT pg_notify(${TARGET_CHANGED_CHANNEL}, ${componentId})`)
}

/**
 * Stores the newer of the projection and the given definition; null when the projection was newer.
 */
export const upsertTarget = async (
  scope: Scope,
  definition: TargetDefinition,
): Promise<'new' | 'changed' | null> => {
  const { componentId, ...rest } = definition
  const stored = await scope.tx
    .insert(targets)
    .values({ organizationId: scope.organizationId, ...definition })
    .onConflictDoUpdate({
      target: targets.componentId,
      set: { ...rest, updatedAt: sql`now()` },
      setWhere: sql`${targets.version} < ${definition.version} AND ${targets.deletedAt} IS NULL`,
    })
    .returning({ isNew: sql<boolean>`xmax = 0` })
  const [row] = stored
  return row === undefined ? null : row.isNew ? 'new' : 'changed'
}

/** Replaces a target by a tombstone with only its id. */
export const replaceByTombstone = async (
  scope: Scope,
  definition: TargetDefinition,
): Promise<void> => {
  const { organizationId, tx } = scope
  const { componentId, version } = definition
  const nothing = { name: '', probe: sql`'{}'::jsonb` }
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

/** Lists targets in lock order. Unknown, deleted and other organizations' ids are absent. */
export const listByIds = (scope: Scope, componentIds: readonly string[]): Promise<TargetRow[]> =>
  tenantTable(targets)
    .select(scope, isAnyOf(targets.componentId, componentIds), isNull(targets.deletedAt))
    .orderBy(targets.componentId)

/** Targets of the keys, which a worker reads across organizations; deleted ones are absent. */
export const listByKeys = (
  { tx }: RecordingScope,
  keys: readonly TargetKey[],
): Promise<TargetRow[]> =>
  tx
    .select()
    .from(targets)
    .where(and(isOfTargets(targets, keys), isNull(targets.deletedAt)))
