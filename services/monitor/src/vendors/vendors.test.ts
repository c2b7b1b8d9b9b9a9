/** Polls of the status pages of vendors, and the reports that follow from them. */
import { newId } from '@status-page/postgres'
import { eventually, httpTarget, type TargetResponse } from '@status-page/testing'
import t from 'tap'
import { json, summary, vendorKit } from './vendors.fixture.ts'

const page = (body: string) => (url: string) =>
  url === '/api/v2/summary.json' ? { headers: json, body } : { status: 404 }

t.test('two hundred organizations share one request a minute', async (t) => {
  const { server, follow, poll, replica, reportsOf } = await vendorKit(t)
  const followers = []
  for (let index = 0; index < 200; index++) {
    const spelling = ['', '/', '/api/v2/status.json', '#top'][index % 4]
    followers.push(
      await follow({ url: `${server.url}${spelling}`, component: 'api', mode: 'note' }),
    )
  }
  server.respond(({ url }) => page(summary('operational'))(url))
  const others = [replica(), replica()]
  const signal = new AbortController().signal
  await Promise.all(others.map(({ job }) => job.run(signal)))
  await Promise.all(others.map((one) => one.stop()))
  t.equal(server.requests.length, 1, 'whatever the number of replicas and spellings')
  await poll(page(summary('partial_outage')))
  t.equal(server.requests.length, 2)
  for (const { id } of followers) {
    const reports = await reportsOf(id)
    t.match(reports.at(-1), { status: 'partial_outage' })
  }
})

t.test('a report has the words of the vendor as bounded plain text', async (t) => {
  const { server, follow, poll, reportsOf } = await vendorKit(t)
  const url = server.url
  const whole = await follow({ url, component: null, mode: 'note' })
  const byId = await follow({ url, component: 'C1', mode: 'note' })
  const other = await follow({ url, component: 'Website', mode: 'note' })
  const missing = await follow({ url, component: 'Billing', mode: 'note' })
  await poll(page(summary('partial_outage')))
  const expected = {
    status: 'partial_outage',
    error: null,
    vendor: 'Acme',
    message: 'Elevated <b>errors</b>',
    url: 'https://stspg.example/1',
    reportedAt: '2026-01-02T09:00:00.000Z',
  }
  t.same(await reportsOf(whole.id), [expected])
  t.same(await reportsOf(byId.id), [expected])
  t.match(await reportsOf(other.id), [
    { status: 'operational', message: null, url: 'https://status.acme.example/' },
  ])
  t.match(await reportsOf(missing.id), [{ status: 'no_data', error: 'component_not_found' }])
  const long = { incidents: [{ name: `\u202e${'x'.repeat(9_000)}`, components: [{ id: 'c1' }] }] }
  await poll(page(summary('partial_outage', long)))
  t.match((await reportsOf(byId.id)).at(-1), { message: 'x'.repeat(500) })
})

t.test('an unchanged document is not transferred again', async (t) => {
  const { server, follow, poll, reportsOf } = await vendorKit(t)
  const { id } = await follow({ url: server.url, component: null, mode: 'note' })
  const lastModified = 'Wed, 21 Oct 2026 07:28:00 GMT'
  const headers = { ...json, etag: '"v1"', 'last-modified': lastModified }
  await poll(() => ({ headers, body: summary('operational') }))
  await poll(() => ({ status: 304 }))
  t.match(server.requests[1]?.headers, {
    'if-none-match': '"v1"',
    'if-modified-since': lastModified,
  })
  t.equal((await reportsOf(id)).length, 1)
})

t.test('a feed with open entries is read again, because they end by their age', async (t) => {
  const { server, follow, poll, reportsOf } = await vendorKit(t)
  const { id } = await follow({ url: `${server.url}/feed.rss`, component: null, mode: 'note' })
  const feed = (items: string) => ({
    headers: { etag: '"v1"' },
    body: `<rss><channel><title>Acme Status</title>${items}</channel></rss>`,
  })
  await poll(() => feed('<item><title>Outage</title></item>'))
  await poll(() => feed(''))
  await poll(() => ({ status: 304 }))
  const tags = server.requests.map(({ headers }) => headers['if-none-match'])
  t.same(tags, [undefined, undefined, '"v1"'])
  t.match(await reportsOf(id), [
    { status: 'degraded_performance', message: 'Outage', vendor: 'Acme' },
    { status: 'operational' },
  ])
})

