/**
 * Life cycle of a process: it starts only with valid settings and stops without dropping a request.
 */
import { type ChildProcess, fork, spawnSync } from 'node:child_process'
import { generateKeyPairSync } from 'node:crypto'
import { on, once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { get } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { connect } from '@status-page/postgres'
import { eventually, testDatabase } from '@status-page/testing'
import t from 'tap'
import { callerSigner } from './caller.ts'
import { writerCaller } from './contract.test-kit.ts'
import type { Readiness } from './health.ts'

const program = fileURLToPath(new URL('run.test-program.ts', import.meta.url))
const { privateKey, publicKey } = generateKeyPairSync('ed25519')
const spki = publicKey.export({ format: 'der', type: 'spki' }).toString('base64')

/** Compiled modules of the test run. */
const compileCache = { NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE }

interface Test {
  teardown(work: () => unknown): unknown
}

interface Line {
  level: number
  msg: string
  port?: number
}

const start = (t: Test, env: Record<string, string>) => {
  const child: ChildProcess = fork(program, [], {
    env: { ...compileCache, ...env },
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  })
  t.teardown(() => child.kill('SIGKILL'))
  const lines: Line[] = []
  // Not `exit`, which can precede the last lines of the output.
  const exited = once(child, 'close').then(([code]) => ({ code: code as number | null, lines }))
  const listening = Promise.withResolvers<number>()
  const ready = Promise.withResolvers<number>()
  if (child.stdout === null) throw new Error('no output')
  createInterface(child.stdout).on('line', (text) => {
    const line: Line = JSON.parse(text)
    lines.push(line)
    if (line.msg === 'listening' && line.port !== undefined) listening.resolve(line.port)
    if (line.msg === 'ready') ready.resolve(listening.promise)
  })
  for (const { promise, reject } of [listening, ready]) {
    exited.then(({ lines }) => reject(new Error(JSON.stringify(lines))))
    promise.catch(() => {})
  }
  return { child, exited, lines, listening: listening.promise, ready: ready.promise }
}

const databaseOf = (t: Test) => testDatabase(t, { services: ['core'], folders: {} })

const settings = async (t: Test, database = databaseOf(t)) => {
  const clone = await database
  return {
    DATABASE_URL: clone.url('core'),
    CALLER_PUBLIC_KEYS: JSON.stringify({ 'config-sync': spki }),
    ENCRYPTION_KEY: 'k'.repeat(32),
    BASE_URL: 'http://localhost:3000',
  }
}

const said = async (child: ChildProcess, wanted: string) => {
  for await (const [message] of on(child, 'message')) if (message === wanted) return
}

const ask = (port: number) =>
  fetch(`http://127.0.0.1:${port}/internal/things`, {
    method: 'POST',
    headers: {
      'x-caller': callerSigner({ issuer: 'config-sync', privateKey }).sign(writerCaller, 'core'),
    },
  })

t.test('SIGTERM ends the process after the requests that are running', async (t) => {
  const { child, exited, ready } = start(t, await settings(t))
  const port = await ready
  const readiness = await fetch(`http://127.0.0.1:${port}/readyz`)
  t.equal(readiness.status, 200, await readiness.text())
  const metrics = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text()
  t.match(metrics, /bus_unpublished_age_seconds \d/)
  t.match(metrics, /bus_bypass 1/)
  const asked = said(child, 'asked')
  const answer = ask(port)
  await asked
  child.kill('SIGTERM')
  const refused = async () => {
    const error = await fetch(`http://127.0.0.1:${port}/health`).catch(() => 'refused')
    return error === 'refused'
  }
  await eventually(refused)
  child.send('late')
  t.same(await (await answer).json(), { got: 'late' })
  const { code, lines } = await exited
  t.equal(code, 0)
  t.equal(lines.at(-1)?.msg, 'stopped')
})

const CLIENTS = 4
/** Much shorter than the time without a new connection after which the port closes. */
const PAUSE_MS = 2

type Seen = number | string

/** Sends requests over new connections until the port is closed. */
const keepAsking = async (port: number, seen: Seen[]): Promise<void> => {
  for (;;) {
    const outcome = await askFresh(port)
    if (outcome === 'ECONNREFUSED') return
    seen.push(outcome)
    await delay(PAUSE_MS)
  }
}

const askFresh = (port: number) =>
  new Promise<Seen>((resolve) => {
    const fail = ({ code = 'unknown' }: NodeJS.ErrnoException) => resolve(code)
    get({ host: '127.0.0.1', port, path: '/readyz', agent: false }, (response) => {
      response.resume()
      response.on('end', () => resolve(response.statusCode ?? 0))
      response.on('error', fail)
    }).on('error', fail)
  })

t.test('a new connection gets a response until the port is closed, never a reset', async (t) => {
  const { child, exited, ready } = start(t, await settings(t))
  const port = await ready
  const seen: Seen[] = []
  const clients = Array.from({ length: CLIENTS }, () => keepAsking(port, seen))
  await eventually(() => seen.length > CLIENTS * 10)
  child.kill('SIGTERM')
  await Promise.all(clients)
  t.same(new Set(seen), new Set([200, 503]), 'ready, then not ready any more, and nothing else')
  t.ok(seen.filter((one) => one === 503).length > CLIENTS, 'for long enough to be noticed')
  t.equal((await exited).code, 0)
})

t.test('a process that waits for Postgres is alive, not ready, and stops on SIGTERM', async (t) => {
  const unreachable = 'postgres://core:secret@127.0.0.1:1/none'
  const one = start(t, { ...(await settings(t)), DATABASE_URL: unreachable })
  const port = await one.listening
  await eventually(() => one.lines.some(({ msg }) => msg === 'waiting for Postgres'))
  t.equal((await fetch(`http://127.0.0.1:${port}/health`)).status, 200)
  const { status, body } = await readinessOf(port)
  t.equal(status, 503)
  t.same(body.checks, { process: 'starting', postgres: 'unavailable' })
  const refused = await ask(port)
  t.equal(refused.status, 503)
  t.equal(refused.headers.get('retry-after'), '2')
  one.child.kill('SIGTERM')
  t.equal((await one.exited).code, 0)
})

const readinessOf = async (port: number) => {
  const response = await fetch(`http://127.0.0.1:${port}/readyz`)
  const body = (await response.json()) as Readiness
  return { status: response.status, body }
}

t.test(
  'a process starts no work before the migration, and is unready after a breaking one',
  async (t) => {
    const database = databaseOf(t)
    const { adminUrl } = await database
    const administrator = await connect({ url: adminUrl, service: 'core', max: 1 })
    t.teardown(() => administrator.close())
    const { batchSql: admin } = administrator
    await admin`ALTER TABLE core.schema_migration RENAME TO hidden`
    const one = start(t, await settings(t, database))
    const messages: unknown[] = []
    one.child.on('message', (message) => messages.push(message))
    const port = await one.listening
    const waiting = 'waiting for the migration of the database'
    await eventually(() => one.lines.some(({ msg }) => msg === waiting))
    t.match(await readinessOf(port), {
      status: 503,
      body: { checks: { postgres: 'ok', schema: /^not migrated: .*0001_initial/ } },
    })
    t.same(messages, [])
    await admin`ALTER TABLE core.hidden RENAME TO schema_migration`
    await one.ready
    t.match(await readinessOf(port), { status: 200, body: { checks: { schema: 'ok' } } })

    await admin`INSERT INTO core.schema_migration (name, checksum, requires) VALUES
    ('9998_compatible', '', null)`
    t.equal((await readinessOf(port)).status, 200)
    await admin`INSERT INTO core.schema_migration (name, checksum, requires) VALUES
    ('9999_breaking', '', '9999_breaking')`
    const newer = 'newer than this version: 9999_breaking'
    t.match(await readinessOf(port), { status: 503, body: { checks: { schema: newer } } })
    const { code, lines } = await start(t, await settings(t, database)).exited
    t.equal(code, 1)
    t.same(problemsIn(lines), [`The schema core is ${newer}; update this service.`])
    t.same(messages.includes('started'), true)
  },
)

const problemsIn = (lines: readonly Line[]) =>
  lines.filter(({ level }) => level === 60).map(({ msg }) => msg)

t.test('what no retry resolves ends the start with one sentence and exit code 1', async (t) => {
  const right = await settings(t)
  const url = right.DATABASE_URL
  const cases: [Record<string, string>, RegExp][] = [
    [{ DATABASE_URL: 'postgres://u:s3cret@' }, /^DATABASE_URL cannot be used: it must have the f/],
    [
      { DATABASE_URL: url.replace(/:[^:@/]+@/, ':s3cret@') },
      /^Postgres refused the user or the pa/,
    ],
    [{ DATABASE_URL: url.replace(/[^/]+$/, 'absent') }, /^The database does not exist: /],
    [{ DATABASE_DIRECT_URL: 'postgres://u:s3cret@a:b' }, /^DATABASE_DIRECT_URL cannot be used: /],
    [{ NATS_URL: 'http://u:s3cret@a' }, /^NATS_URL cannot be used: it must be nats:/],
    [{ DATABASE_POOL_SIZE: '0' }, /^DATABASE_POOL_SIZE must be /],
  ]
  const outcomes = await Promise.all(
    cases.map(([wrong]) => start(t, { ...right, ...wrong }).exited),
  )
  for (const [index, { code, lines }] of outcomes.entries()) {
    const problems = problemsIn(lines)
    t.equal(code, 1)
    t.equal(problems.length, 1)
    t.match(problems[0], cases[index]?.[1])
    t.notMatch(JSON.stringify(lines), 's3cret')
  }
})

t.test('a stopped process ends although one of its threads never does', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'blocking-'))
  t.teardown(() => rm(folder, { recursive: true }))
  const pipe = join(folder, 'pipe')
  t.equal(spawnSync('mkfifo', [pipe]).status, 0)
  const { child, exited, ready } = start(t, { ...(await settings(t)), BLOCKING_FILE: pipe })
  await ready
  child.kill('SIGTERM')
  const { code, lines } = await exited
  t.equal(code, 0)
  t.equal(lines.at(-1)?.msg, 'stopped')
})

