/**
 * Reads a folder of `NNNN_name.sql`. Two comment lines are directives:
 *
 * - `-- tenant <table>` becomes row-level security with FORCE and the organization's policy. FORCE
 *   binds the owner too: a migration that rewrites rows of all tenants runs `ALTER TABLE … NO FORCE
 *   ROW LEVEL SECURITY` before and `… FORCE …` after, in the same file.
 * - `-- breaking` declares that code without this migration cannot use the schema afterwards;
 *   `-- breaking 0007_name`, that code without that earlier migration cannot. Version N stops using
 *   a column with migration 0007; version N+1 drops it, and N remains usable.
 */
import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'

export interface Migration {
  name: string
  checksum: string
  /** Migration that code must have to use the schema; null for an additive one. */
  requires: string | null
  /** SQL with the directives expanded. */
  text: string
}

const fileName = /^\d{4}_[a-z0-9_-]+\.sql$/
const tenantLine = /^-- tenant ([a-z_][a-z0-9_]*)\s*$/gm
const breakingLine = /^-- breaking(?: +(\S+))?\s*$/m

/**
 * Migrations in order of their numbers; an absent folder has none. `prefix` distinguishes the
 * shared ones.
 */
export const readMigrations = async (folder: string, prefix = ''): Promise<Migration[]> => {
  const names = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return []
    throw error
  })
  const files = names.filter((name) => name.endsWith('.sql')).sort()
  const numbers = new Set<string>()
  for (const name of files) {
    const number = name.slice(0, 4)
    if (!fileName.test(name)) throw new Error(`Migration ${name} is not named NNNN_name.sql`)
    if (numbers.has(number)) throw new Error(`Two migrations in ${folder} have number ${number}`)
    numbers.add(number)
  }
  const migrations = await Promise.all(files.map((name) => readMigration(folder, name, prefix)))
  for (const [index, { name, requires }] of migrations.entries()) {
    const known = migrations.slice(0, index + 1).map((migration) => migration.name)
    if (requires === null || known.includes(requires)) continue
    throw new Error(`Migration ${name} requires ${requires}, which is no earlier migration`)
  }
  return migrations
}

const readMigration = async (folder: string, name: string, prefix: string): Promise<Migration> => {
  const source = await readFile(join(folder, name), 'utf8')
  const ownName = name.slice(0, -'.sql'.length)
  const breaking = breakingLine.exec(source)
  return {
    name: `${prefix}${ownName}`,
    checksum: createHash('sha256').update(source).digest('hex'),
    requires: breaking === null ? null : `${prefix}${breaking[1] ?? ownName}`,
    text: expandTenantDirectives(source),
  }
}

/** Migration of a schema, as `schema_migration` records it. */
export type AppliedMigration = Pick<Migration, 'name' | 'requires'>

/** Names of the applied migrations after which code with these migrations cannot use the schema. */
export const breakingFor = (
  known: ReadonlySet<string>,
  applied: readonly AppliedMigration[],
): string[] =>
  applied
    .filter(({ requires }) => requires !== null && !known.has(requires))
    .map(({ name }) => name)

const ownRows = `organization_id = nullif(current_setting('app.org', true), '')::uuid`

export const expandTenantDirectives = (source: string): string =>
  source.replace(tenantLine, (_line, table: string) =>
    [
      `ALTER TABLE ${table} ENABLE ROW LEVEL SECURITY;`,
      `ALTER TABLE ${table} FORCE ROW LEVEL SECURITY;`,
      `CREATE POLICY tenant ON ${table} USING (${ownRows}) WITH CHECK (${ownRows});`,
    ].join('\n'),
  )
