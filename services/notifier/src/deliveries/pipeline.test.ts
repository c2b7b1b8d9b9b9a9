/** From an event to its destination: what is promised of deliveries, on a real database. */
import { memoryBus } from '@status-page/bus'
import {
  type EventDraft,
  emit,
  type IncidentFact,
  incidentCreated,
  incidentDeleted,
  incidentResolved,
  incidentUpdated,
  type SubscriberFact,
  subscriberCreated,
  subscriberDeleted,
  subscriberUpdated,
  systemActor,
} from '@status-page/contracts'
import { createOutbound, outboundPolicy } from '@status-page/outbound'
import { change, newId } from '@status-page/postgres'
import { sealer } from '@status-page/secrets'
import { type HttpTarget, httpTarget, smtpSink, testDatabase } from '@status-page/testing'
import postgres from 'postgres'
import t, { type Test } from 'tap'
import { audienceReactions } from '../audiences/reactions.ts'
import { emailSender } from '../senders/email.ts'
import { mailerOf } from '../senders/mailer.ts'
import { webhookSender } from '../senders/webhook.ts'
import { deliveryWork } from './due.ts'
import type { NotifyLimits } from './rate.ts'
import { deliveryReactions } from './reactions.ts'

const generous: NotifyLimits = {
  perSubscriber: 1000,
  webhookPerSubscriber: 1000,
  webhookPerOrganization: 1000,
  global: 1000,
}

const seals = sealer({ current: 'k'.repeat(32) })

/** A notifier over its own database, and core's outbox to speak through. */
const stage = async (t: Test, limits: NotifyLimits = generous) => {
  const databases = await testDatabase(t, { services: ['core', 'notifier'] })
  const core = await databases.database('core')
  const notifier = await databases.database('notifier')
  const admin = postgres(databases.adminUrl, { max: 1, onnotice: () => {} })
  const smtp = await smtpSink(t)
  const outbound = createOutbound({
    policy: outboundPolicy({ allowCidrs: ['127.0.0.0/8'], ownHosts: [] }),
  })
  t.teardown(async () => {
    await outbound.close()
    await admin.end()
  })
  const mailer = mailerOf({ SMTP_URL: smtp.url }, outbound)
  const bus = memoryBus(t, [
    { database: core, reactions: [] },
    { database: notifier, reactions: [...audienceReactions, ...deliveryReactions] },
  ])
  const work = deliveryWork({
    database: notifier,
    sealer: seals,
    limits,
    senders: {
      webhook: webhookSender(outbound, 'status-page-service/test'),
      email:
        mailer &&
        emailSender(mailer, { from: 'status@example.com', baseUrl: 'https://status.example.com' }),
      sms: null,
    },
    logger: { warn: () => {}, error: (details, message) => t.comment(message, details) },
  })
  const organizationId = newId()
  const [deliver, keepUp] = work.map((one) => () => one.run(new AbortController().signal))
  return {
    smtp,
    admin,
    organizationId,
    async tell(...events: EventDraft[]) {
      await change(core, { organizationId, actor: systemActor }, async () => ({
        result: undefined,
        events,
        audit: [],
      }))
    },
    drain: () => bus.drain(),
    async deliver() {
      await bus.drain()
      while ((await deliver?.()) !== 0);
    },
    keepUp: async () => await keepUp?.(),
    rows: () =>
      admin<
        { state: string; reason: string | null }[]
      >`SELECT * FROM notifier.deliveries ORDER BY lane_seq, id`,
    skipWait: async () => {
      await admin`UPDATE notifier.destinations SET blocked_until = NULL`
      await admin`UPDATE notifier.deliveries SET next_attempt_at = now() WHERE state = 'pending'`
    },
  }
}

const subscriber = (change: Partial<SubscriberFact>): SubscriberFact => ({
  id: newId(),
  type: 'webhook',
  email: null,
  phone: null,
  webhookUrl: null,
  webhookSecret: null,
  componentIds: [],
  events: ['incident.created', 'incident.updated', 'incident.resolved'],
  statusPageId: null,
  status: 'active',
  manageToken: null,
  ...change,
})

const hook = (target: HttpTarget, change: Partial<SubscriberFact> = {}) =>
  subscriber({ webhookUrl: `${target.url}/hook`, ...change })

const created = (one: SubscriberFact) =>
  emit(subscriberCreated, { id: one.id, version: 1 }, { subscriber: one })

const incident = (change: Partial<IncidentFact> = {}): IncidentFact => ({
  id: newId(),
  title: 'API is down',
  status: 'investigating',
  impact: 'critical',
  message: 'We are on it.',
  components: [],
  startedAt: '2026-01-02T03:04:05.000Z',
  resolvedAt: null,
  url: null,
  statusPageIds: [],
  notifySubscribers: true,
  ...change,
})

const opened = (one: IncidentFact, version = 1) =>
  emit(incidentCreated, { id: one.id, version }, { incident: one })
