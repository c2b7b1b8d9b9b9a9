/**
 * Events selected by name reach the channels that select them; owners get mail about certificates.
 */
import {
  type CertificateEventData,
  certificateExpiring,
  type DraftEventData,
  draftEvent,
  incidentDraftClosed,
  incidentDraftCreated,
  incidentDraftPublishing,
  incidentUpdateOverdue,
  locationStale,
  memberAdded,
  namedChannelEvents,
  slaAtRisk,
  slaBreached,
  slaRecovered,
  slaResolutionBreached,
  slaResponseBreached,
  vendorStatusChanged,
} from '@status-page/contracts'
import { newId } from '@status-page/postgres'
import { httpTarget } from '@status-page/testing'
import t, { type Test } from 'tap'
import { channelStage, slack } from '../../notification-channels/channels.fixture.ts'
import { created, incident, opened, subscriber } from '../stage.fixture.ts'

const [slaId, draftId, componentId] = [newId(), newId(), newId()]

const slaOf = (status: 'at_risk' | 'breached' | 'healthy', version: number) => ({
  aggregate: { id: slaId, version },
  data: {
    sla: {
      id: slaId,
      name: 'API 99.9',
      targetPercentage: 99.9,
      componentIds: [componentId],
      previousStatus: 'healthy' as const,
      current: {
        percentage: 99.5,
        since: '2026-01-01T00:00:00.000Z',
        budgetTotalSeconds: 2592,
        budgetRemainingSeconds: 600,
        burnRate: 1,
        status,
        evaluatedAt: '2026-01-02T00:00:00.000Z',
      },
    },
  },
})

const target = {
  sla: { id: slaId, name: 'API 99.9', componentIds: [componentId] },
  incident: {
    id: newId(),
    title: 'Slow answers',
    impact: 'major' as const,
    startedAt: '2026-01-02T00:00:00.000Z',
  },
  targetMinutes: 30,
  dueAt: '2026-01-02T00:30:00.000Z',
}

const certificate: CertificateEventData = {
  componentId,
  name: 'API',
  expiresAt: '2026-01-09T03:04:05.000Z',
  daysLeft: 6,
}

const draft: DraftEventData = {
  id: draftId,
  title: 'High latency',
  message: 'p99 is 3 s',
  impact: 'minor',
  components: [
    { id: componentId, name: 'API', status: 'operational', isMuted: false, ancestorIds: [] },
  ],
  startedAt: '2026-01-02T00:00:00.000Z',
  publishAt: '2026-01-02T00:10:00.000Z',
}

const overdue = incident({ title: 'Late' })
const [risk, breach, calm] = [slaOf('at_risk', 1), slaOf('breached', 2), slaOf('healthy', 5)]
const namedEvents = [
  draftEvent(slaAtRisk, risk.aggregate, risk.data),
  draftEvent(slaBreached, breach.aggregate, breach.data),
  draftEvent(slaResponseBreached, { id: slaId, version: 3 }, target),
  draftEvent(slaResolutionBreached, { id: slaId, version: 4 }, target),
  draftEvent(slaRecovered, calm.aggregate, calm.data),
  draftEvent(certificateExpiring, { id: componentId, version: 1 }, { certificate }),
  draftEvent(incidentUpdateOverdue, { id: overdue.id, version: 1 }, { incident: overdue }),
  draftEvent(incidentDraftCreated, { id: draftId, version: 1 }, { draft }),
  draftEvent(incidentDraftPublishing, { id: draftId, version: 2 }, { draft }),
]

const webhook = (url: string, events: readonly string[]) => ({
  name: 'W',
  type: 'webhook',
  config: { url },
  events,
})

t.test(
  'each kind reaches the channels that select it, and no channel without a selection',
  async (t) => {
    const { create, publish, deliver } = await channelStage(t)
    const [all, unnamed, one] = [await httpTarget(t), await httpTarget(t), await httpTarget(t)]
    for (const [{ url }, events] of [
      [all, namedChannelEvents],
      [unnamed, []],
      [one, ['incident-draft.publishing']],
    ] as const) {
      t.equal((await create(webhook(`${url}/w`, events))).status, 201)
    }
    await publish(
      created(subscriber({ webhookUrl: `${unnamed.url}/s` })),
      ...namedEvents,
      opened(incident()),
    )
    await deliver()
    await deliver()
    const kindsAt = ({ requests }: { requests: { body: string }[] }) =>
      requests.map(({ body }) => JSON.parse(body).event).sort()
    t.same(kindsAt(all), [...namedChannelEvents].sort())
    t.same(kindsAt(unnamed), ['incident.created', 'incident.created'])
    t.same(kindsAt(one), ['incident-draft.publishing'])
    t.match(JSON.parse(one.requests[0]?.body ?? ''), {
      draft: { title: 'High latency', components: ['API'], publishAt: draft.publishAt },
    })
  },
)

