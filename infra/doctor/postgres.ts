/** Checks of Postgres: the server, the roles and schemas of the installation, its standbys. */
import { databaseSchemaOf, type ServiceName, services } from '@status-page/contracts'
import {
  connectionProblemOf,
  type Database,
  DatabaseUnusable,
  databaseAddressesOf,
  expectedMigrations,
  openDatabase,
  readSchemaState,
  requireUsableServer,
  rolesOf,
} from '@status-page/postgres'
import {
  type Diagnosis,
  failed,
  NO_RESPONSE_REMEDY,
  ok,
  reasonOf,
  skipped,
  warning,
} from './finding.ts'
import type { Settings } from './settings.ts'

const MAX_CONNECTIONS = 2
const CONNECTIONS_WARNING_SHARE = 0.9
const LAG_WARNING_BYTES = 64 * 1024 * 1024
const SLOT_WARNING_BYTES = 1024 * 1024 * 1024
const MIB = 1024 * 1024
/** Code of the driver in its message when the server sends nothing. */
const CONNECT_TIMEOUT = 'CONNECT_TIMEOUT'

export type PostgresCheck = { results: Diagnosis[]; database: Database | null }

/** Opens the database; null, with the reason as result, when it cannot be used. */
export const openCheckedDatabase = async (settings: Settings): Promise<PostgresCheck> => {
  const { DATABASE_URL: url, DATABASE_DIRECT_URL: directUrl, DATABASE_CA: ca } = settings
  if (url === undefined) {
    const message = 'DATABASE_URL is not set.'
    const remedy = 'Run the doctor with the settings of a service, or while `npm start` runs.'
    return { results: [failed(message, remedy)], database: null }
  }
  let database: Database | null = null
  try {
    databaseAddressesOf(url)
    database = openDatabase({ url, directUrl, ca, service: 'core', max: MAX_CONNECTIONS })
    const sessionSetting = directUrl === undefined ? 'DATABASE_URL' : 'DATABASE_DIRECT_URL'
    const result = await checkServer(database)
    // Roles and replication of a read-only server can be read.
    if (result.status !== 'failed') await requireUsableServer(database, { sessionSetting })
    return { results: [result], database }
  } catch (error) {
    await database?.close()
    return { results: [connectionFailure(error)], database: null }
  }
}

const connectionFailure = (error: unknown): Diagnosis => {
  if (error instanceof DatabaseUnusable) {
    return failed(error.message, 'Correct DATABASE_URL or the server as the message says.')
  }
  const problem = connectionProblemOf(error)
  if (problem !== null) {
    return failed(problem, 'Correct the setting that the message names; `migrate` sets passwords.')
  }
  const reason = reasonOf(error)
  return failed(
    `Postgres does not respond: ${reason}.`,
    reason.includes(CONNECT_TIMEOUT)
      ? NO_RESPONSE_REMEDY
      : 'Start the server, or correct the address in DATABASE_URL; services reconnect by themselves.',
  )
}

interface ServerRow {
  version: string
  isStandby: boolean
  isReadOnly: boolean
  open: number
  max: number
  bytes: number
}

const checkServer = async ({ batchSql }: Database): Promise<Diagnosis> => {
  const [row] = await batchSql<ServerRow[]>`
    SELECT current_setting('server_version') AS version,
      pg_is_in_recovery() AS "isStandby",
      current_setting('default_transaction_read_only')::bool AS "isReadOnly",
      (SELECT sum(numbackends)::int FROM pg_stat_database) AS open,
      current_setting('max_connections')::int AS max,
      pg_database_size(current_database())::float8 AS bytes`
  if (row === undefined) return failed('Postgres returns no row.', 'Restart the server.')
  const size = `${Math.round(row.bytes / MIB)} MiB`
  const summary =
    `Postgres ${row.version} responds; ${row.open} of ${row.max} connections are open, ` +
    `the database has ${size}.`
  if (row.isStandby) {
    const remedy = 'Set DATABASE_URL to the primary, or promote this server.'
    return failed(`${summary} It is a standby, which accepts no writes.`, remedy)
  }
  if (row.isReadOnly) {
    return failed(
      `${summary} It is read-only: default_transaction_read_only is on.`,
      'Remove the reason, such as a full disk, then set default_transaction_read_only to off.',
    )
  }
  return row.open > row.max * CONNECTIONS_WARNING_SHARE
    ? warning(summary, 'Raise max_connections, or lower DATABASE_POOL_SIZE.')
    : ok(summary)
}

interface RoleRow {
  name: string
  canLogin: boolean
  isPrivileged: boolean
}

