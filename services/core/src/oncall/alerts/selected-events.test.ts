/** Alerts for events that schedules select by name; over a real database. */
import {
  type AlertSignal,
  alertSignalReceived,
  certificateExpiring,
  draftEvent,
  incidentDraftOperations,
  incidentOperations,
  oncallScheduleOperations,
  slaAtRisk,
  slaBreached,
  slaRecovered,
  slaResponseBreached,
} from '@status-page/contracts'
import { newId } from '@status-page/postgres'
import t from 'tap'
import { coreKit } from '../../core.fixture.ts'
import { oncallScenario } from '../oncall.fixture.ts'

const kit = await coreKit(t)
const MINUTE_MS = 60_000

const run = (name: string) =>
  kit.jobs.find((job) => job.name === name)?.run(new AbortController().signal)

const stage = async () => {
  const created = await oncallScenario(kit)
  const { organizationId } = created
  const state = (...events: Parameters<typeof kit.publishAndHandle>[2][]) =>
    kit.publishAndHandle('core', organizationId, ...events)
  return { ...created, state }
}

const slaData = (id: string, componentId: string) => ({
  sla: {
    id,
    name: 'API 99.9',
    targetPercentage: 99.9,
    componentIds: [componentId],
    previousStatus: 'healthy' as const,
    current: {
      percentage: 99.5,
      since: '2026-01-01T00:00:00.000Z',
      budgetTotalSeconds: 2592,
      budgetRemainingSeconds: 0,
      burnRate: 2,
      status: 'breached' as const,
      evaluatedAt: '2026-01-02T00:00:00.000Z',
    },
  },
})

t.test('a selected event raises an alert only in schedules that select it', async (t) => {
  const { schedule, component, alerts, takeNotifications, state, ana } = await stage()
  const id = await component('API')
  const other = await component('Shop')
  const { id: scheduleId } = await schedule({ name: 'SLA', events: ['sla.breached'] })
  await schedule({ name: 'Default' })
  await schedule({ name: 'Risks', events: ['sla.at-risk'] })
  await schedule({ name: 'Shop', events: ['sla.breached'], componentIds: [other] })
  await schedule({ name: 'Off', events: ['sla.breached'], isEnabled: false })
  const slaId = newId()
  await state(draftEvent(slaBreached, { id: slaId, version: 1 }, slaData(slaId, id)))
  t.match(await alerts(), [
    {
      scheduleId,
      title: 'API 99.9 is breached',
      severity: 'critical',
      source: 'sla',
      componentId: null,
      dedupKey: `sla.breached:${slaId}`,
      assignedUserIds: [ana.userId],
    },
  ])
  t.same(await takeNotifications(), ['triggered Ana'])
  await state(draftEvent(slaRecovered, { id: slaId, version: 2 }, slaData(slaId, id)))
  t.match(await alerts(), [{ status: 'resolved' }])
  t.same(await takeNotifications(), ['resolved Ana'])
})

t.test('each kind raises its own alert, and those of an incident end with it', async (t) => {
  const { request, schedule, component, incident, alerts, state } = await stage()
  const id = await component('API')
  await schedule({ events: ['sla.at-risk', 'sla.response-breached', 'incident.update-overdue'] })
  const nextUpdateAt = new Date(Date.now() + kit.clock.offsetMs() + MINUTE_MS).toISOString()
  const incidentId = await incident({ impact: 'minor', componentIds: [id], nextUpdateAt })
  const [slaId, { sla }] = [newId(), slaData(newId(), id)]
  const target = {
    sla: { id: slaId, name: sla.name, componentIds: [id] },
    incident: {
      id: incidentId,
      title: 'Slow',
      impact: 'minor' as const,
      startedAt: '2026-01-02T00:00:00.000Z',
    },
    targetMinutes: 30,
    dueAt: '2026-01-02T00:30:00.000Z',
  }
  await state(draftEvent(slaAtRisk, { id: slaId, version: 1 }, slaData(slaId, id)))
  await state(draftEvent(slaResponseBreached, { id: slaId, version: 2 }, target))
  kit.clock.advance(2 * MINUTE_MS)
  await run('overdue incident updates')
  await kit.drain()
  t.match(await alerts(), [
    { title: 'API 99.9 is at risk', source: 'sla', severity: 'warning' },
    { title: 'Response target missed: Slow', source: 'sla', incidentId },
    { title: 'Update overdue: Slow', source: 'incident', incidentId, severity: 'warning' },
  ])
  const params = { id: incidentId }
  await request(incidentOperations.addUpdate, { params, body: { message: 'We are on it.' } })
  await kit.drain()
  t.match(await alerts(), [
    { status: 'triggered' },
    { status: 'triggered' },
    { status: 'resolved' },
  ])
  await request(incidentOperations.addUpdate, { params, body: { status: 'resolved' } })
  await kit.drain()
  t.match(await alerts(), [{ status: 'triggered' }, { status: 'resolved' }, {}])
})

