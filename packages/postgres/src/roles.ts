/**
 * Roles and schemas: the owner role owns the schemas, a service's login role only uses them and
 * inherits nothing. Roles belong to the whole server, so their names have a prefix, and each
 * carries the mark of the installation that created it: a role without that mark is never altered.
 */
import { databaseSchemaOf, type ServiceName, services } from '@status-page/contracts'
import type postgres from 'postgres'
import { installationMark } from './installation.ts'
import { DEFAULT_ROLE_PREFIX, type Roles } from './role-names.ts'

const STATEMENT_TIMEOUT = '15s'
const IDLE_IN_TRANSACTION_TIMEOUT = '60s'
/**
 * Keepalive settings that release the session locks of a vanished client after 30 s instead of two
 * hours.
 */
const VANISHED_CLIENT = {
  tcp_keepalives_idle: '15',
  tcp_keepalives_interval: '5',
  tcp_keepalives_count: '3',
}
const ROLE_ATTEMPTS = 8

type Sql = postgres.Sql | postgres.ReservedSql

/**
 * Creates and updates the roles. Migrations of two databases on one server may run at the same
 * time, so each statement is repeatable and is repeated after a conflict.
 */
export const ensureRoles = async (
  sql: Sql,
  { roles, installationId, passwords }: RoleOptions,
): Promise<void> => {
  const context: RoleContext = { sql, mark: installationMark(installationId) }
  const logins = services.map((service) => roles.login(service))
  // All roles are checked before the first is created or altered.
  for (const role of [roles.owner, ...logins, ...services.flatMap(roles.systemScope)]) {
    await isOwn(context, role)
  }
  await createRole(context, roles.owner, 'NOLOGIN')
  await grantOwner(sql, roles.owner)
  for (const service of services) {
    await ensureServiceRoles(context, roles, { service, password: passwords.get(service) })
  }
}

export interface RoleOptions {
  roles: Roles
  /** Installation of the database; roles of other installations are rejected. */
  installationId: string
  passwords: ReadonlyMap<ServiceName, string>
}

interface RoleContext {
  sql: Sql
  /** Comment of every role of this installation. */
  mark: string
}

const ensureServiceRoles = async (
  context: RoleContext,
  roles: Roles,
  { service, password }: { service: ServiceName; password: string | undefined },
) => {
  const { sql } = context
  const login = roles.login(service)
  await createRole(context, login, 'LOGIN NOINHERIT')
  await rejectPrivileged(sql, login)
  if (password !== undefined) {
    await repeatable(sql, `ALTER ROLE ${login} PASSWORD ${literal(password)}`)
  }
  // The default's "$user" would follow SET ROLE.
  await ensureSettings(sql, login, {
    search_path: databaseSchemaOf(service),
    statement_timeout: STATEMENT_TIMEOUT,
    idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_TIMEOUT,
    ...VANISHED_CLIENT,
  })
  for (const systemScope of roles.systemScope(service)) {
    await createRole(context, systemScope, 'NOLOGIN')
    await ensureMember(sql, systemScope, login)
  }
}

/** Returns whether the role exists; throws when it has another mark or none. */
const isOwn = async ({ sql, mark }: RoleContext, role: string): Promise<boolean> => {
  const [existing] = await sql<{ mark: string | null }[]>`
    SELECT shobj_description(oid, 'pg_authid') AS mark FROM pg_roles WHERE rolname = ${role}`
  if (existing === undefined) return false
  if (existing.mark === mark) return true
  throw new Error(
    `Role ${role} exists and was not created by this installation: set DATABASE_ROLE_PREFIX to a ` +
      `prefix of its own (default ${DEFAULT_ROLE_PREFIX}). If the role is this installation's, ` +
      `mark it: COMMENT ON ROLE ${role} IS ${literal(mark)}`,
  )
}

/** Creates a role and its mark in one transaction, so that a killed run leaves no unmarked role. */
const createRole = async (context: RoleContext, role: string, attributes: string) => {
  if (await isOwn(context, role)) return
  const comment = `COMMENT ON ROLE ${role} IS ${literal(context.mark)}`
  await repeatable(context.sql, `CREATE ROLE ${role} ${attributes}; ${comment}`)
  // Another session may have created it first.
  await isOwn(context, role)
}

