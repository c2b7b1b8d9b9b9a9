/** What raises alerts, whom they reach step by step, and what ends them; over a real database. */
import {
  componentOperations,
  incidentOperations,
  oncallAlertOperations as on,
  oncallScheduleOperations,
} from '@status-page/contracts'
import { newId } from '@status-page/postgres'
import { testCaller } from '@status-page/testing'
import t from 'tap'
import { coreKit } from '../../core.fixture.ts'
import { joins, leaves, oncallOn, person } from '../oncall.fixture.ts'

const kit = await coreKit(t)
const MINUTE_MS = 60_000

t.test('a component that goes down wakes who is on call, its recovery ends it', async (t) => {
  const { ana, schedule, component, goesDown, recovers, alerts, told } = await oncallOn(kit)
  const { id: scheduleId } = await schedule()
  const id = await component('API')
  await goesDown(id)
  t.same(await told(), ['triggered Ana'])
  t.match(await alerts(), [
    {
      ...{ status: 'triggered', title: 'API is down', severity: 'critical', source: 'monitor' },
      ...{ componentId: id, incidentId: null, scheduleId, assignedUserIds: [ana.userId] },
      ...{ dedupKey: `component:${id}`, escalationLevel: 0, count: 1, noResponder: false },
      ...{ acknowledgedAt: null, acknowledgedBy: null, resolvedAt: null },
    },
  ])
  await recovers(id)
  t.same(await told(), ['resolved Ana'])
  t.match(await alerts(), [{ status: 'resolved', resolvedAt: /Z$/ }])
})

t.test('while an alert is open its cause only counts; afterwards it is a new one', async (t) => {
  const { schedule, component, goesDown, recovers, alerts, told } = await oncallOn(kit)
  await schedule()
  const id = await component('API')
  await goesDown(id)
  await goesDown(id)
  t.same(await told(), ['triggered Ana'])
  t.match(await alerts(), [{ count: 2 }])
  await recovers(id)
  await goesDown(id)
  t.match(await alerts(), [{ status: 'resolved' }, { status: 'triggered', count: 1 }])
})

t.test('a schedule hears of its components and all below them, of no others', async (t) => {
  const { schedule, component, goesDown, alerts } = await oncallOn(kit)
  const parent = await component('Platform')
  const child = await component('API', { parentComponentId: parent })
  const other = await component('Shop')
  await schedule({ name: 'Platform', componentIds: [parent] })
  await schedule({ name: 'Off', isEnabled: false })
  await goesDown(other)
  t.same(await alerts(), [])
  await goesDown(child)
  t.match(await alerts(), [{ componentId: child }])
  const muted = await component('Muted', { parentComponentId: parent, isMuted: true })
  await goesDown(muted)
  t.equal((await alerts()).length, 1)
})

t.test('grave incidents that people open raise alerts, and their end resolves them', async (t) => {
  const { ask, schedule, incident, alerts, told } = await oncallOn(kit)
  await schedule()
  await incident({ impact: 'minor' })
  await incident({ impact: 'critical', status: 'resolved' })
  t.same(await alerts(), [])
  const major = await incident({ impact: 'major', message: 'We look into it.' })
  const critical = await incident({ impact: 'critical' })
  t.match(await alerts(), [
    {
      ...{ title: 'Slow', severity: 'warning', source: 'incident', componentId: null },
      ...{ incidentId: major, dedupKey: `incident:${major}` },
    },
    { severity: 'critical', incidentId: critical },
  ])
  t.same(await told(), ['triggered Ana', 'triggered Ana'])
  const params = { id: major }
  await ask(incidentOperations.addUpdate, { params, body: { status: 'resolved' } })
  await ask(incidentOperations.remove, { params: { id: critical } })
  await kit.drain()
  t.match(await alerts(), [{ status: 'resolved' }, { status: 'resolved' }])
  await ask(incidentOperations.reopen, { params, body: {} })
  await kit.drain()
  t.match(await alerts(), [{}, {}, { status: 'triggered', incidentId: major }])
})

t.test('an incident that becomes grave raises its alert once', async (t) => {
  const { ask, schedule, incident, alerts } = await oncallOn(kit)
  await schedule()
  const params = { id: await incident({ impact: 'minor' }) }
  await ask(incidentOperations.update, { params, body: { impact: 'critical' } })
  await kit.drain()
  await ask(incidentOperations.addUpdate, { params, body: { message: 'More.' } })
  await kit.drain()
  t.match(await alerts(), [{ severity: 'critical', count: 1 }])
})

t.test('what the checks open as an incident is told as the monitor’s alert alone', async (t) => {
  const { schedule, component, goesDown, alerts } = await oncallOn(kit)
  await schedule()
  await goesDown(await component('API', { autoCreateIncident: true }))
  t.match(await alerts(), [{ source: 'monitor' }])
  t.equal((await alerts()).length, 1)
})

