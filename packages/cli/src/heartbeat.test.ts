/** A command reports its run, whose result no ping changes; a ping URL can be replaced. */
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { httpTarget } from '@status-page/testing'
import t, { type Test } from 'tap'

const program = fileURLToPath(new URL('main.ts', import.meta.url))
const PATH = '/api/v1/hooks/heartbeat/a-token'

interface Outcome {
  code: number
  stdout: string
  stderr: string
}

const stage = async (t: Test) => {
  const service = await httpTarget(t)
  const ok = { 'content-type': 'application/json' }
  service.respond({ status: 200, headers: ok, body: '{"success":true}' })
  const pingUrl = `${service.url}${PATH}`
  const given = (environment: NodeJS.ProcessEnv, args: readonly string[]) => ({
    args: ['--no-warnings', program, 'heartbeat', ...args],
    env: {
      PATH: process.env.PATH,
      HOME: t.testdirName,
      NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
      STATUSCTL_PING_URL: pingUrl,
      ...environment,
    },
  })
  const run = async (args: readonly string[], environment = {}): Promise<Outcome> => {
    const { args: all, env } = given(environment, args)
    const running = promisify(execFile)(process.execPath, all, { env })
    return running.then(
      (output) => ({ code: 0, ...output }),
      ({ code, stdout, stderr }: Outcome) => ({ code, stdout, stderr }),
    )
  }
  /** Paths and bodies of the pings, without the id of the run. */
  const pings = () =>
    service.requests.map(({ url, body }) => [url?.replace(/\?run=[\da-f]{16}$/, ''), body])
  return { service, pingUrl, given, run, pings }
}

t.test('a run reports its start, its exit code and its output', async (t) => {
  const { run, pings, service, pingUrl } = await stage(t)
  const script = 'echo done; echo careful >&2; exit 3'
  t.same(await run(['run', '--', 'sh', '-c', script]), {
    code: 3,
    stdout: 'done\n',
    stderr: 'careful\n',
  })
  const [start, end] = pings()
  t.same(start, [`${PATH}/start`, ''])
  t.equal(end?.[0], `${PATH}/3`)
  t.same(end?.[1]?.split('\n').sort(), ['', 'careful', 'done'])
  t.equal(new Set(service.requests.map(({ url }) => url?.split('?')[1])).size, 1, 'one run')
  service.requests.length = 0
  await run(['run', '--url', pingUrl, '--', 'true'], {
    STATUSCTL_PING_URL: 'https://other.example',
  })
  t.same(pings(), [
    [`${PATH}/start`, ''],
    [`${PATH}/0`, ''],
  ])
})

t.test('the last 10 KiB of the output are sent, whole characters only', async (t) => {
  const { run, pings } = await stage(t)
  const script = 'process.stdout.write("x" + "ü".repeat(20_000) + "end\\n")'
  const { stdout } = await run(['run', '--', process.execPath, '-e', script])
  t.equal(Buffer.byteLength(stdout), 40_005, 'nothing is missing from the output')
  const body = pings()[1]?.[1] ?? ''
  t.match(body, /^ü+end\n$/)
  t.ok(Buffer.byteLength(body) <= 10_240 && Buffer.byteLength(body) > 10_230)
})

t.test('a ping that fails does not change the result of the command', async (t) => {
  const { run, service } = await stage(t)
  const error = { error: { code: 'UNAUTHORIZED', message: 'Valid authentication is required' } }
  service.respond({
    status: 401,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(error),
  })
  const refused = await run(['run', '--', 'sh', '-c', 'echo done; exit 7'])
  t.match(refused, { code: 7, stdout: 'done\n', stderr: /ping not sent: Valid authentication/ })
  for (const url of ['', 'https://a.example/other', 'http://a.example/api/v1/hooks/heartbeat/x']) {
    const outcome = await run(['run', '--', 'echo', 'done'], { STATUSCTL_PING_URL: url })
    t.match(outcome, { code: 0, stdout: 'done\n', stderr: /ping not sent/ }, url)
  }
  service.respond([
    { status: 503, headers: {}, body: '' },
    { status: 200, headers: { 'content-type': 'application/json' }, body: '{"success":true}' },
  ])
  t.same(await run(['run', '--', 'true']), { code: 0, stdout: '', stderr: '' }, 'a second attempt')
})

t.test('a command that does not start or is killed has the exit code of a shell', async (t) => {
  const { run, given, pings, service } = await stage(t)
  t.match(await run(['run', '--', './missing']), { code: 127, stderr: /missing: ENOENT/ })
  t.equal(pings().at(-1)?.[0], `${PATH}/127`)
  t.match(await run(['run', '--', '/dev/null']), { code: 126 })
  service.requests.length = 0
  const script =
    'process.on("SIGTERM", () => process.exit(9)); console.log("up"); setInterval(() => {}, 1e3)'
  const { args, env } = given({}, ['run', '--', process.execPath, '-e', script])
  const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'inherit'] })
  await once(child.stdout, 'data')
  child.kill('SIGTERM')
  t.same(await once(child, 'close'), [9, null], 'the signal is passed on')
  t.same(pings().at(-1), [`${PATH}/9`, 'up\n'])
  t.match(await run(['run', '--', 'sh', '-c', 'kill -KILL $$']), { code: 137 })
})

t.test('a rotation prints the new ping URL of a component', async (t) => {
  const { run, service } = await stage(t)
  const id = '01a00000-0000-7000-8000-000000000000'
  const issued = { token: 'new', pingUrl: 'https://status.example/api/v1/hooks/heartbeat/new' }
  const named = (name: string, kind: string | null) => ({ id, name, kind })
  let components = [
    named('Backup', 'heartbeat'),
    named('Backup 2', 'heartbeat'),
    named('Backup', null),
  ]
  service.respond(({ method }) => ({
    status: 200,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(method === 'POST' ? issued : { data: components }),
  }))
  const environment = { STATUSCTL_URL: service.url, STATUSCTL_KEY: 'k' }
  for (const component of ['Backup', id]) {
    const { code, stdout } = await run(['rotate', component], environment)
    t.same([code, stdout], [0, `${issued.pingUrl}\n`], component)
    t.equal(service.requests.at(-1)?.url, `/api/v1/components/${id}/heartbeat/rotate-token`)
  }
  t.same(JSON.parse((await run(['rotate', id, '--json'], environment)).stdout), issued)
  components = [...components, named('Backup', 'heartbeat')]
  t.match(await run(['rotate', 'Backup'], environment), { code: 1, stderr: /several/ })
  t.match(await run(['rotate', 'Other'], environment), { code: 1, stderr: /no heartbeat/ })
  t.match(await run(['rotate', 'a', 'b'], environment), { code: 1, stderr: /usage/ })
  t.match(await run(['list', 'a'], environment), { code: 1, stderr: /run or rotate/ })
  t.match(await run(['run'], environment), { code: 1, stderr: /usage: statusctl heartbeat/ })
})
