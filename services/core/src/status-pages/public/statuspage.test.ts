/**
 * The eight documents of the Statuspage API: each has the content that its name and the contract
 * state.
 */
import {
  incidentOperations,
  maintenanceOperations,
  statusPageOperations,
  statuspageOperations,
} from '@status-page/contracts'
import { newId } from '@status-page/postgres'
import { compileValidator } from '@status-page/service'
import t from 'tap'
import { BASE_URL, coreKit } from '../../core.fixture.ts'
import { DAY, HOUR, MINUTE, organizationOn } from '../../maintenances/maintenances.fixture.ts'
import { toStatuspageIncident } from './statuspage.ts'

const kit = await coreKit(t)

type Documents = keyof typeof statuspageOperations

const judges = Object.fromEntries(
  Object.entries(statuspageOperations).map(([name, { reply }]) => [
    name,
    compileValidator(reply, 'body'),
  ]),
)

const published = async () => {
  const organization = organizationOn(kit)
  const slug = `s-${newId().slice(-12)}`
  const { body: page } = await organization.request(statusPageOperations.create, {
    body: { name: 'Acme', slug, isPublished: true },
  })
  const open = async (incident: object) =>
    (await organization.request(incidentOperations.create, { body: incident })).body
  const postUpdate = (id: string, body: object) =>
    organization.request(incidentOperations.addUpdate, { params: { id }, body })
  const look = async (name: Documents) => {
    const { status, body } = await kit.request(statuspageOperations[name], { params: { slug } })
    return { status, body, issues: judges[name]?.(body) }
  }
  return { ...organization, slug, page, open, postUpdate, look }
}

const ids = (items: { id: string }[]) => items.map(({ id }) => id)

t.test('a backfilled incident was created before it was resolved', async (t) => {
  const { open, look } = await published()
  const startedAt = new Date(Date.now() - DAY).toISOString()
  const resolvedAt = new Date(Date.now() - DAY + HOUR).toISOString()
  await open({ title: 'Past', message: 'Over.', status: 'resolved', startedAt, resolvedAt })
  const { body } = await look('incidents')
  t.match(body.incidents, [{ created_at: startedAt, resolved_at: resolvedAt }])
  t.ok(body.incidents[0].updated_at >= body.incidents[0].created_at)
})

t.test('a page without content fills all eight responses with empty values', async (t) => {
  const { look, page, slug } = await published()
  const whole = { id: page.id, name: 'Acme', url: `${BASE_URL}/status/${slug}`, time_zone: 'UTC' }
  const status = { indicator: 'none', description: 'All Systems Operational' }
  const fields: Record<Documents, object> = {
    summary: { status, components: [], incidents: [], scheduled_maintenances: [] },
    status: { status },
    components: { components: [] },
    incidents: { incidents: [] },
    unresolved: { incidents: [] },
    maintenances: { scheduled_maintenances: [] },
    upcoming: { scheduled_maintenances: [] },
    active: { scheduled_maintenances: [] },
  }
  for (const [name, expected] of Object.entries(fields)) {
    const { body, issues } = await look(name as Documents)
    t.same(issues, [], name)
    const { page: about, ...rest } = body
    t.match(about, whole, name)
    t.same(rest, expected, name)
  }
})

