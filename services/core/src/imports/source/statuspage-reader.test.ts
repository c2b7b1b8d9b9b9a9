/** Documents of a page: complete, without foreign fields, and the key stays with its API. */
import { createOutbound, outboundPolicy } from '@status-page/outbound'
import { httpTarget } from '@status-page/testing'
import t, { type Test } from 'tap'
import { readStatuspage } from './statuspage-reader.ts'

const outbound = createOutbound({
  policy: outboundPolicy({ allowCidrs: ['127.0.0.0/8'], ownHosts: [] }),
})
t.teardown(() => outbound.close())

const AT = '2026-08-01T09:30:00.000Z'
const incident = (id: string) => ({ id, name: id, status: 'resolved', created_at: AT, secret: 'x' })

/** Server with one document per path. */
const serve = (t: Test, documents: Record<string, unknown>) =>
  httpTarget(t, ({ url = '' }) => {
    const document = documents[url]
    return document === undefined
      ? { status: 404, body: '{}' }
      : { body: typeof document === 'string' ? document : JSON.stringify(document) }
  })

const page = { id: 'p1', name: 'Acme', url: 'https://status.example.com' }

t.test('the public documents of a page, without fields that the import ignores', async (t) => {
  const source = await serve(t, {
    '/api/v2/summary.json': { page, components: [{ id: 'c1', name: 'API', showcase: true }] },
    '/api/v2/incidents.json': { incidents: [incident('i1'), incident('i2')] },
    '/api/v2/scheduled-maintenances.json': { scheduled_maintenances: [incident('m1')] },
  })
  const documents = await readStatuspage(outbound, { url: `${source.url}/` })
  t.equal(documents.page?.id, 'p1')
  t.same(documents.components, [{ id: 'c1', name: 'API', showcase: true }])
  t.same(
    documents.incidents?.map(({ id }) => id),
    ['i1', 'i2'],
  )
  t.equal(documents.scheduled_maintenances?.length, 1)
  t.notMatch(JSON.stringify(documents), 'secret')
  t.notOk(source.requests.some(({ headers }) => headers.authorization))
})

t.test('with a key, every page of the v1 lists, and no key for the page itself', async (t) => {
  const many = Array.from({ length: 100 }, (_, index) => incident(`i${index}`))
  const api = await serve(t, {
    '/v1/pages/p1': { ...page, subdomain: 'acme' },
    '/v1/pages/p1/component-groups?page=1&per_page=100': [],
    '/v1/pages/p1/components?page=1&per_page=100': [{ id: 'c1', name: 'API' }],
    '/v1/pages/p1/incidents?page=1&limit=100': many,
    '/v1/pages/p1/incidents?page=2&limit=100': [incident('last')],
    '/v1/pages/p1/incident_templates?page=1&per_page=100': [{ id: 't1', name: 'Errors' }],
  })
  const source = await serve(t, { '/api/v2/summary.json': { page } })
  for (const url of [source.url, `${api.url}/v1/pages/p1`]) {
    const documents = await readStatuspage(outbound, { url, apiKey: 'key' }, api.url)
    t.equal(documents.page?.subdomain, 'acme')
    t.equal(documents.incidents?.length, 101)
    t.match(documents.incident_templates, [{ name: 'Errors' }])
    t.same(documents.metrics, [], 'a list of a feature that the page does not have is empty')
  }
  t.ok(api.requests.every(({ headers }) => headers.authorization === 'OAuth key'))
  t.equal(source.requests.length, 1)
  t.notOk(source.requests[0]?.headers.authorization)
})

t.test('a page that cannot be read is a problem of its field', async (t) => {
  const refused = await httpTarget(t, { status: 401, body: '{}' })
  const source = await serve(t, { '/api/v2/summary.json': { page } })
  const text = await serve(t, { '/api/v2/summary.json': '<html>' })
  const list = await serve(t, { '/api/v2/summary.json': [] })
  const large = await serve(t, { '/api/v2/summary.json': `"${'x'.repeat(5 * 1024 * 1024)}"` })
  const hostile = await serve(t, { '/api/v2/summary.json': { page: { id: '../../users' } } })
  const invalid = await serve(t, {
    '/api/v2/summary.json': { page: { id: 'p1' }, components: [] },
    '/api/v2/incidents.json': { incidents: [] },
    '/api/v2/scheduled-maintenances.json': { scheduled_maintenances: [] },
  })
  const cases: [string, string | undefined, string, RegExp][] = [
    [source.url, 'key', 'apiKey', /not accepted/],
    [source.url, undefined, 'url', /status 404/],
    [text.url, undefined, 'url', /not a page of Statuspage/],
    [list.url, undefined, 'url', /not a page of Statuspage/],
    [large.url, undefined, 'url', /the response is too large/],
    [hostile.url, 'key', 'url', /not a page of Statuspage/],
    [invalid.url, undefined, 'url', /cannot be imported: .*name/],
    ['http://10.0.0.1', undefined, 'url', /the address is not permitted/],
  ]
  for (const [url, apiKey, field, message] of cases) {
    const given = apiKey === undefined ? { url } : { url, apiKey }
    await t.rejects(
      readStatuspage(outbound, given, refused.url),
      { code: 'VALIDATION_ERROR', details: { field }, message },
      `${message}`,
    )
  }
})
