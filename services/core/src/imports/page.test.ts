/** Import of a page: its settings, its history, and the addresses that it had at the source. */
import {
  componentOperations,
  importOperations,
  incidentOperations,
  incidentTemplateOperations,
  maintenanceOperations,
  type Permission,
  statusPageOperations,
} from '@status-page/contracts'
import { testCaller } from '@status-page/testing'
import t from 'tap'
import { coreKit } from '../core.fixture.ts'
import * as source from './statuspage.fixture.ts'

const kit = await coreKit(t)

type One = ReturnType<typeof kit.as>

const HOUR_SECONDS = 3_600

const take = ({ request }: One, body: object, query: object = {}) =>
  request(importOperations.statuspage, { body: body as never, query: query as never })

const imported = async (body: object = source.documents(), query: object = { publish: true }) => {
  const one = kit.as()
  const { body: report, status } = await take(one, body, query)
  t.equal(status, 200, JSON.stringify(report))
  const slug = report.page?.slug ?? ''
  const inject = (url: string, headers: object = {}) =>
    kit.http.inject({ url, headers: { ...kit.anonymous, ...headers } })
  return {
    ...one,
    report,
    slug,
    get: (path: string, headers?: object) => inject(`/status/${slug}${path}`, headers),
    data: (path: string) => inject(`/api/v1/public/status/${slug}${path}`),
    settings: async () => {
      const params = { id: report.page?.id ?? '' }
      return (await one.request(statusPageOperations.read, { params })).body
    },
  }
}

t.test('a page with its groups in order, descriptions, uptime and history', async (t) => {
  const { data, get, report, request, settings } = await imported()
  t.match(report.page, { name: 'Acme Cloud', isNew: true, isPublished: true })
  t.match(report.page?.slug, /^acme-cloud/)
  t.match(await settings(), { timezone: 'Europe/Berlin', visibility: 'public', homepageUrl: null })
  const { components } = (await data('')).json()
  t.match(
    components.map(({ name }: { name: string }) => name),
    ['Regions', 'Europe', 'Platform', 'Public API', 'Dashboard', 'Documentation'],
  )
  const named = new Map(components.map((one: { name: string }) => [one.name, one]))
  t.match(named.get('Public API'), {
    description: 'REST and GraphQL',
    status: 'operational',
    uptimeDays: [{ status: 'operational' }],
  })
  t.match(named.get('Dashboard'), { uptimePercentage: null })
  const { body: stored } = await request(componentOperations.list, { query: { search: 'API' } })
  t.match(stored.data, [{ createdAt: '2023-02-01T00:00:00.000Z' }])
  // The fixture reads the clock for each time, so that a duration can differ by milliseconds.
  const downtime = (name: string) =>
    Math.round(
      (named.get(name) as { uptimeDays: { downtimeSeconds: number }[] }).uptimeDays.reduce(
        (sum, day) => sum + day.downtimeSeconds,
        0,
      ),
    )
  t.equal(downtime('Public API'), (2 + 0.3 * 2) * HOUR_SECONDS)
  t.equal(downtime('Europe'), 0.3 * 2 * HOUR_SECONDS, 'of the status before its first change')
  t.equal(downtime('Platform'), downtime('Public API'))
  const html = (await get('')).body
  t.ok(html.includes('API is down') && html.includes('Database upgrade'))
  const moved = (await get(`/incidents/${source.ids.outage}`)).headers.location
  const { body: incident } = await kit.http.inject({ url: moved ?? '', headers: kit.anonymous })
  for (const markup of [
    '<strong>errors</strong>',
    '<li>Webhooks</li>',
    '<a href="https://acme.example/runbook" rel="nofollow">the runbook</a>',
    '<strong>Thanks</strong> for your patience',
  ]) {
    t.ok(incident.includes(markup), markup)
  }
})

t.test('a repeated import changes nothing but adds what is new', async (t) => {
  const one = await imported()
  await kit.outbox(one.organizationId)
  const page = await one.settings()
  const { body: again } = await take(one, source.documents(), { publish: true })
  t.match(again, {
    page: { id: page.id, isNew: false },
    components: { created: 0, unchanged: 6 },
    incidents: { created: 0, updated: 0, unchanged: 2 },
  })
  t.same((await kit.outbox(one.organizationId)).events, [])
  t.same(await one.settings(), page)
  const documents = source.documents()
  const added = [
    source.component('new000000001', 'Mail', 4),
    source.component('new000000002', 'Asia', 2, { group_id: 'grp000000002' }),
  ]
  await take(one, { ...documents, components: [...documents.components, ...added] })
  const { components } = (await one.data('')).json()
  const names = components.map(({ name }: { name: string }) => name)
  t.ok(names.includes('Mail') && names.includes('Asia'))
  await one.request(statusPageOperations.remove, { params: { id: page.id } })
  t.equal((await take(one, documents)).body.page, null, 'a deleted page is not created again')
})

