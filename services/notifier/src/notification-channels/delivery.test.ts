/** Channels receive events by their filters, in their own format, through their own transport. */
import {
  type AlertEventData,
  componentCreated,
  draftEvent,
  type MaintenanceEventData,
  type MonitorEventData,
  maintenanceScheduled,
  maintenanceUpdated,
  monitorDown,
  notificationChannelOperations,
  oncallTriggered,
} from '@status-page/contracts'
import { newId } from '@status-page/postgres'
import { httpTarget, inject, smtpSink, testCaller, testDatabase } from '@status-page/testing'
import t, { type Test } from 'tap'
import { created, incident, opened, subscriber, updated } from '../deliveries/stage.fixture.ts'
import { channelStage, slack } from './channels.fixture.ts'

// Holds the shared database server for the whole file; the last release stops it.
await testDatabase(t, { services: [] })

const affected = (id: string, change: object = {}) => ({
  id,
  name: 'API',
  status: 'major_outage' as const,
  isMuted: false,
  ancestorIds: [] as string[],
  ...change,
})

const maintenance = (change: Partial<MaintenanceEventData> = {}): MaintenanceEventData => ({
  id: newId(),
  title: 'DB upgrade',
  status: 'scheduled',
  message: 'Short.',
  url: null,
  scheduledFor: '2026-01-02T03:00:00.000Z',
  scheduledUntil: '2026-01-02T04:00:00.000Z',
  startedAt: null,
  completedAt: null,
  cancelledAt: null,
  news: null,
  components: [],
  statusPageIds: [],
  notifySubscribers: true,
  ...change,
})

const monitor = (componentId: string): MonitorEventData => ({
  componentId,
  name: 'API',
  derivedStatus: 'major_outage',
  reason: 'HTTP 503',
  since: '2026-01-02T03:04:05.000Z',
})

const chatStage = async (t: Test, change: object = {}) => {
  const staged = await channelStage(t)
  const target = await httpTarget(t, { body: 'ok' })
  const { body: channel } = await staged.create(slack(`${target.url}/services/T/B/x`, change))
  const texts = () => target.requests.map(({ body }) => JSON.parse(body).text as string)
  return { ...staged, target, channel, texts }
}

t.test('an incident reaches a chat, and the log shows it', async (t) => {
  const { channel, publish, deliver, rows, read, texts, log } = await chatStage(t)
  t.match(channel, { config: { webhookUrl: '***REDACTED***', channel: null } })
  await publish(opened(incident({ title: 'API <is> down' })))
  await deliver()
  t.match(texts(), [/^Investigating: API &lt;is&gt; down/])
  t.match(await rows(), [{ state: 'delivered' }])
  t.match((await read(channel.id)).body, { lastDeliveryStatus: 'delivered' })
  const logged = await log({ channelId: channel.id })
  t.match(logged.body.data, [
    { destination: { kind: 'channel', id: channel.id, type: 'slack', label: 'Ops chat' } },
  ])
  t.same((await log({ channelId: newId() })).body.data, [])
})

t.test('channels receive events that subscribers do not', async (t) => {
  const { publish, deliver, texts, smtp } = await chatStage(t)
  const quiet = { notifySubscribers: false }
  const fact = maintenance()
  await publish(
    created(subscriber({ type: 'email', email: 'reader@example.com' })),
    opened(incident(quiet)),
    draftEvent(
      maintenanceScheduled,
      { id: fact.id, version: 1 },
      { maintenance: { ...fact, ...quiet } },
    ),
    draftEvent(maintenanceUpdated, { id: fact.id, version: 2 }, { maintenance: fact }),
  )
  await deliver()
  t.match(texts(), [/API is down/, /^Maintenance scheduled/, /^Maintenance updated/])
  t.equal(smtp.mails.length, 0)
})

t.test('a channel receives the events that it selected', async (t) => {
  const { publish, deliver, texts } = await chatStage(t, {
    events: ['incident.created', 'maintenance.scheduled'],
    impacts: ['critical'],
  })
  const fact = maintenance()
  const minor = incident({ impact: 'minor', title: 'Too small' })
  const big = incident({ title: 'Big' })
  await publish(
    opened(minor),
    opened(big),
    updated({ ...big, title: 'Not selected' }, 2),
    draftEvent(maintenanceScheduled, { id: fact.id, version: 1 }, { maintenance: fact }),
  )
  await deliver()
  t.match(texts().sort(), [/Investigating: Big/, /Maintenance scheduled: DB upgrade/])
})

