/** The packages contain all that they need: installed without network, they run on Node 20 to 24. */
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { httpTarget } from '@status-page/testing'
import t from 'tap'

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url))
const run = promisify(execFile)

const folder = await mkdtemp(join(tmpdir(), 'statusctl-package-'))
t.teardown(() => rm(folder, { recursive: true, force: true }))
const { packageManager } = JSON.parse(await readFile(here('../../../package.json'), 'utf8'))
const packages = ['--filter', 'statusctl', '--filter', '@status-page/client']
const destination = ['--pack-destination', folder]
await run('npx', ['--yes', packageManager, '-r', ...packages, 'pack', ...destination], {
  cwd: here('../../..'),
})

/** The Node of this test, and that of the system when there is one. */
const nodes = [...new Set([process.execPath, '/usr/bin/node'])].filter(existsSync)

const service = await httpTarget(t, {
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({ drift: [], data: [{ name: 'API' }], totalResources: 4 }),
})
const env = {
  PATH: process.env.PATH,
  HOME: folder,
  STATUSCTL_URL: service.url,
  STATUSCTL_KEY: 'sk_live_a',
}

t.test('statusctl is installed from its tarball alone, and runs', async (t) => {
  const options = ['--offline', '--no-audit', '--no-fund', '--prefix', folder]
  await run('npm', ['install', ...options, join(folder, 'statusctl-0.1.0.tgz')], { env })
  const program = join(folder, 'node_modules/.bin/statusctl')
  for (const node of nodes) {
    const statusctl = (...args: string[]) => run(node, [program, ...args], { env })
    const [help, version, script, drift] = await Promise.all([
      statusctl('--help'),
      statusctl('--version'),
      statusctl('completion', 'bash'),
      statusctl('drift'),
    ])
    t.match(help.stdout, /Exit codes/)
    t.match(version, { stdout: 'statusctl 0.1.0\n', stderr: '' })
    t.match(script.stdout, 'complete -o default -F _statusctl statusctl')
    t.match(drift, { stdout: /^No drift: 4 resources/, stderr: '' })
    t.match(service.requests.at(-1)?.headers, {
      authorization: 'Bearer sk_live_a',
      'user-agent': 'statusctl/0.1.0',
    })
  }
})

t.test('the client is compiled, with its types', async (t) => {
  const client = join(folder, 'node_modules/@status-page/client')
  await mkdir(client, { recursive: true })
  const tarball = join(folder, 'status-page-client-0.1.0.tgz')
  await run('tar', ['xzf', tarball, '-C', client, '--strip-components', '1'])
  const dependency = here('../../client/node_modules/openapi-fetch')
  await symlink(dependency, join(folder, 'node_modules/openapi-fetch'))
  const file = join(folder, 'example.mts')
  const call = (field: string) => `import { createClient } from '@status-page/client'
const api = createClient({ url: '${service.url}', apiKey: 'k' })
const { data } = await api.GET('/api/v1/components', { params: { query: { pageSize: 1 } } })
console.log(data.data.map((component) => component.${field}).join())\n`
  const compile = () =>
    run(process.execPath, [
      ...[here('../../../node_modules/typescript/bin/tsc'), '--ignoreConfig', '--strict'],
      ...['--skipLibCheck', '--module', 'nodenext', '--target', 'es2022', '--types', '', file],
    ])
  await writeFile(file, call('nam'))
  const { stdout } = await compile().catch((error: { stdout: string }) => error)
  t.match(stdout, /'nam' does not exist/)
  await writeFile(file, call('name'))
  await compile()
  for (const node of nodes) {
    t.match(await run(node, [join(folder, 'example.mjs')]), { stdout: 'API\n', stderr: '' })
  }
})