t.test('an incident about muted components alone wakes nobody', async (t) => {
  const { schedule, component, incident, alerts } = await oncallOn(kit)
  await schedule()
  const id = await component('API', { isMuted: true })
  await incident({ impact: 'critical', componentIds: [id] })
  t.same(await alerts(), [])
})

t.test('steps come at their time, each once, until somebody acknowledges', async (t) => {
  const { ana, bob, ask, caller, schedule, component, goesDown, alerts, told, escalate } =
    await oncallOn(kit)
  await schedule({
    escalation: [
      { delayMinutes: 0, targets: ['schedule'] },
      { delayMinutes: 15, targets: [`user:${bob.userId}`] },
      { delayMinutes: 30, targets: ['schedule', `user:${bob.userId}`] },
    ],
  })
  await goesDown(await component('API'))
  await escalate()
  t.same(await told(), ['triggered Ana'])
  kit.clock.advance(15 * MINUTE_MS)
  await escalate()
  await escalate()
  t.same(await told(), ['escalated Bob'])
  const [alert] = await alerts()
  t.match(alert, { escalationLevel: 1, assignedUserIds: [ana.userId, bob.userId] })
  const params = { id: alert?.id ?? '' }
  const { body } = await ask(on.acknowledge, { params })
  t.match(body, { status: 'acknowledged', acknowledgedBy: caller.actor.userId })
  t.same(await told(), ['acknowledged Ana Bob'])
  kit.clock.advance(60 * MINUTE_MS)
  await escalate()
  t.same(await told(), [])
})

t.test('two replicas at once take a step once', async (t) => {
  const { bob, schedule, component, goesDown, told, escalate } = await oncallOn(kit)
  const later = { delayMinutes: 1, targets: [`user:${bob.userId}`] }
  await schedule({ escalation: [{ delayMinutes: 0, targets: ['schedule'] }, later] })
  await goesDown(await component('API'))
  kit.clock.advance(MINUTE_MS)
  await Promise.all([escalate(), escalate(), escalate()])
  t.same(await told(), ['triggered Ana', 'escalated Bob'])
})

t.test('a first step that waits tells nobody before its time', async (t) => {
  const { schedule, component, goesDown, told, escalate } = await oncallOn(kit)
  await schedule({ escalation: [{ delayMinutes: 5, targets: ['schedule'] }] })
  await goesDown(await component('API'))
  await escalate()
  t.same(await told(), ['triggered'])
  kit.clock.advance(5 * MINUTE_MS)
  await escalate()
  t.same(await told(), ['escalated Ana'])
})

t.test('where a step finds nobody the next one comes at once', async (t) => {
  const { ana, bob, schedule, component, goesDown, alerts, told, stateMembers } =
    await oncallOn(kit)
  const later = [{ delayMinutes: 0, targets: ['schedule'] }]
  await schedule({
    escalation: [...later, { delayMinutes: 60, targets: [`user:${bob.userId}`] }],
  })
  const empty = await schedule({ name: 'Second', escalation: later })
  await stateMembers(leaves(ana))
  await goesDown(await component('API'))
  t.same((await told()).sort(), ['triggered', 'triggered Bob'])
  t.match(await alerts({ scheduleId: empty.id }), [
    { noResponder: true, assignedUserIds: [], escalationLevel: 0 },
  ])
  t.match(
    (await alerts()).filter(({ scheduleId }: { scheduleId: string }) => scheduleId !== empty.id),
    [{ noResponder: true, assignedUserIds: [bob.userId], escalationLevel: 1 }],
  )
})

t.test('open alerts go on by a changed escalation, and stop with their schedule', async (t) => {
  const { bob, ask, schedule, component, goesDown, told, escalate } = await oncallOn(kit)
  const { id } = await schedule()
  await goesDown(await component('API'))
  await told()
  const first = { delayMinutes: 0, targets: ['schedule'] }
  const second = { delayMinutes: 10, targets: [`user:${bob.userId}`] }
  const third = { delayMinutes: 20, targets: ['schedule'] }
  const change = (body: object) => ask(oncallScheduleOperations.update, { params: { id }, body })
  await change({ escalation: [first, second, third] })
  kit.clock.advance(10 * MINUTE_MS)
  await escalate()
  t.same(await told(), ['escalated Bob'])
  await change({ isEnabled: false })
  kit.clock.advance(10 * MINUTE_MS)
  await escalate()
  t.same(await told(), [])
  await change({ isEnabled: true })
  await escalate()
  t.same(await told(), ['escalated Ana'])
  await ask(oncallScheduleOperations.remove, { params: { id } })
  await escalate()
  t.same(await told(), [])
})

