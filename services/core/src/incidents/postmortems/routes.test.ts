/** Postmortems: written, published, visible on the page, and notified on request only. */
import {
  incidentOperations,
  postmortemOperations as on,
  publicOperations,
  statusPageOperations,
} from '@status-page/contracts'
import { newId } from '@status-page/postgres'
import { testCaller } from '@status-page/testing'
import t from 'tap'
import { coreKit } from '../../core.fixture.ts'
import { organizationOn } from '../incidents.fixture.ts'

const kit = await coreKit(t)

const whole = {
  summary: 'S',
  rootCause: 'R',
  impact: 'I',
  resolution: 'F',
  timeline: [{ at: '2026-08-01T09:30:00.000Z', text: 'First alert\nby mail' }],
  actionItems: [{ title: 'Add a limit', owner: 'Ana', dueAt: null, done: false }],
}

const incident = async (status = 'resolved') => {
  const organization = organizationOn(kit)
  const { id } = await organization.open({ status })
  const params = { id }
  await organization.emitted()
  const put = (body: object, headers = {}) =>
    organization.request(on.replace, { params, body, headers } as never)
  const version = async () =>
    (await organization.request(incidentOperations.read, { params })).body.version as number
  return { ...organization, params, put, version }
}

t.test('a postmortem is created, replaced whole, read and deleted', async (t) => {
  const { request, params, put, version, emitted } = await incident('investigating')
  t.equal((await request(on.read, { params })).status, 404)
  t.equal((await request(on.remove, { params })).status, 404)
  const created = await put(whole)
  t.equal(created.status, 200)
  t.match(created.body, { ...whole, isPublished: false, publishedAt: null })
  t.same((await request(on.read, { params })).body, created.body)
  const replaced = await put({ summary: 'New' })
  t.match(replaced.body, {
    id: created.body.id,
    summary: 'New',
    rootCause: null,
    impact: null,
    resolution: null,
    timeline: [],
    actionItems: [],
    createdAt: created.body.createdAt,
  })
  t.equal(await version(), 3)
  t.same(
    (await put({ summary: 'New' })).body,
    replaced.body,
    'the same content again changes nothing',
  )
  t.equal(await version(), 3)
  t.same((await request(on.remove, { params })).body, { success: true })
  t.equal((await request(on.read, { params })).status, 404)
  t.same(await emitted(), {
    events: [],
    audit: ['postmortem.create', 'postmortem.update', 'postmortem.delete'],
  })
})

t.test('publishing requires a resolved incident, which then stays resolved', async (t) => {
  const { request, params, put, emitted } = await incident('monitoring')
  const early = await put({ ...whole, isPublished: true })
  t.equal(early.status, 409)
  t.equal(early.body.error.details.reason, 'invalid_state')
  t.same(await emitted(), { events: [], audit: [] })
  await request(incidentOperations.addUpdate, { params, body: { status: 'resolved' } })
  const { body } = await put({ ...whole, isPublished: true })
  t.equal(body.isPublished, true)
  await request(incidentOperations.reopen, { params, body: {} })
  kit.clock.advance(1000)
  const edited = await put({ ...whole, summary: 'T', isPublished: true })
  t.match(edited.body, { summary: 'T', publishedAt: body.publishedAt })
  t.match((await put(whole)).body, { isPublished: false, publishedAt: null })
  t.equal(
    (await put({ ...whole, isPublished: true })).status,
    409,
    'an unpublished postmortem is not public',
  )
})

t.test('subscribers are notified only on request, and once', async (t) => {
  const { put, version, emitted } = await incident()
  const kinds = async () => (await emitted()).events.map(({ kind }) => kind)
  await put({ ...whole, notifySubscribers: true })
  t.same(await kinds(), [], 'a draft notifies no subscriber')
  await put({ ...whole, isPublished: true })
  t.same(await kinds(), [])
  await put({ ...whole, isPublished: true, notifySubscribers: true })
  t.same(await kinds(), [], 'nothing has changed')
  await put({ ...whole, summary: 'News', isPublished: true, notifySubscribers: true })
  const { events } = await emitted()
  t.match(events, [{ kind: 'incident.updated', version: await version() }])
  t.match(events[0]?.data.incident, { message: 'News', notifySubscribers: true })
})

