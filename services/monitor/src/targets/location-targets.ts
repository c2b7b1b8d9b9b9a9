/** Targets of one private location, in the scope of its organization. */
import { agentKinds, MAX_TARGETS_PER_LOCATION } from '@status-page/contracts'
import { type Scope, tenantTable } from '@status-page/postgres'
import { and, arrayContains, eq, inArray, isNotNull, isNull, sql } from 'drizzle-orm'
import { targets } from '../tables.ts'
import type { TargetRow } from './store.ts'

const rows = tenantTable(targets)

const isAt = (location: string) =>
  and(arrayContains(targets.locations, [location]), isNull(targets.deletedAt))

/** Enabled targets of kinds that agents check. */
const isChecked = and(
  eq(targets.isEnabled, true),
  isNotNull(targets.intervalSeconds),
  inArray(sql`${targets.probe} ->> 'kind'`, [...agentKinds]),
)

export const countTargetsAt = (scope: Scope, location: string): Promise<number> =>
  scope.tx.$count(targets, rows.own(scope, isAt(location)))

/** Ids and versions of the targets that agents of the location check, in the order of the ids. */
export const listAssignable = async (
  scope: Scope,
  location: string,
): Promise<{ componentId: string; version: number }[]> => {
  const { componentId, version } = targets
  return scope.tx
    .select({ componentId, version })
    .from(targets)
    .where(rows.own(scope, isAt(location), isChecked))
    .orderBy(componentId)
    .limit(MAX_TARGETS_PER_LOCATION)
}

/** Targets of the ids, including disabled ones and tombstones of deleted components. */
export const listKnown = (scope: Scope, componentIds: readonly string[]): Promise<TargetRow[]> =>
  rows.select(scope, inArray(targets.componentId, [...componentIds])).orderBy(targets.componentId)

/** Whether agents of the location check the target. */
export const isCheckedAt = (target: TargetRow, location: string): boolean =>
  target.deletedAt === null &&
  target.isEnabled &&
  target.locations.includes(location) &&
  agentKinds.some((kind) => kind === target.probe.kind)
