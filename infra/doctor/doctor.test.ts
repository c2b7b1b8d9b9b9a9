/** The doctor names the fault of each dependency and its remedy, and never prints a secret. */
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type ServiceName, services } from '@status-page/contracts'
import {
  embeddedServer,
  httpTarget,
  selfSignedCertificate,
  smtpSink,
  tcpTarget,
  testDatabase,
} from '@status-page/testing'
import postgres from 'postgres'
import t from 'tap'
import { checkDisks } from './disk.ts'
import type { CheckName, Finding } from './finding.ts'
import { examine } from './run.ts'
import { readSettings, type Settings } from './settings.ts'

const DAY_MS = 24 * 60 * 60 * 1000
const CLOSED = '127.0.0.1:1'
const root = fileURLToPath(new URL('../..', import.meta.url))
const migrationsOf = (service: ServiceName) => join(root, 'services', service, 'migrations')

const examined = (settings: Settings) => examine({ settings, migrationsOf })
const findingOf = (findings: readonly Finding[], check: CheckName) =>
  findings.find((finding) => finding.check === check)

t.test('an installation without faults, as the role of a service', async (t) => {
  const { url } = await testDatabase(t, { services })
  const findings = await examined({ DATABASE_URL: url('notifier') })
  for (const check of ['postgres', 'roles', 'clock'] as const) {
    t.match(findingOf(findings, check), { status: 'ok' }, check)
  }
  t.match(findingOf(findings, 'replication'), { status: 'skipped' })
  t.notOk(findings.some(({ status }) => status === 'failed'))
})

t.test('faults of Postgres: absent, without response, standby, empty, read-only', async (t) => {
  const absent = await examined({ DATABASE_URL: `postgres://u:hidden-word@${CLOSED}/x` })
  t.match(findingOf(absent, 'postgres'), { status: 'failed', message: /ECONNREFUSED/ })
  t.match(findingOf(absent, 'roles'), { status: 'skipped' })
  t.notMatch(JSON.stringify(absent), /hidden-word/)
  const silent = await tcpTarget(t)
  const hanging = await examined({ DATABASE_URL: `postgres://u:p@127.0.0.1:${silent.port}/x` })
  t.match(findingOf(hanging, 'postgres'), { status: 'failed', remedy: /firewall/ })

  const standby = await embeddedServer(t, { isStandby: true })
  const onStandby = await examined({ DATABASE_URL: standby.url })
  t.match(findingOf(onStandby, 'postgres'), { status: 'failed', message: /is a standby/ })
  t.match(findingOf(onStandby, 'replication'), { status: 'skipped' })

  const empty = await embeddedServer(t)
  const onEmpty = await examined({ DATABASE_URL: empty.url, DATABASE_ROLE_PREFIX: 'absent_' })
  t.match(findingOf(onEmpty, 'roles'), { status: 'failed', message: /absent_gateway/ })
  const sql = postgres(empty.url, { max: 1 })
  t.teardown(() => sql.end())
  await sql`ALTER SYSTEM SET default_transaction_read_only = on`
  await sql`ALTER SYSTEM SET synchronous_standby_names = 'absent'`
  await sql`SELECT pg_reload_conf()`
  const readOnly = await examined({ DATABASE_URL: empty.url })
  t.match(findingOf(readOnly, 'postgres'), { status: 'failed', message: /read-only/ })
  t.match(findingOf(readOnly, 'replication'), { status: 'failed', message: /Commits wait/ })
})

t.test('a role that bypasses row-level security, and a schema that is not migrated', async (t) => {
  const { adminUrl } = await testDatabase(t, { services: ['core'] })
  const sql = postgres(adminUrl, { max: 1 })
  t.teardown(() => sql.end())
  const names = services.map((name) => `privileged_${name.replaceAll('-', '_')}`)
  const all = names.flatMap((name) => [name, `${name}_due`, `${name}_lookup`])
  t.teardown(async () => {
    const admin = postgres(adminUrl, { max: 1 })
    for (const name of all) await admin`DROP ROLE IF EXISTS ${admin(name)}`
    await admin.end()
  })
  for (const name of all) await sql`CREATE ROLE ${sql(name)} LOGIN`
  await sql`ALTER ROLE privileged_core BYPASSRLS`
  const settings = { DATABASE_URL: adminUrl, DATABASE_ROLE_PREFIX: 'privileged_' }
  const roles = (await examined(settings)).filter(({ check }) => check === 'roles')
  t.match(roles[0], {
    status: 'failed',
    message: /privileged_core bypasses/,
    remedy: /NOBYPASSRLS/,
  })
  t.ok(roles.some(({ message }) => message.startsWith('The schema notifier is not migrated')))
  t.notOk(roles.some(({ message }) => message.includes('schema core')))
})

