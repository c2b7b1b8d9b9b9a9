/** Public data of a published page, and nothing else. */
import {
  componentOperations,
  incidentOperations,
  publicOperations as on,
  statusPageOperations,
} from '@status-page/contracts'
import { newId } from '@status-page/postgres'
import t from 'tap'
import { BASE_URL, coreKit } from '../../core.fixture.ts'

const kit = await coreKit(t)

const DAY_MS = 86_400_000

const published = async (more: object = {}) => {
  const one = kit.as()
  const component = async (name: string, extra: object = {}) => {
    const body = { type: 'SERVICE', name, ...extra }
    return (await one.request(componentOperations.create, { body })).body.id as string
  }
  const slug = `s-${newId().slice(-12)}`
  const body = { name: 'Acme', slug, isPublished: true, ...more }
  const { body: page } = await one.request(statusPageOperations.create, { body })
  const change = (patch: object) =>
    one.request(statusPageOperations.update, { params: { id: page.id }, body: patch })
  const open = async (incident: object) =>
    (await one.request(incidentOperations.create, { body: { title: 'API errors', ...incident } }))
      .body
  const status = async () => (await kit.request(on.status, { params: { slug } })).body
  return { ...one, component, slug, page, change, open, status }
}

t.test('a page shows every enabled top-level component with its subcomponents', async (t) => {
  const { component, status, slug } = await published()
  const group = await component('Group', { order: 2 })
  const child = await component('Child', { parentComponentId: group, status: 'partial_outage' })
  const first = await component('First', { order: 1, icon: 'https://a.example/i.svg' })
  const off = await component('Off', { isEnabled: false })
  await component('Below off', { parentComponentId: off })
  kit.clock.advance(10_000)
  const body = await status()
  t.match(body.page, { name: 'Acme', slug, url: `${BASE_URL}/status/${slug}`, locale: 'en' })
  t.same(body.status, { indicator: 'major', description: 'Partial System Outage' })
  t.match(body.components, [
    { id: first, status: 'operational', icon: 'https://a.example/i.svg', uptimePercentage: 100 },
    { id: group, status: 'partial_outage', parentComponentId: null },
    { id: child, status: 'partial_outage', parentComponentId: group, uptimePercentage: 70 },
  ])
  t.equal(body.components.length, 3)
  const [shown] = body.components
  t.equal(shown.uptimeDays.length, 90)
  t.match(shown.uptimeDays[0], { status: 'no_data', downtimeSeconds: 0 })
  t.equal(shown.uptimeDays.at(-1).status, 'operational')
  t.same([body.metrics, body.maintenances], [[], { active: [], upcoming: [] }])
})

t.test('uptime of a component younger than the span of the page has its start', async (t) => {
  const { component, change, status, request } = await published({ uptimeDays: 7 })
  const params = { id: await component('API') }
  const createdAt = (await request(componentOperations.read, { params })).body.statusChangedAt
  const since = async () => (await status()).components[0].uptimeSince
  t.equal(await since(), createdAt)
  kit.clock.advance(6 * DAY_MS)
  t.equal(await since(), createdAt)
  await change({ showUptimePercentage: false })
  t.equal(await since(), null, 'without uptime')
  await change({ showUptimePercentage: true })
  kit.clock.advance(2 * DAY_MS)
  t.equal(await since(), null, 'the whole span counts')
})

t.test('a page with a list shows those components, under their display names', async (t) => {
  const { component, change, status } = await published()
  const group = await component('Group')
  const child = await component('Child', { parentComponentId: group })
  await component('Secret')
  await change({
    showUptimePercentage: false,
    components: [{ componentId: group, displayName: 'Platform', groupName: 'Core', order: 5 }],
  })
  t.match((await status()).components, [
    {
      id: group,
      name: 'Platform',
      groupName: 'Core',
      order: 5,
      uptimePercentage: null,
      uptimeDays: null,
    },
    { id: child, parentComponentId: group },
  ])
  await change({ components: [{ componentId: group, showChildren: false }] })
  t.equal((await status()).components.length, 1)
  await change({ components: [{ componentId: child }] })
  t.match((await status()).components, [{ id: child, parentComponentId: null }])
  t.notMatch(JSON.stringify(await status()), 'Secret')
})

t.test('no detail of a check, a condition or a user is public', async (t) => {
  const { component, open, slug } = await published()
  const id = await component('API', {
    type: 'ENDPOINT',
    url: 'https://93.184.215.14/canary-url',
    autoCreateIncident: true,
    headers: { 'X-Token': 'canary-header', 'X-Plain': 'canary-plain' },
    conditions: [{ type: 'BODY_CONTAINS', comparator: 'CONTAINS', target: 'canary-target' }],
  })
  const incident = await open({ componentStatuses: { [id]: 'major_outage' }, message: 'm' })
  const responses = [
    await kit.request(on.status, { params: { slug } }),
    await kit.request(on.incidents, { params: { slug } }),
    await kit.request(on.incident, { params: { slug, id: incident.id } }),
    await kit.request(on.feed, { params: { slug }, query: { format: 'json' } }),
  ]
  for (const { status, body } of responses) {
    t.equal(status, 200)
    const text = JSON.stringify(body)
    t.notMatch(text, 'canary')
    for (const name of [
      'headers',
      'conditions',
      'timeout',
      'threshold',
      'organizationId',
      'source',
    ]) {
      t.notMatch(text, new RegExp(`"${name}`, 'i'), name)
    }
  }
})

