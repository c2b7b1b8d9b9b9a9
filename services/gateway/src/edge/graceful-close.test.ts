/** Shutdown under load and start during an outage, of a gateway as a process. */
import { fork } from 'node:child_process'
import { generateKeyPairSync } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { Agent, get } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { eventually, httpTarget, testDatabase } from '@status-page/testing'
import t from 'tap'

/** The bundle of a run of all tests starts with half of the processor time of the sources. */
const { TEST_BUNDLE_DIR } = process.env
const program =
  TEST_BUNDLE_DIR === undefined
    ? fileURLToPath(new URL('../main.ts', import.meta.url))
    : join(TEST_BUNDLE_DIR, 'gateway/main.mjs')
const CLIENTS = 24
/** Compiled modules of the test run. */
const compileCache = { NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE }
const ANSWER_AFTER_MS = 20

const environmentOf = (databaseUrl: string, coreUrl: string) => {
  const { privateKey } = generateKeyPairSync('ed25519')
  return {
    DATABASE_URL: databaseUrl,
    CORE_URL: coreUrl,
    PORT: '0',
    HOST: '127.0.0.1',
    BASE_URL: 'http://status.test',
    CALLER_PUBLIC_KEYS: '{}',
    CALLER_PRIVATE_KEY: privateKey.export({ type: 'pkcs8', format: 'der' }).toString('base64'),
    ENCRYPTION_KEY: 'k'.repeat(32),
    SESSION_SECRET: 's'.repeat(32),
    RATE_LIMIT_MULTIPLIER: '100000',
  }
}

const start = async (t: Tap, env: Record<string, string>, until = 'ready') => {
  const child = fork(program, [], {
    env: { ...compileCache, ...env },
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  })
  t.teardown(() => child.kill('SIGKILL'))
  const exited = once(child, 'exit').then(([code]) => code as number | null)
  const { promise: listening, resolve, reject } = Promise.withResolvers<number>()
  if (child.stdout === null) throw new Error('no output')
  let boundPort = 0
  createInterface(child.stdout).on('line', (line) => {
    const { msg, port } = JSON.parse(line)
    boundPort = port ?? boundPort
    if (msg === until) resolve(boundPort)
  })
  exited.then((code) => reject(new Error(`ended with ${code}`)))
  return { child, exited, port: await listening }
}

type Tap = { teardown(work: () => unknown): void }

interface Tally {
  answered: number
  failures: string[]
}

interface Outcome {
  status?: number | undefined
  code?: string | undefined
  isLast?: boolean
}

/**
 * Sends requests over a keep-alive connection, as a load balancer does, until a response closes it.
 */
const sendUntilClosed = async (port: number, tally: Tally): Promise<void> => {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  let outcome: Outcome
  do {
    outcome = await callApi(port, agent)
    if (outcome.status === 200) tally.answered++
    else tally.failures.push(JSON.stringify(outcome))
    await delay(Math.random() * ANSWER_AFTER_MS)
  } while (outcome.status === 200 && !outcome.isLast)
  agent.destroy()
}

const callApi = (port: number, agent: Agent) =>
  new Promise<Outcome>((resolve) => {
    const fail = ({ code }: NodeJS.ErrnoException) => resolve({ code })
    const path = '/api/v1/public/status/acme'
    get({ host: '127.0.0.1', port, path, agent }, (response) => {
      const { statusCode: status, headers } = response
      response.resume()
      response.on('end', () => resolve({ status, isLast: headers.connection === 'close' }))
      response.on('error', fail)
    }).on('error', fail)
  })

t.test('SIGTERM under load drops no request', async (t) => {
  const databases = await testDatabase(t, { services: ['gateway'] })
  const core = await httpTarget(t, async () => {
    await delay(ANSWER_AFTER_MS)
    return { headers: { 'content-type': 'application/json' }, body: '{}' }
  })
  const env = environmentOf(databases.url('gateway'), core.url)
  const { child, exited, port } = await start(t, env)
  const tally: Tally = { answered: 0, failures: [] }
  const clients = Array.from({ length: CLIENTS }, () => sendUntilClosed(port, tally))
  await eventually(() => tally.answered > CLIENTS * 10)
  const before = tally.answered
  child.kill('SIGTERM')
  await eventually(async () => (await fetch(`http://127.0.0.1:${port}/readyz`)).status === 503)
  await Promise.all(clients)
  t.same(tally.failures, [])
  t.ok(tally.answered > before, 'it still served after the signal')
  t.equal(await exited, 0)
})

t.test('a gateway that starts without Postgres and core serves its stored pages', async (t) => {
  const databases = await testDatabase(t, { services: ['gateway'] })
  const folder = await mkdtemp(join(tmpdir(), 'pages-'))
  t.teardown(() => rm(folder, { recursive: true, force: true }))
  const page = { 'content-type': 'text/html', 'cache-control': 'public, max-age=30', etag: '"1"' }
  const organization = { 'x-internal-organization': '0192f000-0000-7000-8000-000000000001' }
  const core = await httpTarget(t, { headers: { ...page, ...organization }, body: 'all is well' })
  const env = { ...environmentOf(databases.url('gateway'), core.url), PAGE_CACHE_DIR: folder }
  const before = await start(t, env)
  const show = (port: number, path: string) => fetch(`http://127.0.0.1:${port}${path}`)
  t.equal(await (await show(before.port, '/status/acme')).text(), 'all is well')
  t.equal((await show(before.port, '/readyz/pages')).status, 200)
  before.child.kill('SIGTERM')
  await before.exited

  const outage = {
    ...env,
    DATABASE_URL: 'postgres://gateway:x@127.0.0.1:1/none',
    CORE_URL: 'http://127.0.0.1:1',
  }
  const after = await start(t, outage, 'waiting for Postgres')
  const stored = await show(after.port, '/status/acme')
  t.equal(stored.status, 200)
  t.equal(await stored.text(), 'all is well')
  t.equal((await show(after.port, '/status/other')).status, 503)
  t.equal((await show(after.port, '/api/v1/components')).status, 503)
  t.equal((await show(after.port, '/health')).status, 200)
  t.equal((await show(after.port, '/readyz')).status, 503)
  const readiness = await show(after.port, '/readyz/pages')
  t.match(await readiness.json(), { status: 'degraded', checks: { postgres: 'unavailable' } })
  t.equal(readiness.status, 200)

  const empty = { ...outage, PAGE_CACHE_DIR: join(folder, 'absent') }
  const without = await start(t, empty, 'waiting for Postgres')
  t.equal((await show(without.port, '/readyz/pages')).status, 503)
  for (const { child, exited } of [after, without]) {
    child.kill('SIGTERM')
    t.equal(await exited, 0)
  }
})