/** Roles of all services, and the schemas that the role of the connection can read. */
export const checkRoles = async (
  { batchSql }: Database,
  { settings, migrationsOf }: { settings: Settings; migrationsOf: (name: ServiceName) => string },
): Promise<Diagnosis[]> => {
  const [current] = await batchSql<{ name: string }[]>`SELECT current_user AS name`
  const roles = rolesOf(settings.DATABASE_ROLE_PREFIX ?? prefixOf(current?.name ?? ''))
  const expected = services.flatMap((name) => [roles.login(name), ...roles.systemScope(name)])
  const rows = await batchSql<RoleRow[]>`
    SELECT rolname AS name, rolcanlogin AS "canLogin", rolsuper OR rolbypassrls AS "isPrivileged"
    FROM pg_roles WHERE rolname IN ${batchSql(expected)}`
  const found = new Map(rows.map((row) => [row.name, row]))
  const missing = expected.filter((name) => !found.has(name))
  if (missing.length > 0) {
    return [
      failed(
        `Roles do not exist: ${missing.join(', ')}.`,
        'Run `migrate`, which creates them, or correct DATABASE_ROLE_PREFIX.',
      ),
    ]
  }
  const privileged = rows.filter(({ isPrivileged }) => isPrivileged)
  const locked = services.map(roles.login).filter((name) => found.get(name)?.canLogin === false)
  const results = [
    ...privileged.map(({ name }) =>
      failed(
        `Role ${name} bypasses row-level security, which separates tenants.`,
        `Run \`ALTER ROLE ${name} NOSUPERUSER NOBYPASSRLS\`.`,
      ),
    ),
    ...locked.map((name) =>
      failed(`Role ${name} cannot log in.`, `Run \`ALTER ROLE ${name} LOGIN\`.`),
    ),
    ...(await checkSchemas(batchSql, migrationsOf)),
  ]
  return results.length > 0
    ? results
    : [ok('The roles of all services exist, without rights to bypass row-level security.')]
}

/** Prefix of the role of a service; the default for other roles. */
const prefixOf = (role: string): string | undefined => {
  const schema = services.map(databaseSchemaOf).find((name) => role.endsWith(`_${name}`))
  return schema === undefined ? undefined : role.slice(0, -schema.length)
}

const checkSchemas = async (
  batchSql: Database['batchSql'],
  migrationsOf: (name: ServiceName) => string,
): Promise<Diagnosis[]> => {
  const results: Diagnosis[] = []
  for (const service of services) {
    const schema = databaseSchemaOf(service)
    const [row] = await batchSql<{ exists: boolean; isReadable: boolean | null }[]>`
      SELECT to_regnamespace(${schema}) IS NOT NULL AS exists,
        has_table_privilege(to_regclass(${`${schema}.schema_migration`}), 'SELECT') AS "isReadable"`
    if (row?.exists && row.isReadable === false) continue
    const state = await readSchemaState(
      { batchSql, schema },
      await expectedMigrations(migrationsOf(service)),
    )
    if (state.kind === 'missing') {
      const names = state.migrations.join(', ')
      results.push(failed(`The schema ${schema} is not migrated: ${names}.`, 'Run `migrate`.'))
    }
    if (state.kind === 'newer') {
      const remedy = 'Use the image of the version that migrated the database.'
      results.push(failed(`The schema ${schema} is newer than this version.`, remedy))
    }
  }
  return results
}

interface ReplicationRow {
  standbys: number
  isVisible: boolean
  synchronous: number
  isSynchronous: boolean
  lagBytes: number | null
}

interface SlotRow {
  name: string
  bytes: number
}

/** Standbys that are behind, a missing synchronous one, and slots that retain the log. */
export const checkReplication = async ({ batchSql }: Database): Promise<Diagnosis[]> => {
  const [server] = await batchSql<{ isStandby: boolean }[]>`
    SELECT pg_is_in_recovery() AS "isStandby"`
  if (server?.isStandby) return [skipped('The server is a standby itself.')]
  const [row] = await batchSql<ReplicationRow[]>`
    SELECT count(pid)::int AS standbys,
      pg_has_role(current_user, 'pg_read_all_stats', 'USAGE') AS "isVisible",
      (count(*) FILTER (WHERE sync_state IN ('sync', 'quorum')))::int AS synchronous,
      current_setting('synchronous_standby_names') <> '' AS "isSynchronous",
      max(pg_wal_lsn_diff(pg_current_wal_lsn(), replay_lsn))::float8 AS "lagBytes"
    FROM pg_stat_replication`
  const slots = await batchSql<SlotRow[]>`
    SELECT slot_name AS name, pg_wal_lsn_diff(pg_current_wal_lsn(), restart_lsn)::float8 AS bytes
    FROM pg_replication_slots
    WHERE NOT active AND pg_wal_lsn_diff(pg_current_wal_lsn(), restart_lsn) > ${SLOT_WARNING_BYTES}`
  if (row === undefined) return []
  return [...slots.map(slotFinding), standbyFinding(row)]
}

const slotFinding = ({ name, bytes }: SlotRow): Diagnosis =>
  failed(
    `The inactive replication slot ${name} retains ${Math.round(bytes / MIB)} MiB of the log.`,
    'Start its standby, or drop the slot before the disk is full: ' +
      `\`SELECT pg_drop_replication_slot('${name}')\`.`,
  )

const standbyFinding = (row: ReplicationRow): Diagnosis => {
  const { standbys, isVisible, isSynchronous, synchronous, lagBytes } = row
  if (standbys === 0 && !isSynchronous) return skipped('No standby is connected.')
  if (standbys > 0 && !isVisible) {
    return skipped(
      `${standbys} standbys are connected; their lag is visible to members of pg_read_all_stats.`,
    )
  }
  if (isSynchronous && synchronous === 0) {
    return failed(
      'Commits wait for a synchronous standby, and none is connected.',
      'Start the standby, or set synchronous_standby_names to an empty text.',
    )
  }
  const lag = `${Math.round((lagBytes ?? 0) / MIB)} MiB`
  const summary = `${standbys} standbys are connected, at most ${lag} behind.`
  return (lagBytes ?? 0) > LAG_WARNING_BYTES
    ? warning(
        summary,
        'Check the network and the disk of the standby: a failover now loses changes.',
      )
    : ok(summary)
}
