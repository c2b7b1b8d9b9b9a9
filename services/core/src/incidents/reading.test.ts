/** Reading incidents: lists, and the URL on a page. */
import {
  componentOperations,
  incidentOperations as on,
  statusPageOperations,
} from '@status-page/contracts'
import { newId } from '@status-page/postgres'
import { testCaller } from '@status-page/testing'
import t from 'tap'
import { BASE_URL, coreKit } from '../core.fixture.ts'
import { organizationOn } from './incidents.fixture.ts'

const kit = await coreKit(t)
const organization = () => organizationOn(kit)

t.test('lists filter, search and sort', async (t) => {
  const { request, component, open } = organization()
  const a = await component('A')
  const one = await open({ title: 'One 50%', impact: 'critical', componentIds: [a] })
  kit.clock.advance(1000)
  const two = await open({ title: 'Two', status: 'resolved' })
  const titles = async (query: object) => {
    const { status, body } = await request(on.list, { query: query as never })
    t.equal(status, 200)
    t.equal(body.meta.total, body.data.length)
    return body.data.map(({ title }: { title: string }) => title)
  }
  t.same(await titles({}), ['Two', 'One 50%'])
  t.same(await titles({ resolved: true }), ['Two'])
  t.same(await titles({ resolved: false }), ['One 50%'])
  t.same(await titles({ status: 'resolved' }), ['Two'])
  t.same(await titles({ impact: 'critical' }), ['One 50%'])
  t.same(await titles({ componentId: a }), ['One 50%'])
  t.same(await titles({ componentId: newId() }), [])
  t.same(await titles({ statusPageId: newId() }), [])
  t.same(await titles({ search: '50%' }), ['One 50%'])
  t.same(await titles({ from: two.createdAt }), ['Two'])
  t.same(await titles({ to: two.createdAt }), ['One 50%'])
  t.same(await titles({ sortBy: 'impact' }), ['Two', 'One 50%'])
  t.same(await titles({ sortBy: 'title', sortOrder: 'desc' }), ['Two', 'One 50%'])
  const bad = [
    { from: two.createdAt, to: one.createdAt },
    { resolved: 'yes' },
    { componentId: 'x' },
  ]
  for (const query of bad) t.equal((await request(on.list, { query: query as never })).status, 400)
})

t.test('every key sorts both ways, enums in the order of the contract', async (t) => {
  const { request, open } = organization()
  const impacts = ['critical', 'minor', 'major']
  const statuses = ['monitoring', 'resolved', 'investigating']
  const days = ['2026-01-02', '2026-01-03', '2026-01-01']
  for (const index of [0, 1, 2]) {
    const startedAt = `${days[index]}T00:00:00Z`
    const [impact, status] = [impacts[index], statuses[index]]
    await open({ title: `${'BCA'[index]}`, impact, status, startedAt })
    kit.clock.advance(1000)
  }
  const sorted = async (sortBy: string, sortOrder: string) => {
    const { body } = await request(on.list, { query: { sortBy, sortOrder } as never })
    return body.data.map(({ title }: { title: string }) => title).join('')
  }
  const ascending = {
    createdAt: 'BCA',
    updatedAt: 'BCA',
    startedAt: 'ABC',
    title: 'ABC',
    impact: 'CAB',
    status: 'ABC',
  }
  for (const [sortBy, titles] of Object.entries(ascending)) {
    t.equal(await sorted(sortBy, 'asc'), titles, sortBy)
    t.equal(await sorted(sortBy, 'desc'), [...titles].reverse().join(''), sortBy)
  }
  t.match(await sorted('resolvedAt', 'asc'), /^C/)
})

t.test('incidents are found by a deleted component', async (t) => {
  const { request, component, open } = organization()
  const a = await component('A')
  await open({ title: 'About A', componentIds: [a] })
  await open({ title: 'About nothing' })
  await request(componentOperations.remove, { params: { id: a } })
  const { body } = await request(on.list, { query: { componentId: a } as never })
  t.match(body, { meta: { total: 1 }, data: [{ title: 'About A' }] })
})

t.test('the URL is that of the oldest published page that shows the incident', async (t) => {
  const { request, component, open } = organization()
  const [a, b] = [await component('A'), await component('B')]
  const slug = `s-${newId().slice(-12)}`
  const page = (more: object) =>
    request(statusPageOperations.create, { body: { name: 'P', isPublished: true, ...more } })
  await page({ slug: `${slug}-1`, isPublished: false })
  await page({ slug: `${slug}-2`, components: [{ componentId: b }] })
  kit.clock.advance(10)
  await page({ slug: `${slug}-3` })
  const onA = await open({ componentIds: [a] })
  t.equal(onA.url, `${BASE_URL}/status/${slug}-3/incidents/${onA.id}`)
  const onB = await open({ componentIds: [b] })
  t.equal(onB.url, `${BASE_URL}/status/${slug}-2/incidents/${onB.id}`)
})

t.test('incidents of a page are those that it shows, published or not', async (t) => {
  const { request, component, open } = organization()
  const [a, b] = [await component('A'), await component('B')]
  const slug = `s-${newId().slice(-12)}`
  const body = { name: 'P', slug, components: [{ componentId: b }] }
  const page = (await request(statusPageOperations.create, { body })).body
  await open({ title: 'On A', componentIds: [a] })
  kit.clock.advance(10)
  await open({ title: 'On B', componentIds: [b] })
  kit.clock.advance(10)
  await open({ title: 'Without components' })
  const titles = async (statusPageId: string, of = request) => {
    const { body } = await of(on.list, { query: { statusPageId } as never })
    return body.data.map(({ title }: { title: string }) => title)
  }
  t.same(await titles(page.id), ['Without components', 'On B'])
  t.same(await titles(page.id, organization().request), [], 'a foreign page')
})

t.test('another organization cannot find or reference an incident', async (t) => {
  const [a, b] = [organization(), organization()]
  const theirs = await b.component('B')
  const { id } = await b.open({ componentIds: [theirs] })
  await kit.outbox(b.organizationId)
  const params = { id }
  const body = { message: 'x' }
  const responses = [
    await a.request(on.read, { params }),
    await a.request(on.update, { params, body }),
    await a.request(on.remove, { params }),
    await a.request(on.addUpdate, { params, body }),
    await a.request(on.reopen, { params, body: {} }),
  ]
  t.same(
    responses.map(({ status }) => status),
    [404, 404, 404, 404, 404],
  )
  for (const field of [
    { componentIds: [theirs] },
    { componentStatuses: { [theirs]: 'major_outage' } },
  ]) {
    t.equal((await a.request(on.create, { body: { title: 'x', ...field } })).status, 400)
  }
  t.equal((await a.request(on.list)).body.meta.total, 0)
  t.same(await kit.outbox(b.organizationId), { events: [], audit: [] })
  const key = kit.as(testCaller({ permissions: ['incidents:read'] }))
  t.equal((await key.request(on.create, { body: { title: 'x' } })).status, 403)
})