const misbehaving: readonly [what: string, error: string, response: TargetResponse][] = [
  ['HTML', 'unknown_format', { headers: { 'content-type': 'text/html' }, body: '<!doctype html>' }],
  ['another JSON', 'unknown_format', { headers: json, body: '{"status":"ok"}' }],
  ['broken JSON', 'unknown_format', { headers: json, body: '{"page":' }],
  ['an error', 'error_response', { status: 503 }],
  ['50 MB', 'too_large', { headers: json, body: Buffer.alloc(50_000_000, 0x20) }],
  ['deep nesting', 'too_complex', { headers: json, body: '['.repeat(200_000) }],
  ['a redirect to a private address', 'blocked', redirect('http://10.0.0.1/')],
  ['a redirect to itself', 'too_many_redirects', redirect('?')],
]
for (const [what, error, response] of misbehaving) {
  t.test(`a vendor that responds with ${what} has no data, until it recovers`, async (t) => {
    const { server, follow, poll, reportsOf } = await vendorKit(t)
    const { id } = await follow({ url: server.url, component: 'API', mode: 'mirror' })
    await poll(() => response)
    t.match(await reportsOf(id), [{ status: 'no_data', error, vendor: '127.0.0.1', message: null }])
    await poll(page(summary('operational')))
    t.match((await reportsOf(id)).at(-1), { status: 'operational', vendor: 'Acme' })
    await poll(() => response)
    t.equal((await reportsOf(id)).length, 2, 'one failure is a coincidence')
    await poll(() => response)
    t.match((await reportsOf(id)).at(-1), { status: 'no_data', error, vendor: 'Acme' })
  })
}

t.test('a page of this product is followed by its address and by its JSON', async (t) => {
  const { server, follow, poll, reportsOf } = await vendorKit(t)
  const { id } = await follow({
    url: `${server.url}/public/status/acme.json`,
    component: 'API',
    mode: 'note',
  })
  await poll(() => ({
    headers: json,
    body: JSON.stringify({
      page: { name: 'Acme', url: 'https://acme.example/status' },
      status: { indicator: 'critical', description: 'Major System Outage' },
      components: [{ id: 'c1', name: 'API', status: 'major_outage' }],
      activeIncidents: [
        {
          title: 'API is down',
          url: 'https://acme.example/incidents/1',
          updatedAt: '2026-01-02T09:00:00.000Z',
          components: [{ id: 'c1' }],
        },
      ],
      maintenances: { active: [], upcoming: [] },
    }),
  }))
  t.match(await reportsOf(id), [
    { status: 'major_outage', message: 'API is down', url: 'https://acme.example/incidents/1' },
  ])
})

t.test('a slow vendor delays no other', async (t) => {
  const { server, follow, startPoll, publish, reportsOf } = await vendorKit(t)
  const slow = await httpTarget(t)
  slow.respond(() => new Promise(() => {}))
  for (let index = 0; index < 40; index++) {
    await follow({ url: `${slow.url}/${index}`, component: null, mode: 'note' })
  }
  const { id } = await follow({ url: server.url, component: null, mode: 'note' })
  server.respond(({ url }) => page(summary('operational'))(url))
  await startPoll()
  await eventually(async () => {
    await publish()
    return (await reportsOf(id)).length === 1
  })
  t.match(await reportsOf(id), [{ status: 'operational' }])
})

t.test('only enabled components are followed, and an older event changes nothing', async (t) => {
  const { server, follow, poll, reportsOf, publish, sql } = await vendorKit(t)
  const upstream = { url: server.url, component: null, mode: 'mirror' as const }
  const organizationId = newId()
  const { id } = await follow(upstream, { organizationId })
  await follow(null, { organizationId, id, version: 3 })
  await follow(upstream, { organizationId, id, version: 2 })
  await poll(page(summary('operational')))
  t.equal(server.requests.length, 0)
  await follow(upstream, { organizationId, id, version: 4 })
  await poll(page(summary('operational')))
  t.equal((await reportsOf(id)).length, 1)
  await follow({ ...upstream, component: 'API' }, { organizationId, id, version: 5 })
  await publish()
  t.equal((await reportsOf(id)).length, 2, 'a changed upstream has a report at once')
  const other = await follow(upstream)
  await publish()
  t.equal((await reportsOf(other.id)).length, 1, 'and so has another follower of a known page')
  const [row] = await sql`SELECT count(*)::int AS pages FROM monitor.vendor_pages`
  t.match(row, { pages: 1 })
})

function redirect(location: string): TargetResponse {
  return { status: 302, headers: { location } }
}
