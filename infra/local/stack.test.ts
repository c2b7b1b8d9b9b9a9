/**
 * Guarantees of the local stack about processes and data; the services are stubs that only listen.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { databaseSchemaOf, services } from '@status-page/contracts'
import { copyInstallation } from '@status-page/testing'
import postgres from 'postgres'
import t, { type Test } from 'tap'
import { removeFolder } from './data-folder.ts'
import { freePort } from './ports.ts'
import { processStartTime } from './process-identity.ts'
import { type Stack, type StackOptions, startStack } from './stack.ts'

const stubService = `
import { createServer } from 'node:http'
const server = createServer((request, response) => {
  if (request.url === '/crash') process.exit(3)
  response.end(JSON.stringify(process.env))
})
server.listen(Number(process.env.PORT), process.env.HOST)
process.on('SIGTERM', () => {
  server.close(() => process.exit(0))
  server.closeAllConnections()
})
`

const supervisor = `
import { startStack } from ${JSON.stringify(import.meta.resolve('./stack.ts'))}
const [dataDir, servicesFolder] = process.argv.slice(2)
const stack = await startStack({
  dataDir,
  servicesFolder,
  services: ['core'],
  disposable: true,
  log() {},
})
const pids = [stack.processes.core.pid, stack.postgres.pid, stack.nats?.pid]
console.log(JSON.stringify({ pids, adminUrl: stack.adminUrl }))
`

interface StackFolders {
  dataDir: string
  servicesFolder: string
}

/** Folders of a stack that has not run. */
function newFolders(t: Test): StackFolders {
  const folder = mkdtempSync(join(tmpdir(), 'status-page-stack-'))
  // Postgres started by root runs as another user, which needs to traverse the folder.
  chmodSync(folder, 0o711)
  // Not a tap fixture: children of a killed Postgres may still write, and tap does not retry.
  t.teardown(() => removeFolder(folder))
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}')
  for (const name of services) {
    mkdirSync(join(folder, 'services', name, 'src'), { recursive: true })
    writeFileSync(join(folder, 'services', name, 'src/main.ts'), stubService)
  }
  return { dataDir: join(folder, 'data'), servicesFolder: `${join(folder, 'services')}/` }
}

/** Folders of a stack that has run, as far as the test run has one to copy. */
async function usedFolders(t: Test): Promise<StackFolders> {
  const folders = newFolders(t)
  await copyInstallation(folders.dataDir)
  return folders
}

async function start(t: Test, options: Partial<StackOptions> & StackFolders): Promise<Stack> {
  const stack = await startStack({ disposable: true, log() {}, ...options })
  t.teardown(() => stack.abort())
  return stack
}

async function environmentOf(origin: string): Promise<Record<string, string>> {
  const response = await fetch(origin)
  return (await response.json()) as Record<string, string>
}

function running(pids: (number | undefined)[]): number[] {
  return pids.filter((pid) => pid !== undefined && processStartTime(pid) !== null) as number[]
}

async function eventually(t: Test, message: string, isTrue: () => boolean): Promise<void> {
  const deadline = performance.now() + 20_000
  while (!isTrue() && performance.now() < deadline) await delay(50)
  t.ok(isTrue(), message)
}

t.test('all six services start, each with its own secrets only', async (t) => {
  const stack = await start(t, newFolders(t))
  for (const name of services) {
    const environment = await environmentOf(stack.processes[name].origin)
    t.ok(
      environment.DATABASE_URL?.startsWith(`postgres://status_page_${databaseSchemaOf(name)}:`),
      name,
    )
    t.equal('CALLER_PRIVATE_KEY' in environment, ['gateway', 'core', 'config-sync'].includes(name))
    t.equal('SESSION_SECRET' in environment, name === 'gateway')
    t.equal('MAIL_DIR' in environment, name === 'notifier')
  }
})

t.test(
  'a service without tables of its own still has its role and the shared tables',
  async (t) => {
    const stack = await start(t, { ...newFolders(t), services: ['integrations'] })
    const { DATABASE_URL } = await environmentOf(stack.processes.integrations.origin)
    const sql = postgres(DATABASE_URL ?? '', { max: 1 })
    t.teardown(() => sql.end())
    t.same(await sql`SELECT count(*)::int AS open FROM integrations.outbox`, [{ open: 0 }])
    t.same(
      await sql`SHOW dynamic_shared_memory_type`,
      [{ dynamic_shared_memory_type: 'mmap' }],
      'a killed server leaves no shared memory outside of its folder',
    )
  },
)

t.test('a crashed service is restarted, the others are unaffected', async (t) => {
  const lines: string[] = []
  const stack = await start(t, { ...(await usedFolders(t)), log: (line) => lines.push(line) })
  const { core, monitor } = stack.processes
  const before = { core: core.pid, monitor: monitor.pid }
  await fetch(`${core.origin}/crash`).catch(() => {})
  await eventually(t, 'another core', () => core.pid !== undefined && core.pid !== before.core)
  await core.waitReady()
  t.equal(monitor.pid, before.monitor)
  t.match(lines, [/^core ended \(exit code 3\); restarting it in 0\.5 s$/])
  await stack.postgres?.kill()
  await stack.postgres?.waitReady()
  t.pass('Postgres is restarted, too')
})

