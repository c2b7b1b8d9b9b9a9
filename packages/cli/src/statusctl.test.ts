/** Exit codes for pipelines, plans for users, and a key that only its own service receives. */
import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { httpTarget } from '@status-page/testing'
import t, { type Test } from 'tap'
import { statusctl } from './statusctl.ts'

const one = { resourceType: 'component', resourceName: 'API' }
const applied = {
  applied: true,
  dryRun: false,
  configVersion: '1',
  created: [],
  updated: [],
  deleted: [],
  unchanged: 3,
  warnings: [],
}
const changes = {
  created: [one],
  updated: [{ ...one, resourceName: 'Web', fields: ['url', 'timeout'] }],
  deleted: [{ resourceType: 'component_group', resourceName: 'Old\u001b[2J' }],
}

/** Scripted service, and a command line that calls it. */
const stage = async (t: Test) => {
  const home = await mkdtemp(join(tmpdir(), 'statusctl-'))
  t.teardown(() => rm(home, { recursive: true, force: true }))
  const service = await httpTarget(t)
  const file = join(home, 'statuspage.yaml')
  await writeFile(file, 'apiVersion: v1\n')
  const respond = (body: unknown, status = 200) =>
    service.respond({
      status,
      headers: { 'content-type': 'application/json' },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    })
  const run = async (args: readonly string[], change: object = {}) => {
    let [out, complaints] = ['', '']
    const code = await statusctl(args, {
      environment: { HOME: home, STATUSCTL_URL: service.url, STATUSCTL_KEY: 'sk_live_a' },
      readInput: async () => 'from: stdin\n',
      isInputTerminal: false,
      isTerminal: false,
      nodeVersion: process.versions.node,
      stopSignal: () => AbortSignal.abort(),
      out: (text) => {
        out += text
      },
      printError: (text) => {
        complaints += text
      },
      runProgram: async () => 0,
      ...change,
    })
    return { code, out, complaints }
  }
  return { home, file, service, respond, run, last: () => service.requests.at(-1) }
}

t.test(
  'an apply prints its changes, and a dry run with differences has its own exit code',
  async (t) => {
    const { file, respond, run, last } = await stage(t)
    respond({ ...applied, ...changes, warnings: ['retained'] })
    const done = await run(['apply', file, '--prune'])
    t.equal(done.code, 0)
    t.equal(
      done.out,
      [
        '  + component API',
        '  ~ component Web (url, timeout)',
        '  - group Old?[2J',
        '  ! retained',
        '1 created, 1 updated, 1 deleted, 3 unchanged.',
        '',
      ].join('\n'),
    )
    t.equal(last()?.url, '/api/v1/config/apply?dryRun=false&prune=true')
    t.equal(last()?.body, 'apiVersion: v1\n')
    t.match(last()?.headers, {
      authorization: 'Bearer sk_live_a',
      'content-type': 'application/yaml',
    })
    respond({ ...applied, ...changes, dryRun: true, applied: false })
    for (const args of [
      ['diff', file],
      ['apply', file, '--dry-run'],
    ]) {
      const { code, out } = await run(args)
      t.equal(code, 2)
      t.match(out, '1 to create, 1 to update, 1 to delete')
      t.equal(last()?.url, '/api/v1/config/apply?dryRun=true&prune=false')
    }
    respond({ ...applied, dryRun: true })
    t.same(await run(['diff', '-']), { code: 0, out: 'No changes: 3 unchanged.\n', complaints: '' })
    t.equal(last()?.body, 'from: stdin\n')
  },
)

t.test('colours are for terminals without NO_COLOR', async (t) => {
  const { home, file, service, respond, run } = await stage(t)
  respond({ ...applied, ...changes })
  const own = { HOME: home, STATUSCTL_URL: service.url, STATUSCTL_KEY: 'k' }
  const seen = await run(['apply', file], { isTerminal: true, environment: own })
  t.match(seen.out, '\u001b[32m  + component API\u001b[39m')
  for (const more of [{ NO_COLOR: '1' }, { TERM: 'dumb' }]) {
    const { out } = await run(['apply', file], {
      isTerminal: true,
      environment: { ...own, ...more },
    })
    t.notMatch(out, '\u001b')
  }
})

