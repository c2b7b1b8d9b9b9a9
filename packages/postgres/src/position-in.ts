/** Order of values that a list determines, such as statuses by their course. */
import { type SQL, type SQLWrapper, sql } from 'drizzle-orm'

/**
 * SQL for the position of the column's value in `values`, null for another value. An index on the
 * position lists the same values as a literal, because Postgres compares the expressions as texts.
 */
export const positionIn = (values: readonly string[], column: SQLWrapper): SQL =>
  sql`array_position(${sql.raw(`'{${values.join(',')}}'::text[]`)}, ${column})`