const updated = (one: IncidentFact, version: number) =>
  emit(incidentUpdated, { id: one.id, version }, { incident: one })
const resolved = (one: IncidentFact, version: number) =>
  emit(
    incidentResolved,
    { id: one.id, version },
    { incident: { ...one, status: 'resolved', resolvedAt: '2026-01-02T04:04:05.000Z' } },
  )

t.test('whoever subscribed before the incident is told once, whatever runs twice', async (t) => {
  const { tell, deliver, rows } = await stage(t)
  const target = await httpTarget(t)
  await tell(created(hook(target)), opened(incident()))
  await deliver()
  await deliver()
  t.equal(target.requests.length, 1)
  t.match(await rows(), [{ state: 'delivered', attempts: 1 }])
  t.match(JSON.parse(target.requests[0]?.body ?? ''), { event: 'incident.created' })
})

t.test('webhooks get every event of an incident, in its order', async (t) => {
  const { tell, deliver } = await stage(t)
  const target = await httpTarget(t)
  const one = incident()
  await tell(created(hook(target)), opened(one), updated(one, 2), resolved(one, 3))
  await deliver()
  t.same(
    target.requests.map(({ headers }) => headers['x-event-sequence']),
    ['1', '2', '3'],
  )
})

t.test('a scope that names an ancestor covers the component; another scope does not', async (t) => {
  const { tell, deliver } = await stage(t)
  const [parent, child, other] = [newId(), newId(), newId()]
  const [covered, elsewhere] = [await httpTarget(t), await httpTarget(t)]
  await tell(
    created(hook(covered, { componentIds: [parent] })),
    created(hook(elsewhere, { componentIds: [other] })),
    opened(
      incident({
        components: [
          { id: child, name: 'API', status: 'major_outage', isMuted: false, ancestorIds: [parent] },
        ],
      }),
    ),
  )
  await deliver()
  t.equal(covered.requests.length, 1)
  t.equal(elsewhere.requests.length, 0)
})

t.test('an endpoint that fails is tried again with the same id and body', async (t) => {
  const { tell, deliver, rows, skipWait, admin } = await stage(t)
  const target = await httpTarget(t, [{ status: 500 }, { status: 200 }])
  await tell(created(hook(target)), opened(incident()))
  await deliver()
  t.match(await rows(), [{ state: 'pending', reason: 'retry', attempts: 1 }])
  await skipWait()
  await deliver()
  const [first, second] = target.requests
  t.equal(first?.headers['webhook-id'], second?.headers['webhook-id'])
  t.equal(first?.body, second?.body)
  t.equal(second?.headers['x-delivery-attempt'], '2')
  t.match(
    await admin`SELECT number, outcome, status_code FROM notifier.delivery_attempts ORDER BY 1`,
    [
      { number: 1, outcome: 'rejected', status_code: 500 },
      { number: 2, outcome: 'delivered', status_code: 200 },
    ],
  )
})

t.test('a payload that is refused does not hold up the next one', async (t) => {
  const { tell, deliver, rows, skipWait } = await stage(t)
  const target = await httpTarget(t, [{ status: 422 }, { status: 200 }])
  const one = incident()
  await tell(created(hook(target)), opened(one))
  await deliver()
  await tell(updated(one, 2))
  await skipWait()
  await deliver()
  t.same(
    (await rows()).map(({ state }) => state),
    ['delivered', 'delivered'],
  )
})

t.test('410 ends the destination, cancels what waits and tells core', async (t) => {
  const { tell, deliver, rows, admin } = await stage(t)
  const target = await httpTarget(t, { status: 410 })
  const one = incident()
  await tell(created(hook(target)), opened(one), updated(one, 2))
  await deliver()
  t.equal(target.requests.length, 1)
  t.same(
    (await rows()).map(({ state, reason }) => [state, reason]),
    [
      ['cancelled', 'disabled'],
      ['cancelled', 'disabled'],
    ],
  )
  t.match(await admin`SELECT kind, payload FROM notifier.outbox`, [
    { kind: 'subscriber.quarantined', payload: { reason: 'endpoint_gone' } },
  ])
})

t.test('after an unsubscribe nothing more goes out', async (t) => {
  const { tell, deliver, drain, rows } = await stage(t)
  const target = await httpTarget(t)
  const one = hook(target)
  await tell(created(one), opened(incident()))
  await drain()
  await tell(
    emit(
      subscriberUpdated,
      { id: one.id, version: 2 },
      { subscriber: { ...one, status: 'unsubscribed' } },
    ),
  )
  await deliver()
  t.equal(target.requests.length, 0)
  t.match(await rows(), [{ state: 'cancelled', reason: 'unsubscribed' }])
})