t.test(
  'acknowledge and resolve may be repeated; what is resolved is not acknowledged',
  async (t) => {
    const { ask, schedule, component, goesDown, alerts, organizationId } = await oncallOn(kit)
    await schedule()
    await goesDown(await component('API'))
    const [alert] = await alerts()
    const params = { id: alert?.id ?? '' }
    await kit.outbox(organizationId)
    const first = await ask(on.acknowledge, { params })
    t.match(await ask(on.acknowledge, { params }), { status: 200, body: first.body })
    const resolved = await ask(on.resolve, { params })
    t.match(resolved, { status: 200, body: { status: 'resolved' } })
    t.match(await ask(on.resolve, { params }), { status: 200, body: resolved.body })
    t.match(await ask(on.acknowledge, { params }), {
      status: 409,
      body: { error: { details: { reason: 'invalid_state' } } },
    })
    const { events, audit } = await kit.outbox(organizationId)
    t.same(
      events.map(({ kind }) => kind),
      ['oncall.acknowledged', 'oncall.resolved'],
    )
    t.same(audit, ['oncall_alert.update', 'oncall_alert.update'])
    const key = testCaller({ organizationId, permissions: ['oncall:read'] })
    for (const operation of [on.acknowledge, on.resolve]) {
      t.equal((await kit.ask(operation, { caller: key, params })).status, 403)
      t.equal((await kit.ask(operation, { params })).status, 401)
      t.equal((await kit.as().ask(operation, { params })).status, 404)
      t.equal((await ask(operation, { params: { id: newId() } })).status, 404)
    }
  },
)

t.test('alerts are listed by what they are about, and only to their organization', async (t) => {
  const { ask, schedule, component, goesDown, incident, alerts } = await oncallOn(kit)
  const { id: scheduleId } = await schedule()
  const id = await component('API')
  await goesDown(id)
  kit.clock.advance(MINUTE_MS)
  const incidentId = await incident({ impact: 'major' })
  const [first, second] = await alerts()
  t.match([first, second], [{ componentId: id }, { incidentId }])
  await ask(on.resolve, { params: { id: first?.id ?? '' } })
  const found = async (query: Record<string, unknown>) => {
    const answer = await ask(on.list, { query })
    t.equal(answer.status, 200, JSON.stringify(query))
    return answer.body.data.map((one: { id: string }) => (one.id === first?.id ? 1 : 2))
  }
  t.same(await found({}), [2, 1])
  t.same(await found({ sortBy: 'severity' }), [1, 2])
  t.same(await found({ sortBy: 'status' }), [2, 1])
  t.same(await found({ sortBy: 'status', sortOrder: 'desc' }), [1, 2])
  t.same(await found({ status: 'resolved' }), [1])
  t.same(await found({ severity: 'warning' }), [2])
  t.same(await found({ scheduleId }), [2, 1])
  t.same(await found({ scheduleId: newId() }), [])
  t.same(await found({ componentId: id }), [1])
  t.same(await found({ to: second?.triggeredAt }), [1])
  t.same(await found({ from: second?.triggeredAt }), [2])
  for (const query of [
    { status: 'open' },
    { severity: 'x' },
    { scheduleId: 'x' },
    { sortBy: 'x' },
  ]) {
    t.equal((await ask(on.list, { query })).status, 400, JSON.stringify(query))
  }
  const from = { from: '2026-02-01T00:00:00Z', to: '2026-01-01T00:00:00Z' }
  t.equal((await ask(on.list, { query: from })).status, 400)
  const params = { id: first?.id ?? '' }
  t.match(await ask(on.read, { params }), { status: 200, body: { id: first?.id } })
  t.equal((await kit.as().ask(on.read, { params })).status, 404)
  t.same((await kit.as().ask(on.list)).body.data, [])
})

t.test('who joins while an alert is open is reached by its later steps', async (t) => {
  const { ask, schedule, component, goesDown, told, escalate, stateMembers } = await oncallOn(kit)
  const { id } = await schedule()
  await goesDown(await component('API'))
  const cem = person('Cem')
  await stateMembers(joins(cem))
  const escalation = [
    { delayMinutes: 0, targets: ['schedule'] },
    { delayMinutes: 5, targets: [`user:${cem.userId}`] },
  ]
  await ask(oncallScheduleOperations.update, { params: { id }, body: { escalation } })
  kit.clock.advance(5 * MINUTE_MS)
  await told()
  await escalate()
  t.same(await told(), ['escalated Cem'])
})

t.test('a component that is gone raises no alert', async (t) => {
  const { ask, schedule, component, fact, alerts, organizationId } = await oncallOn(kit)
  await schedule()
  const id = await component('API')
  await ask(componentOperations.remove, { params: { id } })
  await kit.tell('monitor', organizationId, fact(id, true))
  t.same(await alerts(), [])
})
