/**
 * Puts one text in the place of another, wherever it stands in some columns of a row. The row is taken as it
 * is at that moment, so that what was written to it meanwhile stays; without the text it is left alone.
 */
import { sql } from 'drizzle-orm'
import type { PgColumn, PgTable } from 'drizzle-orm/pg-core'
import type { SystemScope } from './system-scope.ts'

export interface TextColumns {
  table: PgTable
  id: PgColumn
  /** Of text or JSON; in JSON a text must look the same as outside, so without quotes and backslashes. */
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