t.test('an invalid document is an error, with its positions', async (t) => {
  const { file, respond, run } = await stage(t)
  respond({
    valid: false,
    warnings: ['X is unknown'],
    errors: [{ path: 'spec.components[0].url', line: 7, column: 3, message: 'is required' }],
  })
  const { code, out } = await run(['validate', file])
  t.equal(code, 1)
  t.equal(out, `${file}:7:3 spec.components[0].url: is required\n  ! X is unknown\n1 problem.\n`)
  respond({ valid: true, warnings: [], errors: [] })
  t.equal((await run(['validate', file])).code, 0)
  const issues = [{ field: 'spec', message: 'spec is wrong', line: 2, column: 1 }]
  const error = { code: 'VALIDATION_ERROR', message: 'spec is wrong', details: { issues } }
  respond({ error }, 400)
  const refused = await run(['apply', file])
  t.equal(refused.code, 1)
  t.equal(refused.complaints, 'statusctl: refused (400)\n  2:1 spec is wrong\n')
})

t.test('drift is printed and is a difference', async (t) => {
  const { respond, run } = await stage(t)
  const counts = { totalResources: 4, managedByConfig: 3, manuallyCreated: 1 }
  respond({
    ...counts,
    drift: [
      { ...one, reason: 'modified', fields: ['url'] },
      { ...one, resourceName: 'New', reason: 'not_in_config', fields: [] },
    ],
  })
  const { code, out } = await run(['drift'])
  t.equal(code, 2)
  t.match(out, '  ~ component API differs (url)\n  + component New is not in the document\n')
  respond({ ...counts, drift: [] })
  t.match(await run(['drift']), { code: 0, out: /^No drift/ })
  t.match(JSON.parse((await run(['drift', '--json'])).out), counts)
})

t.test('an export goes to the output or to a file', async (t) => {
  const { home, respond, run } = await stage(t)
  respond('apiVersion: v1\n')
  t.same(await run(['export']), { code: 0, out: 'apiVersion: v1\n', complaints: '' })
  const to = join(home, 'out.yaml')
  t.equal((await run(['export', '-o', to])).code, 0)
  t.equal(await readFile(to, 'utf8'), 'apiVersion: v1\n')
})

t.test('a login is verified, then stored for its owner and its address alone', async (t) => {
  const { home, service, respond, run, last } = await stage(t)
  const storedFile = join(home, '.config/statusctl/credentials.json')
  const environment = { HOME: home }
  const login = (key = ' sk_live_stored\n') =>
    run(['login', '--url', `${service.url}/`], { environment, readInput: async () => key })
  respond({ error: { code: 'UNAUTHORIZED', message: 'Valid authentication is required' } }, 401)
  t.match(await login(), { code: 1, complaints: 'statusctl: Valid authentication is required\n' })
  await t.rejects(stat(storedFile), 'an invalid key is not stored')
  respond({})
  t.equal((await login()).code, 0)
  t.equal((await stat(storedFile)).mode & 0o777, 0o600)
  respond({ ...applied, drift: [] })
  t.equal((await run(['drift'], { environment })).code, 0)
  t.equal(last()?.headers.authorization, 'Bearer sk_live_stored')
  const before = service.requests.length
  const other = await run(['drift', '--url', 'https://other.example.com'], { environment })
  t.match(other, { code: 1, complaints: /no API key for https:\/\/other/ })
  t.equal(service.requests.length, before)
  await run(['logout'], { environment })
  t.match(await run(['drift'], { environment }), { code: 1, complaints: /log in/ })
  const open = await run(['login', '--url', 'http://status.example.com'], { environment })
  t.match(open, { code: 1, complaints: /https/ })
})

