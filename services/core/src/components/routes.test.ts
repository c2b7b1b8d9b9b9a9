/** Operations of components, status by status, over a real database. */
import { componentOperations as on, REDACTED } from '@status-page/contracts'
import { newId } from '@status-page/postgres'
import { assertTenantCatalogue, testCaller } from '@status-page/testing'
import t from 'tap'
import { coreKit } from '../core.fixture.ts'

const kit = await coreKit(t)

const service = (name: string, more: object = {}) => ({ type: 'SERVICE', name, ...more })
const URL = 'https://93.184.215.14/health'
const endpoint = (more: object = {}) => ({ type: 'ENDPOINT', name: 'API', url: URL, ...more })

t.test('the schema guards every tenant table', (t) =>
  assertTenantCatalogue(t, kit.adminUrl, 'core'),
)

t.test('a created component has the defaults of the contract and emits one event', async (t) => {
  const { request, organizationId } = kit.as()
  const { status, body } = await request(on.create, { body: endpoint() })
  t.equal(status, 201)
  t.match(body, {
    status: 'operational',
    statusSource: 'manual',
    method: 'GET',
    headers: {},
    body: null,
    checkInterval: 60,
    timeout: 10_000,
    conditions: [],
    autoCreateIncident: false,
    failureThreshold: 3,
    autoResolve: true,
    recoveryThreshold: 2,
    isEnabled: true,
    averageResponseTime: null,
    lastCheckAt: null,
    parentComponentId: null,
    order: 0,
  })
  const { events, audit } = await kit.outbox(organizationId)
  t.match(events, [{ kind: 'component.created', version: 1, aggregate: body.id }])
  t.same(audit, ['component.create'])
  t.notOk('autoResolve' in (events[0]?.data.component.endpoint ?? {}))
  const read = await request(on.read, { params: { id: body.id } })
  t.equal(read.status, 200)
  t.equal(read.body.uptimePercentage, 100)
})

t.test('an invalid body is 400 and names the field', async (t) => {
  const { request, organizationId } = kit.as()
  const cases: [object, string][] = [
    [{ type: 'OTHER', name: 'x' }, 'type'],
    [service(''), 'name'],
    [service('x', { parentComponentId: newId() }), 'parentComponentId'],
    [service('x', { icon: 'http://a.example/x.png' }), 'icon'],
    [service('x', { order: -1 }), 'order'],
    [service('x', { status: 'unknown' }), 'status'],
    [{ type: 'ENDPOINT', name: 'x' }, 'url'],
    [endpoint({ url: 'http://127.0.0.1/' }), 'url'],
    [endpoint({ url: 'http://2130706433/' }), 'url'],
    [endpoint({ url: 'http://localhost:5432/' }), 'url'],
    [endpoint({ url: 'domain://www.example.com' }), 'url'],
    [endpoint({ url: 'domain://co.uk' }), 'url'],
    [endpoint({ timeout: '5' }), 'timeout'],
    [endpoint({ conditions: [{ type: 'HEADER', comparator: 'EQUALS', target: 'x' }] }), ''],
    [endpoint({ body: 'a\u0000b', method: 'POST' }), ''],
    [{ type: 'METRIC', name: 'x', integrationId: newId(), query: 'q' }, 'integrationId'],
  ]
  for (const [body, field] of cases) {
    const response = await request(on.create, { body })
    t.equal(response.status, 400, JSON.stringify(body))
    if (field !== '') t.equal(response.body.error.details.field, field)
  }
  t.same(await kit.outbox(organizationId), { events: [], audit: [] })
})

t.test('a PATCH without effect changes nothing and emits no event', async (t) => {
  const { request, organizationId } = kit.as()
  const conditions = [{ type: 'STATUS_CODE', comparator: 'EQUALS', target: '200' }]
  const { body: made } = await request(on.create, {
    body: endpoint({ headers: { 'X-Token': 's' }, conditions }),
  })
  await kit.outbox(organizationId)
  const params = { id: made.id }
  kit.clock.advance(1000)
  const same = await request(on.update, {
    params,
    body: { ...made, type: 'ENDPOINT', headers: { 'X-Token': REDACTED }, id: newId() },
  })
  t.equal(same.status, 200)
  t.equal(same.body.updatedAt, made.updatedAt)
  t.same(await kit.outbox(organizationId), { events: [], audit: [] })
})

