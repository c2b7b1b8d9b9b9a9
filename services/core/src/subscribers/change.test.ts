/** PATCH of a subscriber, concurrently with events of the notifier about it. */
import {
  componentOperations,
  deliverySummarised,
  draftEvent,
  subscriberOperations as on,
  subscriberQuarantined,
  subscriberResubscribed,
  subscriberUnsubscribed,
} from '@status-page/contracts'
import { newId } from '@status-page/postgres'
import { testCaller } from '@status-page/testing'
import t from 'tap'
import { coreKit } from '../core.fixture.ts'

const kit = await coreKit(t)
const HOUR_MS = 3_600_000
const now = () => new Date(Date.now() + kit.clock.offsetMs())

const created = async (body: object) => {
  const organization = kit.as()
  const { body: subscriber } = await organization.request(on.create, { body })
  await kit.outbox(organization.organizationId)
  const params = { id: subscriber.id }
  const patch = (change: object) => organization.request(on.update, { params, body: change })
  return { ...organization, params, patch }
}

const webhook = (more: object = {}) => ({
  type: 'webhook',
  webhookUrl: 'https://93.184.215.14/hook',
  ...more,
})

t.test('preferences are replaced whole, and a change without effect is none', async (t) => {
  const { request, patch, organizationId } = await created({ type: 'email', email: 'a@x.com' })
  const { body: component } = await request(componentOperations.create, {
    body: { type: 'SERVICE', name: 'A' },
  })
  await kit.outbox(organizationId)
  const wish = { componentIds: [component.id], events: ['incident.resolved', 'incident.created'] }
  const { status, body } = await patch(wish)
  t.equal(status, 200)
  t.same(body.componentIds, [component.id])
  t.same(body.events, ['incident.created', 'incident.resolved'])
  t.match(await kit.outbox(organizationId), {
    events: [
      {
        kind: 'subscriber.updated',
        version: 2,
        data: { subscriber: { componentIds: [component.id] } },
      },
    ],
    audit: ['subscriber.update'],
  })
  kit.clock.advance(1000)
  for (const nothing of [{}, wish, { status: 'active' }]) {
    const same = await patch(nothing)
    t.equal(same.status, 200)
    t.equal(same.body.updatedAt, body.updatedAt)
  }
  t.same(await kit.outbox(organizationId), { events: [], audit: [] })
  await request(componentOperations.remove, { params: { id: component.id } })
  t.equal((await patch({ componentIds: [component.id] })).status, 200, 'stays in the scope')
  t.equal((await patch({ componentIds: [] })).body.events.length, 2)
  t.equal((await patch({ events: [] })).body.events.length, 6)
})

t.test('a response may be sent back and changes nothing', async (t) => {
  for (const body of [{ type: 'email', email: 'a@x.com' }, webhook()]) {
    const { request, patch, params, organizationId } = await created(body)
    const { body: read } = await request(on.read, { params })
    const { status, body: same } = await patch(read)
    t.same([status, same], [200, read], body.type)
    t.same(await kit.outbox(organizationId), { events: [], audit: [] })
  }
})

t.test('an invalid body is refused with the name of the field', async (t) => {
  const mail = await created({ type: 'email', email: 'a@x.com' })
  const hook = await created(webhook())
  const cases: [typeof mail, object, string][] = [
    [mail, { webhookUrl: 'https://93.184.215.14/' }, 'webhookUrl'],
    [mail, { webhookSecret: 'sixteen-characters' }, 'webhookSecret'],
    [mail, { componentIds: [newId()] }, 'componentIds[0]'],
    [mail, { componentIds: null }, 'componentIds'],
    [mail, { status: 'unsubscribed' }, 'status'],
    [hook, { webhookUrl: 'http://10.0.0.1/' }, 'webhookUrl'],
    [hook, { webhookUrl: null }, 'webhookUrl'],
    [hook, { webhookSecret: 'short' }, 'webhookSecret'],
  ]
  for (const [{ patch }, change, field] of cases) {
    const { status, body } = await patch(change)
    t.equal(status, 400, JSON.stringify(change))
    t.equal(body.error.details.field, field)
  }
  t.equal((await kit.as().request(on.update, { params: mail.params, body: {} })).status, 404)
  const reader = kit.as(
    testCaller({ organizationId: mail.organizationId, permissions: ['subscribers:read'] }),
  )
  t.equal((await reader.request(on.update, { params: mail.params, body: {} })).status, 403)
})

