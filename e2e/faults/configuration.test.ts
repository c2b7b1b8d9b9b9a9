// biome-ignore-all lint/suspicious/noTemplateCurlyInString: references of documents look so
/** kill -9 of config-sync during an apply: its changes take effect in all services or in none. */
import {
  componentOperations,
  configurationOperations,
  fullPath,
  gitSyncOperations,
  integrationOperations,
  notificationChannelOperations,
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
import { register } from '../kit/tenant.ts'
import { expireConfigurationLeases } from '../kit/time.ts'
import { restartWithFault, reviveAfterFault, startWorld } from '../kit/world.ts'

const folder = await temporaryFolder(t)
const server = await httpsGit(t, folder, localCertificate())
const repository = await makeRepository(folder)

const world = await startWorld(t, { hasShortIntervals: true })

const documentOf = (version: string, order: number) => `apiVersion: v1
kind: StatusPageConfig
metadata: { name: production, configVersion: "${version}" }
spec:
  componentGroups:
    - { name: Core, order: ${order} } # commented
  integrations:
    - name: metrics
      type: datadog
      config: { apiKey: "\${DD_API}", appKey: "\${DD_APP}" }
  components:
    - { name: Queue, type: METRIC, group: Core, integration: metrics, query: "avg:q{*}" }
    - name: API
      type: ENDPOINT
      group: Core
      url: https://api.example.com/health
      headers: { X-Api-Key: "\${DD_API}" }
      isEnabled: false
  notificationChannels:
    - { name: Ops, type: slack, components: [ API ], config: { webhookUrl: "\${OPS_HOOK}" } }
`

const tenantOf = async (name: string) => {
  const { session: api } = await register(world.api, name)
  for (const name of ['DD_API', 'DD_APP', 'OPS_HOOK']) {
    const value = `https://api.example.com/${name}`
    await api.call(variableOperations.set, { params: { name }, body: { value } })
  }
  const apply = (body: string, query = '') =>
    api.send('POST', `${fullPath(configurationOperations.apply)}${query}`, {
      headers: { 'content-type': 'application/yaml' },
      body,
    })
  const names = async () => {
    const components = await api.call(componentOperations.list)
    const integrations = await api.call(integrationOperations.list)
    const channels = await api.call(notificationChannelOperations.list)
    const all = [...components.data, ...integrations.data, ...channels.data]
    return all.map(({ name }) => name).sort()
  }
  const versions = async () => (await api.call(configurationOperations.versions)).data
  return { api, apply, names, versions }
}

const EVERYTHING = ['API', 'Core', 'Ops', 'Queue', 'metrics']

t.test(
  'an applied document is exported unchanged and changes nothing when applied again',
  async (t) => {
    const { api, apply, names } = await tenantOf('config-calm')
    const applied = await apply(documentOf('1', 1))
    t.equal(applied.status, 200, applied.text)
    t.same(await names(), EVERYTHING)
    const exported = await api.call(configurationOperations.export)
    t.equal(exported.trim(), documentOf('1', 1).trim(), 'byte for byte')
    t.match(JSON.parse((await apply(exported, '?prune=true')).text), {
      created: { length: 0 },
      updated: { length: 0 },
      deleted: { length: 0 },
      unchanged: 5,
    })
    t.same((await api.call(configurationOperations.drift)).drift, [])
    const audit = await api.send('GET', '/api/v1/audit-logs?action=configuration.apply')
    t.equal(audit.status, 200)

    const empty = documentOf('2', 1).replace(/spec:.*/s, 'spec: {}\n')
    const pruned = await apply(empty, '?prune=true')
    t.equal(pruned.status, 200, pruned.text)
    t.same(await names(), [])
  },
)

/** One service has applied its part, and the journal does not contain it yet. */
const points = ['apply.after_integrations', 'apply.after_channels', 'apply.after_components']

for (const [index, point] of points.entries()) {
  t.test(`killed at ${point}: the next apply completes it`, async (t) => {
    const { apply, names, versions } = await tenantOf(`config-${index}`)
    await restartWithFault(world, 'config-sync', point)
    const { status } = await apply(documentOf('1', 1))
    t.ok(
      [502, 503, 504].includes(status),
      `the caller gets an error with an unknown outcome (${status})`,
    )
    await expireConfigurationLeases(world)
    await reviveAfterFault(world, 'config-sync')
    await eventually(async () => (await versions()).length === 1, { timeoutMs: 60_000 })
    t.same(await names(), EVERYTHING, 'all resources, once')
    t.match(JSON.parse((await apply(documentOf('1', 1))).text), { unchanged: 5 })
  })
}

t.test('killed before core rejects its part: the parts of the others are undone', async (t) => {
  const { api, apply, names, versions } = await tenantOf('config-undo')
  const component = await api.call(componentOperations.create, {
    body: { type: 'SERVICE', name: 'Core' },
  })
  await restartWithFault(world, 'config-sync', 'apply.channels_saved')
  t.ok([502, 503, 504].includes((await apply(documentOf('1', 7))).status))
  t.same(await names(), ['Core', 'Ops', 'metrics'], 'two parts are applied')
  await api.call(componentOperations.update, { params: { id: component.id }, body: { order: 3 } })
  await expireConfigurationLeases(world)
  await reviveAfterFault(world, 'config-sync')
  await eventually(async () => (await names()).length === 1, { timeoutMs: 60_000 })
  t.same(await names(), ['Core'], 'the state before the apply')
  t.same(await versions(), [])
  const again = await eventually(async () => {
    const response = await apply(documentOf('1', 7))
    return response.status === 409 ? null : response
  })
  t.equal(again.status, 200, again.text)
  t.same(await names(), EVERYTHING)
})

/** Creates a tenant with Git sync; its document has its own path in the repository. */
const syncedTenant = async (name: string) => {
  const tenant = await tenantOf(name)
  const configPath = `${name}.yaml`
  await repository.write(configPath, documentOf('1', 1))
  await tenant.api.call(gitSyncOperations.create, {
    body: {
      provider: 'generic',
      configPath,
      repositoryUrl: `https://localhost:${server.port}/acme/status.git`,
    },
  })
  const sync = () => tenant.api.call(gitSyncOperations.sync)
  const ended = async (id: string) => {
    const find = async () =>
      (await tenant.api.call(gitSyncOperations.history)).data.find(
        (run) => run.id === id && run.finishedAt !== null,
      )
    return eventually(find, { timeoutMs: 90_000 })
  }
  return { ...tenant, sync, ended }
}

const dead = () =>
  eventually(() => world.stack.processes['config-sync'].pid === undefined, { timeoutMs: 30_000 })

t.test(
  'killed during a Git sync: the sync completes or is undone, and the history has the result',
  async (t) => {
    const finished = await syncedTenant('sync-done')
    const undone = await syncedTenant('sync-undone')
    const core = await undone.api.call(componentOperations.create, {
      body: { type: 'SERVICE', name: 'Core' },
    })
    await restartWithFault(world, 'config-sync', 'apply.after_components')
    const first = await finished.sync()
    await dead()
    await restartWithFault(world, 'config-sync', 'apply.integrations_saved')
    const second = await undone.sync()
    await dead()
    t.same(await undone.names(), ['Core', 'metrics'], 'one part is applied')
    await undone.api.call(componentOperations.update, {
      params: { id: core.id },
      body: { order: 3 },
    })
    await expireConfigurationLeases(world)
    await reviveAfterFault(world, 'config-sync')

    t.match(await finished.ended(first.id), {
      status: 'success',
      configVersion: '1',
      error: null,
      changes: { created: 5, updated: 0, deleted: 0 },
    })
    t.match(await undone.ended(second.id), {
      status: 'success',
      configVersion: '1',
      error: null,
      changes: { created: 4, updated: 1, deleted: 0 },
    })
    for (const { sync, ended, names, versions } of [finished, undone]) {
      t.same(await names(), EVERYTHING)
      t.equal((await versions()).length, 1)
      t.match(await ended((await sync()).id), { status: 'no_changes', error: null })
    }
  },
)