t.test(
  'a secret header is never returned, is sealed in events and stays with its URL',
  async (t) => {
    const { request, organizationId } = kit.as()
    const secret = 'canary-secret'
    const { body } = await request(on.create, {
      body: endpoint({ headers: { 'X-Api-Key': secret } }),
    })
    t.equal(body.headers['X-Api-Key'], REDACTED)
    const emitted = await kit.outbox(organizationId)
    t.notMatch(JSON.stringify(emitted), secret)
    const [header] = emitted.events[0]?.data.component.endpoint.headers ?? []
    const context = {
      organizationId,
      purpose: 'component-header',
      recordId: `${body.id}:x-api-key`,
    }
    t.equal(kit.sealer.open(header.sealedValue, context as never), secret)

    const params = { id: body.id }
    const moved = await request(on.update, { params, body: { url: 'https://93.184.215.15/' } })
    t.equal(moved.status, 400)
    t.equal(moved.body.error.details.field, 'headers')
    const marker = await request(on.create, {
      body: endpoint({ headers: { 'X-Api-Key': REDACTED } }),
    })
    t.equal(marker.status, 400)
    const renamed = await request(on.update, {
      params,
      body: { name: 'B', headers: { 'X-Api-Key': REDACTED } },
    })
    t.equal(renamed.status, 200)
    const { events } = await kit.outbox(organizationId)
    t.match(events, [{ kind: 'component.updated', version: 2 }])
    t.equal(events[0]?.data.component.endpoint.headers[0].sealedValue, header.sealedValue)
  },
)

t.test('a manual status applies at once and does not change the definition', async (t) => {
  const { request, organizationId } = kit.as()
  const { body: made } = await request(on.create, { body: service('DB') })
  await kit.outbox(organizationId)
  const params = { id: made.id }
  kit.clock.advance(60_000)
  const { body } = await request(on.update, { params, body: { status: 'major_outage' } })
  t.match(body, { status: 'major_outage', statusSource: 'manual' })
  t.ok(body.statusChangedAt > made.statusChangedAt && body.updatedAt > made.updatedAt)
  t.same(await kit.outbox(organizationId), { events: [], audit: ['component.update'] })
  kit.clock.advance(60_000)
  const later = await request(on.read, { params })
  t.ok(later.body.uptimePercentage <= 51 && later.body.uptimePercentage >= 49)
})

t.test('the type cannot change, an unknown parent and a cycle are refused', async (t) => {
  const { request } = kit.as()
  const { body: top } = await request(on.create, { body: service('top') })
  const { body: low } = await request(on.create, {
    body: service('low', { parentComponentId: top.id }),
  })
  const patch = (id: string, body: object) => request(on.update, { params: { id }, body })
  t.equal((await patch(top.id, { type: 'ENDPOINT' })).body.error?.details.field, 'type')
  t.equal((await patch(top.id, { type: 'SERVICE' })).status, 200)
  for (const parentComponentId of [newId(), top.id, low.id]) {
    const response = await patch(top.id, { parentComponentId })
    t.equal(response.status, 400)
    t.equal(response.body.error.details.field, 'parentComponentId')
  }
  t.equal((await patch(top.id, { name: null })).status, 400)
  t.equal((await patch(newId(), { name: 'x' })).status, 404)
  t.equal((await patch('nonsense', { name: 'x' })).status, 404)
})

t.test('a PATCH ignores fields of other types, whatever their value', async (t) => {
  const { request, organizationId } = kit.as()
  const { body: page } = await request(on.create, { body: service('page') })
  const { body: api } = await request(on.create, { body: endpoint() })
  await kit.outbox(organizationId)
  const many = Array.from({ length: 60 }, () => ({ type: 'x' }))
  const foreign = { url: 'http://127.0.0.1/', timeout: 'x', conditions: many, headers: 5 }
  const metric = { integrationId: 'x', query: '', warningThreshold: 'x', pollingInterval: 0 }
  const patch = (id: string, body: object) => request(on.update, { params: { id }, body })
  t.equal((await patch(page.id, { ...foreign, ...metric, locations: ['nowhere'] })).status, 200)
  t.equal((await patch(api.id, metric)).status, 200)
  t.same(await kit.outbox(organizationId), { events: [], audit: [] })
  const cases: [string, object, string][] = [
    [page.id, { conditions: many, name: 5 }, 'name'],
    [page.id, { url: 5, type: 'ENDPOINT' }, 'type'],
    [api.id, { timeout: 'x', ...metric }, 'timeout'],
    [api.id, { url: null }, 'url'],
    [api.id, { url: 'http://127.0.0.1/' }, 'url'],
    [api.id, { failureThreshold: 0 }, 'failureThreshold'],
    [api.id, { conditions: [{ type: 'x', comparator: 'EQUALS', target: '1' }] }, ''],
  ]
  for (const [id, body, field] of cases) {
    const response = await patch(id, body)
    t.equal(response.status, 400, JSON.stringify(body))
    if (field !== '') t.equal(response.body.error.details.field, field)
  }
  t.equal((await patch(newId(), { timeout: 'x' })).status, 404)
})

t.test('a move emits events for the whole subtree, with the new ancestors', async (t) => {
  const { request, organizationId } = kit.as()
  const create = async (name: string, parentComponentId: string | null = null) =>
    (await request(on.create, { body: service(name, { parentComponentId }) })).body.id as string
  const a = await create('a')
  const b = await create('b')
  const c = await create('c', b)
  await kit.outbox(organizationId)
  await request(on.update, { params: { id: b }, body: { parentComponentId: a } })
  const { events, audit } = await kit.outbox(organizationId)
  t.same(audit, ['component.update'])
  t.match(events, [
    { aggregate: b, version: 2, data: { component: { ancestorIds: [a] } } },
    { aggregate: c, version: 2, data: { component: { ancestorIds: [b, a] } } },
  ])
})

