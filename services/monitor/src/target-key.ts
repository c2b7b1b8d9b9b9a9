/** Keys of targets, which statements of a worker select across organizations. */
import type { Scope } from '@status-page/postgres'
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

/** Condition on the rows of a table that belong to the targets. */
export const isOfTargets = (
  { organizationId, componentId }: { organizationId: PgColumn; componentId: PgColumn },
  keys: readonly TargetKey[],
): SQL => sql`(${organizationId}, ${componentId}) IN (SELECT * FROM unnest(${keyColumns(keys)}))`