t.test(
  'an invalid body is 400 and names the field; If-Match is that of the incident',
  async (t) => {
    const { put } = await incident()
    const many = Array.from({ length: 101 }, () => ({ title: 'x' }))
    const cases: [object, string][] = [
      [{}, 'summary'],
      [{ summary: '' }, 'summary'],
      [{ summary: 'x'.repeat(25_001) }, 'summary'],
      [{ summary: 'x', timeline: [{ at: 'noon', text: 'x' }] }, 'timeline[0].at'],
      [{ summary: 'x', timeline: [{ at: '2026-01-01T00:00:00Z' }] }, 'timeline[0].text'],
      [{ summary: 'x', actionItems: many }, 'actionItems'],
      [{ summary: 'x', actionItems: [{ title: 'x'.repeat(501) }] }, 'actionItems[0].title'],
    ]
    for (const [body, field] of cases) {
      const response = await put(body)
      t.equal(response.status, 400, field)
      t.equal(response.body.error.details.field, field)
    }
    t.equal((await put(whole, { 'if-match': '"7"' })).status, 409)
    t.equal((await put(whole, { 'if-match': '"1"' })).status, 200)
  },
)

t.test('incidents include it on request', async (t) => {
  const { request, params, put, open } = await incident()
  const { body } = await put(whole)
  const bare = await open({})
  const query = { include: 'postmortem', sortOrder: 'asc' } as never
  const { data } = (await request(incidentOperations.list, { query })).body
  t.same(data[0].postmortem, body)
  t.equal(data[1].postmortem, null)
  t.notOk('updates' in data[0])
  const single = await request(incidentOperations.read, {
    params,
    query: { include: 'postmortem' } as never,
  })
  t.same(single.body.postmortem, body)
  t.notOk(
    'postmortem' in (await request(incidentOperations.read, { params: { id: bare.id } })).body,
  )
})

t.test('a published postmortem is public, without the owners of its actions', async (t) => {
  const { request, params, put } = await incident()
  const slug = `s-${newId().slice(-12)}`
  await request(statusPageOperations.create, { body: { name: 'P', slug, isPublished: true } })
  const seen = async () =>
    (await kit.request(publicOperations.incident, { params: { slug, id: params.id } })).body
  await put(whole)
  t.equal((await seen()).postmortem, null)
  const { body } = await put({ ...whole, isPublished: true })
  const { summary, rootCause, impact, resolution, timeline, publishedAt, updatedAt } = body
  const shown = { summary, rootCause, impact, resolution, timeline, publishedAt, updatedAt }
  t.same((await seen()).postmortem, shown)
  const list = await kit.request(publicOperations.incidents, { params: { slug } })
  t.same(list.body.data[0].postmortem, shown)
  t.notMatch(JSON.stringify(list.body), 'Add a limit')
})

t.test('a postmortem belongs to one organization, and is deleted with its incident', async (t) => {
  const { request, params, put, organizationId } = await incident()
  await put(whole)
  const other = organizationOn(kit)
  for (const [operation, body] of [
    [on.read, undefined],
    [on.replace, { summary: 'x' }],
    [on.remove, undefined],
  ] as const) {
    t.equal((await other.request(operation, { params, body })).status, 404)
  }
  const reader = kit.as(testCaller({ organizationId, permissions: ['incidents:read'] }))
  t.equal((await reader.request(on.read, { params })).status, 200)
  t.equal((await reader.request(on.replace, { params, body: { summary: 'x' } })).status, 403)
  t.equal((await request(incidentOperations.remove, { params })).status, 200)
  t.equal((await request(on.read, { params })).status, 404)
})
