// biome-ignore-all lint/suspicious/noTemplateCurlyInString: references of documents look so
/**
 * Git sync: a push is applied once, and a change made in the service is proposed to the repository.
 */
import { execFile } from 'node:child_process'
import { createHmac } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import {
  type Component,
  componentOperations,
  type GitSyncRun,
  gitSyncOperations,
  variableOperations,
} from '@status-page/contracts'
import {
  eventually,
  httpsGit,
  localCertificate,
  makeRepository,
  temporaryFolder,
} from '@status-page/testing'
import t from 'tap'
import { register } from './kit/tenant.ts'
import { expireConfigurationLeases } from './kit/time.ts'
import { errorLogsOf, startWorld } from './kit/world.ts'

const SYNCED_WITHIN_MS = 60_000
/** A lease must expire before another process takes a sync over. */
const TAKEN_OVER_WITHIN_MS = 120_000
const TOKEN = 'a-token-that-may-write'
const OFFER = 'status-page/changes'

const document = (description: string, version: string) => `# Written by hand
apiVersion: v1
kind: StatusPageConfig
metadata:
  name: production
  configVersion: "${version}"
spec:
  componentGroups:
    - name: Core
  components:
    - name: API
      type: SERVICE
      group: Core
      description: ${description}
  statusPages:
    - slug: git-sync
      name: Status
  incidentTemplates:
    - name: Region down
      title: The region is down
  maintenanceTemplates:
    - name: Upgrade
      title: Upgrade
  slas:
    - name: API
      components: [ API ]
      targetPercentage: 99.9
  notificationChannels:
    - name: Ops
      type: slack
      config: { webhookUrl: "\${OPS_HOOK}", channel: "#ops" }
`

const folder = await temporaryFolder(t)
const server = await httpsGit(t, folder, localCertificate())
const repository = await makeRepository(folder)
server.demand(`Basic ${Buffer.from(`git:${TOKEN}`).toString('base64')}`)

const world = await startWorld(t)
const { api, session } = await register(world.api, 'git-sync')
const settings = await api.call(gitSyncOperations.create, {
  body: {
    provider: 'generic',
    authMethod: 'token',
    credential: { token: TOKEN },
    repositoryUrl: `https://localhost:${server.port}/acme/status.git`,
    autoSync: true,
    writeBack: true,
  },
})

const ring = (secret = settings.webhookSecret ?? '') => {
  const body = JSON.stringify({ ref: 'refs/heads/main' })
  return world.api.send('POST', new URL(settings.webhookUrl).pathname, {
    body,
    headers: {
      'content-type': 'application/json',
      'x-signature-256': createHmac('sha256', secret).update(body).digest('hex'),
    },
  })
}

const history = async (): Promise<GitSyncRun[]> => (await api.call(gitSyncOperations.history)).data

const ended = async (commit: string, timeoutMs = SYNCED_WITHIN_MS): Promise<GitSyncRun> => {
  const find = async () =>
    (await history()).find((run) => run.commit === commit && run.finishedAt !== null)
  return (await eventually(find, { timeoutMs })) as GitSyncRun
}

const componentNamed = async (name: string): Promise<Component | undefined> =>
  (await api.call(componentOperations.list)).data.find((one) => one.name === name)

const HOOK = 'https://hooks.example.com/secret-hook'
await api.call(variableOperations.set, { params: { name: 'OPS_HOOK' }, body: { value: HOOK } })

t.test('a push with a valid signature is applied', async (t) => {
  const commit = await repository.write('statuspage.yaml', document('First', '1'))
  t.equal((await ring('another')).status, 401)
  t.equal((await ring()).status, 202)
  t.match(await ended(commit), {
    status: 'success',
    trigger: 'webhook',
    configVersion: '1',
    error: null,
    changes: { created: 7, updated: 0, deleted: 0 },
  })
  t.equal((await componentNamed('API'))?.description, 'First')
})

t.test('statusctl shows and applies differences', async (t) => {
  const file = join(folder, 'local.yaml')
  const program = fileURLToPath(new URL('../packages/cli/src/main.ts', import.meta.url))
  const key = api.headers.authorization?.replace('Bearer ', '') ?? ''
  const env = { HOME: folder, STATUSCTL_URL: world.stack.baseUrl, STATUSCTL_KEY: key }
  const run = (...args: string[]) =>
    new Promise<{ code: number; out: string }>((resolve) => {
      execFile(process.execPath, ['--no-warnings', program, ...args], { env }, (error, out, bad) =>
        resolve({ code: Number(error?.code ?? 0), out: out + bad }),
      )
    })
  await writeFile(file, document('First', '1'))
  t.match(await run('validate', file), { code: 0, out: /Valid/ })
  t.match(await run('diff', file), { code: 0, out: /No changes/ })
  t.match(await run('drift'), { code: 0, out: /No drift/ })
  await writeFile(file, document('By statusctl', '1'))
  t.match(await run('diff', file), { code: 2, out: /~ component API \(description\)/ })
  await writeFile(file, document('First', '1').replace('SERVICE', 'NONSENSE'))
  t.match(await run('apply', file), { code: 1, out: /type/ })
  t.match(await run('export'), { code: 0, out: /description: First/ })
  t.match(await run('sync'), { code: 0, out: /No changes/ })
})

