/**
 * An agent in a network namespace of its own, with a target that nothing else reaches. Its link to
 * the gateway is a Unix socket, which the test cuts.
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { connect, createServer, type Server, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { componentOperations, locationOperations } from '@status-page/contracts'
import { eventually } from '@status-page/testing'
import t, { type Test } from 'tap'
import { register } from './kit/tenant.ts'
import { makeLocationsStale } from './kit/time.ts'
import { startWorld } from './kit/world.ts'

const ADDRESS = '10.77.0.5'
const PORT = 8080
const INTERVAL_SECONDS = 10
const cli = fileURLToPath(new URL('../packages/cli/src/main.ts', import.meta.url))

const canUnshare = (): boolean => {
  try {
    execFileSync('unshare', ['--net', 'ip', 'link', 'set', 'lo', 'up'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

const started = (t: Test, command: string, args: readonly string[]): ChildProcess => {
  const child = spawn(command, args, { stdio: ['ignore', 'ignore', 'inherit'] })
  t.teardown(() => child.kill('SIGKILL'))
  return child
}

const node = ['--no-warnings', '--input-type=module', '--eval']
const targetProgram = `import { createServer } from 'node:http'
createServer((_request, response) => response.end('ok')).listen(80, '${ADDRESS}')`
const relayProgram = (socket: string) => `import { connect, createServer } from 'node:net'
createServer((near) => {
  const far = connect(${JSON.stringify(socket)})
  near.pipe(far).pipe(near)
  for (const end of [near, far]) end.on('error', () => { near.destroy(); far.destroy() })
}).listen(${PORT}, '127.0.0.1')`

/** Network with the loopback device alone; `set` turns the device on and off. */
const isolatedNetwork = async (t: Test) => {
  const script = `ip link set lo up && ip addr add ${ADDRESS}/32 dev lo && exec sleep 600`
  const holder = started(t, 'unshare', ['--net', 'sh', '-c', script])
  const enter = ['--net', '--target', String(holder.pid)]
  await eventually(() =>
    execFileSync('nsenter', [...enter, 'ip', 'addr'], { encoding: 'utf8' }).includes(ADDRESS),
  )
  return {
    inside: (...args: string[]) => started(t, 'nsenter', [...enter, process.execPath, ...args]),
    set: (state: 'up' | 'down') =>
      execFileSync('nsenter', [...enter, 'ip', 'link', 'set', 'lo', state]),
  }
}

/** Relay from a Unix socket to the gateway, which can be cut and restored. */
const linkTo = async (t: Test, file: string, port: number) => {
  const sockets = new Set<Socket>()
  let server: Server | null = null
  const cut = () => {
    server?.close()
    for (const socket of sockets) socket.destroy()
    rmSync(file, { force: true })
  }
  const restore = async () => {
    server = createServer((near) => {
      const far = connect(port, '127.0.0.1')
      near.pipe(far).pipe(near)
      for (const end of [near, far]) {
        sockets.add(end)
        end.on('error', () => end.destroy())
        end.on('close', () => sockets.delete(end))
      }
    }).listen(file)
  }
  t.teardown(cut)
  await restore()
  return { cut, restore }
}

const elapsed = async (seconds: number) => {
  const startedAt = Date.now()
  const timeoutMs = (seconds + 30) * 1000
  await eventually(() => Date.now() - startedAt > seconds * 1000, { timeoutMs })
}

