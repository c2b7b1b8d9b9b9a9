/** Filters of statements; those of lists are absent where the query does not name a value. */
import { eq, type SQL, sql } from 'drizzle-orm'
import type { PgColumn } from 'drizzle-orm/pg-core'

export const equalsFilter = <Column extends PgColumn>(
  column: Column,
  value: Column['_']['data'] | undefined,
): SQL | undefined => (value === undefined ? undefined : eq(column, value))

/**
 * Selects rows with one of the values, which are one parameter. `inArray` of drizzle has one for
 * each, and statements with many parameters are planned again each time.
 */
export const isAnyOf = (column: PgColumn, values: readonly string[]): SQL =>
  sql`${column} = ANY(${sql.param([...values])}::${sql.raw(column.getSQLType())}[])`

/** Selects rows whose text contains another one, in any case. */
export const containsFilter = (column: PgColumn, text: string | undefined): SQL | undefined =>
  text === undefined ? undefined : sql`strpos(lower(${column}), lower(${text})) > 0`
