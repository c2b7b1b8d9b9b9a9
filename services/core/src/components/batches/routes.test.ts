/** Batches of config-sync over a real database: atomic, idempotent, and by the rules of the API. */
import { setTimeout as sleep } from 'node:timers/promises'
import {
  componentBatchOperations as batches,
  type ComponentBatch,
  checkOperations,
  componentOperations as components,
  type Outcome,
  REDACTED,
  systemActor,
} from '@status-page/contracts'
import { newId, type Scope, transact } from '@status-page/postgres'
import { headerEncryptionContext } from '@status-page/secrets'
import { testCaller, testKeys } from '@status-page/testing'
import t from 'tap'
import { BASE_URL, coreKit } from '../../core.fixture.ts'
import { createEndedChecks } from '../../incidents/automatic/ended-checks.ts'
import { createComponent, updateComponent } from '../changes.ts'

const kit = await coreKit(t)

const URL = 'https://93.184.215.14/health'
const nothing = { mode: 'apply' as const, create: [], update: [], remove: [] }
const batchOf = (parts: Partial<ComponentBatch>) => ({ id: newId(), ...nothing, ...parts })
const service = (name: string, more: object = {}) => ({ type: 'SERVICE' as const, name, ...more })

const definitions = async ({ request }: ReturnType<typeof kit.as>) =>
  (await request(batches.definitions)).body.data

t.test('only config-sync may call the route, and not through the gateway', async (t) => {
  const caller = testCaller()
  for (const issuer of ['gateway', 'monitor', 'integrations'] as const) {
    const token = testKeys().signer(issuer).sign(caller, 'core')
    const response = await kit.http.inject({
      method: 'POST',
      url: '/internal/components/batches',
      headers: { 'x-caller': token },
      payload: batchOf({}),
    })
    t.equal(response.statusCode, 401, issuer)
  }
})

t.test(
  'a batch creates, changes, moves and removes atomically, with one event per component',
  async (t) => {
    const own = kit.as()
    const { request, organizationId } = own
    const old = (await request(components.create, { body: service('Old') })).body
    const child = (await request(components.create, { body: service('Child') })).body
    const below = service('Below', { parentComponentId: child.id })
    const leaf = (await request(components.create, { body: below })).body
    await kit.outbox(organizationId)

    const [groupId, apiId] = [newId(), newId()]
    const batch = batchOf({
      create: [
        { id: groupId, component: service('Group') },
        {
          id: apiId,
          component: { type: 'ENDPOINT', name: 'API', url: URL, parentComponentId: groupId },
        },
      ],
      update: [{ id: child.id, version: 1, patch: { parentComponentId: groupId, order: 3 } }],
      remove: [{ id: old.id, version: 1 }],
    })
    const response = await request(batches.apply, { body: batch })
    t.equal(response.status, 200, JSON.stringify(response.body))
    t.same(response.body, { isRepeat: false })
    const emitted = await kit.outbox(organizationId)
    t.same(
      emitted.events.map(({ kind, aggregate, version }) => [kind, aggregate, version]),
      [
        ['component.created', groupId, 1],
        ['component.created', apiId, 1],
        ['component.updated', child.id, 2],
        ['component.updated', leaf.id, 2],
        ['component.deleted', old.id, 2],
      ],
    )
    t.same(emitted.events[3]?.data.component.ancestorIds, [child.id, groupId])
    t.same(emitted.audit, [
      'component.create',
      'component.create',
      'component.update',
      'component.delete',
    ])
    const read = (await request(components.read, { params: { id: apiId } })).body
    t.match(read, { managedByConfig: true, statusSource: 'config', uptimePercentage: 100 })
    t.equal((await request(components.read, { params: { id: old.id } })).status, 404)

    t.same((await request(batches.apply, { body: batch })).body, { isRepeat: true })
    t.same(
      await kit.outbox(organizationId),
      { events: [], audit: [] },
      'a repeated batch changes nothing',
    )
  },
)

t.test('a large batch creates children that precede their parents', async (t) => {
  const own = kit.as()
  const [groupId, rootId] = [newId(), newId()]
  // More than one chunk of rows separates the children from their parent.
  const children = Array.from({ length: 300 }, (_, index) => ({
    id: newId(),
    component: service(`Child ${index}`, { parentComponentId: groupId }),
  }))
  const create = [
    ...children,
    { id: groupId, component: service('Group', { parentComponentId: rootId }) },
    { id: rootId, component: service('Root') },
  ]
  const response = await own.request(batches.apply, { body: batchOf({ create }) })
  t.equal(response.status, 200, JSON.stringify(response.body))
  const { body: listed } = await own.request(components.list, {
    query: { parentId: groupId, pageSize: 1 },
  })
  t.equal(listed.meta.total, children.length)

  const update = children.map(({ id }) => ({ id, version: 1, patch: { order: 7 } }))
  const changed = await own.request(batches.apply, { body: batchOf({ update }) })
  t.equal(changed.status, 200, JSON.stringify(changed.body))
  const last = await own.request(components.read, { params: { id: children.at(-1)?.id ?? '' } })
  t.match(last.body, { order: 7, version: 2 })
})