t.test(
  'an agent checks what only it reaches, also without its link; its own failures make no outage',
  { skip: canUnshare() ? false : 'needs the right to create network namespaces' },
  async (t) => {
    const world = await startWorld(t)
    const { api } = await register(world.api, `agents-${process.pid}`)
    const folder = mkdtempSync(join(tmpdir(), 'agents-'))
    t.teardown(() => rmSync(folder, { recursive: true, force: true }))
    const file = join(folder, 'gateway.sock')
    const link = await linkTo(t, file, Number(new URL(world.stack.baseUrl).port))
    const { inside, set } = await isolatedNetwork(t)
    const target = inside(...node, targetProgram)
    inside(...node, relayProgram(file))
    const location = await api.call(locationOperations.create, { body: { name: 'office' } })
    writeFileSync(join(folder, 'token'), location.enrolmentToken)
    const paths = ['--token-file', join(folder, 'token'), '--state', join(folder, 'agent.json')]
    const url = `http://127.0.0.1:${PORT}`
    const startAgent = () =>
      inside(...['--no-warnings', cli, 'agent', '--url', url, '--allow', '10.77.0.0/16', ...paths])
    let agent = startAgent()
    const { id } = await api.call(componentOperations.create, {
      body: {
        name: 'Intranet',
        type: 'ENDPOINT',
        url: `http://${ADDRESS}/`,
        checkInterval: INTERVAL_SECONDS,
        failureThreshold: 1,
        locations: ['private:office'],
      },
    })
    const checks = () => world.admin<{ slot_at: Date; status: string }[]>`
      SELECT slot_at, status FROM monitor.checks WHERE component_id = ${id} ORDER BY slot_at`
    const events = async (noun: 'monitor' | 'location') =>
      (
        await world.admin<{ kind: string; payload: unknown }[]>`
          SELECT kind, payload FROM monitor.outbox WHERE kind LIKE ${`${noun}.%`}
            AND aggregate_id IN (${id}, ${location.id}) ORDER BY seq`
      ).map(({ kind, payload }) => `${kind} ${JSON.stringify(payload)}`)

    await eventually(async () => (await checks()).length > 0, { timeoutMs: 60_000 })
    t.match(await checks(), [{ status: 'SUCCESS' }], 'only the agent reaches the target')

    link.cut()
    await elapsed(3.5 * INTERVAL_SECONDS)
    await link.restore()
    await eventually(async () => (await checks()).length >= 4, { timeoutMs: 60_000 })
    const slots = (await checks()).map(({ slot_at }) => slot_at.getTime() / 1000)
    t.same(
      slots.slice(1).map((slot, index) => Math.round(slot - (slots[index] ?? 0))),
      slots.slice(1).map(() => INTERVAL_SECONDS),
      'every slot once, with its own time',
    )

    const spooled = () =>
      readdirSync(folder)
        .filter((name) => name.endsWith('.ndjson'))
        .flatMap((name) => readFileSync(join(folder, name), 'utf8').split('\n').slice(0, -1))
        .map((line) => Date.parse(JSON.parse(line).slotAt))
    link.cut()
    await eventually(() => spooled().length >= 2, { timeoutMs: 60_000 })
    const waiting = spooled()
    agent.kill('SIGKILL')
    agent = startAgent()
    await link.restore()
    const stored = async () => (await checks()).map(({ slot_at }) => slot_at.getTime())
    await eventually(async () => (await stored()).includes(waiting.at(-1) ?? 0), {
      timeoutMs: 60_000,
    })
    t.same(
      (await stored()).filter((slot) => waiting.includes(slot)),
      waiting,
      'results of the agent that was killed are stored once',
    )

    set('down')
    await elapsed(3.5 * INTERVAL_SECONDS)
    const before = (await checks()).length
    set('up')
    await eventually(async () => (await checks()).length > before + 1, { timeoutMs: 90_000 })
    t.ok(
      (await checks()).every(({ status }) => status === 'SUCCESS'),
      'checks without a network have no data',
    )
    t.same(await events('monitor'), [])

    target.kill('SIGKILL')
    const killedAt = Date.now()
    await eventually(async () => (await events('monitor')).length > 0, { timeoutMs: 60_000 })
    t.ok(Date.now() - killedAt < (2 * INTERVAL_SECONDS + 5) * 1000, 'within two intervals')
    t.match(await events('monitor'), [/^monitor\.down .*connection failed/])

    // The time without the link may have been long enough for a report.
    const reported = (await events('location')).length
    agent.kill('SIGKILL')
    await makeLocationsStale(world)
    await eventually(async () => (await events('location')).length > reported, {
      timeoutMs: 90_000,
    })
    t.match((await events('location')).at(-1), /^location\.stale /)
    t.equal((await events('monitor')).length, 1, 'no further change of the status')
    const { status } = await api.call(locationOperations.read, { params: { id: location.id } })
    t.equal(status, 'stale')
  },
)
