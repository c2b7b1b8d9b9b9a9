/** Import of a Statuspage: imported data, repeated runs, and no notifications. */
import {
  type Component,
  componentOperations,
  importOperations,
  incidentOperations,
  type Maintenance,
  maintenanceOperations,
  type Permission,
  postmortemOperations,
  subscriberOperations,
} from '@status-page/contracts'
import { testCaller } from '@status-page/testing'
import t from 'tap'
import { coreKit } from '../core.fixture.ts'

const kit = await coreKit(t)

const HOUR_MS = 3_600_000
const NOW_MS = Date.now()
const at = (hours: number) => new Date(NOW_MS + hours * HOUR_MS).toISOString()

/** Documents of the public v2 API, with additional fields that the import ignores. */
const SHOWN_AT = at(-49)

const documents = () => ({
  page: { id: 'p', name: 'Acme', url: 'https://status.example.com', time_zone: 'Etc/UTC' },
  components: [
    {
      id: 'eu',
      name: 'Europe',
      status: 'operational',
      position: 1,
      group_id: 'regions',
      description: null,
      showcase: true,
      page_id: 'p',
      group: false,
    },
    { id: 'us', name: 'America', status: 'partial_outage', position: 2, group_id: 'regions' },
    { id: 'regions', name: 'Regions', status: 'partial_outage', group: true, position: 3 },
    { id: 'lone', name: 'Site &amp; docs', status: 'operational', position: 4, group_id: null },
  ],
  incidents: [
    {
      id: 'i1',
      name: 'Slow answers',
      status: 'postmortem',
      impact: 'none',
      created_at: at(-50),
      updated_at: at(-40),
      resolved_at: at(-45),
      components: [{ id: 'eu', name: 'Europe', status: 'operational' }],
      incident_updates: [
        { id: 'u3', status: 'postmortem', body: 'A full disk.', created_at: at(-40) },
        { id: 'u2', status: 'resolved', body: 'Over.', created_at: at(-45) },
        {
          id: 'u1',
          status: 'investigating',
          created_at: at(-50),
          display_at: SHOWN_AT,
          body: 'We look.<br /><a href="https://example.com/a">Details</a> &amp; more\r\nsoon',
          affected_components: [
            { code: 'eu', name: 'Europe', old_status: 'operational', new_status: 'major_outage' },
          ],
        },
      ],
    },
    {
      id: 'i2',
      name: 'America fails',
      status: 'identified',
      impact: 'critical',
      created_at: at(-2),
      updated_at: at(-1),
      resolved_at: null,
      components: [{ id: 'us' }],
      incident_updates: [{ id: 'u4', status: 'identified', body: 'A cable.', created_at: at(-2) }],
    },
  ],
  scheduled_maintenances: [
    {
      id: 'm1',
      name: 'Upgrade',
      status: 'scheduled',
      impact: 'maintenance',
      created_at: at(-5),
      scheduled_for: at(24),
      scheduled_until: at(26),
      components: [{ id: 'lone' }],
      incident_updates: [{ id: 'u5', status: 'scheduled', body: 'Soon.', created_at: at(-5) }],
    },
    {
      id: 'm2',
      name: 'Forgotten',
      status: 'scheduled',
      impact: 'maintenance',
      created_at: at(-90),
      scheduled_for: at(-80),
      scheduled_until: at(-79),
      incident_updates: [],
    },
  ],
})

type One = ReturnType<typeof kit.as>

const take = ({ request }: One, body: object, dryRun = false) =>
  request(importOperations.statuspage, { body: body as never, query: { dryRun } })

const counts = (created: number, updated: number, unchanged: number) => ({
  created,
  updated,
  unchanged,
})

