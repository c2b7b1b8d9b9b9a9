import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { services as allServices } from '@status-page/contracts'
import { embeddedServer, tenantProblems, testDatabase } from '@status-page/testing'
import postgres from 'postgres'
import t from 'tap'
import { asWorker, connect, migrateAll, serviceUrl } from './index.ts'
import { expandTenantDirectives, readMigrations } from './migrations.ts'

const password = 'test-core'
const servicesFolder = fileURLToPath(new URL('../../../services', import.meta.url))

/** Database with the shared tables, and a folder of migrations for core. */
const setting = async (t: { teardown(work: () => unknown): void }) => {
  const { adminUrl, connect: open } = await testDatabase(t, {
    services: ['core'],
    folders: { core: join(tmpdir(), 'none') },
  })
  const folder = await mkdtemp(join(tmpdir(), 'migrations-'))
  t.teardown(() => rm(folder, { recursive: true }))
  return {
    adminUrl,
    folder,
    core: await open('core'),
    file: (name: string, text: string) => writeFile(join(folder, name), text),
    remove: (name: string) => rm(join(folder, name)),
    migrate: () => migrateAll({ adminUrl, services: [{ name: 'core', folder, password }] }),
  }
}

t.test('migrations run once, in the order of their numbers', async (t) => {
  const { file, migrate, core } = await setting(t)
  await file('0002_second.sql', 'ALTER TABLE lines ADD COLUMN text text')
  await file('0001_first.sql', 'CREATE TABLE lines (id int)')
  await migrate()
  await migrate()
  await core.batchSql`INSERT INTO lines VALUES (1, 'usable by the service')`
  t.equal((await core.batchSql`SELECT FROM schema_migration WHERE name LIKE '0%'`).count, 2)
})

t.test('two runners at once apply each migration once', async (t) => {
  const { file, migrate, core } = await setting(t)
  await file('0001_first.sql', 'CREATE TABLE lines (id int); INSERT INTO lines VALUES (1)')
  await Promise.all([migrate(), migrate(), migrate()])
  t.equal((await core.batchSql`SELECT FROM lines`).count, 1)
})

t.test('an edited migration is rejected', async (t) => {
  const { file, migrate } = await setting(t)
  await file('0001_first.sql', 'CREATE TABLE lines (id int)')
  await migrate()
  await file('0001_first.sql', 'CREATE TABLE lines (id bigint)')
  await t.rejects(migrate(), /0001_first of core was edited/)
})

t.test('a failing migration leaves nothing behind', async (t) => {
  const { file, migrate, core } = await setting(t)
  await file('0001_first.sql', 'CREATE TABLE lines (id int); SELECT 1 / 0')
  await t.rejects(migrate(), /0001_first of core failed/)
  const [row] = await core.batchSql<
    { found: string | null }[]
  >`SELECT to_regclass('lines') AS found`
  t.equal(row?.found, null)
  await file('0001_first.sql', 'CREATE TABLE lines (id int)')
  await migrate()
})

t.test('older code runs with a newer schema unless it is breaking', async (t) => {
  const { file, remove, migrate } = await setting(t)
  await file('0001_first.sql', 'CREATE TABLE lines (id int)')
  await file('0002_added.sql', 'ALTER TABLE lines ADD COLUMN text text')
  await migrate()
  await remove('0002_added.sql')
  await migrate()

  await file('0002_added.sql', 'ALTER TABLE lines ADD COLUMN text text')
  await file('0003_dropped.sql', '-- breaking\nALTER TABLE lines DROP COLUMN text')
  await migrate()
  await remove('0003_dropped.sql')
  await t.rejects(migrate(), /core is newer than this code: it has 0003_dropped/)
})

t.test('code that no longer uses what a breaking migration removes runs with it', async (t) => {
  const { file, remove, migrate } = await setting(t)
  await file('0001_first.sql', 'CREATE TABLE lines (id int, text text)')
  await file('0002_unused.sql', 'ALTER TABLE lines ALTER COLUMN text SET DEFAULT NULL')
  await file('0003_dropped.sql', '-- breaking 0002_unused\nALTER TABLE lines DROP COLUMN text')
  await migrate()
  await remove('0003_dropped.sql')
  await migrate()
  await remove('0002_unused.sql')
  await t.rejects(migrate(), /core is newer than this code: it has 0003_dropped/)
})

t.test('a breaking migration names an earlier one', async (t) => {
  const { file, folder } = await setting(t)
  await file('0001_first.sql', '-- breaking 0002_second')
  await file('0002_second.sql', '')
  await t.rejects(readMigrations(folder), /requires 0002_second, which is no earlier migration/)
  await file('0001_first.sql', '-- breaking changes are described here')
  t.match(await readMigrations(folder), [{ requires: null }, { requires: null }])
})

t.test('names and numbers of migrations are checked', async (t) => {
  const { file, remove, folder } = await setting(t)
  await file('0001_first.sql', '')
  await file('0001_again.sql', '')
  await t.rejects(readMigrations(folder), /number 0001/)
  await remove('0001_again.sql')
  await file('0002 bad.sql', '')
  await t.rejects(readMigrations(folder), /NNNN_name/)
  t.same(await readMigrations(join(folder, 'absent')), [])
})

