/** Overview: the present state in one response, limited to what the caller may read. */
import {
  componentOperations,
  incidentOperations,
  maintenanceOperations,
  type Overview,
  overviewOperations,
  pendingDeliveryOperations,
  slaOperations,
} from '@status-page/contracts'
import { testCaller } from '@status-page/testing'
import t from 'tap'
import { coreKit } from '../core.fixture.ts'

const kit = await coreKit(t)
const HOUR_MS = 3_600_000
const pending = { pending: 2, oldestPendingAt: '2026-01-01T00:00:00.000Z', exhausted: 1 }

const overviewFor = async ({ request }: ReturnType<typeof kit.as>): Promise<Overview> => {
  const { status, body } = await request(overviewOperations.read, {})
  t.equal(status, 200)
  return body as unknown as Overview
}

t.test('an organization without resources has an empty overview', async (t) => {
  kit.scriptMonitor((operation) => {
    t.equal(operation.id, pendingDeliveryOperations.read.id)
    return pending
  })
  const none = { total: 0, items: [] }
  t.match(await overviewFor(kit.as()), {
    generatedAt: String,
    components: { total: 0, byStatus: { operational: 0, major_outage: 0 }, disrupted: [] },
    incidents: { open: none, overdue: 0 },
    drafts: none,
    maintenances: { active: none, upcoming: none },
    alerts: none,
    slas: { breached: none, atRisk: none },
    deliveries: pending,
  })
})

t.test('the worst components and incidents come first, with the total of all', async (t) => {
  kit.scriptMonitor(() => pending)
  const member = kit.as()
  const { request } = member
  const create = async (name: string, fields: object = {}) =>
    (await request(componentOperations.create, { body: { type: 'SERVICE', name, ...fields } })).body
  const web = await create('Web')
  await create('API', { status: 'degraded_performance' })
  await create('Off', { status: 'major_outage', isEnabled: false })
  await create('Fine')
  const open = (title: string, impact: string, fields: object = {}) =>
    request(incidentOperations.create, { body: { title, impact, message: 'One.', ...fields } })
  await open('Slow', 'major')
  await open('Down', 'critical', {
    componentIds: [web.id],
    componentStatuses: { [web.id as string]: 'major_outage' },
    nextUpdateAt: new Date(Date.now() + HOUR_MS).toISOString(),
  })
  for (let index = 0; index < 20; index++) await open(`Other ${index}`, 'minor')
  const { body: over } = await open('Over', 'major')
  await request(incidentOperations.addUpdate, {
    params: { id: over.id },
    body: { status: 'resolved', message: 'Done.' },
  })
  const before = await overviewFor(member)
  t.equal(before.incidents?.open.total, 22)
  t.equal(before.incidents?.open.items.length, 20)
  t.same(
    before.incidents?.open.items.slice(0, 2).map(({ title }) => title),
    ['Down', 'Slow'],
  )
  t.equal(before.incidents?.overdue, 0)
  t.equal(before.components?.total, 3, 'enabled components')
  t.same(
    before.components?.disrupted.map(({ name, status }) => [name, status]),
    [
      ['Web', 'major_outage'],
      ['API', 'degraded_performance'],
    ],
  )
  kit.clock.advance(2 * HOUR_MS)
  t.equal((await overviewFor(member)).incidents?.overdue, 1)
  kit.clock.advance(-2 * HOUR_MS)
})

t.test('maintenances of the next 24 hours are listed, later ones are not', async (t) => {
  const member = kit.as()
  const plan = (title: string, hours: number) =>
    member.request(maintenanceOperations.create, {
      body: {
        title,
        scheduledFor: new Date(Date.now() + hours * HOUR_MS).toISOString(),
        scheduledUntil: new Date(Date.now() + (hours + 1) * HOUR_MS).toISOString(),
      },
    })
  await plan('Tomorrow', 23)
  await plan('Soon', 1)
  await plan('Next week', 150)
  const { maintenances } = await overviewFor(member)
  t.equal(maintenances?.upcoming.total, 2)
  t.same(
    maintenances?.upcoming.items.map(({ title }) => title),
    ['Soon', 'Tomorrow'],
  )
})

t.test('service levels are listed by their status', async (t) => {
  const member = kit.as()
  const { body: component } = await member.request(componentOperations.create, {
    body: { type: 'SERVICE', name: 'API', status: 'major_outage' },
  })
  await member.request(slaOperations.create, {
    body: { name: 'API 99.9', componentIds: [component.id], targetPercentage: 99.9 },
  })
  const none = { total: 0, items: [] }
  t.match((await overviewFor(member)).slas, { breached: none, atRisk: none })
  kit.clock.advance(2 * HOUR_MS)
  const evaluation = kit.jobs.find(({ name }) => name === 'sla')
  await evaluation?.run(new AbortController().signal)
  t.match((await overviewFor(member)).slas, {
    breached: { total: 1, items: [{ name: 'API 99.9' }] },
    atRisk: none,
  })
  kit.clock.advance(-2 * HOUR_MS)
})

t.test('a part is null without the permission, and for an unavailable notifier', async (t) => {
  kit.scriptMonitor(() => {
    throw new Error('unavailable')
  })
  const owner = kit.as()
  t.equal((await overviewFor(owner)).deliveries, null)
  const { organizationId } = owner
  const key = kit.as(testCaller({ organizationId, permissions: ['incidents:write'] }))
  const seen = await overviewFor(key)
  t.match(seen, {
    components: null,
    incidents: { open: { total: 0 } },
    drafts: { total: 0 },
    maintenances: null,
    alerts: null,
    slas: null,
    deliveries: null,
  })
})

t.test('another organization is not in the overview', async (t) => {
  const first = kit.as()
  await first.request(incidentOperations.create, {
    body: { title: 'Theirs', impact: 'major', message: 'One.' },
  })
  const { incidents } = await overviewFor(kit.as())
  t.equal(incidents?.open.total, 0)
})