t.test('all records are imported unchanged, and a second import changes nothing', async (t) => {
  const one = kit.as()
  const body = documents()
  const csv = 'Email,Components\nana@example.com,us;eu\nbob@example.com,gone\nno mailbox,\n'
  const all = { ...body, subscribers_csv: csv }
  const expected = {
    components: counts(4, 0, 0),
    incidents: counts(2, 0, 0),
    maintenances: counts(2, 0, 0),
  }
  const tried = await take(one, all, true)
  t.equal(tried.status, 200)
  t.match(tried.body, { ...expected, dryRun: true, subscribers: { total: 3, imported: 1 } })
  t.same((await one.request(componentOperations.list)).body.data, [], 'a dry run stores nothing')

  const { body: report } = await take(one, all)
  t.match(report, { ...expected, dryRun: false, subscribers: { imported: 1, failed: 2 } })
  t.match(report.warnings, [{ field: 'scheduled_maintenances[1].status' }])

  const { body: components } = await one.request(componentOperations.list)
  const named = new Map((components.data as Component[]).map((row) => [row.name, row]))
  t.same([...named.keys()], ['Europe', 'America', 'Regions', 'Site & docs'])
  t.equal(named.get('America')?.parentComponentId, named.get('Regions')?.id)
  t.equal(named.get('America')?.status, 'partial_outage')

  const { body: incidents } = await one.request(incidentOperations.list, {
    query: { include: ['updates'] },
  })
  t.match(incidents.data, [
    { title: 'America fails', status: 'identified', impact: 'critical', resolvedAt: null },
    {
      title: 'Slow answers',
      status: 'resolved',
      impact: 'minor',
      message: 'Over.',
      createdAt: body.incidents[0]?.created_at,
      resolvedAt: body.incidents[0]?.resolved_at,
      components: [{ name: 'Europe' }],
      updates: [
        { status: 'resolved', message: 'Over.' },
        {
          status: 'investigating',
          message: 'We look.\n[Details](https://example.com/a) & more\nsoon',
          componentStatuses: { [named.get('Europe')?.id ?? '']: 'major_outage' },
          displayAt: SHOWN_AT,
        },
      ],
    },
  ])
  const resolved = incidents.data[1]?.id ?? ''
  const { body: postmortem } = await one.request(postmortemOperations.read, {
    params: { id: resolved },
  })
  t.match(postmortem, { summary: 'A full disk.', isPublished: true })

  const { body: planned } = await one.request(maintenanceOperations.list)
  t.match(
    (planned.data as Maintenance[]).map(({ title, status }) => `${title} ${status}`).toSorted(),
    ['Forgotten completed', 'Upgrade scheduled'],
  )
  const { body: people } = await one.request(subscriberOperations.list)
  t.match(people.data, [{ email: 'ana@example.com', source: 'import', status: 'active' }])
  t.equal(people.data[0]?.componentIds.length, 2)

  const { events, audit } = await kit.outbox(one.organizationId)
  t.same(
    events.map(({ kind }) => kind).filter((kind) => /incident|maintenance/.test(kind)),
    [],
    'no event is published',
  )
  t.ok(audit.includes('statuspage.import'))
  const again = await take(one, all)
  t.match(again.body, {
    components: counts(0, 0, 4),
    incidents: counts(0, 0, 2),
    maintenances: counts(0, 0, 2),
    subscribers: { imported: 0, skipped: 1 },
  })
  t.equal((await one.request(componentOperations.list)).body.meta.total, 4)
  t.equal((await one.request(incidentOperations.list)).body.meta.total, 2)
})

t.test('a page at a private address is not read', async (t) => {
  const one = kit.as()
  const body = { url: 'http://127.0.0.1:8080' }
  const refused = await one.request(importOperations.statuspageDocuments, { body })
  t.equal(refused.status, 400)
  t.equal(refused.body.error.details.field, 'url')
})

t.test('new updates of the source are appended, changes by users are preserved', async (t) => {
  const one = kit.as()
  const body = documents()
  await take(one, body)
  const { body: list } = await one.request(componentOperations.list, {
    query: { search: 'America' },
  })
  const america = list.data[0]?.id ?? ''
  await one.request(componentOperations.update, { params: { id: america }, body: { name: 'USA' } })
  const open = body.incidents[1]
  if (open === undefined) throw new Error('The documents have two incidents')
  const resolved = { id: 'u6', status: 'resolved', body: 'Mended.', created_at: at(-0.5) }
  const later = {
    ...body,
    incidents: [
      { ...open, status: 'resolved', incident_updates: [resolved, ...open.incident_updates] },
    ],
  }
  const { body: report } = await take(one, later)
  t.match(report, { components: counts(0, 0, 4), incidents: counts(0, 1, 0) })
  const { body: found } = await one.request(incidentOperations.list, {
    query: { search: 'America', include: ['updates'] },
  })
  t.match(found.data, [
    { status: 'resolved', version: 2, message: 'Mended.', updates: [{}, { message: 'A cable.' }] },
  ])
  const { body: usa } = await one.request(componentOperations.read, { params: { id: america } })
  t.equal(usa.name, 'USA')
  t.match((await take(one, later)).body, { incidents: counts(0, 0, 1) })
})

