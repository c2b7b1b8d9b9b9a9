/** Keys of targets, which statements of a worker select across organizations. */
import { isAnyOf, type Scope } from '@status-page/postgres'
import { type SQL, sql } from 'drizzle-orm'
import type { PgColumn } from 'drizzle-orm/pg-core'

export interface TargetKey {
  organizationId: string
  componentId: string
}

/** Transaction that records results: of one organization, or of a worker across organizations. */
export type RecordingScope = Pick<Scope, 'tx' | 'now'>

/** Values of many rows as one parameter, for `unnest`. */
export const columnOf = <Row>(
  rows: readonly Row[],
  read: (row: Row) => string | number | null,
): SQL => sql`${sql.param(rows.map(read))}`

/** Arguments of `unnest`: the organizations and the components of the rows. */
export const keyColumns = (rows: readonly TargetKey[]): SQL =>
  sql`${columnOf(rows, (row) => row.organizationId)}::uuid[],
    ${columnOf(rows, (row) => row.componentId)}::uuid[]`

/**
 * Condition on the rows of a table that belong to the targets. Those of one organization are looked
 * up in an index: where row-level security hides the number of its rows, Postgres plans a join as a
 * loop over all of them and all keys, 45 ms for 100 of 1,000 before the first ANALYZE.
 */
export const isOfTargets = (
  { organizationId, componentId }: { organizationId: PgColumn; componentId: PgColumn },
  keys: readonly TargetKey[],
): SQL => {
  const [only = null, ...others] = new Set(keys.map((key) => key.organizationId))
  if (only === null || others.length > 0) {
    return sql`(${organizationId}, ${componentId}) IN (SELECT * FROM unnest(${keyColumns(keys)}))`
  }
  const componentIds = keys.map((key) => key.componentId)
  return sql`${organizationId} = ${only} AND ${isAnyOf(componentId, componentIds)}`
}
