/** Compares `tables.ts` with the migrated database: tables, columns, types, nullability, defaults. */
import type { ServiceName } from '@status-page/contracts'
import { databaseSchemaOf } from '@status-page/contracts'
import { is, SQL } from 'drizzle-orm'
import { getTableConfig, type PgColumn, PgDialect, PgTable } from 'drizzle-orm/pg-core'
import postgres from 'postgres'
import { sharedTables } from './catalogue.ts'

interface ModelAssertions {
  same(actual: unknown, expected: unknown, message: string): unknown
}

export interface ModelExpectation {
  service: ServiceName
  /** Whole export of `tables.ts`; exports that are not tables are ignored. */
  tables: Readonly<Record<string, unknown>>
  /** Names of tables that are queried in SQL only. */
  withoutModel?: readonly string[]
}

/** Generated columns are excluded: they have no place in an insert, and conditions name them in SQL. */
export const assertModel = async (
  t: ModelAssertions,
  adminUrl: string,
  { service, tables, withoutModel = [] }: ModelExpectation,
): Promise<void> => {
  const models = Object.values(tables).filter((value) => value instanceof PgTable)
  const described = models.map((table) => getTableConfig(table))
  const schema = databaseSchemaOf(service)
  const sql = postgres(adminUrl, { max: 1, onnotice: () => {} })
  try {
    const names = [...described.map(({ name }) => name), ...withoutModel].sort()
    t.same(names, await tableNames(sql, schema), `tables of ${schema}`)
    for (const { name, columns, schema: declaredSchema } of described) {
      t.same(declaredSchema, schema, `schema of ${name}`)
      const expected = await Promise.all(columns.map((column) => modelColumn(sql, column)))
      t.same(
        byName(expected),
        byName(await databaseColumns(sql, schema, name)),
        `${schema}.${name}`,
      )
    }
  } finally {
    await sql.end({ timeout: 5 })
  }
}

/** Tables of the service itself; a partition is covered by its parent. */
const tableNames = async (sql: postgres.Sql, schema: string): Promise<string[]> => {
  const rows = await sql<{ name: string }[]>`
    SELECT relname AS name FROM pg_class
    WHERE relnamespace = ${schema}::regnamespace AND relkind IN ('r', 'p') AND NOT relispartition
      AND relname <> ALL (${sharedTables})`
  return rows.map(({ name }) => name).sort()
}

interface ColumnDescription {
  name: string
  type: string
  isRequired: boolean
  /** Value of a constant default, or the text of a function call; null without a default. */
  default: string | null
}

const byName = (columns: ColumnDescription[]) =>
  columns.sort((left, right) => left.name.localeCompare(right.name))

const modelColumn = async (sql: postgres.Sql, column: PgColumn): Promise<ColumnDescription> => {
  // Drizzle writes `timestamp (3)`, the catalogue `timestamp(3)`.
  const type = column.getSQLType().replaceAll(' (', '(')
  return {
    name: column.name,
    type,
    isRequired: column.notNull,
    default: await modelDefault(sql, column, type),
  }
}

const modelDefault = async (sql: postgres.Sql, column: PgColumn, type: string) => {
  const value: unknown = column.default
  if (value === undefined) return null
  if (is(value, SQL)) return new PgDialect().sqlToQuery(value).sql
  const literal = String(column.mapToDriverValue(value))
  return evaluate(sql, `'${literal.replaceAll("'", "''")}'::${type}`)
}

const databaseColumns = async (sql: postgres.Sql, schema: string, table: string) => {
  const rows = await sql<ColumnDescription[]>`
    SELECT a.attname AS name, format_type(a.atttypid, a.atttypmod) AS type,
      a.attnotnull AS "isRequired",
      pg_get_expr(d.adbin, d.adrelid) AS default
    FROM pg_attribute a
    JOIN pg_class c ON c.oid = a.attrelid
    LEFT JOIN pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
    WHERE c.relnamespace = ${schema}::regnamespace AND c.relname = ${table}
      AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = ''`
  return Promise.all(
    rows.map(async (column) => ({
      ...column,
      default: await databaseDefault(sql, schema, column.default),
    })),
  )
}

const databaseDefault = async (sql: postgres.Sql, schema: string, expression: string | null) => {
  if (expression === null) return null
  const text = expression.replace(`${schema}.`, '')
  return text.endsWith('()') ? text : evaluate(sql, expression)
}

/** Text of a constant expression, so that `'{}'::text[]` and `ARRAY[]` compare as equal. */
const evaluate = async (sql: postgres.Sql, expression: string): Promise<string> => {
  const [row] = await sql.unsafe<{ value: string }[]>(`SELECT (${expression})::text AS value`)
  return row?.value ?? ''
}