t.test('a replaced secret still signs for a day, a removed one not at all', async (t) => {
  const { patch, params, organizationId } = await created(
    webhook({ webhookSecret: 'the-first-secret' }),
  )
  const fact = async () => (await kit.outbox(organizationId)).events.at(-1)?.data.subscriber
  const context = { organizationId, purpose: 'webhook', recordId: params.id } as const
  const opened = (sealed: string) => kit.sealer.open(sealed, context)
  t.equal((await patch({ webhookSecret: 'the-first-secret' })).status, 200)
  t.equal(await fact(), undefined, 'the same secret is not a change')
  const { body } = await patch({ webhookSecret: 'the-second-secret' })
  t.notMatch(JSON.stringify(body), /secret"|second/)
  const rotated = await fact()
  t.equal(opened(rotated.webhookSecret), 'the-second-secret')
  t.equal(opened(rotated.previousWebhookSecret.sealed), 'the-first-secret')
  const lasts = Date.parse(rotated.previousWebhookSecret.until) - now().getTime()
  t.ok(lasts > 23.9 * HOUR_MS && lasts <= 24 * HOUR_MS)
  t.equal((await patch({ webhookSecret: null })).body.hasWebhookSecret, false)
  t.match(await fact(), { webhookSecret: null, previousWebhookSecret: null })
  t.equal((await patch({ webhookSecret: null })).status, 200)
  t.equal(await fact(), undefined)
})

t.test('another address is 409 if a subscriber has it', async (t) => {
  const { request, patch } = await created(webhook())
  await request(on.create, { body: webhook({ webhookUrl: 'https://93.184.215.14/other' }) })
  const taken = await patch({ webhookUrl: 'https://93.184.215.14/other' })
  t.equal(taken.status, 409)
  t.equal(taken.body.error.details.reason, 'duplicate')
  const free = await patch({ webhookUrl: 'https://93.184.215.14/third' })
  t.equal(free.body.webhookUrl, 'https://93.184.215.14/third')
})

t.test(
  'only a quarantined subscriber can be reactivated, and older events do not end it again',
  async (t) => {
    const { request, patch, params, organizationId } = await created({
      type: 'email',
      email: 'a@x.com',
    })
    const quarantine = (version: number, at: Date) =>
      kit.publishAndHandle(
        'notifier',
        organizationId,
        draftEvent(
          subscriberQuarantined,
          { id: newId(), version },
          { subscriberId: params.id, reason: 'hard_bounce', at: at.toISOString() },
        ),
      )
    const status = async () => (await request(on.read, { params })).body.status
    kit.clock.advance(1000)
    const bounced = now()
    await quarantine(1, bounced)
    t.equal(await status(), 'quarantined')
    kit.clock.advance(1000)
    await kit.outbox(organizationId)
    t.match((await patch({ status: 'active' })).body, { status: 'active', statusReason: null })
    t.match(await kit.outbox(organizationId), {
      events: [{ version: 3, data: { subscriber: { status: 'active' } } }],
      audit: ['subscriber.update'],
    })
    await quarantine(2, bounced)
    t.equal(await status(), 'active')
    kit.clock.advance(1000)
    await quarantine(3, now())
    t.equal(await status(), 'quarantined')
  },
)

t.test('an unsubscribed one cannot be reactivated by others', async (t) => {
  const { patch, params, organizationId } = await created({ type: 'sms', phone: '+14155552671' })
  kit.clock.advance(1000)
  const stop = { subscriberId: params.id, reason: 'sms_stop', at: now().toISOString() } as const
  const fact = draftEvent(subscriberUnsubscribed, { id: newId(), version: 1 }, stop)
  await kit.publishAndHandle('notifier', organizationId, fact)
  const refused = await patch({ status: 'active' })
  t.equal(refused.status, 409)
  t.equal(refused.body.error.details.reason, 'invalid_state')
})

t.test('a subscriber who complained of spam cannot be reactivated by others', async (t) => {
  const { request, patch, params, organizationId } = await created({
    type: 'email',
    email: 'a@x.com',
  })
  kit.clock.advance(1000)
  const data = { subscriberId: params.id, reason: 'complaint', at: now().toISOString() } as const
  const fact = draftEvent(subscriberQuarantined, { id: newId(), version: 1 }, data)
  await kit.publishAndHandle('notifier', organizationId, fact)
  const refused = await patch({ status: 'active' })
  t.equal(refused.status, 409)
  t.equal(refused.body.error.details.reason, 'invalid_state')
  const { body } = await request(on.read, { params })
  t.match(body, { status: 'quarantined', statusReason: 'complaint' })
})

t.test('a spam complaint replaces the reason of a bounce', async (t) => {
  const { request, patch, params, organizationId } = await created({
    type: 'email',
    email: 'a@x.com',
  })
  const reportEnd = async (version: number, reason: 'complaint' | 'hard_bounce') => {
    kit.clock.advance(1000)
    const data = { subscriberId: params.id, reason, at: now().toISOString() }
    const fact = draftEvent(subscriberQuarantined, { id: newId(), version }, data)
    await kit.publishAndHandle('notifier', organizationId, fact)
    const { body } = await request(on.read, { params })
    t.equal(body.status, 'quarantined')
    return body.statusReason
  }
  t.equal(await reportEnd(1, 'hard_bounce'), 'hard_bounce')
  t.equal(await reportEnd(2, 'complaint'), 'complaint')
  t.equal(await reportEnd(3, 'hard_bounce'), 'complaint')
  t.equal((await patch({ status: 'active' })).status, 409)
})

t.test('START undoes STOP in whatever order they arrive, and nothing else', async (t) => {
  const { request, params, organizationId } = await created({ type: 'sms', phone: '+14155552671' })
  const tell = (kind: 'stop' | 'start' | 'link', at: Date) => {
    const about = { id: newId(), version: 1 }
    const said = { subscriberId: params.id, at: at.toISOString() }
    const reason = kind === 'link' ? 'link' : 'sms_stop'
    const fact =
      kind === 'start'
        ? draftEvent(subscriberResubscribed, about, said)
        : draftEvent(subscriberUnsubscribed, about, { ...said, reason })
    return kit.publishAndHandle('notifier', organizationId, fact)
  }
  const read = async () => (await request(on.read, { params })).body
  const later = () => {
    kit.clock.advance(1000)
    return now()
  }
  await tell('stop', later())
  t.match(await read(), { status: 'unsubscribed', statusReason: 'sms_stop' })
  await kit.outbox(organizationId)
  await tell('start', later())
  t.match(await read(), { status: 'active', statusReason: null, unsubscribedAt: null })
  t.match(await kit.outbox(organizationId), {
    events: [{ kind: 'subscriber.updated', data: { subscriber: { status: 'active' } } }],
    audit: ['subscriber.update'],
  })
  const [stopped, started] = [later(), later()]
  await tell('start', started)
  await tell('stop', stopped)
  t.match(await read(), { status: 'active' }, 'the earlier STOP arrived late')
  t.same(await kit.outbox(organizationId), { events: [], audit: [] })
  await tell('link', later())
  await tell('start', later())
  t.match(await read(), { status: 'unsubscribed', statusReason: 'link' })
})

t.test(
  'the time of the last notification arrives with a summary, and never goes back',
  async (t) => {
    const { request, params, organizationId } = await created({ type: 'email', email: 'a@x.com' })
    const tell = (lastNotifiedAt: string) =>
      kit.publishAndHandle(
        'notifier',
        organizationId,
        draftEvent(
          deliverySummarised,
          { id: newId(), version: 1 },
          { subscribers: [{ id: params.id, lastNotifiedAt }] },
        ),
      )
    const before = (await request(on.read, { params })).body
    await tell('2026-02-02T00:00:00.000Z')
    await tell('2026-01-01T00:00:00.000Z')
    t.same((await request(on.read, { params })).body, {
      ...before,
      lastNotifiedAt: '2026-02-02T00:00:00.000Z',
    })
  },
)
