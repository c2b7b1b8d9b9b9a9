/** Filters of lists, absent where the query does not name a value. */
import { eq, type SQL, sql } from 'drizzle-orm'
import type { PgColumn } from 'drizzle-orm/pg-core'

export const equalsFilter = <Column extends PgColumn>(
  column: Column,
  value: Column['_']['data'] | undefined,
): SQL | undefined => (value === undefined ? undefined : eq(column, value))

/** Selects rows whose text contains another one, in any case. */
export const containsFilter = (column: PgColumn, text: string | undefined): SQL | undefined =>
  text === undefined ? undefined : sql`strpos(lower(${column}), lower(${text})) > 0`
