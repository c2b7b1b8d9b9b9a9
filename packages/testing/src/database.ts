/** One database per test file: a clone of a template that is migrated once. */
import { createHash, randomBytes } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import type { ServiceName } from '@status-page/contracts'
import {
  type ConnectOptions,
  connect,
  type Database,
  migrateAll,
  migrationsChecksum,
  rolesOf,
  type ServiceMigrations,
  serviceUrl,
} from '@status-page/postgres'
import postgres from 'postgres'
import { acquireServer } from './server.ts'
import type { Teardown } from './teardown.ts'

/** Age at which databases of killed test runs are dropped when the next template is built. */
const LEFTOVER_AGE_MS = 6 * 3_600_000
const CLONE_ATTEMPTS = 5
const NO_SUCH_DATABASE = '3D000'
const TEMPLATE_IN_USE = '55006'

export interface TestDatabaseOptions {
  services: readonly ServiceName[]
  /** Replaces the services' own migrations, for the tests of packages. */
  folders?: Partial<Record<ServiceName, string>>
}

export type TestConnectOptions = Pick<ConnectOptions, 'max' | 'clock'>

export interface TestDatabase {
  /** Administrator's URL of the clone, without any restriction. */
  adminUrl: string
  /** URL of the service's own role. */
  url(service: ServiceName): string
  /** Connected Database of a service; the same for each call. */
  database(service: ServiceName): Promise<Database>
  /** Connects another Database with its own settings. */
  connect(service: ServiceName, options?: TestConnectOptions): Promise<Database>
}

export const testDatabase = async (
  t: Teardown,
  options: TestDatabaseOptions,
): Promise<TestDatabase> => {
  const server = await acquireServer()
  const name = databaseName('test')
  const opened = new Set<Database>()
  const admin = connectAdmin(server.url)
  t.teardown(async () => {
    await Promise.all([...opened].map((database) => database.close()))
    await admin.unsafe(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`)
    await admin.end({ timeout: 5 })
    await server.release()
  })
  await clone(admin, { name, serverUrl: server.url, services: specOf(options) })

  const adminUrl = urlOf(server.url, name)
  const url = (service: ServiceName) => serviceUrl(adminUrl, service, passwordOf(service))
  const open = async (service: ServiceName, options: TestConnectOptions = {}) => {
    const dial = () => connect({ url: url(service), service, ...options })
    const database = await dial().catch(async (error: { code?: string }) => {
      if (error.code !== WRONG_PASSWORD) throw error
      // Roles belong to the whole server: a concurrent test file may have created them first.
      await admin.unsafe(`ALTER ROLE ${rolesOf().login(service)} PASSWORD '${passwordOf(service)}'`)
      return dial()
    })
    opened.add(database)
    return database
  }
  const first = new Map<ServiceName, Promise<Database>>()
  return {
    adminUrl,
    url,
    connect: open,
    database(service) {
      const known = first.get(service) ?? open(service)
      first.set(service, known)
      return known
    },
  }
}

/** Roles belong to the server and are shared by all test runs on it. */
const WRONG_PASSWORD = '28P01'

/** Same id for all, so that databases of one server share roles. */
const INSTALLATION_ID = 'tests'

const passwordOf = (service: ServiceName) => `test-${service}`

const migrationsOf = (service: ServiceName) =>
  fileURLToPath(new URL(`../../../services/${service}/migrations`, import.meta.url))

const specOf = ({ services, folders }: TestDatabaseOptions): ServiceMigrations[] =>
  [...new Set(services)].sort().map((name) => ({
    name,
    folder: folders?.[name] ?? migrationsOf(name),
    password: passwordOf(name),
  }))

const databaseName = (kind: 'test' | 'template' | 'building', suffix?: string) =>
  `sp_${kind}_${Date.now().toString(36)}_${suffix ?? randomBytes(6).toString('hex')}`

const urlOf = (serverUrl: string, name: string) => {
  const url = new URL(serverUrl)
  url.pathname = `/${name}`
  return url.href
}

const connectAdmin = (url: string) => postgres(url, { max: 1, onnotice: () => {} })

const withAdmin = async <T>(url: string, work: (sql: postgres.ReservedSql) => Promise<T>) => {
  const admin = connectAdmin(url)
  const sql = await admin.reserve()
  try {
    return await work(sql)
  } finally {
    sql.release()
    await admin.end({ timeout: 5 })
  }
}

/** Templates that this process has found or built, by server and services. */
const templates = new Map<string, string>()

interface Clone {
  name: string
  serverUrl: string
  services: readonly ServiceMigrations[]
}

/** Retries once, since another run may drop or clone the template at the same time. */
const clone = async (admin: postgres.Sql, { name, serverUrl, services }: Clone) => {
  const key = JSON.stringify([serverUrl, services])
  for (let attempt = 1; ; attempt++) {
    const template = templates.get(key) ?? (await ensureTemplate(serverUrl, services))
    templates.set(key, template)
    try {
      // Copies files; the default would write the template's pages to the log, too.
      await admin.unsafe(`CREATE DATABASE ${name} TEMPLATE ${template} STRATEGY file_copy`)
      return
    } catch (error) {
      const { code } = error as { code?: string }
      const again = code === NO_SUCH_DATABASE || code === TEMPLATE_IN_USE
      templates.delete(key)
      if (!again || attempt === CLONE_ATTEMPTS) throw error
    }
  }
}

const ensureTemplate = async (serverUrl: string, services: readonly ServiceMigrations[]) => {
  const checksum = await migrationsChecksum(services)
  const suffix = createHash('sha256').update(checksum).digest('hex').slice(0, 16)
  return withAdmin(serverUrl, async (sql) => {
    await sql`SELECT pg_advisory_lock(hashtextextended('status-page:template', 0))`
    const rows = await sql<{ datname: string }[]>`
      SELECT datname FROM pg_database WHERE datname LIKE 'sp\\_%' ORDER BY datname DESC`
    const names = rows.map(({ datname }) => datname)
    const existing = names.find(
      (name) => name.startsWith('sp_template_') && name.endsWith(`_${suffix}`),
    )
    if (existing !== undefined) return existing
    await clearLeftovers(sql, names)
    return buildTemplate(sql, serverUrl, services, suffix)
  })
}

/**
 * Builds the template under another name and renames it, so that it is either complete or absent.
 */
const buildTemplate = async (
  sql: postgres.ReservedSql,
  serverUrl: string,
  services: readonly ServiceMigrations[],
  suffix: string,
) => {
  const building = databaseName('building')
  const template = databaseName('template', suffix)
  await sql.unsafe(`CREATE DATABASE ${building}`)
  try {
    await migrateAll({
      adminUrl: urlOf(serverUrl, building),
      services,
      installationId: INSTALLATION_ID,
    })
    await sql.unsafe(`ALTER DATABASE ${building} RENAME TO ${template}`)
    return template
  } catch (error) {
    await sql.unsafe(`DROP DATABASE IF EXISTS ${building} WITH (FORCE)`)
    throw error
  }
}

const clearLeftovers = async (sql: postgres.ReservedSql, names: readonly string[]) => {
  const oldest = Date.now() - LEFTOVER_AGE_MS
  for (const name of names) {
    const made = Number.parseInt(name.split('_')[2] ?? '', 36)
    if (made < oldest) await sql.unsafe(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`)
  }
}
