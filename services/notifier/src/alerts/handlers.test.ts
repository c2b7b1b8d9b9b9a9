/** Alerts reach each recipient that they name once, in order, before anything but account mail. */
import {
  type AlertEventData,
  draftEvent,
  oncallAcknowledged,
  oncallEscalated,
  oncallResolved,
  oncallTriggered,
} from '@status-page/contracts'
import { newId } from '@status-page/postgres'
import t from 'tap'
import {
  actionTokens,
  created,
  generous,
  incident,
  opened,
  stage,
  subscriber,
} from '../deliveries/stage.fixture.ts'

const ana = { userId: newId(), name: 'Ana', email: 'ana@example.com' }
const bob = { userId: newId(), name: 'Bob', email: 'bob@example.com' }
const named = ({ userId, name }: typeof ana) => ({ userId, name })

const alert = (change: Partial<AlertEventData> = {}): AlertEventData => ({
  id: newId(),
  status: 'triggered',
  title: 'API <b> is down',
  severity: 'critical',
  source: 'monitor',
  componentId: newId(),
  incidentId: null,
  schedule: { id: newId(), name: 'Primary' },
  reason: 'HTTP 503',
  details: null,
  since: '2026-01-02T03:04:05.000Z',
  url: null,
  escalationLevel: 0,
  escalatesAt: '2026-01-02T03:20:00.000Z',
  count: 1,
  noResponder: false,
  triggeredAt: '2026-01-02T03:05:00.000Z',
  acknowledgedAt: null,
  acknowledgedBy: null,
  resolvedAt: null,
  assigned: [named(ana)],
  recipients: [ana],
  channelIds: [],
  ...change,
})

const triggered = (one: AlertEventData) =>
  draftEvent(oncallTriggered, { id: one.id, version: 1 }, { alert: one })

const plain = (raw: string | undefined) =>
  (raw ?? '')
    .replaceAll(/=\r?\n/g, '')
    .replaceAll('=3D', '=')
    .replaceAll('=20', ' ')

t.test(
  'an alert names its subject, start and recipients, and links to the page that acts on it',
  async (t) => {
    const { publish, deliver, smtp } = await stage(t)
    const one = alert({ url: 'https://status.example.com/status/acme/incidents/1' })
    await publish(triggered(one))
    await deliver()
    await deliver()
    t.equal(smtp.mails.length, 1)
    const [mail] = smtp.mails
    const raw = plain(mail?.raw)
    t.same(mail?.to, ['ana@example.com'])
    t.match(raw, /Subject: \[CRITICAL\] API/)
    t.match(raw, /HTTP 503/)
    t.match(raw, /Since: Jan 2, 2026, 03:04 AM UTC/)
    t.match(raw, /Notified: Ana/)
    t.match(raw, /Escalates at: Jan 2, 2026, 03:20 AM UTC/)
    const token = /https:\/\/status\.example\.com\/actions\/([\w-]{64})/.exec(raw)?.[1] ?? ''
    t.match(actionTokens.read(token), {
      subject: 'alert',
      subjectId: one.id,
      recipient: 'user',
      recipientId: ana.userId,
    })
    t.match(raw, 'Respond')
    t.notMatch(raw, 'curl')
    t.match(raw, 'https://status.example.com/status/acme/incidents/1')
    t.match(raw, /Importance: high/i)
    t.notMatch(raw, /API <b> is down<\/h1>/, 'names are text')
  },
)

t.test(
  'each escalation step reaches its recipients, and the resolution all that were notified',
  async (t) => {
    const { publish, deliver, smtp } = await stage(t)
    const one = alert()
    const escalated = {
      ...one,
      assigned: [named(ana), named(bob)],
      recipients: [bob],
      escalationLevel: 1,
    }
    const taken: AlertEventData = {
      ...escalated,
      status: 'acknowledged',
      acknowledgedBy: named(bob),
      recipients: [ana],
      acknowledgedAt: '2026-01-02T03:21:00.000Z',
      escalatesAt: null,
    }
    const over: AlertEventData = {
      ...taken,
      status: 'resolved',
      resolvedAt: '2026-01-02T04:00:00.000Z',
      recipients: [ana, bob],
    }
    const publishAndDeliver = async (...events: Parameters<typeof publish>) => {
      await publish(...events)
      await deliver()
    }
    await publishAndDeliver(triggered(one))
    await publishAndDeliver(
      draftEvent(oncallEscalated, { id: one.id, version: 2 }, { alert: escalated }),
    )
    await publishAndDeliver(
      draftEvent(oncallAcknowledged, { id: one.id, version: 3 }, { alert: taken }),
    )
    await publishAndDeliver(draftEvent(oncallResolved, { id: one.id, version: 4 }, { alert: over }))
    const subjects = smtp.mails.map(({ to, raw }) => {
      const [, subject = ''] = /Subject: (.*(?:\r\n[ \t].*)*)/.exec(raw) ?? []
      return `${to} ${subject.replaceAll(/\r\n[ \t]/g, ' ')}`
    })
    t.match(subjects, [
      /ana@example.com \[CRITICAL\] API/,
      /bob@example.com \[CRITICAL, escalated\] API/,
      /ana@example.com \[Acknowledged by Bob\] API/,
      /(ana|bob)@example.com \[Resolved\] API/,
      /(ana|bob)@example.com \[Resolved\] API/,
    ])
    t.notMatch(plain(smtp.mails.at(-1)?.raw), '/actions/')
  },
)

t.test('no limit and no backlog delays an alert', async (t) => {
  const limits = { ...generous, perSubscriber: 1, global: 1 }
  const { publish, deliver, smtp } = await stage(t, limits)
  await publish(
    created(subscriber({ type: 'email', email: 'reader@example.com' })),
    opened(incident()),
    opened(incident()),
    triggered(alert()),
    triggered(alert()),
  )
  await deliver()
  t.equal(smtp.mails.filter(({ to }) => to.includes('ana@example.com')).length, 2)
})

t.test('a newer alert event replaces one that waits for a mail server', async (t) => {
  const replies = { rcpt: (to: string) => (isDown && to ? '451 4.3.0 later' : null) }
  let isDown = true
  const { publish, deliver, skipWait, smtp, rows } = await stage(t, generous, replies)
  const one = alert()
  await publish(triggered(one))
  await deliver()
  isDown = false
  const over: AlertEventData = {
    ...one,
    status: 'resolved',
    resolvedAt: '2026-01-02T04:00:00.000Z',
  }
  await publish(draftEvent(oncallResolved, { id: one.id, version: 2 }, { alert: over }))
  await skipWait()
  await deliver()
  t.match(await rows(), [{ state: 'superseded' }, { state: 'delivered' }])
  t.equal(smtp.mails.length, 1)
})

t.test('an alert without recipients stores nothing', async (t) => {
  const { publish, deliver, rows, admin } = await stage(t)
  await publish(triggered(alert({ recipients: [], assigned: [], noResponder: true })))
  await deliver()
  t.same(await rows(), [])
  t.same(await admin`SELECT event_id FROM notifier.fanouts`, [])
})