t.test(
  'records deleted here are not imported again, and their children get another parent',
  async (t) => {
    const one = kit.as()
    await take(one, documents())
    const { body: list } = await one.request(componentOperations.list, {
      query: { search: 'Regions' },
    })
    await one.request(componentOperations.remove, { params: { id: list.data[0]?.id ?? '' } })
    const added = { id: 'asia', name: 'Asia', status: 'operational', group_id: 'regions' }
    const body = documents()
    await take(one, { ...body, components: [...body.components, added] })
    const { body: left } = await one.request(componentOperations.list)
    t.match(
      (left.data as Component[]).map(({ name, parentComponentId }) => [name, parentComponentId]),
      [
        ['Asia', null],
        ['Site & docs', null],
      ],
    )
  },
)

t.test('an invalid document is one error that names the field, and changes nothing', async (t) => {
  const one = kit.as()
  const body = documents()
  const cases: [string, object][] = [
    ['components[0].status', { components: [{ id: 'a', name: 'A', status: 'green' }] }],
    ['incidents[0].created_at', { incidents: [{ id: 'i', name: 'I', status: 'resolved' }] }],
    ['incidents', { incidents: 'many' }],
    ['subscribers_csv', { subscribers_csv: 'name\nAna\n' }],
    ['subscribers_csv', { subscribers_csv: 'email\n"ana\n' }],
  ]
  for (const [field, wrong] of cases) {
    const { status, body: response } = await take(one, { ...body, ...wrong })
    t.equal(status, 400, field)
    const { error } = response as unknown as { error: { details: { field: string }[] } }
    t.match(JSON.stringify(error), `"field":"${field}"`)
  }
  t.equal((await one.request(componentOperations.list)).body.meta.total, 0)
})

t.test('an invisible name and one that is too long are normalized', async (t) => {
  const one = kit.as()
  const { body } = await take(one, {
    components: [
      { id: 'a', name: ' \u200b ' },
      { id: 'b', name: 'x'.repeat(300) },
    ],
  })
  t.match(body.warnings, [{ field: 'components[0].name' }, { field: 'components[1].name' }])
  const { body: list } = await one.request(componentOperations.list)
  t.same(
    (list.data as Component[]).map(({ name }) => name.length).toSorted((a, b) => a - b),
    [8, 100],
  )
})

t.test(
  'malicious markup does not block the service, and a time at the end of the range is accepted',
  async (t) => {
    const one = kit.as()
    const bodies = ['<a'.repeat(100_000), `${'<div>'.repeat(30_000)}x`, '<ul><li>'.repeat(20_000)]
    const created_at = at(-2)
    const incident_updates = bodies.map((body, index) => {
      return { id: `u${index}`, status: 'identified', body, created_at }
    })
    const end = '9999-12-31T23:59:59.999Z'
    const { status, body } = await take(one, {
      incidents: [{ id: 'i', name: 'I', status: 'identified', created_at, incident_updates }],
      scheduled_maintenances: [
        { id: 'm', name: 'M', status: 'scheduled', created_at, scheduled_for: end },
      ],
    })
    t.equal(status, 200, JSON.stringify(body))
    t.match(body, { incidents: counts(1, 0, 0), maintenances: counts(1, 0, 0) })
  },
)

t.test('a key needs the permission for every kind of record in the import', async (t) => {
  const may = (...permissions: Permission[]) => kit.as(testCaller({ permissions }))
  const { components, incidents } = documents()
  const csv = { subscribers_csv: 'email\nana@example.com\n' }
  const alone = may('config:write')
  t.equal((await take(alone, { components })).status, 403)
  t.equal((await take(alone, { incidents }, true)).status, 403, 'a dry run needs them too')
  t.equal((await take(alone, csv)).status, 403)
  const one = may('config:write', 'components:write')
  t.equal((await take(one, { components })).status, 200)
  t.equal((await take(one, { components, incidents })).status, 403)
})

t.test('organizations cannot see imports of others', async (t) => {
  const body = documents()
  await take(kit.as(), body)
  t.match((await take(kit.as(), body)).body, { components: counts(4, 0, 0) })
})