t.test('incidents appear on the pages that show one of their components, or on all', async (t) => {
  const { component, change, open, status, slug } = await published()
  const [a, b] = [await component('A'), await component('B')]
  await change({ components: [{ componentId: a, displayName: 'Front' }] })
  const both = await open({
    componentStatuses: { [a]: 'degraded_performance', [b]: 'major_outage' },
  })
  kit.clock.advance(10)
  const hidden = await open({ componentIds: [b], title: 'hidden' })
  kit.clock.advance(10)
  const general = await open({ impact: 'critical', title: 'general' })
  const body = await status()
  t.same(
    body.activeIncidents.map(({ id }: { id: string }) => id),
    [general.id, both.id],
  )
  t.same(body.activeIncidents[1].components, [
    { id: a, name: 'Front', status: 'degraded_performance' },
  ])
  t.same(body.activeIncidents[1].updates[0].components, [
    { id: a, name: 'Front', status: 'degraded_performance' },
  ])
  t.equal(body.status.indicator, 'critical', 'by the impact of the incident without components')
  const one = (id: string) => kit.request(on.incident, { params: { slug, id } })
  t.equal((await one(both.id)).body.url, `${BASE_URL}/status/${slug}/incidents/${both.id}`)
  t.equal((await one(hidden.id)).status, 404)
  t.equal((await one(newId())).status, 404)
  t.equal((await one('nonsense')).status, 404)
})

t.test('the list of incidents is filtered, sorted and paged', async (t) => {
  const { open, slug } = await published()
  const one = await open({ title: 'One' })
  kit.clock.advance(10)
  await open({ title: 'Two', status: 'resolved' })
  const titles = async (query: object) => {
    const { status, body } = await kit.request(on.incidents, {
      params: { slug },
      query: query as never,
    })
    t.equal(status, 200)
    return body.data.map(({ title }: { title: string }) => title)
  }
  t.same(await titles({}), ['Two', 'One'])
  t.same(await titles({ resolved: false }), ['One'])
  t.same(await titles({ to: '2020-01-01T00:00:00Z' }), [])
  t.same(await titles({ sortBy: 'title', sortOrder: 'asc', pageSize: 1 }), ['One'])
  const bad = await kit.request(on.incidents, {
    params: { slug },
    query: { from: one.createdAt, to: '2020-01-01T00:00:00Z' } as never,
  })
  t.equal(bad.status, 400)
})

t.test('unknown, unpublished and deleted pages are the same 404', async (t) => {
  const { slug, page, change, request } = await published({ isPublished: false })
  const bodies = [await kit.request(on.status, { params: { slug: 'never-seen' } })]
  bodies.push(await kit.request(on.status, { params: { slug } }))
  bodies.push(await kit.request(on.feed, { params: { slug } }))
  await change({ isPublished: true })
  t.equal((await kit.request(on.status, { params: { slug } })).status, 200)
  await request(statusPageOperations.remove, { params: { id: page.id } })
  bodies.push(await kit.request(on.incidents, { params: { slug } }))
  for (const { status, body } of bodies) {
    t.equal(status, 404)
    t.same(body, bodies[0]?.body)
  }
  t.equal((await kit.request(on.status, { params: { slug: 'UP%00' } })).status, 404)
})

t.test('a client with the current ETag gets 304, and responses may be cached', async (t) => {
  const { slug, component } = await published()
  const params = { slug }
  const first = await kit.request(on.status, { params })
  const etag = String(first.headers.etag)
  t.match(first.headers, {
    'cache-control': 'public, max-age=30, stale-while-revalidate=60, stale-if-error=86400',
    'access-control-allow-origin': '*',
  })
  for (const tag of [etag, `W/${etag}`, `"x", ${etag}`, '*']) {
    const again = await kit.http.inject({
      url: `/api/v1/public/status/${slug}`,
      headers: { ...kit.anonymous, 'if-none-match': tag },
    })
    t.equal(again.statusCode, 304)
    t.equal(again.body, '')
    t.equal(again.headers.etag, etag)
  }
  await component('New')
  const changed = await kit.request(on.status, { params, headers: { 'if-none-match': etag } })
  t.equal(changed.status, 200)
  const feed = await kit.request(on.feed, { params })
  t.match(feed.headers['cache-control'], 'max-age=60')
})

t.test('feeds have three formats; other formats are refused', async (t) => {
  const { slug, open, change } = await published()
  const { id } = await open({ title: 'A & B <script>', message: 'x < y' })
  const feed = (format?: string) =>
    kit.request(on.feed, {
      params: { slug },
      ...(format === undefined ? {} : { query: { format } }),
    })
  const types: [string | undefined, RegExp][] = [
    [undefined, /^application\/rss\+xml/],
    ['atom', /^application\/atom\+xml/],
    ['json', /^application\/feed\+json/],
  ]
  for (const [format, type] of types) {
    const { status, headers, body } = await feed(format)
    t.equal(status, 200)
    t.match(headers['content-type'], type)
    t.match(typeof body === 'string' ? body : JSON.stringify(body), `urn:uuid:${id}`)
  }
  t.equal((await feed('yaml')).status, 400)
  await change({ allowFeeds: false })
  t.equal((await feed()).status, 404)
})