t.test(
  'without automatic restart a killed process stays down until `restart` is called',
  async (t) => {
    const stack = await start(t, {
      ...(await usedFolders(t)),
      services: ['core'],
      autoRestart: false,
    })
    const { core } = stack.processes
    await core.kill()
    await delay(700)
    t.equal(core.pid, undefined)
    await core.restart({ FAULT_POINT: 'here' })
    await core.waitReady()
    t.match(await environmentOf(core.origin), { FAULT_POINT: 'here' })
  },
)

t.test('stop ends every process, also one that SIGSTOP has paused', async (t) => {
  const stack = await start(t, await usedFolders(t))
  const pids = [
    ...services.map((name) => stack.processes[name].pid),
    stack.postgres?.pid,
    stack.nats?.pid,
  ]
  await stack.processes.core.kill('SIGSTOP')
  t.equal(running(pids).length, pids.filter(Boolean).length)
  await stack.stop()
  t.same(running(pids), [])
})

t.test(
  'kill -9 of the supervisor leaves no process, and the next start finds the data',
  async (t) => {
    const { dataDir, servicesFolder } = await usedFolders(t)
    const program = join(servicesFolder, 'supervisor.ts')
    writeFileSync(program, supervisor)
    const child = spawn(process.execPath, ['--no-warnings', program, dataDir, servicesFolder])
    t.teardown(() => child.kill('SIGKILL'))
    const { pids, adminUrl } = JSON.parse(await firstLine(child))
    await query(adminUrl, 'create table retained as select 42 as answer')
    child.kill('SIGKILL')
    await once(child, 'exit')
    const stack = await start(t, { dataDir, servicesFolder, services: ['core'] })
    await eventually(t, 'the previous processes are gone', () => running(pids).length === 0)
    t.same(await query(stack.adminUrl, 'select answer from retained'), [{ answer: 42 }])
  },
)

t.test(
  'a data folder in use, a taken port and an unusable folder are errors of one sentence',
  async (t) => {
    const here = await usedFolders(t)
    await start(t, { ...here, services: ['core'] })
    await t.rejects(
      startStack({ ...here, log() {} }),
      /^The data folder .* is in use by process \d+/,
    )
    const port = await freePort()
    const taken = createServer().listen(port, '127.0.0.1')
    t.teardown(() => taken.close())
    await once(taken, 'listening')
    const elsewhere = { ...here, dataDir: `${here.dataDir}-2`, log() {} }
    await t.rejects(startStack({ ...elsewhere, port }), {
      name: 'StartError',
      message: `Port ${port} is taken by another program; set PORT to another one.`,
    })
    for (const dataDir of [join(mainFileOf(here), 'x'), '/proc/x']) {
      const message = /^The data folder .* cannot be used: /
      await t.rejects(startStack({ ...here, dataDir, log() {} }), { message }, dataDir)
    }
  },
)

t.test('the error of a service that cannot start contains the end of its log', async (t) => {
  const here = await usedFolders(t)
  writeFileSync(join(here.servicesFolder, 'core/src/main.ts'), "throw new Error('no such luck')")
  await t.rejects(startStack({ ...here, disposable: true, services: ['core'], log() {} }), {
    name: 'StartError',
    message: /core does not start; its log is .*no such luck/s,
  })
})

t.test('secrets are readable by their owner only, and logs too', async (t) => {
  const here = newFolders(t)
  await start(t, { ...here, services: ['core'] })
  const files = ['secrets.json', ...readdirSync(join(here.dataDir, 'logs')).map((f) => `logs/${f}`)]
  for (const file of files) t.equal(statSync(join(here.dataDir, file)).mode & 0o077, 0, file)
})

t.test('after the loss of its whole store, NATS restarts at the same address', async (t) => {
  const { nats } = await start(t, { ...(await usedFolders(t)), services: ['core'] })
  const [url, pid] = [nats?.urlOf('core'), nats?.pid]
  await nats?.wipe()
  t.equal(nats?.urlOf('core'), url)
  t.not(nats?.pid, pid)
})

t.test('services get the prefix of names in NATS, and users that begin with it', async (t) => {
  const env = { NATS_PREFIX: 'north_' }
  const { processes } = await start(t, { ...(await usedFolders(t)), services: ['core'], env })
  const given = await (await fetch(processes.core.origin)).json()
  t.match(given, { NATS_PREFIX: 'north_', NATS_URL: /^nats:\/\/north_core:/ })
  const wrong = { ...(await usedFolders(t)), env: { NATS_PREFIX: 'north.' }, log() {} }
  await t.rejects(startStack(wrong), { name: 'StartError', message: /^NATS_PREFIX must be / })
})

/** A file, which cannot be used as a folder. */
function mainFileOf({ servicesFolder }: StackFolders): string {
  return join(servicesFolder, 'core/src/main.ts')
}

async function firstLine(child: ChildProcess): Promise<string> {
  let text = ''
  for await (const chunk of child.stdout ?? []) {
    text += chunk
    if (text.includes('\n')) break
  }
  return text
}

async function query(url: string, statement: string): Promise<object[]> {
  const sql = postgres(url, { max: 1, onnotice: () => {} })
  try {
    return [...(await sql.unsafe(statement))]
  } finally {
    await sql.end()
  }
}