t.test('a dry run reports the page and creates nothing', async (t) => {
  const one = kit.as()
  const { body } = await take(one, source.documents(), { dryRun: true, slug: 'planned-page' })
  t.match(body.page, { id: null, slug: 'planned-page', isNew: true, isPublished: false })
  t.equal((await one.request(statusPageOperations.list)).body.meta.total, 0)
  t.same((await kit.outbox(one.organizationId)).events, [])
})

t.test('the slug is free, or the one that was given', async (t) => {
  const documents = { page: { id: 'p1', name: 'Ünïque Näme!' } }
  const first = (await take(kit.as(), documents)).body
  t.equal(first.page?.slug, 'unique-name')
  const second = (await take(kit.as(), documents)).body
  t.equal(second.page?.slug, 'unique-name-2')
  t.match(second.warnings, [{ field: 'page', message: /another page/ }])
  const taken = await take(kit.as(), documents, { slug: 'unique-name' })
  t.equal(taken.status, 409)
  for (const name of ['日本', 'x']) {
    const { status, body } = await take(kit.as(), { page: { id: 'p', name } })
    t.equal(status, 200)
    t.match(body.page?.slug, /^status/)
  }
})

t.test('the settings of the v1 API', async (t) => {
  const { settings, report, get } = await imported({
    ...source.documents(),
    page: source.managedPage,
  })
  t.match(await settings(), {
    description: 'State of all services.',
    homepageUrl: 'https://acme.example/',
    supportUrl: 'mailto:help@acme.example',
    timezone: 'America/New_York',
    allowIndexing: false,
    allowEmailSubscribers: false,
    allowWebhookSubscribers: true,
    theme: {
      primaryColor: '#207ab6',
      operationalColor: '#1e8542',
      degradedColor: '#f1c40f',
      partialColor: '#b35e14',
      majorColor: null,
      maintenanceColor: '#2277bb',
    },
  })
  t.ok(report.warnings.some(({ field }: { field: string }) => field === 'page.css_reds'))
  t.ok((await get('')).body.includes('--ok:#1e8542'))
})

t.test('a page that was restricted stays restricted', async (t) => {
  const page = (more: object) => ({ page: { ...source.managedPage, id: 'r1', ...more } })
  const team = await imported(page({ viewers_must_be_team_members: true }))
  t.equal((await team.settings()).visibility, 'members')
  const office = await imported(page({ ip_restrictions: '203.0.113.7, 2001:db8::/32' }))
  t.match(await office.settings(), {
    visibility: 'ip_allowlist',
    allowedIpRanges: ['203.0.113.7/32', '2001:db8::/32'],
  })
  const unknown = await imported(page({ ip_restrictions: 'the office' }))
  t.equal((await unknown.settings()).visibility, 'members')
  t.ok(
    unknown.report.warnings.some(
      ({ field }: { field: string }) => field === 'page.ip_restrictions',
    ),
  )
})

t.test('statuses follow from the impact where the source has none', async (t) => {
  const { data } = await imported({
    page: source.page,
    components: [source.component('api', 'API', 1)],
    incidents: [
      source.incident('i1', 'Outage', {
        impact: 'critical',
        components: ['api'],
        updates: [
          source.update('u1', 'investigating', source.ago(1, 3)),
          {
            ...source.update('u2', 'resolved', source.ago(1, 1)),
            affected_components: [{ name: 'No components were affected by this update.' }] as never,
          },
        ],
      }),
    ],
  })
  const [api] = (await data('')).json().components
  t.equal(
    api.uptimeDays.reduce(
      (sum: number, day: { downtimeSeconds: number }) => sum + day.downtimeSeconds,
      0,
    ),
    2 * HOUR_SECONDS,
  )
})

