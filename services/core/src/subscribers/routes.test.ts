/** Operations of subscribers and subscriptions: consent given, withdrawn, and requested again. */
import {
  componentOperations,
  draftEvent,
  subscriberOperations as on,
  subscriptionOperations as operations,
  statusPageOperations,
  subscriberEvents,
  subscriberQuarantined,
  subscriberUnsubscribed,
} from '@status-page/contracts'
import { newId } from '@status-page/postgres'
import { eventually, testCaller } from '@status-page/testing'
import postgres from 'postgres'
import t from 'tap'
import { coreKit } from '../core.fixture.ts'

const kit = await coreKit(t)

const email = (address: string, more: object = {}) => ({ type: 'email', email: address, ...more })
const webhook = (more: object = {}) => ({
  type: 'webhook',
  webhookUrl: 'https://93.184.215.14/hook',
  ...more,
})

/** A subscriber with the token that its mails would carry. */
const subscribed = async (body: object = email(`${newId()}@example.com`)) => {
  const organization = kit.as()
  await kit.outbox(organization.organizationId)
  const { body: subscriber } = await organization.request(on.create, { body })
  const { events } = await kit.outbox(organization.organizationId)
  const sealed = events[0]?.data.subscriber.manageToken
  const context = { organizationId: organization.organizationId, recordId: subscriber.id }
  const token = kit.sealer.open(sealed, { ...context, purpose: 'mail-token' })
  return { ...organization, subscriber, token }
}

t.test('a subscriber created by the API is active at once and gets every event', async (t) => {
  const { request, organizationId } = kit.as()
  const { status, body } = await request(on.create, { body: email('Ana@Example.com') })
  t.equal(status, 201)
  t.match(body, {
    type: 'email',
    email: 'ana@example.com',
    phone: null,
    webhookUrl: null,
    hasWebhookSecret: false,
    componentIds: [],
    events: subscriberEvents,
    statusPageId: null,
    status: 'active',
    statusReason: null,
    source: 'api',
    confirmedAt: null,
  })
  const { events, audit } = await kit.outbox(organizationId)
  t.match(events, [
    { kind: 'subscriber.created', version: 1, data: { subscriber: { status: 'active' } } },
  ])
  t.same(audit, ['subscriber.create'])
})

t.test('secrets are never returned and sealed in events', async (t) => {
  const secret = 'canary-secret-of-16'
  const { request, organizationId } = kit.as()
  const { body } = await request(on.create, { body: webhook({ webhookSecret: secret }) })
  t.equal(body.hasWebhookSecret, true)
  t.notMatch(JSON.stringify(body), secret)
  const { events } = await kit.outbox(organizationId)
  t.notMatch(JSON.stringify(events), secret)
  const sealed = events[0]?.data.subscriber.webhookSecret
  const context = { organizationId, purpose: 'webhook', recordId: body.id } as const
  t.equal(kit.sealer.open(sealed, context), secret)
})

t.test('an invalid body is 400 and names the field', async (t) => {
  const { request, organizationId } = kit.as()
  const cases: [object, string][] = [
    [{ type: 'fax' }, 'type'],
    [{ type: 'email' }, 'email'],
    [email('a@x.com,b@x.com'), 'email'],
    [email('a@x.com\r\nBcc: e@x.com'), 'email'],
    [{ type: 'sms', phone: '0171' }, 'phone'],
    [webhook({ webhookUrl: 'http://169.254.169.254/' }), 'webhookUrl'],
    [webhook({ webhookUrl: 'http://[::1]/' }), 'webhookUrl'],
    [webhook({ webhookSecret: 'short' }), 'webhookSecret'],
    [email('a@x.com', { componentIds: [newId()] }), 'componentIds[0]'],
    [email('a@x.com', { statusPageId: newId() }), 'statusPageId'],
    [email('a@x.com', { events: ['monitor.down'] }), 'events[0]'],
  ]
  for (const [body, field] of cases) {
    const response = await request(on.create, { body })
    t.equal(response.status, 400, JSON.stringify(body))
    t.equal(response.body.error.details.field, field)
  }
  t.same(await kit.outbox(organizationId), { events: [], audit: [] })
})

t.test('the same type, address and page again is 409; another page is not', async (t) => {
  const { request } = kit.as()
  t.equal((await request(on.create, { body: email('a@x.com') })).status, 201)
  const again = await request(on.create, {
    body: email('A@x.com', { events: ['incident.created'] }),
  })
  t.equal(again.status, 409)
  t.equal(again.body.error.details.reason, 'duplicate')
  const slug = `p-${newId().slice(-12)}`
  const page = await request(statusPageOperations.create, { body: { name: 'P', slug } })
  const bound = email('a@x.com', { statusPageId: page.body.id })
  t.equal((await request(on.create, { body: bound })).status, 201)
  t.equal((await request(on.create, { body: bound })).status, 409)
})