t.test('a tenant line becomes forced row-level security', (t) => {
  const text = expandTenantDirectives('CREATE TABLE a ();\n-- tenant a\n-- tenants are many\n')
  t.match(text, /ALTER TABLE a ENABLE ROW LEVEL SECURITY;\nALTER TABLE a FORCE/)
  t.match(text, /USING \(organization_id = .*\) WITH CHECK \(organization_id = /)
  t.match(text, /-- tenants are many/, 'other comments stay')
  t.end()
})

t.test(
  'a service can neither define nor reach beyond its schema and the three views',
  async (t) => {
    const { core } = await setting(t)
    const refused = [
      'CREATE TABLE core.mine (id int)',
      'ALTER TABLE outbox ADD COLUMN mine int',
      'DROP TABLE outbox',
      'CREATE TABLE public.mine (id int)',
      'SELECT * FROM notifier.outbox',
      'SELECT * FROM notifier.inbox',
      'DELETE FROM notifier.outbox_feed',
      'SET ROLE status_page_notifier',
      'SET ROLE status_page_notifier_due',
      'SET ROLE status_page_migrator',
      "INSERT INTO schema_migration VALUES ('x', 'x', null)",
    ]
    for (const statement of refused) {
      await t.rejects(core.batchSql.unsafe(statement), { code: '42501' }, statement)
    }
    for (const view of ['outbox_feed', 'consumers', 'receipts']) {
      await core.batchSql.unsafe(`SELECT * FROM notifier.${view}`)
    }
  },
)

t.test('a role that may create roles and owns the database is enough', async (t) => {
  const server = await embeddedServer(t)
  const root = postgres(server.url, { max: 1, onnotice: () => {} })
  await root.unsafe(`CREATE ROLE installer LOGIN CREATEROLE PASSWORD 'p'`)
  await root.unsafe('CREATE DATABASE status OWNER installer')
  await root.end()
  const url = new URL(server.url)
  Object.assign(url, { username: 'installer', password: 'p', pathname: '/status' })

  const services = [{ name: 'core', folder: join(tmpdir(), 'none'), password } as const]
  await migrateAll({ adminUrl: url.href, services })
  await migrateAll({ adminUrl: url.href, services })
  const core = await connect({ url: serviceUrl(url.href, 'core', password), service: 'core' })
  t.equal((await core.batchSql`SELECT FROM notifier.consumers`).count, 0)
  await core.close()
  const [first, ...others] = await Promise.all(
    ['core', 'monitor'].map((schema) => tenantProblems(url.href, schema)),
  )
  t.same([first, ...others], [[], []])
})

t.test('two installations on one server share no role and touch no role of another', async (t) => {
  const server = await embeddedServer(t)
  const root = postgres(server.url, { max: 1, onnotice: () => {} })
  t.teardown(() => root.end())
  await root.unsafe(`CREATE ROLE core LOGIN PASSWORD 'of another application'`)
  const passwordsOf = async () =>
    root`SELECT a.rolname, a.rolpassword, r.rolconfig
      FROM pg_authid a JOIN pg_roles r ON r.oid = a.oid ORDER BY a.rolname`
  const urlOf = (name: string) => Object.assign(new URL(server.url), { pathname: `/${name}` }).href
  const install = async (name: string, rolePrefix?: string) => {
    const services = allServices.map((service) => ({
      name: service,
      folder: join(servicesFolder, service, 'migrations'),
      password: `${name}-${service}`,
    }))
    await migrateAll({ adminUrl: urlOf(name), services, rolePrefix })
  }
  for (const name of ['one', 'two', 'three']) await root.unsafe(`CREATE DATABASE ${name}`)
  await install('one')
  const before = await passwordsOf()
  await t.rejects(install('two'), /Role status_page_migrator exists .* set DATABASE_ROLE_PREFIX/)
  t.same(await passwordsOf(), before, 'a refused migration alters nothing')
  await install('two', 'second_')
  await install('one')
  await install('two', 'second_')
  const remaining = (await passwordsOf()).filter(({ rolname }) => !rolname.startsWith('second_'))
  t.same(
    remaining.map(({ rolname, rolconfig }) => [rolname, rolconfig]),
    before.map(({ rolname, rolconfig }) => [rolname, rolconfig]),
  )
  t.same(
    remaining.find(({ rolname }) => rolname === 'core'),
    before.find(({ rolname }) => rolname === 'core'),
    'the role of another application stays as it was',
  )
  for (const [name, prefix] of [
    ['one', undefined],
    ['two', 'second_'],
  ] as const) {
    const url = serviceUrl(urlOf(name), 'core', `${name}-core`, prefix)
    const core = await connect({ url, service: 'core' })
    await asWorker(core, async ({ tx }) => void (await tx.execute('SELECT 1')))
    await core.close()
  }
  const foreign = serviceUrl(urlOf('two'), 'core', 'one-core')
  const intruder = await connect({ url: foreign, service: 'core' })
  await t.rejects(intruder.batchSql`SELECT FROM core.components`, { code: '42501' })
  await intruder.close()
  for (const prefix of ['Upper_', 'pg_mine_', 'a b', 'x'.repeat(41)]) {
    await t.rejects(install('three', prefix), /DATABASE_ROLE_PREFIX must be/)
  }
  const unprefixed = await root`SELECT rolname FROM pg_roles WHERE rolname NOT LIKE 'pg\\_%'
    AND rolname NOT LIKE 'status\\_page\\_%' AND rolname NOT LIKE 'second\\_%' ORDER BY 1`
  t.same(
    unprefixed.map(({ rolname }) => rolname),
    ['core', 'postgres'],
  )
})

t.test('the URL of a service has the same server, database and settings', (t) => {
  const url = serviceUrl(
    'postgres://root:x@db:5432/status?sslmode=verify-full',
    'config-sync',
    'a/b',
  )
  t.equal(url, 'postgres://status_page_config_sync:a%2Fb@db:5432/status?sslmode=verify-full')
  t.end()
})

t.test('an unreachable server is 503 with Retry-After', async (t) => {
  const gone = connect({ url: 'postgres://core:x@127.0.0.1:1/none', service: 'core' })
  await t.rejects(gone, { code: 'SERVICE_UNAVAILABLE', headers: { 'retry-after': '2' } })
})