t.test('an incident that is open has its history, and ends with the source', async (t) => {
  const api = source.component('api', 'API', 1, { status: 'major_outage' })
  const started = source.update('u1', 'investigating', source.ago(0, 5), {
    changes: [{ code: 'api', from: 'operational', to: 'major_outage' }],
  })
  const over = source.update('u2', 'resolved', source.ago(0, 1), {
    changes: [{ code: 'api', from: 'major_outage', to: 'operational' }],
  })
  const fields = { impact: 'critical', components: ['api'] }
  const open = source.incident('i1', 'Outage', { ...fields, updates: [started] })
  const documents = { page: source.page, components: [api], incidents: [open] }
  const one = await imported(documents)
  const downtime = async () => {
    const [component] = (await one.data('')).json().components
    const days: { downtimeSeconds: number }[] = component.uptimeDays
    return days.reduce((sum, day) => sum + day.downtimeSeconds, 0)
  }
  t.ok(Math.abs((await downtime()) - 5 * HOUR_SECONDS) < 60)
  const { body: list } = await one.request(incidentOperations.list)
  t.match(list.data, [{ status: 'investigating', isBackfilled: false }])
  const resolved = source.incident('i1', 'Outage', { ...fields, updates: [started, over] })
  const { body: report } = await take(one, { ...documents, incidents: [resolved] })
  t.match(report.incidents, { updated: 1 })
  const { body: after } = await one.request(incidentOperations.list)
  t.match(after.data, [{ status: 'resolved', resolvedAt: over.created_at }])
  const { body: components } = await one.request(componentOperations.list)
  t.match(components.data, [{ status: 'operational' }], 'the component recovers with it')
})

t.test('a component without a valid start begins with its creation', async (t) => {
  const component = (id: string, more: object) => ({ ...source.component(id, id, 1), ...more })
  const one = await imported({
    components: [
      component('a', { start_date: '2026-13-45' }),
      component('b', { start_date: '0001-01-01' }),
      component('c', { start_date: null, created_at: null }),
      component('__proto__', { start_date: '2999-01-01' }),
    ],
  })
  const { body } = await one.request(componentOperations.list, { query: { sortBy: 'name' } })
  const days = body.data.map((row: { createdAt: string }) => row.createdAt.slice(0, 10))
  const today = new Date().toISOString().slice(0, 10)
  t.same(days.toSorted(), ['2000-01-01', '2023-02-01', today, today].toSorted())
  t.match(one.report.warnings, [{ field: 'components[0].start_date' }])
})

t.test('a component under maintenance recovers when the maintenance ends', async (t) => {
  const api = source.component('api', 'API', 1, { status: 'under_maintenance' })
  const active = {
    ...source.maintenance('m1', 'Upgrade', ['api']),
    status: 'in_progress',
    scheduled_for: source.ago(0, 1),
    scheduled_until: source.ago(0, -1),
  }
  const documents = { page: source.page, components: [api], scheduled_maintenances: [active] }
  const one = await imported(documents)
  const status = async () =>
    (await one.request(componentOperations.list)).body.data.map(
      (row: { status: string; statusSource: string }) => [row.status, row.statusSource],
    )
  t.same(await status(), [['under_maintenance', 'maintenance']])
  const { body: list } = await one.request(maintenanceOperations.list)
  await one.request(maintenanceOperations.update, {
    params: { id: list.data[0]?.id ?? '' },
    body: { status: 'completed' },
  })
  t.match(await status(), [['operational']])
})

t.test('old addresses lead to the new ones', async (t) => {
  const { get, slug, data } = await imported()
  const onDomain = { 'x-internal-page-domain': 'status.acme.test' }
  const { incidents } = (await data('/api/v2/incidents.json')).json()
  const outage = incidents.find(({ name }: { name: string }) => name === 'API is down')
  const moved = await get(`/incidents/${source.ids.outage}`)
  t.equal(moved.statusCode, 301)
  t.equal(moved.headers.location, `/status/${slug}/incidents/${outage.id}`)
  t.match(moved.headers['cache-control'], /^public, max-age=/)
  const onOwn = await get(`/incidents/${source.ids.outage}`, onDomain)
  t.equal(onOwn.headers.location, `/incidents/${outage.id}`)
  t.equal((await get(`/incidents/${outage.id}`)).statusCode, 200)
  const planned = await get(`/incidents/${source.ids.maintenance}`)
  t.match(planned.headers.location, /\/maintenances\/[0-9a-f-]{36}$/)
  const feed = `/api/v1/public/status/${slug}/feed?format=`
  const paths: Record<string, string> = {
    '/history.atom': `${feed}atom`,
    '/history.rss': `${feed}rss`,
    '/api/v2/summary.json': `/api/v1/public/status/${slug}/api/v2/summary.json`,
    '/api/v2/incidents/unresolved.json': `/api/v1/public/status/${slug}/api/v2/incidents/unresolved.json`,
  }
  for (const [path, location] of Object.entries(paths)) {
    const response = await get(path)
    t.equal(response.statusCode, 301, path)
    t.equal(response.headers.location, location)
    t.equal((await kit.http.inject({ url: location, headers: kit.anonymous })).statusCode, 200)
  }
  for (const path of ['/uptime', '/history', '/history?page=2', '/uptime?page=2']) {
    t.equal((await get(path)).statusCode, 200, path)
  }
  const unknown = await get('/incidents/zzzzzzzzzzzz')
  t.equal(unknown.statusCode, 404)
  t.match(unknown.headers['content-type'], /html/)
})

