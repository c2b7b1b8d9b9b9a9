/** Copies of components, and bulk changes. */
import { componentOperations as on, REDACTED } from '@status-page/contracts'
import { newId } from '@status-page/postgres'
import { testCaller } from '@status-page/testing'
import t from 'tap'
import { coreKit } from '../core.fixture.ts'

const kit = await coreKit(t)

const service = (name: string, more: object = {}) => ({ type: 'SERVICE', name, ...more })
const endpoint = (more: object = {}) => ({
  type: 'ENDPOINT',
  name: 'API',
  url: 'https://93.184.215.14/health',
  ...more,
})

t.test('a copy is disabled, operational, without subcomponents, and emits one event', async (t) => {
  const { request, organizationId } = kit.as()
  const { body: top } = await request(on.create, { body: service('top') })
  const { body: original } = await request(on.create, {
    body: service('a'.repeat(100), {
      parentComponentId: top.id,
      status: 'major_outage',
      order: 7,
      description: 'd',
    }),
  })
  await request(on.create, { body: service('below', { parentComponentId: original.id }) })
  await kit.outbox(organizationId)
  const params = { id: original.id }
  const { status, body } = await request(on.clone, { params })
  t.equal(status, 201)
  t.match(body, {
    name: `${'a'.repeat(93)} (Copy)`,
    isEnabled: false,
    status: 'operational',
    statusSource: 'manual',
    parentComponentId: top.id,
    order: 7,
    description: 'd',
  })
  const { events, audit } = await kit.outbox(organizationId)
  t.match(events, [
    {
      kind: 'component.created',
      aggregate: body.id,
      version: 1,
      data: { component: { isEnabled: false, ancestorIds: [top.id] } },
    },
  ])
  t.same(audit, ['component.create'])
  const read = await request(on.read, {
    params: { id: body.id },
    query: { include: 'subComponents' },
  })
  t.same(read.body.subComponents, [])
  const { body: history } = await request(on.statusHistory, { params: { id: body.id } })
  t.match(history.data, [{ status: 'operational', endedAt: null }])
  t.equal((await request(on.clone, { params: { id: newId() } })).status, 404)
})

t.test('a name is truncated between characters, never inside one', async (t) => {
  const { request } = kit.as()
  const { body: original } = await request(on.create, { body: service('💥'.repeat(100)) })
  const { body } = await request(on.clone, { params: { id: original.id } })
  t.equal(body.name, `${'💥'.repeat(93)} (Copy)`)
})

t.test('a copied secret is sealed for the copy', async (t) => {
  const { request, organizationId } = kit.as()
  const headers = { 'X-Api-Key': 'secret', Accept: 'text/plain' }
  const { body: original } = await request(on.create, { body: endpoint({ headers }) })
  await kit.outbox(organizationId)
  const { body } = await request(on.clone, { params: { id: original.id } })
  t.same(body.headers, { ...headers, 'X-Api-Key': REDACTED })
  const { events } = await kit.outbox(organizationId)
  const [key] = events[0]?.data.component.endpoint.headers ?? []
  const context = (id: string) =>
    ({ organizationId, purpose: 'component-header', recordId: `${id}:x-api-key` }) as never
  t.equal(kit.sealer.open(key.sealedValue, context(body.id)), 'secret')
  t.throws(() => kit.sealer.open(key.sealedValue, context(original.id)))
})

t.test('a bulk change emits events for changed components only', async (t) => {
  const { request, organizationId } = kit.as()
  const create = async (body: object) => (await request(on.create, { body })).body.id as string
  const [a, b, c] = [
    await create(service('a')),
    await create(endpoint()),
    await create(service('c')),
  ]
  await kit.outbox(organizationId)
  const updates = [
    { id: c, isEnabled: true },
    { id: b, isMuted: true, isEnabled: false, order: 4 },
    { id: a, status: 'partial_outage' },
  ]
  const { status, body } = await request(on.bulk, { body: { updates } })
  t.equal(status, 200)
  t.same(body.meta, { total: 3, page: 1, pageSize: 3 })
  t.match(body.data, [
    { id: c, isEnabled: true },
    { id: b, isMuted: true, isEnabled: false, order: 4, status: 'operational' },
    { id: a, status: 'partial_outage', statusSource: 'manual' },
  ])
  const { events, audit } = await kit.outbox(organizationId)
  t.match(events, [
    {
      kind: 'component.updated',
      aggregate: b,
      version: 2,
      data: { component: { isMuted: true, isEnabled: false } },
    },
  ])
  t.equal(events.length, 1)
  t.same(audit, ['component.update', 'component.update'])
})

t.test('one invalid update rejects all updates', async (t) => {
  const [{ request, organizationId }, other] = [kit.as(), kit.as()]
  const { body: one } = await request(on.create, { body: service('a') })
  const { body: theirs } = await other.request(on.create, { body: service('x') })
  await kit.outbox(organizationId)
  const mine = { id: one.id, order: 9 }
  const cases: [object[], string][] = [
    [[mine, { id: newId() }], 'updates[1].id'],
    [[mine, { id: theirs.id, order: 1 }], 'updates[1].id'],
    [[mine, { id: one.id, order: 8 }], 'updates[1].id'],
    [[mine, { id: one.id, status: 'unknown' }], 'updates[1].status'],
    [[], 'updates'],
    [Array.from({ length: 101 }, () => ({ id: newId() })), 'updates'],
  ]
  for (const [updates, field] of cases) {
    const response = await request(on.bulk, { body: { updates } })
    t.equal(response.status, 400)
    t.equal(response.body.error.details.field, field)
  }
  t.equal((await request(on.read, { params: { id: one.id } })).body.order, 0)
  t.same(await kit.outbox(organizationId), { events: [], audit: [] })
})

t.test('a copy needs the right to create, a bulk change the right to update', async (t) => {
  const { request, caller } = kit.as()
  const { body: one } = await request(on.create, { body: service('a') })
  const { organizationId } = caller
  const manager = kit.as(testCaller({ organizationId, role: 'INCIDENT_MANAGER' } as never))
  const body = { updates: [{ id: one.id, order: 1 }] }
  t.equal((await manager.request(on.bulk, { body })).status, 200)
  t.equal((await manager.request(on.clone, { params: { id: one.id } })).status, 403)
})