/** Allows the migrating role to act as the owner; up to Postgres 15 every member may. */
const grantOwner = async (sql: Sql, owner: string) => {
  const [current] = await sql<{ isMember: boolean; name: string }[]>`
    SELECT quote_ident(current_user) AS name, pg_has_role(current_user, ${owner},
      CASE WHEN current_setting('server_version_num')::int < 160000 THEN 'MEMBER' ELSE 'SET' END) AS "isMember"`
  if (current !== undefined && !current.isMember)
    await repeatable(sql, `GRANT ${owner} TO ${current.name}`)
}

const rejectPrivileged = async (sql: Sql, role: string) => {
  const [found] = await sql<{ isPrivileged: boolean; rolinherit: boolean }[]>`
    SELECT rolsuper OR rolbypassrls AS "isPrivileged", rolinherit FROM pg_roles WHERE rolname = ${role}`
  if (found?.isPrivileged)
    throw new Error(`Role ${role} can bypass row-level security: revoke that attribute`)
  if (found?.rolinherit) await repeatable(sql, `ALTER ROLE ${role} NOINHERIT`)
}

const ensureSettings = async (sql: Sql, role: string, settings: Record<string, string>) => {
  const [row] = await sql<{ setconfig: string[] | null }[]>`
    SELECT s.setconfig FROM pg_roles r JOIN pg_db_role_setting s ON s.setrole = r.oid
    WHERE r.rolname = ${role} AND s.setdatabase = 0`
  for (const [name, value] of Object.entries(settings)) {
    if (row?.setconfig?.includes(`${name}=${value}`)) continue
    await repeatable(sql, `ALTER ROLE ${role} SET ${name} = ${literal(value)}`)
  }
}

const ensureMember = async (sql: Sql, role: string, member: string) => {
  const [found] = await sql`
    SELECT 1 FROM pg_auth_members WHERE roleid = ${role}::regrole AND member = ${member}::regrole`
  if (found === undefined) await repeatable(sql, `GRANT ${role} TO ${member}`)
}

/**
 * Codes of concurrent creation: 42710 exists, 23505 just inserted, XX000 "tuple concurrently
 * updated".
 */
const conflictCodes = new Set(['42710', '23505', 'XX000'])

const repeatable = async (sql: Sql, statement: string): Promise<void> => {
  for (let attempt = 1; ; attempt++) {
    try {
      await sql.unsafe(statement)
      return
    } catch (error) {
      const code = (error as { code?: string }).code ?? ''
      if (code === '42710' || code === '23505') return
      if (!conflictCodes.has(code) || attempt === ROLE_ATTEMPTS) throw error
    }
  }
}

const literal = (text: string) => `'${text.replaceAll("'", "''")}'`

/** Creates the schema as admin; it belongs to the owner role. */
export const ensureSchema = async (sql: Sql, roles: Roles, service: ServiceName): Promise<void> => {
  const schema = databaseSchemaOf(service)
  const [existing] = await sql`SELECT 1 FROM pg_namespace WHERE nspname = ${schema}`
  if (existing !== undefined) return
  await sql.unsafe(`CREATE SCHEMA ${schema} AUTHORIZATION ${roles.owner}`)
}

/**
 * Grants, as owner, the use but not the alteration of later objects in the schema to the service.
 */
export const grantSchema = async (sql: Sql, roles: Roles, service: ServiceName): Promise<void> => {
  const schema = databaseSchemaOf(service)
  const login = roles.login(service)
  const users = [...services.map(roles.login), ...roles.systemScope(service)]
  await sql.unsafe(`
    GRANT USAGE ON SCHEMA ${schema} TO ${users.join(', ')};
    ALTER DEFAULT PRIVILEGES IN SCHEMA ${schema}
      GRANT SELECT, INSERT, UPDATE, DELETE ON TABLES TO ${login};
    ALTER DEFAULT PRIVILEGES IN SCHEMA ${schema} GRANT USAGE ON SEQUENCES TO ${login}`)
}

/** Grants, as owner, the three views that services may read of each other. */
export const grantFeeds = async (sql: Sql, roles: Roles, service: ServiceName): Promise<void> => {
  const schema = databaseSchemaOf(service)
  const views = ['outbox_feed', 'consumers', 'receipts'].map((view) => `${schema}.${view}`)
  const logins = services.map(roles.login).join(', ')
  await sql.unsafe(`GRANT SELECT ON ${views.join(', ')} TO ${logins}`)
}
