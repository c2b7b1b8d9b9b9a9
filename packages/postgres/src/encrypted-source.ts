/**
 * Columns with encrypted texts, for key rotation. The current row is updated, so concurrent writes
 * are preserved; a row without the text is unchanged.
 */
import { and, type GetColumnData, gt, notLike, or, type SQL, sql } from 'drizzle-orm'
import type { PgColumn, PgTable } from 'drizzle-orm/pg-core'
import type { Database } from './connect.ts'
import { asWorker } from './system-scope.ts'

type RowOf<Columns extends Record<string, PgColumn>> = {
  [Name in keyof Columns]: GetColumnData<Columns[Name]>
}

interface EncryptedColumns<Columns extends Record<string, PgColumn>, Text> {
  name: string
  table: PgTable
  id: PgColumn
  /**
   * Encrypted columns of text or JSON; in JSON an encrypted text must need no escaping, so it has
   * no quotes or backslashes.
   */
  columns: readonly PgColumn[]
  /** Columns that `textsOf` reads. */
  selected: Columns
  /** Condition for rows with a text that lacks the prefix; default: any of the columns. */
  isStale?(prefix: string): SQL | undefined
  textsOf(row: RowOf<Columns>): readonly Text[]
}

export const encryptedSource =
  <Columns extends Record<string, PgColumn>, Text extends { sealed: string | null }>({
    name,
    table,
    id,
    columns,
    selected,
    isStale = (prefix) => or(...columns.map((column) => notLike(column, `${prefix}%`))),
    textsOf,
  }: EncryptedColumns<Columns, Text>) =>
  ({ database, sealer }: { database: Database; sealer: { prefix: string } }) => ({
    name,
    list: (after: string | null, limit: number) =>
      asWorker(database, async ({ tx }) => {
        const rows = await tx
          .select({ recordId: id, selected })
          .from(table)
          .where(and(isStale(sealer.prefix), after === null ? undefined : gt(id, after)))
          .orderBy(id)
          .limit(limit)
        return rows.map(({ recordId, selected: row }) => ({
          id: recordId as string,
          texts: textsOf(row as RowOf<Columns>).filter(
            (text): text is Text & { sealed: string } => text.sealed !== null,
          ),
        }))
      }),
    replace: ({ id: recordId, from, to }: { id: string; from: string; to: string }) =>
      asWorker(database, async ({ tx }) => {
        const changes = columns.map((column) => {
          const type = sql.raw(column.getSQLType())
          const replaced = sql`replace(${column}::text, ${from}, ${to})::${type}`
          return sql`${sql.identifier(column.name)} = ${replaced}`
        })
        const found = columns.map((column) => sql`strpos(${column}::text, ${from}) > 0`)
        await tx.execute(sql`
          UPDATE ${table} SET ${sql.join(changes, sql`, `)}
          WHERE ${id} = ${recordId} AND (${sql.join(found, sql` OR `)})`)
      }),
  })