t.test('deleting a component deletes its subcomponents', async (t) => {
  const { request, organizationId } = kit.as()
  const { body: top } = await request(on.create, { body: service('top') })
  const { body: low } = await request(on.create, {
    body: service('low', { parentComponentId: top.id }),
  })
  await kit.outbox(organizationId)
  t.same((await request(on.remove, { params: { id: top.id } })).body, { success: true })
  const { events, audit } = await kit.outbox(organizationId)
  t.same(audit, ['component.delete'])
  t.same(
    events.map(({ kind }) => kind),
    ['component.deleted', 'component.deleted'],
  )
  t.same(new Set(events.map(({ aggregate }) => aggregate)), new Set([top.id, low.id]))
  t.equal((await request(on.read, { params: { id: low.id } })).status, 404)
  t.equal((await request(on.remove, { params: { id: top.id } })).status, 404)
})

t.test('lists filter, search literally, sort and page', async (t) => {
  const { request } = kit.as()
  const { body: parent } = await request(on.create, { body: service('100% up', { order: 2 }) })
  for (const name of ['b', 'a']) {
    await request(on.create, { body: service(name, { order: 1, parentComponentId: parent.id }) })
  }
  await request(on.create, { body: endpoint({ name: 'z', status: 'major_outage' }) })
  const names = async (query: object) => {
    const { status, body } = await request(on.list, { query: query as never })
    t.equal(status, 200)
    return body.data.map(({ name }: { name: string }) => name)
  }
  t.same(await names({}), ['z', 'a', 'b', '100% up'])
  t.same(await names({ search: '0% U' }), ['100% up'])
  t.same(await names({ search: '_' }), [])
  t.same(await names({ type: 'ENDPOINT' }), ['z'])
  t.same(await names({ type: 'METRIC' }), [])
  t.same(await names({ status: 'major_outage' }), ['z'])
  t.same(await names({ parentId: parent.id, sortBy: 'name', sortOrder: 'desc' }), ['b', 'a'])
  t.same(await names({ parentId: newId() }), [])
  t.same(await names({ topLevelOnly: true }), ['z', '100% up'])
  t.same(await names({ sortBy: 'status', sortOrder: 'desc', pageSize: 1 }), ['z'])
  t.same(await names({ page: 9 }), [])
  const { body } = await request(on.list, { query: { pageSize: 1000, include: 'subComponents' } })
  t.same(body.meta, { total: 4, page: 1, pageSize: 100 })
  const top = body.data.find(({ id }: { id: string }) => id === parent.id)
  t.match(top.subComponents, [{ name: 'a' }, { name: 'b' }])
  const bad = [
    { parentId: parent.id, topLevelOnly: true },
    { parentId: 'x' },
    { sortBy: 'secret' },
    { include: 'owner' },
    { page: 0 },
    { type: ['SERVICE', 'METRIC'] },
  ]
  for (const query of bad) {
    t.equal((await request(on.list, { query: query as never })).status, 400, JSON.stringify(query))
  }
})

t.test('a search counts all matches, whatever page is requested', async (t) => {
  const { request } = kit.as()
  for (const name of ['Red one', 'Red two', 'Red three', 'Blue']) {
    await request(on.create, { body: service(name) })
  }
  const found = async (search: string, page: number) => {
    const query = { search, page, pageSize: 2, sortBy: 'name' } as never
    const { body } = await request(on.list, { query })
    return [body.data.map(({ name }: { name: string }) => name), body.meta.total]
  }
  t.same(await found('red', 1), [['Red one', 'Red three'], 3])
  t.same(await found('red', 2), [['Red two'], 3])
  t.same(await found('red', 3), [[], 3], 'after the last page')
  t.same(await found('green', 1), [[], 0])
})

t.test('another organization cannot find or reference a component', async (t) => {
  const [a, b] = [kit.as(), kit.as()]
  const { body: theirs } = await b.request(on.create, { body: service('theirs') })
  await kit.outbox(b.organizationId)
  const params = { id: theirs.id }
  const unknown = await a.request(on.read, { params: { id: newId() } })
  for (const operation of [on.read, on.remove, on.check]) {
    const response = await a.request(operation, { params })
    t.equal(response.status, 404)
    t.same(response.body, unknown.body)
  }
  t.equal((await a.request(on.update, { params, body: { name: 'mine' } })).status, 404)
  const child = await a.request(on.create, { body: service('x', { parentComponentId: theirs.id }) })
  t.equal(child.status, 400)
  t.equal((await a.request(on.list)).body.meta.total, 0)
  t.same(await kit.outbox(b.organizationId), { events: [], audit: [] })
})

t.test('missing permissions are refused', async (t) => {
  const viewer = kit.as(testCaller({ role: 'VIEWER' }))
  t.equal((await viewer.request(on.list)).status, 200)
  const refused = await viewer.request(on.create, { body: service('x') })
  t.equal(refused.status, 403)
  t.equal((await kit.request(on.list)).status, 401)
})