t.test(
  'one invalid entry rejects the batch, and errors name all invalid entries by position',
  async (t) => {
    const own = kit.as()
    const { request, organizationId } = own
    const kept = (await request(components.create, { body: service('Kept') })).body
    await kit.outbox(organizationId)
    const endpoint = (url: string) => ({ type: 'ENDPOINT' as const, name: 'x', url })
    const cases: [Partial<ComponentBatch>, number, string][] = [
      [
        { create: [{ id: newId(), component: endpoint('http://127.0.0.1/') }] },
        400,
        'create[0].component.url',
      ],
      [
        {
          create: [
            { id: newId(), component: service('Fine') },
            { id: newId(), component: { ...endpoint(URL), timeout: 20_000, checkInterval: 10 } },
          ],
        },
        ...([400, 'create[1].component.timeout'] as const),
      ],
      [
        { update: [{ id: kept.id, version: 1, patch: { parentComponentId: kept.id } }] },
        ...([400, 'update[0].patch.parentComponentId'] as const),
      ],
      [
        { create: [{ id: newId(), component: service('x', { parentComponentId: newId() }) }] },
        ...([400, 'create[0].component.parentComponentId'] as const),
      ],
      [
        {
          create: [{ id: newId(), component: { ...endpoint(URL), headers: { 'X-Key': 'plain' } } }],
        },
        ...([400, 'create[0].component.headers'] as const),
      ],
      [{ update: [{ id: kept.id, version: 2, patch: { order: 1 } }] }, 409, 'version_mismatch'],
      [{ update: [{ id: newId(), version: 1, patch: { order: 1 } }] }, 409, 'version_mismatch'],
      [{ create: [{ id: kept.id, component: service('x') }] }, 409, 'version_mismatch'],
    ]
    for (const [parts, status, path] of cases) {
      for (const mode of ['validate', 'dry-run', 'apply'] as const) {
        const create = [{ id: newId(), component: service('Before') }, ...(parts.create ?? [])]
        const shifted = path.replace(
          /^create\[(\d)\]/,
          (_all, index) => `create[${Number(index) + 1}]`,
        )
        const response = await request(batches.apply, { body: batchOf({ ...parts, create, mode }) })
        t.equal(response.status, status, JSON.stringify(response.body))
        const { details } = response.body.error
        t.equal(status === 400 ? details.field : details.reason, shifted)
      }
    }
    t.same(await kit.outbox(organizationId), { events: [], audit: [] })
    t.same((await definitions(own)).length, 1)
  },
)

t.test('a component created in the meantime is not duplicated by name', async (t) => {
  const { request } = kit.as()
  const made = (await request(components.create, { body: service('API') })).body
  const create = [{ id: newId(), component: service('API') }]
  for (const mode of ['validate', 'dry-run', 'apply'] as const) {
    const response = await request(batches.apply, { body: batchOf({ create, mode }) })
    t.match(response, { status: 409, body: { error: { details: { reason: 'version_mismatch' } } } })
  }
  const replaced = batchOf({ create, remove: [{ id: made.id, version: 1 }] })
  t.equal(
    (await request(batches.apply, { body: replaced })).status,
    200,
    'unless that one is deleted',
  )
})

t.test('a component is deleted only together with all its subcomponents', async (t) => {
  const own = kit.as()
  const top = (await own.request(components.create, { body: service('Top') })).body
  const below = service('Below', { parentComponentId: top.id })
  const child = (await own.request(components.create, { body: below })).body
  const remove = [{ id: top.id, version: 1 }]
  const alone = await own.request(batches.apply, { body: batchOf({ remove }) })
  t.match(alone, { status: 409, body: { error: { details: { reason: 'version_mismatch' } } } })
  const detached = batchOf({
    remove,
    update: [{ id: child.id, version: 1, patch: { parentComponentId: null } }],
  })
  t.equal((await own.request(batches.apply, { body: detached })).status, 200)
  t.match(await definitions(own), [{ id: child.id, parentComponentId: null }])
})

t.test('a dry run reports errors and changes nothing', async (t) => {
  const own = kit.as()
  const create = [{ id: newId(), component: service('Trial') }]
  t.equal(
    (await own.request(batches.apply, { body: batchOf({ create, mode: 'dry-run' }) })).status,
    200,
  )
  t.same(await definitions(own), [])
  t.same(await kit.outbox(own.organizationId), { events: [], audit: [] })
})