t.test(
  'a missing service, a missing response and a redirect are one line and an error',
  async (t) => {
    const { home, file, service, run } = await stage(t)
    service.respond({ status: 200, headers: { 'content-type': 'text/html' }, body: '<html>' })
    t.match(await run(['drift']), { code: 1, complaints: /not a status page service/ })
    service.respond({ status: 302, headers: { location: `${service.url}/elsewhere` } })
    t.match(await run(['drift']), { code: 1, complaints: /302/ })
    t.notOk(service.requests.some(({ url }) => url === '/elsewhere'))
    await service.close()
    t.match(await run(['drift']), { code: 1, complaints: /cannot be reached: ECONNREFUSED/ })
    t.match(await run(['apply', join(home, 'none.yaml')]), { code: 1, complaints: /ENOENT/ })
    t.match(await run(['apply']), { code: 1, complaints: /usage: statusctl apply/ })
    t.match(await run(['aply', file]), { code: 1, complaints: /unknown command aply/ })
    t.match(await run(['apply', file, '--force']), { code: 1, complaints: /--force/ })
    t.match(await run([]), { code: 1, complaints: /Exit codes/ })
    t.match(await run(['--help']), { code: 0, out: /Exit codes/ })
  },
)

t.test('sync waits for the end of the run', async (t) => {
  const { service, run } = await stage(t)
  const ended = { id: 's1', finishedAt: '2026-01-01T00:00:00.000Z', commit: 'a'.repeat(40) }
  const result = { changes: { created: 0, updated: 2, deleted: 0 }, error: null }
  const answers = (status: string, more: object = {}) =>
    service.respond(({ method }) => ({
      status: method === 'POST' ? 202 : 200,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(
        method === 'POST' ? { id: 's1' } : { data: [{ ...ended, ...result, status, ...more }] },
      ),
    }))
  answers('success')
  t.match(await run(['sync']), { code: 0, out: 'Synced at aaaaaaaaaaaa: 0 created, 2 updated.\n' })
  answers('failed', { error: 'The branch does not exist' })
  t.match(await run(['sync']), {
    code: 1,
    out: /Failed at aaaaaaaaaaaa: The branch does not exist/,
  })
})

t.test('the process exits with the code', async (t) => {
  const { home, file, service, respond } = await stage(t)
  respond({ ...applied, ...changes, dryRun: true })
  const program = fileURLToPath(new URL('main.ts', import.meta.url))
  const { NODE_COMPILE_CACHE } = process.env
  const env = { HOME: home, STATUSCTL_URL: service.url, STATUSCTL_KEY: 'k', NODE_COMPILE_CACHE }
  const { promise, resolve } = Promise.withResolvers<{ code: unknown; out: string }>()
  const args = ['--no-warnings', program, 'diff', file]
  execFile(process.execPath, args, { env }, (error, out) => resolve({ code: error?.code, out }))
  t.match(await promise, { code: 2, out: '  + component API\n' })
})

t.test('the wait of a deferred apply is stated, and its key does not change', async (t) => {
  const { file, service, run } = await stage(t)
  const error = { error: { code: 'RATE_LIMITED', message: 'Rate limit exceeded' } }
  const headers = { 'content-type': 'application/json', 'retry-after': '0' }
  service.respond({ status: 429, headers, body: JSON.stringify(error) })
  const { code, complaints } = await run(['apply', file])
  t.equal(code, 1)
  const line = 'statusctl: rate limit exceeded (429), next attempt in 0 s\n'
  t.ok(complaints.startsWith(line + line), complaints)
  const keys = service.requests.map((request) => request.headers['idempotency-key'])
  t.match(keys, [/^[\da-f-]{36}$/, keys[0], keys[0]])
  t.equal(keys.length, 3)
})