t.test('an unsubscribed subscriber who is added again must confirm', async (t) => {
  const { request, subscriber, token, organizationId } = await subscribed(email('back@x.com'))
  await kit.request(operations.unsubscribe, { params: { token } })
  await kit.outbox(organizationId)
  const response = await request(on.create, {
    body: email('back@x.com', { events: ['incident.created'] }),
  })
  t.equal(response.status, 201)
  t.match(response.body, {
    id: subscriber.id,
    status: 'unconfirmed',
    unsubscribedAt: null,
    events: ['incident.created'],
  })
  t.match(await kit.outbox(organizationId), {
    events: [
      { kind: 'subscriber.updated', version: 3, data: { subscriber: { status: 'unconfirmed' } } },
    ],
    audit: ['subscriber.update'],
  })
  t.equal((await request(on.create, { body: email('back@x.com') })).status, 409)
})

t.test('lists filter and search the address literally', async (t) => {
  const { request } = kit.as()
  const { body: component } = await request(componentOperations.create, {
    body: { type: 'SERVICE', name: 'A' },
  })
  await request(on.create, { body: email('a_b@x.com', { componentIds: [component.id] }) })
  kit.clock.advance(5)
  await request(on.create, { body: { type: 'sms', phone: '+14155552671' } })
  const types = async (query: object) => {
    const { status, body } = await request(on.list, { query: query as never })
    t.equal(status, 200)
    return body.data.map(({ type }: { type: string }) => type)
  }
  t.same(await types({}), ['sms', 'email'])
  t.same(await types({ type: 'sms' }), ['sms'])
  t.same(await types({ search: 'A_B' }), ['email'])
  t.same(await types({ search: '%' }), [])
  t.same(await types({ componentId: component.id }), ['email'])
  t.same(await types({ statusPageId: newId() }), [])
  t.same(await types({ status: 'quarantined' }), [])
  t.same(await types({ source: 'api', sortBy: 'type' }), ['email', 'sms'])
  t.same(await types({ sortBy: 'email' }), ['email', 'sms'])
  t.equal((await request(on.list, { query: { status: 'gone' } as never })).status, 400)
})

t.test('removing deletes the record and emits one event', async (t) => {
  const { request, subscriber, organizationId } = await subscribed()
  const params = { id: subscriber.id }
  t.equal((await request(on.read, { params })).status, 200)
  t.same((await request(on.remove, { params })).body, { success: true })
  t.match(await kit.outbox(organizationId), {
    events: [{ kind: 'subscriber.deleted', version: 2 }],
    audit: ['subscriber.delete'],
  })
  t.equal((await request(on.remove, { params })).status, 404)
  t.equal((await request(on.read, { params })).status, 404)
})

t.test('a subscriber added during the removal of the same one exists afterwards', async (t) => {
  const { request, subscriber, organizationId } = await subscribed(email('quick@x.com'))
  const other = postgres(kit.adminUrl, { max: 1, onnotice: () => {} })
  t.teardown(() => other.end({ timeout: 1 }))
  const isBlocking = async (pid: number) => {
    const waiting = await kit.database.batchSql`
      SELECT FROM pg_stat_activity WHERE ${pid} = ANY (pg_blocking_pids(pid))`
    return waiting.length > 0
  }
  let adding: ReturnType<typeof request> | undefined
  await other.begin(async (tx) => {
    await tx`SELECT FROM core.subscribers WHERE id = ${subscriber.id} FOR UPDATE`
    adding = request(on.create, { body: email('quick@x.com') })
    const [own] = await tx`SELECT pg_backend_pid() AS pid`
    await eventually(() => isBlocking(own?.pid))
    await tx`DELETE FROM core.subscribers WHERE id = ${subscriber.id}`
  })
  const response = await adding
  t.equal(response?.status, 201)
  t.not(response?.body.id, subscriber.id)
  t.match((await kit.outbox(organizationId)).events, [{ kind: 'subscriber.created', version: 1 }])
})