t.test('a parent covers its children, also of monitors', async (t) => {
  const { create, publish, drain, deliver, skipWait, send } = await channelStage(t)
  const [parent, child, other] = [newId(), newId(), newId()]
  const component = (id: string, ancestorIds: string[]) => ({
    id,
    name: 'API',
    type: 'SERVICE' as const,
    isEnabled: true,
    isMuted: false,
    parentComponentId: ancestorIds[0] ?? null,
    ancestorIds,
    endpoint: null,
  })
  const said = (id: string, ancestorIds: string[]) =>
    draftEvent(componentCreated, { id, version: 1 }, { component: component(id, ancestorIds) })
  await publish(said(parent, []), said(child, [parent]), said(other, []))
  await drain()
  const target = await httpTarget(t, { body: 'ok' })
  await create(slack(`${target.url}/x`, { componentIds: [parent] }))
  await publish(
    opened(incident({ components: [affected(child, { ancestorIds: [parent] })] })),
    opened(incident({ components: [affected(other)] })),
    opened(incident({ components: [affected(child, { isMuted: true, ancestorIds: [parent] })] })),
    opened(incident()),
    draftEvent(monitorDown, { id: child, version: 1 }, { monitor: monitor(child) }),
    draftEvent(monitorDown, { id: other, version: 1 }, { monitor: monitor(other) }),
  )
  await deliver()
  await skipWait()
  await send()
  t.match(target.requests.map(({ body }) => JSON.parse(body).text).sort(), [/^Down: API/, /^Inv/])
})

t.test('a webhook gets the body of its template with its own headers and method', async (t) => {
  const { create, publish, deliver } = await channelStage(t)
  const target = await httpTarget(t)
  await create({
    name: 'Tickets',
    type: 'webhook',
    config: {
      url: `${target.url}/new`,
      method: 'PUT',
      headers: { 'X-Key': 'k' },
      bodyTemplate: '{"t":"{{incident.title}}","e":"{{event_type}}"}',
    },
  })
  await publish(opened(incident({ title: 'a "quoted" title' })))
  await deliver()
  const [request] = target.requests
  t.match(request, { method: 'PUT', headers: { 'x-key': 'k', 'webhook-id': /^evt_/ } })
  t.same(JSON.parse(request?.body ?? ''), { t: 'a "quoted" title', e: 'incident.created' })
})

t.test('without a template a channel gets the same body as a subscriber', async (t) => {
  const { create, publish, deliver } = await channelStage(t)
  const target = await httpTarget(t)
  await create({ name: 'W', type: 'webhook', config: { url: `${target.url}/w` } })
  await publish(created(subscriber({ webhookUrl: `${target.url}/s` })), opened(incident()))
  await deliver()
  t.equal(target.requests.length, 2)
  t.equal(target.requests[0]?.body, target.requests[1]?.body)
})

t.test(
  'an endpoint that responds 410 disables its channel, and an update enables it',
  async (t) => {
    const { publish, deliver, target, read, update, channel, rows, admin } = await chatStage(t)
    target.respond({ status: 404, body: 'no_service' })
    await publish(opened(incident()))
    await deliver()
    t.equal((await read(channel.id)).body.status, 'disabled')
    t.match(await rows(), [{ state: 'cancelled', reason: 'disabled' }])
    const [audit] = await admin`SELECT payload FROM notifier.outbox
    WHERE payload->>'action' = 'notification_channel.update'`
    t.match(audit?.payload.changes, { status: { from: 'active', to: 'disabled' } })
    await publish(opened(incident()))
    await deliver()
    t.equal(target.requests.length, 1, 'nothing more is sent there')
    target.respond({ body: 'ok' })
    t.equal((await update(channel.id, { isEnabled: true })).body.status, 'active')
    await publish(opened(incident()))
    await deliver()
    t.equal(target.requests.length, 2)
  },
)

t.test('disabling a channel cancels its pending deliveries', async (t) => {
  const { publish, drain, send, update, channel, rows, texts } = await chatStage(t)
  await publish(opened(incident()))
  await drain()
  await update(channel.id, { isEnabled: false })
  await send()
  t.match(await rows(), [{ state: 'cancelled', reason: 'disabled' }])
  t.same(texts(), [])
})