t.test('a restricted page reveals none of its old addresses', async (t) => {
  const page = { ...source.managedPage, viewers_must_be_team_members: true }
  const { get, slug } = await imported({ ...source.documents(), page })
  const known = await get(`/incidents/${source.ids.outage}`)
  const unknown = await get('/incidents/zzzzzzzzzzzz')
  t.equal(known.statusCode, 404)
  t.equal(known.body, unknown.body)
  const nowhere = await kit.http.inject({
    url: '/status/no-such-page/history.atom',
    headers: kit.anonymous,
  })
  t.equal(
    nowhere.headers.location?.toString().replace('no-such-page', slug),
    (await get('/history.atom')).headers.location,
  )
})

t.test('incidents of other pages and organizations stay unknown', async (t) => {
  const { get } = await imported({ page: source.page })
  await imported()
  t.equal((await get(`/incidents/${source.ids.outage}`)).statusCode, 404)
  const one = await imported()
  const { body: list } = await one.request(componentOperations.list)
  const docs = list.data.find(({ name }: { name: string }) => name === 'Documentation')?.id ?? ''
  await one.request(statusPageOperations.update, {
    params: { id: one.report.page?.id ?? '' },
    body: { components: [{ componentId: docs }] },
  })
  t.equal((await one.get(`/incidents/${source.ids.outage}`)).statusCode, 404)
  t.equal((await one.get(`/incidents/${source.ids.maintenance}`)).statusCode, 301)
})

t.test('a page needs the permission to create one, and its fields have types', async (t) => {
  const permissions: Permission[] = ['config:write', 'components:write']
  const one = kit.as(testCaller({ permissions }))
  t.equal((await take(one, { page: source.page })).status, 403)
  const cases: [string, object][] = [
    ['page', { page: 'Acme' }],
    ['page.name', { page: { id: 'p', name: 1 } }],
    ['page.css_greens', { page: { ...source.page, css_greens: 7 } }],
    ['components[0].start_date', { components: [{ id: 'a', name: 'A', start_date: 'soon' }] }],
    ['components[0].showcase', { components: [{ id: 'a', name: 'A', showcase: 'yes' }] }],
  ]
  for (const [field, body] of cases) {
    const { status, body: response } = await take(kit.as(), body)
    t.equal(status, 400, field)
    t.match(JSON.stringify(response), `"field":"${field}"`)
  }
})

t.test('incident templates are imported once, those of maintenances are not', async (t) => {
  const { components: given } = source.documents()
  const documents = { components: given, incident_templates: source.templates }
  const one = kit.as()
  const own = { name: 'Slow API', title: 'Own' }
  await one.request(incidentTemplateOperations.create, { body: own })
  const { body: report } = await take(one, documents)
  t.same(report.incidentTemplates, { created: 2, updated: 0, unchanged: 0 })
  t.match(report.warnings, [{ field: 'incident_templates[2]', message: /maintenances/ }])
  const { body: list } = await one.request(incidentTemplateOperations.list)
  const { body: components } = await one.request(componentOperations.list, {
    query: { search: 'Public API' },
  })
  t.match(list.data, [
    { name: 'Slow API', title: 'Own' },
    {
      name: 'Slow API (tpl000000001)',
      title: 'The API is slow',
      message: 'We see **{{what}}**.',
      status: 'identified',
      componentIds: [components.data[0]?.id],
    },
    { name: 'Slow API (tpl000000002)', title: 'Slow API', message: '', status: 'investigating' },
  ])
  t.match((await take(one, documents)).body.incidentTemplates, { created: 0, unchanged: 2 })
  const { body: dry } = await take(kit.as(), documents, { dryRun: true })
  t.match(dry.incidentTemplates, { created: 2 })
  const reader = kit.as(testCaller({ permissions: ['config:write'] }))
  t.equal((await take(reader, { incident_templates: source.templates })).status, 403)
})

t.test('the report names what is not imported, and a logo that cannot be', async (t) => {
  const { report, settings } = await imported({
    ...source.documents(),
    page: {
      ...source.managedPage,
      transactional_logo: { original_url: 'http://127.0.0.1/logo.png' },
      favicon_logo: 'no URL',
    },
    metrics: [{ id: 'm1', name: 'Latency' }],
  })
  const messageOf = (field: string) =>
    report.warnings.find((one: { field: string }) => one.field === field)?.message
  t.match(messageOf('page.domain'), /customDomain/)
  t.match(messageOf('metrics'), /not imported \(1\)/)
  t.match(messageOf('page.transactional_logo'), /not imported: the address is not permitted/)
  t.match(messageOf('page.favicon_logo'), /not imported: the address is not permitted/)
  t.match(await settings(), { logoUrl: null, faviconUrl: null })
})
