/** Roles and schemas: `migrator` owns, a service's login role only uses, and inherits nothing. */
import { type ServiceName, schemaOf, services } from '@status-page/contracts'
import type postgres from 'postgres'

export const OWNER = 'migrator'

const STATEMENT_TIMEOUT = '15s'
const IDLE_IN_TRANSACTION_TIMEOUT = '60s'
/** A host that vanished holds its session locks until the server notices: half a minute, not two hours. */
const VANISHED_CLIENT = {
  tcp_keepalives_idle: '15',
  tcp_keepalives_interval: '5',
  tcp_keepalives_count: '3',
}
const ROLE_ATTEMPTS = 8

type Sql = postgres.Sql | postgres.ReservedSql

/**
 * Roles belong to the whole server: migrations of two of its databases may meet here, so each
 * statement is repeatable and repeated when another session was faster.
 */
export const ensureRoles = async (
  sql: Sql,
  passwords: ReadonlyMap<ServiceName, string>,
): Promise<void> => {
  await createRole(sql, OWNER, 'NOLOGIN')
  await adoptOwner(sql)
  for (const service of services) await ensureServiceRoles(sql, service, passwords.get(service))
}

const ensureServiceRoles = async (sql: Sql, service: ServiceName, password?: string) => {
  const login = schemaOf(service)
  await createRole(sql, login, 'LOGIN NOINHERIT')
  await refusePowers(sql, login)
  if (password !== undefined) {
    await repeatable(sql, `ALTER ROLE ${login} PASSWORD ${literal(password)}`)
  }
  // The default's "$user" would follow SET ROLE.
  await ensureSettings(sql, login, {
    search_path: login,
    statement_timeout: STATEMENT_TIMEOUT,
    idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_TIMEOUT,
    ...VANISHED_CLIENT,
  })
  for (const crossing of [`${login}_due`, `${login}_lookup`]) {
    await createRole(sql, crossing, 'NOLOGIN')
    await ensureMember(sql, crossing, login)
  }
}

const createRole = async (sql: Sql, role: string, attributes: string) => {
  const [existing] = await sql`SELECT 1 FROM pg_roles WHERE rolname = ${role}`
  if (existing === undefined) await repeatable(sql, `CREATE ROLE ${role} ${attributes}`)
}

/** Whoever migrates must be able to act as the owner; up to Postgres 15 every member is. */
const adoptOwner = async (sql: Sql) => {
  const [me] = await sql<{ may: boolean; name: string }[]>`
    SELECT quote_ident(current_user) AS name, pg_has_role(current_user, ${OWNER},
      CASE WHEN current_setting('server_version_num')::int < 160000 THEN 'MEMBER' ELSE 'SET' END) AS may`
  if (me !== undefined && !me.may) await repeatable(sql, `GRANT ${OWNER} TO ${me.name}`)
}

const refusePowers = async (sql: Sql, role: string) => {
  const [found] = await sql<{ powers: boolean; rolinherit: boolean }[]>`
    SELECT rolsuper OR rolbypassrls AS powers, rolinherit FROM pg_roles WHERE rolname = ${role}`
  if (found?.powers) throw new Error(`Role ${role} may bypass row-level security: take that away`)
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

/** 42710 exists, 23505 was just made, XX000 "tuple concurrently updated". */
const beaten = new Set(['42710', '23505', 'XX000'])

const repeatable = async (sql: Sql, statement: string): Promise<void> => {
  for (let attempt = 1; ; attempt++) {
    try {
      await sql.unsafe(statement)
      return
    } catch (error) {
      const code = (error as { code?: string }).code ?? ''
      if (code === '42710' || code === '23505') return
      if (!beaten.has(code) || attempt === ROLE_ATTEMPTS) throw error
    }
  }
}

const literal = (text: string) => `'${text.replaceAll("'", "''")}'`

/** As admin: the schema belongs to the owner. */
export const ensureSchema = async (sql: Sql, service: ServiceName): Promise<void> => {
  const schema = schemaOf(service)
  const [existing] = await sql`SELECT 1 FROM pg_namespace WHERE nspname = ${schema}`
  if (existing === undefined) await sql.unsafe(`CREATE SCHEMA ${schema} AUTHORIZATION ${OWNER}`)
}

/** As owner: what is made in the schema later is the service's to use, not to alter. */
export const grantSchema = async (sql: Sql, service: ServiceName): Promise<void> => {
  const schema = schemaOf(service)
  await sql.unsafe(`
    GRANT USAGE ON SCHEMA ${schema} TO ${everyone}, ${schema}_due, ${schema}_lookup;
    ALTER DEFAULT PRIVILEGES IN SCHEMA ${schema}
      GRANT SELECT, INSERT, UPDATE, DELETE ON TABLES TO ${schema};
    ALTER DEFAULT PRIVILEGES IN SCHEMA ${schema} GRANT USAGE ON SEQUENCES TO ${schema}`)
}

/** As owner: the three views that services may read of each other. */
export const grantFeeds = async (sql: Sql, service: ServiceName): Promise<void> => {
  const schema = schemaOf(service)
  const views = ['outbox_feed', 'consumers', 'receipts'].map((view) => `${schema}.${view}`)
  await sql.unsafe(`GRANT SELECT ON ${views.join(', ')} TO ${everyone}`)
}

const everyone = services.map(schemaOf).join(', ')
