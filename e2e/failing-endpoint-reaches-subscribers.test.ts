/** A failing endpoint opens an incident, appears on the page and notifies every subscriber once. */
import {
  componentOperations,
  type Incident,
  incidentOperations,
  publicOperations,
  statusPageOperations,
  subscriberOperations,
} from '@status-page/contracts'
import { eventually } from '@status-page/testing'
import t from 'tap'
import { assertDelivered, assertIdle, type ExpectedMessage } from './kit/delivery-ledger.ts'
import { mailsTo, switchableTarget, webhookReceiver } from './kit/receivers.ts'
import { register, SECRET } from './kit/tenant.ts'
import { errorLogsOf, startWorld } from './kit/world.ts'

/** Two checks ten seconds apart, each up to its timeout, and event handling. */
const NOTICED_WITHIN_MS = 40_000
const READER = 'reader@example.com'
const SLUG = 'tour'

const world = await startWorld(t)
const target = await switchableTarget(t)
const hook = await webhookReceiver(t)
const { api } = await register(world.api, SLUG)
const component = await api.call(componentOperations.create, {
  body: {
    type: 'ENDPOINT',
    name: 'Checkout',
    url: target.url,
    checkInterval: 10,
    failureThreshold: 2,
    autoCreateIncident: true,
  },
})
await api.call(subscriberOperations.create, {
  body: { type: 'webhook', webhookUrl: hook.url, webhookSecret: SECRET },
})
await api.call(subscriberOperations.create, { body: { type: 'email', email: READER } })
await api.call(statusPageOperations.create, {
  body: { name: 'Tour', slug: SLUG, isPublished: true },
})

const expectedMessages: ExpectedMessage[] = []
let incident: Incident

const theIncident = async (status: Incident['status']) => {
  const { data } = await api.call(incidentOperations.list, { query: { componentId: component.id } })
  return data.find((one) => one.status === status)
}
const statusOf = async () =>
  (await api.call(componentOperations.read, { params: { id: component.id } })).status
const allDelivered = () =>
  eventually(
    () =>
      hook.received().length >= expectedMessages.length &&
      mailsTo(world.smtp, READER).length >= expectedMessages.length,
    { timeoutMs: 20_000 },
  )

t.test('a healthy endpoint is checked, and no message is sent', async (t) => {
  await eventually(() => target.requestCount > 0, { timeoutMs: 20_000 })
  t.equal(await statusOf(), 'operational')
  t.same(hook.requests, [])
})

t.test('a failing endpoint opens an incident', async (t) => {
  await target.stop()
  incident = await eventually(() => theIncident('investigating'), { timeoutMs: NOTICED_WITHIN_MS })
  t.match(incident, {
    title: 'Checkout is down',
    impact: 'critical',
    source: 'monitor',
    isAutoCreated: true,
    triggerComponentId: component.id,
    components: [{ id: component.id, name: 'Checkout', status: 'major_outage' }],
  })
  t.equal(await eventually(async () => (await statusOf()) === 'major_outage' && 'shown'), 'shown')
  expectedMessages.push({ ...incident, incidentId: incident.id, kind: 'incident.created' })
})

t.test('the incident is sent as one signed webhook and one mail', async (t) => {
  await allDelivered()
  const [request] = hook.requests
  t.same(JSON.parse(request?.body ?? ''), {
    event: 'incident.created',
    timestamp: JSON.parse(request?.body ?? '').timestamp,
    incident: {
      id: incident.id,
      title: 'Checkout is down',
      status: 'investigating',
      impact: 'critical',
      components: ['Checkout'],
    },
  })
  t.match(request?.headers, {
    'content-type': 'application/json; charset=utf-8',
    'user-agent': /^status-page-service\//,
    'webhook-id': /^evt_[0-9a-f-]{36}$/,
    'webhook-signature': /^v1,/,
    'x-delivery-attempt': '1',
  })
  t.equal(hook.countSigned(SECRET), 1, 'X-Signature-256 covers the received bytes')
  const mail = world.smtp.mails.find(({ to }) => to.includes(READER))
  t.match(mail?.headers, {
    subject: '[Investigating] Checkout is down - tour',
    'list-unsubscribe': new RegExp(`^<${world.stack.baseUrl}/subscriptions/[^/]+/unsubscribe>$`),
    'list-unsubscribe-post': 'List-Unsubscribe=One-Click',
  })
})

t.test('the page, its incidents and its feeds show the incident', async (t) => {
  const params = { slug: SLUG }
  const isShown = async () => {
    const status = await world.api.call(publicOperations.status, { params })
    return status.activeIncidents.length > 0 && status
  }
  t.match(await eventually(isShown, { timeoutMs: 15_000 }), {
    status: { indicator: 'critical', description: 'Major System Outage' },
    components: [{ id: component.id, status: 'major_outage' }],
    activeIncidents: [{ id: incident.id, status: 'investigating' }],
  })
  const { data } = await world.api.call(publicOperations.incidents, { params })
  t.match(data, [{ id: incident.id, title: 'Checkout is down', resolvedAt: null }])
  t.notMatch(JSON.stringify(data), target.url, 'the check URL is not public')
  for (const [format, type] of [
    ['rss', 'application/rss+xml'],
    ['atom', 'application/atom+xml'],
    ['json', 'application/feed+json'],
  ] as const) {
    const feed = await world.api.request(publicOperations.feed, { params, query: { format } })
    t.match(feed.headers.get('content-type'), type)
    t.match(feed.text, 'Checkout is down', format)
    t.match(feed.text, incident.id, format)
  }
})

t.test(
  'a recovered endpoint resolves the incident, and every subscriber receives one more ' + 'message',
  async (t) => {
    await target.start()
    const resolved = await eventually(() => theIncident('resolved'), {
      timeoutMs: NOTICED_WITHIN_MS,
    })
    t.equal(resolved.id, incident.id)
    t.equal(resolved.autoResolved, true)
    t.equal(await eventually(async () => (await statusOf()) === 'operational' && 'up'), 'up')
    expectedMessages.push({ ...resolved, incidentId: resolved.id, kind: 'incident.resolved' })
    await allDelivered()
  },
)

t.test(
  'no message is repeated, no delivery is pending, and no service logs an error',
  async (t) => {
    await assertIdle(t, world)
    assertDelivered(t, expectedMessages, hook.received())
    assertDelivered(t, expectedMessages, mailsTo(world.smtp, READER))
    t.equal(hook.countSigned(SECRET), hook.requests.length)
    t.same(errorLogsOf(world), [])
  },
)
