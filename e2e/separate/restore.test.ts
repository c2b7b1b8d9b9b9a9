/**
 * Restore of a backup on another server, with the NATS store of the lost one: sent notifications are
 * not repeated, a delivery that was being sent is sent, and new events arrive.
 */
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type StackOptions, startStack } from '@status-page/infra/local'
import { eventually, installedPostgres, installedServer, smtpSink } from '@status-page/testing'
import postgres from 'postgres'
import t, { type Test } from 'tap'
import { apiOf } from '../kit/api.ts'
import { assertDelivered, assertIdle } from '../kit/delivery-ledger.ts'
import { createScenario } from '../kit/tenant.ts'
import type { World } from '../kit/world.ts'

const KEY = 'a'.repeat(32)
const DELIVERED_WITHIN_MS = 90_000
const script = fileURLToPath(import.meta.resolve('@status-page/infra/backup'))
const programs = await installedPostgres()

const runScript = (command: string, folder: string, databaseUrl: string) => {
  const env = {
    PATH: `${programs}:${process.env.PATH}`,
    DATABASE_URL: databaseUrl,
    ENCRYPTION_KEY: KEY,
  }
  const { status, stderr } = spawnSync('sh', [script, command, folder], { env, encoding: 'utf8' })
  if (status !== 0) throw new Error(stderr)
}

const smtp = await smtpSink(t)
const dataDir = t.testdir()
const since = new Date()

/** Starts the installation of this data folder with a database. */
const start = async (t: Test, options: Pick<StackOptions, 'databaseUrl' | 'port'>) => {
  const env = {
    SMTP_URL: smtp.url,
    ENCRYPTION_KEY: KEY,
    BUS_INTERVAL_PERCENT: '25',
    OUTBOUND_ALLOW_CIDRS: '127.0.0.0/8',
    RATE_LIMIT_MULTIPLIER: '1000',
  }
  const stack = await startStack({
    ...options,
    dataDir: join(dataDir, 'installation'),
    autoRestart: false,
    log: () => {},
    env,
  })
  const admin = postgres(stack.adminUrl, { max: 2, onnotice: () => {} })
  t.teardown(async () => {
    await admin.end({ timeout: 1 })
    await stack.abort()
  })
  const world: World = { stack, admin, smtp, lines: [], env, api: apiOf(stack.baseUrl), since }
  return world
}

const skip = programs === null ? 'this machine has no pg_dump with its server' : false
t.test('restored on another server while NATS has its old store', { skip }, async (t) => {
  const lost = await installedServer(t, programs ?? '')
  const spare = await installedServer(t, programs ?? '')
  const backup = join(dataDir, 'backup')

  const before = await start(t, { databaseUrl: lost })
  const scenario = await createScenario(t, before, { name: 'restored' })
  const incident = await scenario.open('Before the backup')
  await scenario.allDelivered()
  const release = scenario.hook.pauseResponses()
  await scenario.move(incident, 'identified')
  await eventually(() => scenario.hook.received().length === 2 && scenario.mails().length === 2)
  runScript('create', backup, lost)
  const expectedBefore = [...scenario.expectedMessages]
  await scenario.open('After the backup')
  await eventually(() => scenario.mails().length === 3)
  await before.stack.abort()
  release()
  const { length: mailCount } = scenario.mails()

  runScript('restore', backup, spare)
  await expireLeases(spare)
  const port = Number(new URL(before.stack.baseUrl).port)
  const after = await start(t, { databaseUrl: spare, port })
  t.equal(await scenario.findIncident('After the backup'), undefined)
  scenario.expectedMessages.splice(0, Infinity, ...expectedBefore)
  const restored = await scenario.findIncident('Before the backup')
  t.equal(restored?.status, 'identified')
  await scenario.move(incident, 'resolved')
  await scenario.open('After the restore')
  await scenario.allDelivered(DELIVERED_WITHIN_MS)
  await assertIdle(t, after)
  assertDelivered(t, scenario.expectedMessages, scenario.hook.received(), { repeats: 1 })
  t.equal(scenario.mails().length, mailCount + 2, 'no sent mail is repeated')
})

/** Ends the leases of the backup, which are shorter than any other restore. */
const expireLeases = async (databaseUrl: string) => {
  const sql = postgres(databaseUrl, { max: 1 })
  await sql`UPDATE notifier.deliveries SET lease_until = now() WHERE state = 'sending'`
  await sql.end()
}