t.test('a deleted subscriber leaves no address behind', async (t) => {
  const { tell, deliver, drain, admin } = await stage(t)
  const target = await httpTarget(t)
  const one = hook(target)
  await tell(created(one), opened(incident()))
  await drain()
  await tell(emit(subscriberDeleted, { id: one.id, version: 2 }, { subscriber: one }))
  await deliver()
  t.equal(target.requests.length, 0)
  t.match(await admin`SELECT state, address FROM notifier.destinations`, [
    { state: 'deleted', address: '' },
  ])
})

t.test('a deleted incident takes its waiting deliveries along', async (t) => {
  const { tell, deliver, drain, rows } = await stage(t)
  const target = await httpTarget(t)
  const one = incident()
  await tell(created(hook(target)), opened(one))
  await drain()
  await tell(emit(incidentDeleted, { id: one.id, version: 2 }, { incident: one }))
  await deliver()
  t.match(await rows(), [{ state: 'cancelled', reason: 'deleted' }])
})

t.test('a limit defers, and a deferral is no attempt', async (t) => {
  const { tell, deliver, rows } = await stage(t, { ...generous, webhookPerSubscriber: 1 })
  const target = await httpTarget(t)
  await tell(created(hook(target)), opened(incident()), opened(incident()))
  await deliver()
  t.equal(target.requests.length, 1)
  const waiting = (await rows()).filter(({ state }) => state === 'pending')
  t.match(waiting, [{ reason: 'rate_limit', attempts: 0, deferrals: 1 }])
})

t.test('for people the newest update replaces those that had to wait', async (t) => {
  const { tell, deliver, rows, smtp, skipWait, admin } = await stage(t, {
    ...generous,
    perSubscriber: 1,
  })
  const reader = subscriber({ type: 'email', email: 'reader@example.com' })
  const [first, second] = [incident(), incident()]
  await tell(created(reader), opened(first))
  await deliver()
  await tell(opened(second))
  await deliver()
  await tell(updated(second, 2))
  await deliver()
  const states = (await rows()).map(({ state, reason }) => [state, reason])
  t.same(states.sort(), [
    ['delivered', null],
    ['pending', 'rate_limit'],
    ['superseded', 'newer_update'],
  ])
  await admin`DELETE FROM notifier.rate_hits`
  await skipWait()
  await deliver()
  t.equal(smtp.mails.length, 2)
  t.match(smtp.mails[1]?.raw, /includes 1 earlier update/)
})

t.test('a mail can be ended by one click and threads with its incident', async (t) => {
  const { tell, deliver, smtp, organizationId } = await stage(t)
  const reader = subscriber({ type: 'email', email: 'reader@example.com' })
  const context = { organizationId, purpose: 'mail-token', recordId: reader.id } as const
  const one = incident({ title: 'API <b>down</b>' })
  await tell(created({ ...reader, manageToken: seals.seal('token-1', context) }), opened(one))
  await deliver()
  const [mail] = smtp.mails
  t.same(mail?.to, ['reader@example.com'])
  t.match(mail?.headers, {
    'list-unsubscribe': '<https://status.example.com/subscriptions/token-1/unsubscribe>',
    'list-unsubscribe-post': 'List-Unsubscribe=One-Click',
    references: `<incident-${one.id}@status.example.com>`,
    'auto-submitted': 'auto-generated',
  })
  t.match(mail?.raw, /&lt;b&gt;down&lt;\/b&gt;/)
})

t.test('what a dead sender held is sent again, and the lost attempt is on record', async (t) => {
  const { tell, deliver, drain, keepUp, rows, admin } = await stage(t)
  const target = await httpTarget(t)
  await tell(created(hook(target)), opened(incident()))
  await drain()
  await admin`UPDATE notifier.deliveries SET state = 'sending', attempts = 1,
    lease_owner = ${newId()}, lease_until = now() - interval '1 s'`
  await keepUp()
  await deliver()
  t.match(await rows(), [{ state: 'delivered', attempts: 2 }])
  t.match(await admin`SELECT number, outcome FROM notifier.delivery_attempts ORDER BY 1`, [
    { number: 1, outcome: 'unknown' },
    { number: 2, outcome: 'delivered' },
  ])
})

t.test('what is too old to tell expires', async (t) => {
  const { tell, drain, deliver, keepUp, rows, admin } = await stage(t)
  const target = await httpTarget(t)
  await tell(created(hook(target)), opened(incident()))
  await drain()
  await admin`UPDATE notifier.deliveries SET expires_at = now()`
  await keepUp()
  await deliver()
  t.equal(target.requests.length, 0)
  t.match(await rows(), [{ state: 'exhausted', reason: 'expired' }])
})

t.test('what has no way out waits and says so', async (t) => {
  const { tell, deliver, rows } = await stage(t)
  await tell(created(subscriber({ type: 'sms', phone: '+4915112345678' })), opened(incident()))
  await deliver()
  t.match(await rows(), [{ state: 'pending', reason: 'no_transport', attempts: 0 }])
})