t.test(
  'secret headers are sealed in requests and responses; the marker retains the stored one',
  async (t) => {
    const own = kit.as()
    const id = newId()
    const context = headerEncryptionContext(
      { organizationId: own.organizationId, componentId: id },
      'Authorization',
    )
    const headers = { Authorization: kit.sealer.seal('Bearer one', context), Accept: 'text/html' }
    const component = { type: 'ENDPOINT' as const, name: 'API', url: URL, headers }
    await own.request(batches.apply, { body: batchOf({ create: [{ id, component }] }) })
    const stored = async () =>
      (await definitions(own))[0]?.endpoint?.headers.map(
        ({ name, value, sealedValue }: { name: string; value: string; sealedValue: string }) => [
          name,
          sealedValue === null ? value : kit.sealer.open(sealedValue, context),
        ],
      )
    t.same(await stored(), [
      ['Authorization', 'Bearer one'],
      ['Accept', 'text/html'],
    ])
    const patch = { headers: { Authorization: REDACTED } }
    const response = await own.request(batches.apply, {
      body: batchOf({ update: [{ id, version: 1, patch }] }),
    })
    t.equal(response.status, 200)
    t.same(await stored(), [['Authorization', 'Bearer one']])
    t.notMatch(JSON.stringify(await kit.outbox(own.organizationId)), 'Bearer one')
  },
)

t.test('definitions are paginated and limited to the own organization', async (t) => {
  const [own, other] = [kit.as(), kit.as()]
  await other.request(components.create, { body: service('Foreign') })
  const create = Array.from({ length: 251 }, (_, index) => {
    return { id: newId(), component: service(`C${index}`) }
  })
  t.equal((await own.request(batches.apply, { body: batchOf({ create }) })).status, 200)
  const { events } = await kit.outbox(own.organizationId)
  t.same(
    events.map(({ aggregate }) => aggregate),
    create.map(({ id }) => id),
    'one event per component, in the order of the batch',
  )
  const first = (await own.request(batches.definitions)).body
  t.equal(first.data.length, 250)
  const second = (await own.request(batches.definitions, { query: { after: first.next } })).body
  t.equal(second.next, null)
  const names = [...first.data, ...second.data].map(({ name }) => name)
  t.same(new Set(names), new Set(create.map(({ component }) => component.name)))
})

t.test('a batch sees a component of the same name that another request is creating', async (t) => {
  const own = kit.as()
  const { request, organizationId } = own
  const renamed = (await request(components.create, { body: service('Before') })).body
  const by = { sealer: kit.sealer, baseUrl: BASE_URL, source: 'manual' as const }
  const racing: Record<string, (scope: Scope) => Promise<Outcome<unknown>>> = {
    'Created in between': (scope) => createComponent(scope, service('Created in between'), by),
    'Renamed in between': (scope) =>
      updateComponent(
        scope,
        { id: renamed.id, patch: { name: 'Renamed in between' } },
        { ...by, endedChecks: createEndedChecks({ baseUrl: BASE_URL }) },
      ),
  }
  for (const [name, work] of Object.entries(racing)) {
    const written = Promise.withResolvers<void>()
    const committing = Promise.withResolvers<void>()
    const slow = transact(kit.database, { organizationId, actor: systemActor }, async (scope) => {
      const outcome = await work(scope)
      written.resolve()
      await committing.promise
      return outcome
    })
    await written.promise
    const batch = batchOf({ create: [{ id: newId(), component: service(name) }] })
    const applied = request(batches.apply, { body: batch })
    await Promise.race([applied, sleep(500)])
    committing.resolve()
    await slow
    t.match(await applied, { status: 409, body: { error: { code: 'CONFLICT' } } }, name)
    const named = (await definitions(own)).filter((one: { name: string }) => one.name === name)
    t.equal(named.length, 1, name)
  }
})

t.test('a batch that changes locations alone is validated with the stored URL', async (t) => {
  const { request } = kit.as()
  kit.scriptMonitor((operation) =>
    operation.id === checkOperations.summaries.id
      ? { targets: [] }
      : { locations: ['default', 'private:office'], icmpLocations: [] },
  )
  const api = { type: 'ENDPOINT' as const, name: 'API', url: URL }
  const { id } = (await request(components.create, { body: api })).body
  const send = (mode: ComponentBatch['mode'], location: string) => {
    const update = [{ id, version: 1, patch: { locations: [location] } }]
    return request(batches.apply, { body: batchOf({ mode, update }) })
  }
  for (const mode of ['dry-run', 'apply'] as const) {
    const field = 'update[0].patch.locations[0]'
    const refused = { status: 400, body: { error: { details: { field } } } }
    t.match(await send(mode, 'private:lab'), refused, mode)
    t.equal((await send(mode, 'private:office')).status, 200, mode)
  }
})
