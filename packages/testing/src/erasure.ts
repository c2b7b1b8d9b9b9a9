/** Compares the database with the tables that the deletion of an organization covers. */
import type { ErasurePart } from '@status-page/postgres'
import postgres from 'postgres'
import { sharedTables } from './catalogue.ts'

interface Assertions {
  same(actual: unknown, expected: unknown, message: string): unknown
}

/**
 * Asserts that every table with `organization_id` is in `parts` once, or in `exceptions`, and that
 * all of them exist.
 */
export const assertErasureCovers = async (
  t: Assertions,
  { adminUrl, schema }: { adminUrl: string; schema: string },
  parts: readonly ErasurePart[],
  exceptions: readonly string[] = [],
): Promise<void> => {
  const sql = postgres(adminUrl, { max: 1, onnotice: () => {} })
  try {
    const rows = await sql<{ name: string }[]>`
      SELECT c.relname AS name FROM pg_class c
      JOIN pg_attribute a
        ON a.attrelid = c.oid AND a.attname = 'organization_id' AND NOT a.attisdropped
      WHERE c.relnamespace = ${schema}::regnamespace AND c.relkind IN ('r', 'p')
        AND NOT c.relispartition AND c.relname <> ALL (${sharedTables})`
    const covered = [
      ...parts.map((part) => (typeof part === 'string' ? part : part.name)),
      ...exceptions,
    ]
    const present = rows.map(({ name }) => name)
    t.same(covered.toSorted(), present.toSorted(), `the deletion covers every table of ${schema}`)
  } finally {
    await sql.end({ timeout: 5 })
  }
}

/** Text of every row of every table of the schema, one per line, for a search after a deletion. */
export const textOfSchema = async (adminUrl: string, schema: string): Promise<string> => {
  const sql = postgres(adminUrl, { max: 1, onnotice: () => {} })
  try {
    const tables = await sql<{ name: string }[]>`
      SELECT relname AS name FROM pg_class
      WHERE relnamespace = ${schema}::regnamespace AND relkind IN ('r', 'p') AND NOT relispartition`
    const texts: string[] = []
    for (const { name } of tables) {
      const rows = await sql<{ text: string }[]>`
        SELECT r::text AS text FROM ${sql(`${schema}.${name}`)} r`
      texts.push(...rows.map(({ text }) => `${schema}.${name}: ${text}`))
    }
    return texts.join('\n')
  } finally {
    await sql.end({ timeout: 5 })
  }
}
