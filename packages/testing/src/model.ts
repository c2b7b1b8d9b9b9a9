/** Compares `tables.ts` with the database that the migrations made: neither may know a column alone. */
import { getTableConfig, PgTable } from 'drizzle-orm/pg-core'
import postgres from 'postgres'

interface Assertions {
  same(actual: unknown, expected: unknown, message: string): unknown
}

/** `tables` is the module's whole export; what is not a table in it is passed over. */
export const assertModel = async (
  t: Assertions,
  adminUrl: string,
  tables: Readonly<Record<string, unknown>>,
): Promise<void> => {
  const models = Object.values(tables).filter((value) => value instanceof PgTable)
  const described = models.map((table) => getTableConfig(table))
  const sql = postgres(adminUrl, { max: 1, onnotice: () => {} })
  try {
    for (const { schema = 'public', name, columns } of described) {
      const expected = columns.map((column) => ({
        name: column.name,
        // `timestamp (3)` there is `timestamp(3)` in the catalogue.
        type: column.getSQLType().replaceAll(' (', '('),
        isRequired: column.notNull,
      }))
      t.same(byName(expected), byName(await columnsOf(sql, schema, name)), `${schema}.${name}`)
    }
  } finally {
    await sql.end({ timeout: 5 })
  }
}

interface Column {
  name: string
  type: string
  isRequired: boolean
}

const byName = (columns: Column[]) =>
  columns.sort((left, right) => left.name.localeCompare(right.name))

const columnsOf = async (sql: postgres.Sql, schema: string, table: string): Promise<Column[]> => {
  const rows = await sql<Column[]>`
    SELECT a.attname AS name, format_type(a.atttypid, a.atttypmod) AS type, a.attnotnull AS "isRequired"
    FROM pg_attribute a
    JOIN pg_class c ON c.oid = a.attrelid
    WHERE c.relnamespace = ${schema}::regnamespace AND c.relname = ${table}
      AND a.attnum > 0 AND NOT a.attisdropped`
  return [...rows]
}
