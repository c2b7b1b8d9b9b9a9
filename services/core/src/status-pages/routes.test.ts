/** Operations of status pages. */
import {
  componentOperations,
  statusPageOperations as on,
  subscriberOperations,
} from '@status-page/contracts'
import { newId } from '@status-page/postgres'
import { eventually, testCaller } from '@status-page/testing'
import t from 'tap'
import { BASE_URL, coreKit } from '../core.fixture.ts'

const kit = await coreKit(t)
const slug = () => `s-${newId().slice(-12)}`

t.test('a page has the defaults of the contract', async (t) => {
  const { request, organizationId } = kit.as()
  const wanted = slug()
  const { status, body } = await request(on.create, { body: { name: 'Acme', slug: wanted } })
  t.equal(status, 201)
  t.match(body, {
    slug: wanted,
    isPublished: false,
    visibility: 'public',
    hasPassword: false,
    allowedIpRanges: [],
    customDomain: null,
    customDomainStatus: 'none',
    components: [],
    theme: { mode: 'system', primaryColor: null },
    timezone: 'UTC',
    locale: 'en',
    uptimeDays: 90,
    incidentHistoryDays: 14,
    allowFeeds: true,
    allowSmsSubscribers: false,
    url: `${BASE_URL}/status/${wanted}`,
  })
  t.match(await kit.outbox(organizationId), {
    events: [{ kind: 'status-page.created', version: 1, data: { statusPage: { slug: wanted } } }],
    audit: ['status_page.create'],
  })
  t.same((await request(on.read, { params: { id: body.id } })).body, body)
})

t.test(
  'a slug is unique on the instance, and the error reveals nothing about its owner',
  async (t) => {
    const [a, b] = [kit.as(), kit.as()]
    const taken = slug()
    await b.request(on.create, { body: { name: 'B', slug: taken } })
    const mine = await a.request(on.create, { body: { name: 'A', slug: slug() } })
    const refusals = [
      await a.request(on.create, { body: { name: 'A', slug: taken } }),
      await a.request(on.update, { params: { id: mine.body.id }, body: { slug: taken } }),
    ]
    for (const { status, body } of refusals) {
      t.equal(status, 409)
      t.same(body.error.details, { reason: 'duplicate' })
    }
  },
)

t.test('an invalid body is 400 and names the field', async (t) => {
  const { request } = kit.as()
  const { body: component } = await request(componentOperations.create, {
    body: { type: 'SERVICE', name: 'A' },
  })
  const twice = [{ componentId: component.id }, { componentId: component.id }]
  const cases: [object, string][] = [
    [{ slug: 'Upper' }, 'slug'],
    [{ slug: '-x-' }, 'slug'],
    [{ components: [{ componentId: newId() }] }, 'components[0].componentId'],
    [{ components: twice }, 'components[1].componentId'],
    [{ visibility: 'friends' }, 'visibility'],
    [{ visibility: 'password' }, 'password'],
    [{ password: '1234567' }, 'password'],
    [{ password: 'ü'.repeat(37) }, 'password'],
    [{ password: '***REDACTED***' }, 'password'],
    [{ allowedIpRanges: ['203.0.113.0/24', '203.0.113.7/24'] }, 'allowedIpRanges[1]'],
    [{ allowedIpRanges: ['2001:DB8::/48', '2001:db8:0::/48'] }, 'allowedIpRanges[1]'],
    [{ allowedIpRanges: ['everybody'] }, 'allowedIpRanges[0]'],
    [
      { allowedIpRanges: Array.from({ length: 101 }, (_, n) => `10.0.${n}.0/24`) },
      'allowedIpRanges',
    ],
    [{ timezone: 'Mars/Base' }, 'timezone'],
    [{ locale: 'tlh' }, 'locale'],
    [{ uptimeDays: 0 }, 'uptimeDays'],
    [{ logoUrl: 'http://a.example/x.png' }, 'logoUrl'],
    [{ homepageUrl: 'javascript:alert(1)' }, 'homepageUrl'],
    [{ theme: { primaryColor: 'red' } }, 'theme.primaryColor'],
  ]
  for (const [more, field] of cases) {
    const response = await request(on.create, { body: { name: 'x', slug: slug(), ...more } })
    t.equal(response.status, 400, JSON.stringify(more))
    t.equal(response.body.error.details.field, field)
  }
})

t.test(
  'a PATCH replaces arrays and maps whole, null clears, equal values have no effect',
  async (t) => {
    const { request, organizationId } = kit.as()
    const { body: component } = await request(componentOperations.create, {
      body: { type: 'SERVICE', name: 'A' },
    })
    const components = [{ componentId: component.id, displayName: 'API' }]
    const theme = { mode: 'dark', primaryColor: '#00ff00' }
    const { body: created } = await request(on.create, {
      body: { name: 'x', slug: slug(), components, theme, description: 'd', uptimeDays: 30 },
    })
    const params = { id: created.id }
    await kit.outbox(organizationId)
    kit.clock.advance(1000)
    t.same((await request(on.update, { params, body: created })).body, created)
    t.same(await kit.outbox(organizationId), { events: [], audit: [] })
    const { body } = await request(on.update, {
      params,
      body: { theme: { mode: 'light' }, description: null, uptimeDays: null, isPublished: true },
    })
    t.match(body, {
      theme: { mode: 'light', primaryColor: null },
      description: null,
      uptimeDays: 90,
    })
    t.match(await kit.outbox(organizationId), {
      events: [
        { kind: 'status-page.updated', version: 2, data: { statusPage: { isPublished: true } } },
      ],
      audit: ['status_page.update'],
    })
    await request(componentOperations.remove, { params: { id: component.id } })
    const kept = await request(on.update, { params, body: { components } })
    t.equal(kept.status, 200, 'a stored id may be sent back')
    t.equal((await request(on.update, { params, body: { name: null } })).status, 400)
  },
)