t.test('a chat message contains the event and the time when the draft is published', async (t) => {
  const { create, publish, deliver } = await channelStage(t)
  const chat = await httpTarget(t, { body: 'ok' })
  await create(slack(chat.url, { events: ['incident-draft.publishing', 'sla.response-breached'] }))
  await publish(...namedEvents)
  await deliver()
  const bodies = chat.requests.map(({ body }) => body).sort()
  t.equal(bodies.length, 2)
  t.match(bodies.join(), /Draft will be published automatically: High latency/)
  t.match(bodies.join(), /Jan 2, 2026, 12:10 AM UTC/)
  t.match(bodies.join(), /Response target missed: Slow answers/)
})

const owners = async (t: Test) => {
  const scene = await channelStage(t)
  const member = (role: string, email: string) => {
    const id = newId()
    const more = { userId: newId(), name: role, email, role }
    return draftEvent(memberAdded, { id, version: 1 }, { member: { id, ...more } as never })
  }
  await scene.publishAsGateway(
    member('OWNER', 'ana@example.com'),
    member('MEMBER', 'bo@example.com'),
  )
  return scene
}

t.test('owners get one mail per event about a certificate', async (t) => {
  const { publish, deliver, smtp } = await owners(t)
  for (const [version, daysLeft] of [29, 13, 6, 0].entries()) {
    const data = { certificate: { ...certificate, daysLeft } }
    await publish(draftEvent(certificateExpiring, { id: componentId, version: version + 1 }, data))
    await deliver()
  }
  t.equal(smtp.mails.length, 4)
  for (const { raw } of smtp.mails) {
    t.match(raw, /^To: ana@example.com/m)
    t.match(raw, /Certificate expiring soon: API/)
    t.match(raw, /Jan 9, 2026, 03:04 AM UTC/)
  }
})

t.test('owners get a mail when a private location has no contact', async (t) => {
  const { publish, deliver, smtp } = await owners(t)
  const id = newId()
  const location = { id, name: 'office', lastContactAt: '2026-01-02T03:00:00.000Z' }
  await publish(draftEvent(locationStale, { id, version: 1 }, { location }))
  await deliver()
  t.equal(smtp.mails.length, 1)
  const [{ raw = '' } = {}] = smtp.mails
  t.match(raw, /^To: ana@example.com/m)
  t.match(raw, /Private location without contact: office/)
  t.match(raw, /Since: Jan 2, 2026, 03:00 AM/)
})

t.test("owners get one mail when a vendor's page has no data, whatever follows it", async (t) => {
  const { publish, deliver, smtp } = await owners(t)
  const report = (status: 'operational' | 'no_data', version: number) =>
    draftEvent(
      vendorStatusChanged,
      { id: componentId, version },
      {
        vendorStatus: {
          componentId,
          name: 'Payments',
          upstream: { url: 'https://status.acme.example/', component: null },
          report: {
            status,
            error: status === 'no_data' ? 'unknown_format' : null,
            vendor: 'Acme',
            message: null,
            url: 'https://status.acme.example/',
            reportedAt: '2026-01-02T03:00:00.000Z',
          },
        },
      },
    )
  await publish(report('operational', 1), report('no_data', 2), report('operational', 3))
  await publish(report('no_data', 4))
  await deliver()
  t.equal(smtp.mails.length, 1)
  const [{ raw = '' } = {}] = smtp.mails
  t.match(raw, /^To: ana@example.com/m)
  t.match(raw, /has no data: Acme/)
  t.match(raw, /Reason: the document has no known format/)
  t.match(raw, /Jan 2, 2026, 03:00 AM UTC/)
})

const closed = draftEvent(
  incidentDraftClosed,
  { id: draftId, version: 3 },
  { draft: { id: draftId } },
)

t.test('pending messages about a vetoed draft are not sent', async (t) => {
  const { create, publish, drain, deliver, rows } = await channelStage(t)
  const target = await httpTarget(t)
  await create(webhook(`${target.url}/w`, ['incident-draft.publishing']))
  await publish(draftEvent(incidentDraftPublishing, { id: draftId, version: 2 }, { draft }))
  await drain()
  t.match(await rows(), [{ state: 'pending' }])
  await publish(closed)
  await deliver()
  t.match(await rows(), [{ state: 'cancelled', reason: 'deleted' }])
  t.equal(target.requests.length, 0)
})

t.test('a message that failed before the veto is not retried', async (t) => {
  const { create, publish, drain, deliver, send, rows, admin, skipWait } = await channelStage(t)
  const target = await httpTarget(t, { status: 500 })
  await create(webhook(`${target.url}/w`, ['incident-draft.publishing']))
  await publish(draftEvent(incidentDraftPublishing, { id: draftId, version: 2 }, { draft }))
  await deliver()
  t.equal(target.requests.length, 1)
  await admin`UPDATE notifier.deliveries SET state = 'sending'`
  await publish(closed)
  await drain()
  await admin`UPDATE notifier.deliveries SET state = 'pending'`
  await skipWait()
  await send()
  t.match(await rows(), [{ state: 'cancelled', reason: 'deleted' }])
  t.equal(target.requests.length, 1)
})
