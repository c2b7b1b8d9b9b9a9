/** Alerts raised by events: causes, recipients and resolution, over a real database. */
import {
  componentOperations,
  incidentOperations,
  statusPageOperations,
} from '@status-page/contracts'
import t from 'tap'
import { coreKit } from '../../core.fixture.ts'
import { oncallScenario } from '../oncall.fixture.ts'

const kit = await coreKit(t)

t.test(
  'a component that goes down alerts the user on call, its recovery resolves the alert',
  async (t) => {
    const { ana, schedule, component, reportDown, reportRecovered, alerts, takeNotifications } =
      await oncallScenario(kit)
    const { id: scheduleId } = await schedule()
    const id = await component('API')
    await reportDown(id)
    t.same(await takeNotifications(), ['triggered Ana'])
    t.match(await alerts(), [
      {
        status: 'triggered',
        title: 'API is down',
        severity: 'critical',
        source: 'monitor',
        componentId: id,
        incidentId: null,
        scheduleId,
        assignedUserIds: [ana.userId],
        dedupKey: `component:${id}`,
        escalationLevel: 0,
        count: 1,
        noResponder: false,
        acknowledgedAt: null,
        acknowledgedBy: null,
        resolvedAt: null,
      },
    ])
    await reportRecovered(id)
    t.same(await takeNotifications(), ['resolved Ana'])
    t.match(await alerts(), [{ status: 'resolved', resolvedAt: /Z$/ }])
  },
)

t.test(
  'an outage that a dependency may explain raises an alert when it is confirmed',
  async (t) => {
    const { schedule, component, reportDown, reportRecovered, alerts, takeNotifications } =
      await oncallScenario(kit)
    const decide = async (afterMs: number) => {
      kit.clock.advance(afterMs)
      const job = kit.jobs.find(({ name }) => name === 'dependent-outages')
      await job?.run(new AbortController().signal)
      await kit.drain()
    }
    await schedule()
    const host = await component('Host', { autoCreateIncident: true })
    const [api, web] = [
      await component('API', { dependsOn: [host] }),
      await component('Web', { dependsOn: [host] }),
    ]
    await reportDown(api)
    await reportDown(host)
    await reportDown(web)
    await decide(0)
    t.match(await alerts(), [{ componentId: host }])
    t.equal((await alerts()).length, 1)
    await reportRecovered(host)
    await reportRecovered(web)
    await decide(0)
    await decide(11 * 60_000)
    t.match(await alerts(), [{ status: 'resolved' }, { status: 'triggered', componentId: api }])
    t.same(await takeNotifications(), ['triggered Ana', 'resolved Ana', 'triggered Ana'])
    await reportRecovered(api)
    t.match(await alerts(), [{}, { status: 'resolved' }])
  },
)

t.test(
  'a repeated cause increases the count of an open alert; after its end it raises another',
  async (t) => {
    const { schedule, component, reportDown, reportRecovered, alerts, takeNotifications } =
      await oncallScenario(kit)
    await schedule()
    const id = await component('API')
    await reportDown(id)
    await reportDown(id)
    t.same(await takeNotifications(), ['triggered Ana'])
    t.match(await alerts(), [{ count: 2 }])
    await reportRecovered(id)
    await reportDown(id)
    t.match(await alerts(), [{ status: 'resolved' }, { status: 'triggered', count: 1 }])
  },
)

t.test(
  'a schedule gets alerts of its components and their subcomponents, of no others',
  async (t) => {
    const { schedule, component, reportDown, alerts } = await oncallScenario(kit)
    const parent = await component('Platform')
    const child = await component('API', { parentComponentId: parent })
    const other = await component('Shop')
    await schedule({ name: 'Platform', componentIds: [parent] })
    await schedule({ name: 'Off', isEnabled: false })
    await reportDown(other)
    t.same(await alerts(), [])
    await reportDown(child)
    t.match(await alerts(), [{ componentId: child }])
    const muted = await component('Muted', { parentComponentId: parent, isMuted: true })
    await reportDown(muted)
    t.equal((await alerts()).length, 1)
  },
)

t.test('severe incidents opened by users raise alerts, and their end resolves them', async (t) => {
  const { request, schedule, incident, alerts, takeNotifications } = await oncallScenario(kit)
  await schedule()
  await incident({ impact: 'minor' })
  await incident({ impact: 'critical', status: 'resolved' })
  t.same(await alerts(), [])
  const major = await incident({ impact: 'major', message: 'We look into it.' })
  const critical = await incident({ impact: 'critical' })
  t.match(await alerts(), [
    {
      title: 'Slow',
      severity: 'warning',
      source: 'incident',
      componentId: null,
      incidentId: major,
      dedupKey: `incident:${major}`,
    },
    { severity: 'critical', incidentId: critical },
  ])
  t.same(await takeNotifications(), ['triggered Ana', 'triggered Ana'])
  const params = { id: major }
  await request(incidentOperations.addUpdate, { params, body: { status: 'resolved' } })
  await request(incidentOperations.remove, { params: { id: critical } })
  await kit.drain()
  t.match(await alerts(), [{ status: 'resolved' }, { status: 'resolved' }])
  await request(incidentOperations.reopen, { params, body: {} })
  await kit.drain()
  t.match(await alerts(), [{}, {}, { status: 'triggered', incidentId: major }])
})

t.test('an incident that becomes severe raises its alert once', async (t) => {
  const { request, schedule, incident, alerts } = await oncallScenario(kit)
  await schedule()
  const params = { id: await incident({ impact: 'minor' }) }
  await request(incidentOperations.update, { params, body: { impact: 'critical' } })
  await kit.drain()
  await request(incidentOperations.addUpdate, { params, body: { message: 'More.' } })
  await kit.drain()
  t.match(await alerts(), [{ severity: 'critical', count: 1 }])
})

t.test('an incident opened by checks raises no alert besides that of the monitor', async (t) => {
  const { schedule, component, reportDown, alerts } = await oncallScenario(kit)
  await schedule()
  await reportDown(await component('API', { autoCreateIncident: true }))
  t.match(await alerts(), [{ source: 'monitor' }])
  t.equal((await alerts()).length, 1)
})

t.test('its later events link to the page that shows the incident', async (t) => {
  const { request, schedule, component, reportDown, reportRecovered, organizationId } =
    await oncallScenario(kit)
  await schedule()
  const page = { name: 'Acme', slug: 'acme-on-call', isPublished: true }
  await request(statusPageOperations.create, { body: page })
  const id = await component('API', { autoCreateIncident: true, autoResolve: false })
  await reportDown(id)
  await reportRecovered(id)
  const { events } = await kit.outbox(organizationId)
  const resolved = events.find(({ kind }) => kind === 'oncall.resolved')
  t.match(resolved?.data.alert.url, '/status/acme-on-call/incidents/')
})

t.test('an incident about muted components only raises no alert', async (t) => {
  const { schedule, component, incident, alerts } = await oncallScenario(kit)
  await schedule()
  const id = await component('API', { isMuted: true })
  await incident({ impact: 'critical', componentIds: [id] })
  t.same(await alerts(), [])
})

t.test('a deleted component raises no alert', async (t) => {
  const { request, schedule, component, monitorEvent, alerts, organizationId } =
    await oncallScenario(kit)
  await schedule()
  const id = await component('API')
  await request(componentOperations.remove, { params: { id } })
  await kit.publishAndHandle('monitor', organizationId, monitorEvent(id, true))
  t.same(await alerts(), [])
})