t.test('mail: accepted, refused login, absent server', async (t) => {
  const replies = {
    auth: (_user: string, password: string) => (password === 'right' ? null : '535 no'),
  }
  const { port } = await smtpSink(t, { replies })
  const check = async (SMTP_URL: string) =>
    findingOf(await examined({ SMTP_URL, BASE_URL: 'http://127.0.0.1' }), 'smtp')
  t.match(await check(`smtp://me:right@127.0.0.1:${port}`), { status: 'ok' })
  const refused = await check(`smtp://me:wrong-word@127.0.0.1:${port}`)
  t.match(refused, { status: 'failed', message: /refuses the login/ })
  t.notMatch(refused?.message, /wrong-word/)
  t.match(await check(`smtp://${CLOSED}`), { status: 'failed', message: /ECONNREFUSED/ })
  t.match(await check('http://127.0.0.1'), { status: 'failed', remedy: /smtp\[s\]/ })
})

t.test('TLS: expired, unknown authority, no server', async (t) => {
  const check = async (BASE_URL: string) => findingOf(await examined({ BASE_URL }), 'tls')
  const expired = selfSignedCertificate(['127.0.0.1'], new Date(Date.now() - DAY_MS))
  const old = await httpTarget(t, {}, expired)
  t.match(await check(old.url), { status: 'failed', message: /expired/, remedy: /Renew/ })
  const unknown = await httpTarget(t, {}, selfSignedCertificate(['127.0.0.1']))
  t.match(await check(unknown.url), { status: 'failed', message: /does not verify/ })
  t.match(await check(`https://${CLOSED}`), { status: 'failed', message: /handshake/ })
  t.match(await check('http://status.invalid'), { status: 'warning' })
})

t.test('DNS and NATS: a name that does not exist, a server that does not run', async (t) => {
  const settings = { NATS_URL: 'nats://core:hidden-word@nats.invalid:4222' }
  const findings = await examined(settings)
  t.match(findingOf(findings, 'dns'), { status: 'failed', message: /^nats\.invalid does not/ })
  t.match(findingOf(findings, 'nats'), { status: 'failed', remedy: /NATS_URL/ })
  t.notMatch(JSON.stringify(findings), /hidden-word/)
})

t.test('the clock of another machine is compared', async (t) => {
  const date = new Date(Date.now() - 600_000).toUTCString()
  const { url } = await httpTarget(t, { headers: { date } })
  const finding = findingOf(await examined({ BASE_URL: url }), 'clock')
  t.match(finding, { status: 'failed', message: /\d s ahead of that of BASE_URL/, remedy: /NTP/ })
})

t.test('disk: an absent folder, and one that is not writable', async (t) => {
  const [absent] = await checkDisks({ MAIL_DIR: join(t.testdir(), 'absent') })
  t.match(absent, { status: 'failed', remedy: /Create/ })
  const [full] = await checkDisks({ MAIL_DIR: '/proc' })
  t.match(full, { status: 'failed', message: /^\/proc cannot be written/ })
})

t.test('the command prints JSON without secrets and exits with 1 on a failure', (t) => {
  const env = { PATH: process.env.PATH, DATABASE_URL: `postgres://u:hidden%2Dword@${CLOSED}/x` }
  const run = (...parameters: string[]) =>
    spawnSync(
      process.execPath,
      ['--no-warnings', join(root, 'infra/doctor/main.ts'), ...parameters],
      {
        env,
        encoding: 'utf8',
      },
    )
  const { status, stdout, stderr } = run('--json')
  t.equal(status, 1, stderr)
  t.equal(JSON.parse(stdout).status, 'failed')
  t.notMatch(stdout, /hidden/)
  t.match(run('--unknown'), { status: 64, stderr: /Usage/ })
  t.end()
})

t.test('a setting from a file that does not exist is named', (t) => {
  t.throws(() => readSettings({ SMTP_URL_FILE: '/absent' }), { message: /SMTP_URL_FILE/ })
  t.end()
})
