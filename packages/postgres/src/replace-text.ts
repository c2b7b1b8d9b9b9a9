/**
 * Replaces a text in some columns of a row. The current row is updated, so concurrent writes are
 * preserved; a row without the text is unchanged.
 */
import { sql } from 'drizzle-orm'
import type { PgColumn, PgTable } from 'drizzle-orm/pg-core'
import type { SystemScope } from './system-scope.ts'

export interface TextColumns {
  table: PgTable
  id: PgColumn
  /**
   * Columns of text or JSON; in JSON the text must need no escaping, so it has no quotes or
   * backslashes.
   */
  columns: readonly PgColumn[]
}

export interface TextReplacement {
  id: string
  from: string
  to: string
}

export const replaceText = async (
  { tx }: SystemScope,
  { table, id, columns }: TextColumns,
  { id: rowId, from, to }: TextReplacement,
): Promise<void> => {
  const changes = columns.map((column) => {
    const type = sql.raw(column.getSQLType())
    return sql`${sql.identifier(column.name)} = replace(${column}::text, ${from}, ${to})::${type}`
  })
  const found = columns.map((column) => sql`strpos(${column}::text, ${from}) > 0`)
  await tx.execute(sql`
    UPDATE ${table} SET ${sql.join(changes, sql`, `)}
    WHERE ${id} = ${rowId} AND (${sql.join(found, sql` OR `)})`)
}
