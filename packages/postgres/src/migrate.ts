/**
 * Migration of roles, schemas, shared tables and the services' tables to the state of the code;
 * safe to repeat.
 */
import { randomUUID } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import { databaseSchemaOf, type ServiceName, services } from '@status-page/contracts'
import type postgres from 'postgres'
import { openClient } from './driver.ts'
import { readInstallationId } from './installation.ts'
import { type AppliedMigration, breakingFor, type Migration, readMigrations } from './migrations.ts'
import { DEFAULT_ROLE_PREFIX, type Roles, rolesOf, withRolePrefix } from './role-names.ts'
import { ensureRoles, ensureSchema, grantFeeds, grantSchema } from './roles.ts'

const LOCK_TIMEOUT = '10s'
export const SHARED_PREFIX = 'plumbing/'

/** Migrations of the shared tables, which every service's schema gets first. */
export const sharedMigrations = fileURLToPath(new URL('../migrations', import.meta.url))

export interface ServiceMigrations {
  name: ServiceName
  /** Absolute path of the service's `migrations/`. */
  folder: string
  password: string
}

export interface MigrateOptions {
  /** URL of a role that may create roles, and schemas in this database; without a pooler. */
  adminUrl: string
  /** Certificates in PEM that sign those of the server. */
  ca?: string | undefined
  services: readonly ServiceMigrations[]
  /** Prefix of all role names (`status_page_`). */
  rolePrefix?: string | undefined
  /** Id for a database that has none yet; tests share roles between databases with it. */
  installationId?: string
  logger?: { info(details: object, message: string): void }
}

/**
 * Migrates all schemas. Only one run at a time per database; others wait. Throws before it changes
 * a newer schema.
 */
export const migrateAll = async (options: MigrateOptions): Promise<void> => {
  const roles = rolesOf(options.rolePrefix)
  const admin = openClient(options.adminUrl, { ca: options.ca, max: 1, onnotice: () => {} })
  const sql = await admin.reserve()
  try {
    await sql`SELECT pg_advisory_lock(hashtextextended('status-page:migrate', 0))`
    const installationId = await installationIdOf(sql, options.installationId)
    const passwords = new Map(options.services.map(({ name, password }) => [name, password]))
    await ensureRoles(sql, { roles, installationId, passwords })
    for (const service of services) await ensureSchema(sql, roles, service)
    await sql.unsafe(`SET ROLE ${roles.owner}`)
    const shared = await readMigrations(sharedMigrations, SHARED_PREFIX)
    for (const service of services) {
      const folder = options.services.find(({ name }) => name === service)?.folder
      const serviceMigrations = folder === undefined ? [] : await readMigrations(folder)
      await migrateService({ sql, roles }, service, [...shared, ...serviceMigrations], options)
    }
  } finally {
    sql.release()
    await admin.end({ timeout: 5 })
  }
}

/** Id of the installation that owns the database; a dump contains it. */
const installationIdOf = async (
  sql: postgres.ReservedSql,
  newId: string = randomUUID(),
): Promise<string> => {
  const [existing] = await sql`SELECT 1 FROM pg_namespace WHERE nspname = 'status_page'`
  if (existing === undefined) {
    await sql.unsafe(`
      CREATE SCHEMA status_page;
      CREATE TABLE status_page.installation (
        is_only boolean PRIMARY KEY DEFAULT true CHECK (is_only),
        id text NOT NULL
      );
      GRANT USAGE ON SCHEMA status_page TO PUBLIC;
      GRANT SELECT ON status_page.installation TO PUBLIC`)
  }
  const stored = await readInstallationId(sql)
  if (stored !== null) return stored
  await sql`INSERT INTO status_page.installation (id) VALUES (${newId})`
  return newId
}

/**
 * Checksum of all migrations of these services and the shared ones; equal checksums mean equal
 * schemas.
 */
export const migrationsChecksum = async (
  services: readonly Pick<ServiceMigrations, 'name' | 'folder'>[],
): Promise<string> => {
  const shared = await readMigrations(sharedMigrations, SHARED_PREFIX)
  const serviceMigrations = await Promise.all(
    services.map(async ({ name, folder }) => [name, await readMigrations(folder)] as const),
  )
  return [['all', shared] as const, ...serviceMigrations]
    .flatMap(([name, migrations]) =>
      migrations.map(({ name: step, checksum }) => [name, step, checksum]),
    )
    .map((parts) => parts.join(' '))
    .join('\n')
}

type AppliedRow = AppliedMigration & Pick<Migration, 'checksum'>

interface MigrationRun {
  sql: postgres.ReservedSql
  roles: Roles
}

const migrateService = async (
  { sql, roles }: MigrationRun,
  service: ServiceName,
  migrations: readonly Migration[],
  options: MigrateOptions,
) => {
  const schema = databaseSchemaOf(service)
  const isOurs = options.services.some(({ name }) => name === service)
  await grantSchema(sql, roles, service)
  const applied = await appliedIn(sql, schema, roles.login(service))
  if (isOurs) rejectBreaking(schema, migrations, applied)
  const checksums = new Map(applied.map(({ name, checksum }) => [name, checksum]))
  for (const migration of migrations) {
    const checksum = checksums.get(migration.name)
    if (checksum === undefined) {
      await apply(sql, schema, withRoleNames(migration, options.rolePrefix))
      options.logger?.info({ schema, migration: migration.name }, 'migrated')
    } else if (checksum !== migration.checksum) {
      throw new Error(`Migration ${migration.name} of ${schema} was edited after it was applied`)
    }
  }
  await grantFeeds(sql, roles, service)
}

const withRoleNames = (migration: Migration, prefix = DEFAULT_ROLE_PREFIX): Migration => ({
  ...migration,
  text: withRolePrefix(migration.text, prefix),
})

const rejectBreaking = (
  schema: string,
  migrations: readonly Migration[],
  applied: readonly AppliedRow[],
) => {
  const newer = breakingFor(new Set(migrations.map(({ name }) => name)), applied)
  if (newer.length === 0) return
  throw new Error(`Schema ${schema} is newer than this code: it has ${newer.join(', ')}`)
}

const appliedIn = async (
  sql: postgres.ReservedSql,
  schema: string,
  login: string,
): Promise<AppliedRow[]> => {
  await sql.unsafe(`
    CREATE TABLE IF NOT EXISTS ${schema}.schema_migration (
      name text PRIMARY KEY,
      checksum text NOT NULL,
      requires text,
      applied_at timestamptz NOT NULL DEFAULT now()
    );
    REVOKE INSERT, UPDATE, DELETE ON ${schema}.schema_migration FROM ${login}`)
  return sql.unsafe<AppliedRow[]>(
    `SELECT name, checksum, requires FROM ${schema}.schema_migration ORDER BY applied_at, name`,
  )
}

const apply = async (sql: postgres.ReservedSql, schema: string, migration: Migration) => {
  try {
    await sql.unsafe(`
      BEGIN;
      SET LOCAL search_path = ${schema};
      SET LOCAL lock_timeout = '${LOCK_TIMEOUT}'`)
    await sql.unsafe(migration.text)
    await sql.unsafe(
      `INSERT INTO ${schema}.schema_migration (name, checksum, requires) VALUES ($1, $2, $3)`,
      [migration.name, migration.checksum, migration.requires],
    )
    await sql`COMMIT`
  } catch (error) {
    await sql`ROLLBACK`
    throw new Error(`Migration ${migration.name} of ${schema} failed`, { cause: error })
  }
}