t.test('a NOTIFY wakes a job, which ends before the resources it uses', async (t) => {
  const database = databaseOf(t)
  const { child, exited, ready } = start(t, await settings(t, database))
  const messages: unknown[] = []
  child.on('message', (message) => messages.push(message))
  const first = said(child, 'rang')
  await ready
  await first
  const again = said(child, 'rang')
  const { batchSql } = await (await database).database('core')
  await batchSql.notify('program_bell', '')
  await again
  child.kill('SIGTERM')
  t.equal((await exited).code, 0)
  t.same(messages.slice(-2), ['work ended', 'stopped'])
})

t.test('with invalid settings nothing starts: exit 1, one sentence per problem', async (t) => {
  const { ENCRYPTION_KEY: _key, BASE_URL: _url, ...rest } = await settings(t)
  const { code, lines } = await start(t, rest).exited
  t.equal(code, 1)
  t.same(lines.map(({ msg }) => msg).sort(), [
    'BASE_URL is required.',
    'ENCRYPTION_KEY is required.',
  ])
})

t.test('a key that cannot be used is a problem of the settings', async (t) => {
  const { code, lines } = await start(t, { ...(await settings(t)), ENCRYPTION_KEY: 'short' }).exited
  t.equal(code, 1)
  t.match(lines[0]?.msg, /^ENCRYPTION_KEY cannot be used: /)
})