t.test('the token ends the subscription without a login, and may be used repeatedly', async (t) => {
  const { request, subscriber, token, organizationId } = await subscribed()
  const params = { token }
  const oneClick = 'List-Unsubscribe=One-Click'
  for (const body of [oneClick, undefined]) {
    const response = await kit.request(operations.unsubscribe, {
      params,
      ...(body === undefined ? {} : { body }),
    })
    t.equal(response.status, 200)
    t.same(response.body, { success: true })
  }
  t.match(await kit.outbox(organizationId), {
    events: [
      { kind: 'subscriber.updated', version: 2, data: { subscriber: { status: 'unsubscribed' } } },
    ],
    audit: { length: 1 },
  })
  const { body } = await request(on.read, { params: { id: subscriber.id } })
  t.match(body, { status: 'unsubscribed', statusReason: 'link' })
  t.ok(body.unsubscribedAt)
  const unknown = await kit.request(operations.unsubscribe, { params: { token: `${token}x` } })
  t.equal(unknown.status, 404)
})

t.test('the page has a button, and reading it changes nothing', async (t) => {
  const { subscriber, token, request } = await subscribed(
    email('<b>ana</b>@x.com'.replace(/[<>/]/g, '')),
  )
  const params = { token }
  const page = await kit.request(operations.managePage, { params })
  t.equal(page.status, 200)
  t.match(page.headers['content-type'], /^text\/html/)
  t.match(page.headers['content-security-policy'], /default-src 'none'/)
  t.notMatch(page.headers['content-security-policy'], /unsafe/)
  t.match(page.headers['cache-control'], 'no-store')
  t.match(page.headers['referrer-policy'], 'no-referrer')
  t.match(page.body, `<form method="post" action="/subscriptions/${token}/unsubscribe">`)
  t.notMatch(page.body, subscriber.email)
  const ending = await kit.request(operations.unsubscribeForm, { params })
  t.match(ending.body, `<form method="post" action="/subscriptions/${token}/unsubscribe">`)
  t.equal((await request(on.read, { params: { id: subscriber.id } })).body.status, 'active')
  const ended = await kit.request(operations.unsubscribePage, { params, body: '' })
  t.equal(ended.status, 200)
  t.match(ended.body, 'You have been unsubscribed')
  t.equal((await request(on.read, { params: { id: subscriber.id } })).body.status, 'unsubscribed')
  t.equal((await kit.request(operations.managePage, { params: { token: 'x' } })).status, 404)
})

t.test('feedback of the notifier ends a subscription, but not a later consent', async (t) => {
  const { request, subscriber, organizationId } = await subscribed()
  const read = async () => (await request(on.read, { params: { id: subscriber.id } })).body
  const says = (
    kind: typeof subscriberUnsubscribed | typeof subscriberQuarantined,
    fact: { reason: 'hard_bounce' | 'sms_stop'; at?: string; version: number },
  ) => {
    const { version, reason, at = new Date(Date.now() + kit.clock.offsetMs()).toISOString() } = fact
    const event = draftEvent(
      kind as typeof subscriberUnsubscribed,
      { id: subscriber.id, version },
      {
        subscriberId: subscriber.id,
        reason,
        at,
      },
    )
    return kit.publishAndHandle('notifier', organizationId, event)
  }
  await says(subscriberQuarantined, {
    reason: 'hard_bounce',
    at: '2026-01-01T00:00:00.000Z',
    version: 1,
  })
  t.equal((await read()).status, 'active', 'received before the consent')
  kit.clock.advance(1000)
  await says(subscriberQuarantined, { reason: 'hard_bounce', version: 2 })
  t.match(await read(), { status: 'quarantined', statusReason: 'hard_bounce' })
  await says(subscriberUnsubscribed, { reason: 'sms_stop', version: 3 })
  t.match(await read(), { status: 'unsubscribed', statusReason: 'sms_stop' })
  await says(subscriberQuarantined, { reason: 'hard_bounce', version: 4 })
  t.match(await read(), { status: 'unsubscribed' })
})

t.test('another organization finds nothing, and permissions are required', async (t) => {
  const { subscriber, organizationId } = await subscribed(email('shared@x.com'))
  const other = kit.as()
  const params = { id: subscriber.id }
  t.equal((await other.request(on.read, { params })).status, 404)
  t.equal((await other.request(on.remove, { params })).status, 404)
  t.equal((await other.request(on.create, { body: email('shared@x.com') })).status, 201)
  t.equal((await other.request(on.list)).body.meta.total, 1)
  t.same(await kit.outbox(organizationId), { events: [], audit: [] })
  const viewer = kit.as(testCaller({ role: 'VIEWER' }))
  t.equal((await viewer.request(on.list)).status, 403)
})