const mailChannel = (port: number, change: object = {}) => ({
  name: 'Mail',
  type: 'email',
  config: {
    smtpHost: '127.0.0.1',
    smtpPort: port,
    fromAddress: 'status@acme.example',
    fromName: 'Acme',
    username: 'u',
    password: 'p',
    recipients: ['team@example.com'],
    ...change,
  },
})

t.test('the oldest mail channel sends the mail of subscribers and its own', async (t) => {
  const { create, update, publish, deliver, smtp } = await channelStage(t)
  const own = await smtpSink(t)
  const later = await smtpSink(t)
  const made = await create(mailChannel(portOf(own.url)))
  t.equal(made.status, 201, JSON.stringify(made.body))
  await create(mailChannel(portOf(later.url), { recipients: [] }))
  await publish(
    created(subscriber({ type: 'email', email: 'reader@example.com' })),
    opened(incident()),
  )
  await deliver()
  t.same(own.mails.flatMap(({ to }) => to).sort(), ['reader@example.com', 'team@example.com'])
  t.match(own.mails[0]?.headers.from, /Acme <status@acme\.example>/)
  t.equal(smtp.mails.length + later.mails.length, 0)
  await update(made.body.id, { isEnabled: false })
  await publish(opened(incident()))
  await deliver()
  t.same(
    later.mails.flatMap(({ to }) => to),
    ['reader@example.com'],
  )
})

t.test(
  'a rejected login pauses the channel, and its mails are sent after a new password',
  async (t) => {
    const { create, read, update, publish, deliver, rows, skipWait, send } = await channelStage(t)
    const auth = (_user: string, password: string) => (password === 'right' ? null : '535 5.7.8 No')
    const own = await smtpSink(t, { replies: { auth } })
    const made = await create(mailChannel(portOf(own.url)))
    await publish(opened(incident()))
    await deliver()
    t.match(await rows(), [{ state: 'pending' }])
    t.equal((await read(made.body.id)).body.status, 'paused')
    t.equal((await update(made.body.id, { config: { password: 'right' } })).body.status, 'active')
    await skipWait()
    await send()
    t.match(await rows(), [{ state: 'delivered' }])
  },
)

const portOf = (url: string): number => Number(new URL(url).port)

t.test('without an SMS channel text messages stay pending', async (t) => {
  const { publish, deliver, rows } = await channelStage(t)
  await publish(created(subscriber({ type: 'sms', phone: '+4930901820' })), opened(incident()))
  await deliver()
  t.match(await rows(), [{ state: 'pending', reason: 'no_transport' }])
})

t.test('another account cannot see, change or test a channel', async (t) => {
  const { channel, app } = await chatStage(t)
  const operations = notificationChannelOperations
  const caller = testCaller()
  const params = { id: channel.id }
  for (const operation of [
    operations.read,
    operations.update,
    operations.remove,
    operations.test,
  ]) {
    t.equal((await inject(app, operation, { caller, params, body: {} })).status, 404, operation.id)
  }
})

t.test('an alert reaches the channels of its step regardless of their selection', async (t) => {
  const { publish, deliver, texts, channel, create } = await chatStage(t, {
    events: ['monitor.down'],
  })
  const program = await httpTarget(t)
  const hook = await create({ name: 'W', type: 'webhook', config: { url: `${program.url}/w` } })
  const alert: AlertEventData = {
    id: newId(),
    status: 'triggered',
    title: 'API',
    severity: 'critical',
    source: 'monitor',
    componentId: newId(),
    incidentId: null,
    schedule: { id: newId(), name: 'Backend' },
    reason: 'HTTP 503',
    details: null,
    since: '2026-01-02T03:04:05.000Z',
    url: null,
    escalationLevel: 1,
    escalatesAt: null,
    count: 1,
    noResponder: false,
    acknowledgedAt: null,
    acknowledgedBy: null,
    resolvedAt: null,
    assigned: [],
    recipients: [],
    triggeredAt: '2026-01-02T03:04:05.000Z',
    channelIds: [channel.id, hook.body.id],
  }
  await publish(draftEvent(oncallTriggered, { id: alert.id, version: 1 }, { alert }))
  await deliver()
  t.match(texts(), [/^CRITICAL: API\nHTTP 503/])
  t.match(JSON.parse(program.requests[0]?.body ?? ''), {
    event: 'oncall.triggered',
    alert: { id: alert.id, title: 'API', severity: 'critical', schedule: 'Backend' },
  })
})
