/**
 * Reads a folder of `NNNN_name.sql`. Two comment lines are directives:
 *
 * - `-- tenant <table>` becomes row-level security with FORCE and the organization's policy. FORCE
 *   binds the owner too: a migration that rewrites rows of all tenants runs `ALTER TABLE … NO FORCE
 *   ROW LEVEL SECURITY` before and `… FORCE …` after, in the same file.
 * - `-- breaking` declares that the previous version of a service cannot use the schema afterwards.
 */
import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'

export interface Migration {
  name: string
  checksum: string
  breaking: boolean
  /** SQL with the directives expanded. */
  text: string
}

const fileName = /^\d{4}_[a-z0-9_-]+\.sql$/
const tenantLine = /^-- tenant ([a-z_][a-z0-9_]*)\s*$/gm
const breakingLine = /^-- breaking\s*$/m

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
  return Promise.all(files.map((name) => readMigration(folder, name, prefix)))
}

const readMigration = async (folder: string, name: string, prefix: string): Promise<Migration> => {
  const source = await readFile(join(folder, name), 'utf8')
  return {
    name: `${prefix}${name.slice(0, -'.sql'.length)}`,
    checksum: createHash('sha256').update(source).digest('hex'),
    breaking: breakingLine.test(source),
    text: expandTenantDirectives(source),
  }
}

const ownRows = `organization_id = nullif(current_setting('app.org', true), '')::uuid`

export const expandTenantDirectives = (source: string): string =>
  source.replace(tenantLine, (_line, table: string) =>
    [
      `ALTER TABLE ${table} ENABLE ROW LEVEL SECURITY;`,
      `ALTER TABLE ${table} FORCE ROW LEVEL SECURITY;`,
      `CREATE POLICY tenant ON ${table} USING (${ownRows}) WITH CHECK (${ownRows});`,
    ].join('\n'),
  )
