/** Operations of service levels over a real database. */
import { componentOperations, MAX_SLAS, slaOperations as on } from '@status-page/contracts'
import { connect, newId } from '@status-page/postgres'
import { assertTenantCatalogue, testCaller } from '@status-page/testing'
import t from 'tap'
import { coreKit } from '../core.fixture.ts'

const kit = await coreKit(t)
const HOUR_MS = 3_600_000

const organization = () => {
  const one = kit.as()
  const component = async (name = 'API') => {
    const body = { type: 'SERVICE', name }
    return (await one.request(componentOperations.create, { body })).body.id as string
  }
  const show = (id: string, status: string) =>
    one.request(componentOperations.update, { params: { id }, body: { status } })
  const make = async (componentIds: string[], more: object = {}) => {
    const body = { name: 'API 99.9', componentIds, targetPercentage: 99.9, ...more }
    const response = await one.request(on.create, { body })
    if (response.status !== 201) throw new Error(JSON.stringify(response.body))
    return response.body
  }
  return { ...one, component, show, make }
}

t.test('the schema guards every tenant table', (t) =>
  assertTenantCatalogue(t, kit.adminUrl, 'core'),
)

t.test('an organization has at most 200, however many are created concurrently', async (t) => {
  const { request, component, make, organizationId } = organization()
  const componentIds = [await component()]
  const { id } = await make(componentIds)
  const administrator = await connect({ url: kit.adminUrl, service: 'core' })
  t.teardown(() => administrator.close())
  await administrator.batchSql`
    INSERT INTO core.slas SELECT (jsonb_populate_record(s, jsonb_build_object('id', gen_random_uuid()))).*
    FROM core.slas s, generate_series(1, ${MAX_SLAS - 2}) WHERE s.id = ${id}`
  await kit.outbox(organizationId)
  const body = { name: 'Last', componentIds, targetPercentage: 99 }
  const responses = await Promise.all([1, 2, 3].map(() => request(on.create, { body })))
  t.same(responses.map(({ status }) => status).sort(), [201, 409, 409])
  const refused = responses.find(({ status }) => status === 409)
  t.match(refused?.body, { error: { code: 'CONFLICT', details: { reason: 'invalid_state' } } })
  t.match(await kit.outbox(organizationId), {
    events: [{ kind: 'definition.changed' }],
    audit: ['sla.create'],
  })
})

t.test(
  'a new service level has the defaults of the contract and is evaluated at once',
  async (t) => {
    const { request, component, organizationId } = organization()
    const id = await component()
    kit.clock.advance(1_000)
    await kit.outbox(organizationId)
    const { status, body } = await request(on.create, {
      body: { name: 'API', componentIds: [id], targetPercentage: 99.9 },
    })
    t.equal(status, 201)
    t.match(body, {
      description: null,
      windowType: 'rolling',
      windowDays: 30,
      timezone: 'UTC',
      aggregation: 'any_down',
      downtimeStatuses: ['partial_outage', 'major_outage'],
      partialWeight: 1,
      excludeMaintenance: true,
      minOutageSeconds: 0,
      atRiskThreshold: 20,
      isEnabled: true,
      responseTargetMinutes: null,
      resolutionTargetMinutes: null,
      current: { percentage: 100, burnRate: 0, status: 'healthy' },
    })
    t.notOk('dueAt' in body || 'status' in body || 'version' in body)
    t.match(await kit.outbox(organizationId), {
      events: [{ kind: 'definition.changed' }],
      audit: ['sla.create'],
    })
    const read = await request(on.read, { params: { id: body.id } })
    t.same({ ...read.body, current: null }, { ...body, current: null })
  },
)

t.test('an invalid body is 400 and names the field', async (t) => {
  const { request, component, organizationId } = organization()
  const id = await component()
  const foreign = await organization().component()
  await kit.outbox(organizationId)
  const cases: [object, string][] = [
    [{ name: '' }, 'name'],
    [{ componentIds: [] }, 'componentIds'],
    [{ componentIds: [id, newId()] }, 'componentIds[1]'],
    [{ componentIds: [foreign] }, 'componentIds[0]'],
    [{ componentIds: [id, id] }, 'componentIds'],
    [{ componentIds: Array.from({ length: 101 }, () => newId()) }, 'componentIds'],
    [{ targetPercentage: 0 }, 'targetPercentage'],
    [{ targetPercentage: 100 }, 'targetPercentage'],
    [{ windowType: 'weekly' }, 'windowType'],
    [{ windowDays: 367 }, 'windowDays'],
    [{ timezone: 'Mars/Olympus' }, 'timezone'],
    [{ downtimeStatuses: [] }, 'downtimeStatuses'],
    [{ downtimeStatuses: ['operational'] }, 'downtimeStatuses[0]'],
    [{ partialWeight: 1.1 }, 'partialWeight'],
    [{ minOutageSeconds: 86_401 }, 'minOutageSeconds'],
    [{ atRiskThreshold: -1 }, 'atRiskThreshold'],
    [{ responseTargetMinutes: 0 }, 'responseTargetMinutes'],
    [{ resolutionTargetMinutes: 525_601 }, 'resolutionTargetMinutes'],
  ]
  for (const [wrong, field] of cases) {
    const body = { name: 'x', componentIds: [id], targetPercentage: 99, ...wrong }
    const response = await request(on.create, { body })
    t.equal(response.status, 400, JSON.stringify(wrong))
    t.equal(response.body.error.details.field, field)
  }
  t.same(await kit.outbox(organizationId), { events: [], audit: [] })
})