t.test('responses list open and past incidents, active and upcoming maintenances', async (t) => {
  const { request, component, schedule, patch, open, postUpdate, look, page } = await published()
  const shop = await component('Shop')
  const search = await component('Search', { parentComponentId: shop })
  const over = await open({ title: 'Slow', message: 'We **look**.', componentIds: [shop] })
  await postUpdate(over.id, { status: 'monitoring', message: 'Faster.' })
  await postUpdate(over.id, { status: 'resolved', message: 'Fast.' })
  kit.clock.advance(1_000)
  const worst = await open({
    title: 'No search',
    message: 'We **look**.',
    impact: 'major',
    componentStatuses: { [search]: 'partial_outage' },
  })
  const [on, soon, late, done, off] = [
    await schedule(-MINUTE, HOUR, { componentIds: [shop] }),
    await schedule(DAY, 2 * DAY, { message: 'For all.' }),
    await schedule(3 * DAY, 4 * DAY),
    await schedule(-2 * MINUTE, HOUR),
    await schedule(5 * DAY, 6 * DAY),
  ]
  await patch(done.id, { status: 'completed' })
  await request(maintenanceOperations.remove, { params: { id: off.id } })
  const documents = Object.fromEntries(
    await Promise.all(
      Object.keys(statuspageOperations).map(async (name) => {
        const { status, body, issues } = await look(name as Documents)
        t.same({ status, issues }, { status: 200, issues: [] }, name)
        return [name, body] as const
      }),
    ),
  )
  const { components, incidents, unresolved, maintenances, upcoming, active } = documents

  t.match(components.components, [
    { id: shop, name: 'Shop', group: true, group_id: null, components: [search], position: 1 },
    { id: search, status: 'partial_outage', group: false, group_id: shop, page_id: page.id },
  ])
  t.same(ids(incidents.incidents), [worst.id, over.id], 'newest first, whether open or not')
  t.match(incidents.incidents[1], {
    name: 'Slow',
    status: 'resolved',
    resolved_at: /Z$/,
    monitoring_at: /Z$/,
    incident_updates: [{ status: 'resolved' }, { status: 'monitoring' }, { body: 'We **look**.' }],
    components: [{ id: shop }],
  })
  t.same(ids(unresolved.incidents), [worst.id])
  t.match(unresolved.incidents, [
    {
      impact: 'major',
      status: 'investigating',
      resolved_at: null,
      shortlink: worst.id,
      incident_updates: [
        {
          body: 'We **look**.',
          affected_components: [
            { code: search, old_status: 'operational', new_status: 'partial_outage' },
          ],
        },
      ],
    },
  ])
  t.same(ids(active.scheduled_maintenances), [on.id])
  t.match(active.scheduled_maintenances, [
    { status: 'in_progress', impact: 'maintenance', components: [{ id: shop }] },
  ])
  t.same(ids(upcoming.scheduled_maintenances), [soon.id, late.id], 'soonest first')
  t.match(upcoming.scheduled_maintenances[0], {
    name: 'DB upgrade',
    status: 'scheduled',
    scheduled_for: soon.scheduledFor,
    incident_updates: [{ body: 'For all.', status: 'scheduled' }],
  })
  t.same(
    new Set(ids(maintenances.scheduled_maintenances)),
    new Set([on, soon, late, done].map(({ id }) => id)),
    'cancelled ones are unknown to Statuspage clients',
  )
  t.same(documents.summary.components, components.components)
  t.same(documents.summary.incidents, unresolved.incidents)
  t.same(ids(documents.summary.scheduled_maintenances), [on.id, soon.id, late.id])
  t.same(documents.summary.status, documents.status.status)
})

t.test('the cost of an incident grows linearly with its updates', async (t) => {
  const at = new Date().toISOString()
  let reads = 0
  const components = Array.from({ length: 20 }, (_, index) => ({
    get id() {
      reads += 1
      return `c${index}`
    },
    name: 'API',
    status: 'major_outage' as const,
  }))
  const update = { id: 'u', status: 'monitoring' as const, message: '', components, createdAt: at }
  const updates = Array.from({ length: 200 }, () => update)
  const incident = {
    id: 'i',
    title: 'Slow',
    status: 'monitoring' as const,
    impact: 'minor' as const,
    message: '',
    components: [],
    updates,
    postmortem: null,
    nextUpdateAt: null,
    url: '',
    startedAt: at,
    createdAt: at,
    updatedAt: at,
    resolvedAt: null,
  }
  const made = toStatuspageIncident(incident, { components: new Map(), pageId: 'p' })
  t.equal(made.incident_updates.at(-1)?.affected_components?.[0]?.old_status, 'operational')
  t.equal(made.incident_updates[0]?.affected_components?.[0]?.old_status, 'major_outage')
  t.ok(reads <= 20 * 200 * 4, `${reads} reads`)
})
