/**
 * Comparison of the schema of a service with the migrations of its code. A service neither starts
 * nor is ready on a schema that lacks one of them, or that has a later breaking one.
 */

import type { Database } from './connect.ts'
import { databaseErrorOf } from './failure.ts'
import { SHARED_PREFIX, sharedMigrations } from './migrate.ts'
import { type AppliedMigration, breakingFor, readMigrations } from './migrations.ts'

export type SchemaState =
  | { kind: 'current' }
  /** Migrations of the code that have not run. */
  | { kind: 'missing'; migrations: readonly string[] }
  /** Breaking migrations that the code lacks. */
  | { kind: 'newer'; migrations: readonly string[] }

/** Names of the migrations that the schema of a service needs; throws when `folder` has none. */
export const expectedMigrations = async (folder: string): Promise<ReadonlySet<string>> => {
  const own = await readMigrations(folder)
  if (own.length === 0) throw new Error(`${folder} contains no migrations`)
  const shared = await readMigrations(sharedMigrations, SHARED_PREFIX)
  return new Set([...shared, ...own].map(({ name }) => name))
}

export const readSchemaState = async (
  { batchSql, schema }: Pick<Database, 'batchSql' | 'schema'>,
  expected: ReadonlySet<string>,
): Promise<SchemaState> => {
  const applied = await batchSql<AppliedMigration[]>`
    SELECT name, requires FROM ${batchSql(schema)}.schema_migration`.catch((error: unknown) => {
    if (ABSENT.has(databaseErrorOf(error)?.code ?? '')) return []
    throw error
  })
  const names = new Set(applied.map(({ name }) => name))
  const missing = [...expected].filter((name) => !names.has(name))
  const newer = breakingFor(expected, applied)
  if (newer.length > 0) return { kind: 'newer', migrations: newer }
  return missing.length > 0 ? { kind: 'missing', migrations: missing } : { kind: 'current' }
}

/** SQLSTATE of a table or schema that does not exist, or that the role may not use yet. */
const ABSENT: ReadonlySet<string> = new Set(['42P01', '3F000', '42501'])