t.test('a change evaluates again; without effect it emits no event', async (t) => {
  const { request, component, show, make, organizationId } = organization()
  const id = await component()
  kit.clock.advance(9 * HOUR_MS)
  await show(id, 'partial_outage')
  kit.clock.advance(HOUR_MS)
  await show(id, 'operational')
  const made = await make([id], { targetPercentage: 50, windowDays: 1 })
  t.match(made.current, { status: 'healthy', burnRate: 0.083 })
  await kit.outbox(organizationId)
  const params = { id: made.id }
  const same = await request(on.update, { params, body: { name: made.name, targetPercentage: 50 } })
  t.equal(same.body.updatedAt, made.updatedAt)
  t.same(await kit.outbox(organizationId), { events: [], audit: [] })

  const { body } = await request(on.update, { params, body: { targetPercentage: 99 } })
  t.match(body.current, { status: 'breached' })
  t.ok(body.current.budgetRemainingSeconds < 0)
  const { events, audit } = await kit.outbox(organizationId)
  t.same(audit, ['sla.update'])
  t.match(events, [
    { kind: 'definition.changed' },
    {
      kind: 'sla.breached',
      aggregate: made.id,
      version: 3,
      data: { sla: { previousStatus: 'healthy', current: { status: 'breached' } } },
    },
  ])
  const weighed = await request(on.update, { params, body: { partialWeight: 0 } })
  t.match(weighed.body.current, { status: 'healthy', percentage: 100 })
  t.match((await kit.outbox(organizationId)).events, [
    { kind: 'definition.changed' },
    { kind: 'sla.recovered' },
  ])
  const paused = await request(on.update, { params, body: { isEnabled: false } })
  t.match(paused.body.current, { status: 'paused', percentage: null, burnRate: null })
  t.match((await kit.outbox(organizationId)).events, [{ kind: 'definition.changed' }])
  t.equal((await request(on.update, { params, body: { name: null } })).status, 400)
  const reset = await request(on.update, { params, body: { windowDays: null, isEnabled: true } })
  t.match(reset.body, { windowDays: 30, current: { status: 'healthy' } })
})

t.test('a deleted component stays in scope, and a scope without others has no data', async (t) => {
  const { request, component, make } = organization()
  const [gone, other] = [await component('gone'), await component('other')]
  kit.clock.advance(HOUR_MS)
  const sla = await make([gone, other])
  await request(componentOperations.remove, { params: { id: gone } })
  const params = { id: sla.id }
  const read = await request(on.read, { params })
  t.same(read.body.componentIds, [gone, other])
  t.equal(read.body.current.status, 'healthy')
  const alone = await request(on.update, { params, body: { componentIds: [gone] } })
  t.equal(alone.status, 200)
  t.match(alone.body.current, { status: 'no_data', percentage: null, budgetTotalSeconds: null })
  const { body: report } = await request(on.report, { params })
  t.match(report, { percentage: null, met: null, totalSeconds: 0, outages: [] })
  t.match(report.components, [{ id: gone, name: null, percentage: null }])
  const both = await request(on.update, { params, body: { componentIds: [other, gone] } })
  t.equal(both.status, 200)
  await request(on.update, { params, body: { componentIds: [other] } })
  const back = await request(on.update, { params, body: { componentIds: [other, gone] } })
  t.equal(back.status, 400, 'once removed, it is unknown')
  t.equal(back.body.error.details.field, 'componentIds[1]')
})

t.test('lists filter, search and sort', async (t) => {
  const { request, component, show, make } = organization()
  const [a, b] = [await component('a'), await component('b')]
  kit.clock.advance(HOUR_MS)
  await show(b, 'major_outage')
  kit.clock.advance(HOUR_MS)
  await make([a], { name: 'Alpha' })
  await make([a, b], { name: 'Beta' })
  await make([b], { name: 'Gamma', isEnabled: false })
  const names = async (query: object) => {
    const response = await request(on.list, { query: query as never })
    t.equal(response.status, 200)
    return response.body.data.map(({ name }: { name: string }) => name)
  }
  t.same(await names({}), ['Alpha', 'Beta', 'Gamma'])
  t.same(await names({ sortBy: 'createdAt' }), ['Gamma', 'Beta', 'Alpha'])
  t.same(await names({ componentId: b }), ['Beta', 'Gamma'])
  t.same(await names({ componentId: newId() }), [])
  t.same(await names({ status: 'breached' }), ['Beta'])
  t.same(await names({ status: 'paused' }), ['Gamma'])
  t.same(await names({ isEnabled: true }), ['Alpha', 'Beta'])
  t.same(await names({ search: 'ALP' }), ['Alpha'])
  t.same(await names({ pageSize: 1, page: 2 }), ['Beta'])
  t.equal((await request(on.list, { query: { status: 'bad' } as never })).status, 400)
  t.equal((await request(on.list, { query: { sortBy: 'status' } as never })).status, 400)
})

t.test('another organization cannot find it; permissions are required', async (t) => {
  const [ours, theirs] = [organization(), organization()]
  const sla = await theirs.make([await theirs.component()])
  const params = { id: sla.id }
  for (const operation of [on.read, on.remove, on.report]) {
    t.equal((await ours.request(operation, { params })).status, 404)
  }
  t.equal((await ours.request(on.update, { params, body: { name: 'x' } })).status, 404)
  t.equal((await ours.request(on.list)).body.meta.total, 0)
  const viewer = kit.as(testCaller({ role: 'VIEWER' }))
  t.equal((await viewer.request(on.list)).status, 200)
  t.equal((await viewer.request(on.remove, { params })).status, 403)
  await kit.outbox(theirs.organizationId)
  t.same((await theirs.request(on.remove, { params })).body, { success: true })
  t.same((await kit.outbox(theirs.organizationId)).audit, ['sla.delete'])
  t.equal((await theirs.request(on.remove, { params })).status, 404)
})