t.test('a sync of a killed process is completed by another one', async (t) => {
  const commit = await repository.write('statuspage.yaml', document('Second', '2'))
  const process = world.stack.processes['config-sync']
  let isHeld = false
  server.answerWith((request) => {
    isHeld = true
    request.resume()
  })
  await ring()
  await eventually(() => isHeld)
  await process.kill('SIGKILL')
  await expireConfigurationLeases(world)
  server.answerWith(null)
  await process.restart()
  await process.waitReady()
  const run = await ended(commit, TAKEN_OVER_WITHIN_MS)
  t.match(run, { status: 'success', changes: { updated: 1 } })
  t.equal((await componentNamed('API'))?.description, 'Second')
})

/** Changes the only resource of a list, and waits until the change is due to be proposed. */
const changeOne = async (path: string, body: object) => {
  const { id } = settings
  await world.admin`UPDATE config_sync.git_syncs SET write_back_due_at = NULL WHERE id = ${id}`
  const list = JSON.parse((await session.send('GET', `/api/v1${path}`)).text)
  const response = await session.send('PATCH', `/api/v1${path}/${list.data[0].id}`, {
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  if (response.status !== 200) throw new Error(response.text)
  const isDue = async () => {
    const [row] = await world.admin`
      SELECT write_back_due_at AS due FROM config_sync.git_syncs WHERE id = ${id}`
    return row?.due !== null
  }
  // The process that was killed before may still hold an event for some seconds.
  await eventually(isDue, { timeoutMs: TAKEN_OVER_WITHIN_MS })
}

t.test(
  'a change made in the service is proposed, and its merge changes nothing else',
  async (t) => {
    await changeOne('/status-pages', { name: 'Status by hand' })
    await changeOne('/incident-templates', { title: 'Title by hand' })
    await changeOne('/maintenance-templates', { title: 'Upgrade by hand' })
    await changeOne('/sla', { targetPercentage: 99.5 })
    await changeOne('/notification-channels', { config: { channel: '#by-hand' } })
    const { id = '' } = (await componentNamed('API')) ?? {}
    await session.call(componentOperations.update, {
      params: { id },
      body: { description: 'By hand' },
    })
    const offered = async () => (await api.call(gitSyncOperations.read)).proposal
    await eventually(async () => (await offered()) !== null, { timeoutMs: TAKEN_OVER_WITHIN_MS })
    t.match(await offered(), { branch: OFFER, error: null })
    const text = await repository.bareGit('show', `${OFFER}:statuspage.yaml`)
    t.match(text, 'description: By hand')
    t.match(text, '# Written by hand', 'comments are preserved')
    for (const value of [
      'Status by hand',
      'Title by hand',
      'Upgrade by hand',
      '99.5',
      '#by-hand',
    ]) {
      t.match(text, value)
    }
    t.match(text, '${OPS_HOOK}', 'a secret stays a reference')
    await repository.git('fetch', '--quiet', 'origin', OFFER)
    await repository.git('merge', '--quiet', '--no-ff', '-m', 'Merge', 'FETCH_HEAD')
    await repository.git('push', '--quiet', 'origin', 'HEAD:main')
    const commit = await repository.git('rev-parse', 'HEAD')
    await ring()
    t.match(await ended(commit), { status: 'no_changes' })
    t.equal((await componentNamed('API'))?.description, 'By hand')
  },
)

t.test('no row and no log contains the credential', async (t) => {
  const rows = await world.admin`SELECT * FROM config_sync.git_syncs`
  t.notMatch(JSON.stringify(rows), TOKEN)
  const outbox = await world.admin`SELECT payload FROM config_sync.outbox`
  t.notMatch(JSON.stringify(outbox), TOKEN)
  const versions = await world.admin`SELECT * FROM config_sync.configuration_versions`
  t.notMatch(JSON.stringify([rows, outbox, versions]), 'secret-hook')
  t.notMatch(JSON.stringify(await history()), TOKEN)
  const complaints = errorLogsOf(world)
  t.same(
    complaints.filter((line) => line.includes('"service":"config-sync"')),
    [],
  )
})