t.test(
  'each expiry warning of a certificate raises an alert, unless it is muted or deleted',
  async (t) => {
    const { schedule, component, alerts, organizationId } = await stage()
    await schedule({ events: ['certificate.expiring'] })
    const [id, muted] = [await component('API'), await component('Muted', { isMuted: true })]
    const warn = (componentId: string, version: number, daysLeft: number) => {
      const expiresAt = '2026-01-09T03:04:05.000Z'
      const certificate = { componentId, name: 'API', expiresAt, daysLeft }
      const event = draftEvent(certificateExpiring, { id: componentId, version }, { certificate })
      return kit.publishAndHandle('monitor', organizationId, event)
    }
    await warn(id, 1, 6)
    await warn(muted, 1, 6)
    await warn(newId(), 1, 6)
    await warn(id, 2, 0)
    t.match(await alerts(), [
      { title: 'Certificate of API expires soon', severity: 'warning', componentId: id },
      { source: 'certificate', severity: 'critical', componentId: id },
    ])
    t.equal((await alerts()).length, 2)
  },
)

const draftStage = async () => {
  const created = await stage()
  const { organizationId, component, schedule, bob } = created
  const componentId = await component('API')
  await schedule({
    events: ['incident-draft.created', 'incident-draft.publishing'],
    escalation: [
      { delayMinutes: 0, targets: ['schedule'] },
      { delayMinutes: 2, targets: [`user:${bob.userId}`] },
    ],
  })
  const signal: AlertSignal = {
    id: newId(),
    integrationId: newId(),
    integrationName: 'Metrics',
    status: 'firing',
    title: 'High latency',
    message: 'p99 is 3 s',
    impact: 'minor',
    componentIds: [componentId],
    startsAt: new Date(Date.now() - MINUTE_MS).toISOString(),
    endsAt: null,
    publishAfterMinutes: 10,
    labels: {},
    autoResolve: false,
    titleTemplate: '{{summary}}',
    messageTemplate: '',
  }
  await kit.outbox(organizationId)
  const event = draftEvent(alertSignalReceived, { id: signal.id, version: 1 }, { signal })
  await kit.publishAndHandle('integrations', organizationId, event)
  const params = { id: signal.id }
  const draft = async () => (await created.request(incidentDraftOperations.read, { params })).body
  return { ...created, params, draft }
}

t.test('a draft notifies on-call of its publication time, and publication ends it', async (t) => {
  const { request, alerts, organizationId, draft, escalate } = await draftStage()
  const { events } = await kit.outbox(organizationId)
  const [alert, ...more] = events.filter(({ kind }) => kind.startsWith('oncall.'))
  const { publishAt } = await draft()
  const minute = publishAt.slice(0, 16).replace('T', ' ')
  t.same(more, [], 'both events of the draft are one alert')
  t.match(alert?.data.alert, {
    title: 'Incident draft: High latency',
    source: 'incident-draft',
    reason: `It will be published automatically on ${minute} UTC unless vetoed.`,
    recipients: [{ name: 'Ana' }],
  })
  kit.clock.advance(11 * MINUTE_MS)
  await run('publish-drafts')
  await kit.drain()
  t.match(await request(incidentOperations.list), { body: { data: [{ title: 'High latency' }] } })
  t.match(await alerts(), [{ status: 'resolved', count: 2 }])
  await escalate()
  t.match(await alerts(), [{ status: 'resolved', escalationLevel: 0 }])
})

for (const operation of ['veto', 'publish'] as const) {
  t.test(`${operation} of a draft stops the escalation of its alert`, async (t) => {
    const { request, alerts, takeNotifications, params, escalate, organizationId } =
      await draftStage()
    t.same(await takeNotifications(), ['triggered Ana'])
    const body = operation === 'publish' ? { body: {} } : {}
    await request(incidentDraftOperations[operation], { params, ...body })
    await kit.drain()
    const { events } = await kit.outbox(organizationId)
    const reason = `This draft was ${operation === 'veto' ? 'vetoed' : 'published'}.`
    t.match(
      events.filter(({ kind }) => kind.startsWith('oncall.')),
      [{ kind: 'oncall.resolved', data: { alert: { reason, recipients: [{ name: 'Ana' }] } } }],
      'the plan to publish it is replaced by the outcome',
    )
    kit.clock.advance(3 * MINUTE_MS)
    await escalate()
    t.same(await takeNotifications(), [])
    t.match(await alerts(), [{ status: 'resolved', escalationLevel: 0 }])
  })
}

t.test('an unknown kind is refused with the name of the field', async (t) => {
  const { request, schedule, ana } = await stage()
  const layers = [{ userIds: [ana.userId] }]
  const body = { name: 'X', layers, events: ['sla.breached', 'monitor.down'] as never }
  t.match(await request(oncallScheduleOperations.create, { body }), {
    status: 400,
    body: { error: { details: { field: 'events[1]' } } },
  })
  const { id, events } = await schedule()
  t.same(events, [])
  const patch = { params: { id }, body: { events: ['sla.breached' as const] } }
  t.match(await request(oncallScheduleOperations.update, patch), {
    body: { events: ['sla.breached'] },
  })
})