t.test('a password is write-only; a page that needs one cannot lose it', async (t) => {
  const { request, organizationId } = kit.as()
  const password = 'correct horse battery'
  const created = await request(on.create, {
    body: { name: 'x', slug: slug(), visibility: 'password', password },
  })
  t.match(created.body, { visibility: 'password', hasPassword: true })
  const params = { id: created.body.id }
  await kit.outbox(organizationId)
  const change = (body: object) => request(on.update, { params, body: body as never })
  for (const same of [{ password }, { password: '***REDACTED***' }]) {
    t.equal((await change(same)).body.updatedAt, created.body.updatedAt)
  }
  t.same(await kit.outbox(organizationId), { events: [], audit: [] })
  const taken = await change({ password: null })
  t.equal(taken.status, 400)
  t.equal(taken.body.error.details.field, 'password')
  t.equal((await change({ password: 'another password' })).body.hasPassword, true)
  t.match(await kit.outbox(organizationId), { audit: ['status_page.update'] })
  const open = await change({ password: null, visibility: 'public' })
  t.match(open.body, { visibility: 'public', hasPassword: false })
  const responses = JSON.stringify([created.body, open.body, (await request(on.list)).body])
  t.notMatch(responses, /correct horse|\$2b\$/)
  const events = await kit.database.batchSql`
    SELECT payload::text AS text FROM outbox WHERE organization_id = ${organizationId}`
  const emitted = events.map(({ text }) => text).join('')
  t.match(emitted, /REDACTED/)
  t.notMatch(emitted, /correct horse|another password|\$2b\$/)
})

t.test('networks are stored in canonical form', async (t) => {
  const { request } = kit.as()
  const allowedIpRanges = ['203.0.113.0/24', '2001:DB8:0::/48']
  const { body } = await request(on.create, { body: { name: 'x', slug: slug(), allowedIpRanges } })
  t.same(body.allowedIpRanges, ['203.0.113.0/24', '2001:db8::/48'])
})

t.test('deleting a page deletes the subscribers bound to it', async (t) => {
  const { request, organizationId } = kit.as()
  const { body: page } = await request(on.create, { body: { name: 'x', slug: slug() } })
  const subscriber = { type: 'email', email: 'a@x.com', statusPageId: page.id }
  const { body: bound } = await request(subscriberOperations.create, { body: subscriber })
  await request(subscriberOperations.create, { body: { type: 'email', email: 'b@x.com' } })
  await kit.outbox(organizationId)
  t.same((await request(on.remove, { params: { id: page.id } })).body, { success: true })
  const { events, audit } = await kit.outbox(organizationId)
  t.match(events, [
    { kind: 'status-page.deleted', version: 2 },
    { kind: 'subscriber.deleted', version: 2, aggregate: bound.id },
  ])
  t.same(audit, ['status_page.delete'])
  t.equal((await request(subscriberOperations.list)).body.meta.total, 1)
  t.equal((await request(on.remove, { params: { id: page.id } })).status, 404)
})

t.test('lists are filtered and searched; another organization finds nothing', async (t) => {
  const { request } = kit.as()
  const { body: one } = await request(on.create, { body: { name: 'One', slug: slug() } })
  await request(on.create, { body: { name: 'Two', slug: slug(), isPublished: true } })
  const names = async (query: object) =>
    (await request(on.list, { query: query as never })).body.data.map(
      ({ name }: { name: string }) => name,
    )
  t.same(await names({}), ['One', 'Two'])
  t.same(await names({ isPublished: true }), ['Two'])
  t.same(await names({ search: 'ON' }), ['One'])
  t.equal((await request(on.list, { query: { isPublished: 'yes' } as never })).status, 400)
  const other = kit.as()
  const params = { id: one.id }
  t.equal((await other.request(on.read, { params })).status, 404)
  t.equal((await other.request(on.update, { params, body: { name: 'mine' } })).status, 404)
  t.equal((await other.request(on.remove, { params })).status, 404)
  t.equal((await other.request(on.list)).body.meta.total, 0)
  const key = kit.as(testCaller({ permissions: ['status-pages:read'] }))
  t.equal((await key.request(on.create, { body: { name: 'x', slug: slug() } })).status, 403)
})

t.test('a change of the access to a page is published at once', async (t) => {
  const { request, organizationId } = kit.as()
  const emitted: string[] = []
  const listening = await kit.database.listen('page_access', (payload) => emitted.push(payload))
  t.teardown(() => listening.close())
  const { body } = await request(on.create, {
    body: { name: 'A', slug: slug(), isPublished: true },
  })
  const params = { id: body.id }
  await request(on.update, { params, body: { name: 'B' } })
  t.same(emitted, [])
  const changes = [{ visibility: 'members' }, { slug: slug() }, { isPublished: false }] as const
  for (const [index, change] of changes.entries()) {
    await request(on.update, { params, body: change })
    await eventually(() => emitted.length === index + 1)
  }
  await request(on.remove, { params })
  await eventually(() => emitted.length === changes.length + 1)
  t.ok(emitted.every((one) => one === organizationId))
})
