/** Backup and restore: the schema is the same on another server, and wrong inputs change nothing. */
import { spawnSync } from 'node:child_process'
import { appendFileSync, existsSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { services } from '@status-page/contracts'
import { migrateAll } from '@status-page/postgres'
import { installedPostgres, installedServer } from '@status-page/testing'
import postgres from 'postgres'
import t from 'tap'

const programs = await installedPostgres()
const skip = programs === null ? 'this machine has no pg_dump with its server' : false
const script = fileURLToPath(new URL('backup.sh', import.meta.url))
const KEY = 'k'.repeat(32)
const OTHER_KEY = 'o'.repeat(32)

type Environment = Record<string, string>

const run = (command: string, folder: string, environment: Environment) => {
  const env = { PATH: `${programs}:${process.env.PATH}`, ENCRYPTION_KEY: KEY, ...environment }
  const { status, stdout, stderr } = spawnSync('sh', [script, command, folder], {
    env,
    encoding: 'utf8',
  })
  return { status, output: `${stdout}${stderr}` }
}

const migrate = (adminUrl: string) =>
  migrateAll({
    adminUrl,
    services: services.map((name) => ({
      name,
      folder: fileURLToPath(new URL(`../../services/${name}/migrations`, import.meta.url)),
      password: `test-${name}`,
    })),
  })

const databaseOn = async (serverUrl: string, name: string): Promise<string> => {
  await withAdmin(serverUrl, (sql) => sql.unsafe(`CREATE DATABASE ${name}`))
  return serverUrl.replace(/\/postgres$/, `/${name}`)
}

const withAdmin = async <T>(url: string, work: (sql: postgres.Sql) => Promise<T>): Promise<T> => {
  const sql = postgres(url, { max: 1, onnotice: () => {} })
  try {
    return await work(sql)
  } finally {
    await sql.end()
  }
}

/**
 * Schema with owners, grants and policies, without what differs between two dumps: a random key, and
 * parentheses of conditions.
 */
const schemaOf = (url: string): string =>
  spawnSync(join(programs ?? '', 'pg_dump'), ['--schema-only', '-d', url], {
    encoding: 'utf8',
  })
    .stdout.replace(/^\\(un)?restrict .*$/gm, '')
    .replace(/[()]/g, '')

t.test('backup and restore', { skip }, async (t) => {
  const source = await databaseOn(await installedServer(t, programs ?? ''), 'source')
  const target = await installedServer(t, programs ?? '')
  const empty = new URL(await installedServer(t, programs ?? ''))
  const backup = join(t.testdir(), 'backup')
  await migrate(source)
  await withAdmin(source, async (sql) => {
    await sql`INSERT INTO core.bus_epoch (stream, created) VALUES ('EVENTS', now())`
    await sql`INSERT INTO core.inbox (consumer, event_id) VALUES ('a', gen_random_uuid())`
  })
  const create = run('create', backup, { DATABASE_URL: source })
  t.equal(create.status, 0, create.output)

  t.test('a backup is readable by its owner alone and contains no secret', async (t) => {
    for (const name of [...readdirSync(backup), '.']) {
      t.equal(statSync(join(backup, name)).mode & 0o077, 0, name)
    }
    t.equal(spawnSync('grep', ['-rq', '-e', KEY, '-e', 'SCRAM-SHA', backup]).status, 1)
  })

  t.test(
    'on another server, schema, roles and rows are the same after the migration',
    async (t) => {
      const restored = await databaseOn(target, 'restored')
      const restore = run('restore', backup, { DATABASE_URL: restored })
      t.equal(restore.status, 0, restore.output)
      await migrate(restored)
      t.equal(schemaOf(restored), schemaOf(source))
      const rows = await withAdmin(restored, (sql) => sql`SELECT consumer FROM core.inbox`)
      t.same(rows, [{ consumer: 'a' }])
      const epochs = await withAdmin(restored, (sql) => sql`SELECT FROM core.bus_epoch`)
      t.equal(epochs.length, 0, 'open events are published again')
      const again = run('restore', backup, { DATABASE_URL: restored })
      t.match(again, { status: 1, output: /is not empty/ })
    },
  )

  t.test('another key, a changed dump and missing settings are refused', async (t) => {
    const stillEmpty = await databaseOn(target, 'still_empty')
    const cases: [RegExp, Environment][] = [
      [/ENCRYPTION_KEY is not the key of this backup/, { ENCRYPTION_KEY: OTHER_KEY }],
      [/ENCRYPTION_KEY is not set/, { ENCRYPTION_KEY: '' }],
      [/DATABASE_URL is not set/, { DATABASE_URL: '' }],
      [/escaped characters/, { DATABASE_URL: 'postgres://u:p%40x@127.0.0.1:1/x' }],
    ]
    for (const [output, environment] of cases) {
      const result = run('restore', backup, { DATABASE_URL: stillEmpty, ...environment })
      t.match(result, { status: 1, output })
    }
    const previous = { ENCRYPTION_KEY: OTHER_KEY, ENCRYPTION_KEY_PREVIOUS: KEY }
    t.equal(run('verify', backup, previous).status, 0, 'the key may have become the previous one')
    appendFileSync(join(backup, 'database.dump'), 'x')
    const changed = run('restore', backup, { DATABASE_URL: stillEmpty })
    t.match(changed, { status: 1, output: /database.dump is incomplete or was changed/ })
    const schemas = await withAdmin(
      stillEmpty,
      (sql) => sql`SELECT FROM pg_namespace WHERE nspname = 'core'`,
    )
    t.equal(schemas.length, 0, 'nothing was restored')
  })

  t.test('roles with the least rights migrate, back up and restore', async (t) => {
    const sql = fileURLToPath(new URL('administrator.sql', import.meta.url))
    const passwords = ['-v', 'migration_password=migrate', '-v', 'backup_password=back up']
    const variables = ['-v', 'ON_ERROR_STOP=1', '-v', 'database=least', ...passwords]
    const psql = join(programs ?? '', 'psql')
    const { status, stderr } = spawnSync(psql, ['-d', empty.href, ...variables, '-f', sql], {
      encoding: 'utf8',
    })
    t.equal(status, 0, stderr)
    const urlOf = (username: string, password: string) =>
      Object.assign(new URL(empty), { pathname: '/least', username, password }).href
    await migrate(urlOf('status_page_admin', 'migrate'))
    const url = urlOf('status_page_backup', '')
    const least = join(t.testdir(), 'least')
    const create = run('create', least, { DATABASE_URL: url, PGPASSWORD: 'back up' })
    t.equal(create.status, 0, create.output)
    await withAdmin(empty.href, async (sql) => {
      await sql`CREATE DATABASE restored`
      await sql`GRANT CREATE ON DATABASE restored TO status_page_admin`
    })
    const restored = urlOf('status_page_admin', 'migrate').replace('/least', '/restored')
    const restore = run('restore', least, { DATABASE_URL: restored })
    t.equal(restore.status, 0, restore.output)
    await migrate(restored)
    const reader = urlOf('status_page_backup', 'back up')
    await t.rejects(withAdmin(reader, (sql) => sql`DELETE FROM core.inbox`))
  })

  t.test(
    'a failed backup leaves no folder, and an existing one is never overwritten',
    async (t) => {
      const other = join(t.testdir(), 'other')
      const noInstallation = await databaseOn(target, 'no_installation')
      const failed = run('create', other, { DATABASE_URL: noInstallation })
      t.match(failed, { status: 1, output: /contains no installation/ })
      t.notOk(existsSync(other))
      const existing = run('create', backup, { DATABASE_URL: source })
      t.match(existing, { status: 1, output: /must be new/ })
      t.ok(existsSync(join(backup, 'manifest')))
    },
  )
})
