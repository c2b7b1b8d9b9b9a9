/** The delivery log over HTTP: its fields, its readers, and the addresses that it hides. */
import {
  type Delivery,
  deliveryOperations,
  pendingDeliveryOperations,
} from '@status-page/contracts'
import { newId } from '@status-page/postgres'
import { createRoutes, serve } from '@status-page/service'
import { httpTarget, inject, testCaller, testKeys } from '@status-page/testing'
import t, { type Test } from 'tap'
import { pendingDeliveryRoutes } from './pending.ts'
import { deliveryRoutes } from './routes.ts'
import { created, generous, hook, incident, opened, resolved, stage } from './stage.fixture.ts'

/** One delivered webhook of the organization, and the log that shows it. */
const delivered = async (t: Test) => {
  const scene = await stage(t)
  const target = await httpTarget(t)
  const subscriber = hook(target)
  const subject = incident()
  await scene.publish(created(subscriber), opened(subject))
  await scene.deliver()
  const app = serve({
    service: 'notifier',
    routes: [
      ...createRoutes(deliveryOperations, deliveryRoutes(generous)),
      ...pendingDeliveryRoutes,
    ],
    database: scene.notifier,
    verifier: testKeys().verifier('notifier'),
  })
  t.teardown(() => app.close())
  const caller = testCaller({
    organizationId: scene.organizationId,
    permissions: ['notifications:read'],
  })
  return { ...scene, app, caller, target, subscriber, subject }
}

t.test('a delivery shows its event, its destination and every attempt', async (t) => {
  const { app, caller, subscriber, target } = await delivered(t)
  const list = await inject(app, deliveryOperations.list, { caller })
  t.equal(list.status, 200)
  t.same(list.body.meta, { total: 1, page: 1, pageSize: 20 })
  const [one] = list.body.data
  t.match(one, {
    event: 'incident.created',
    state: 'delivered',
    reason: null,
    attemptCount: 1,
    nextAttemptAt: null,
    destination: {
      kind: 'subscriber',
      id: subscriber.id,
      type: 'webhook',
      label: `http://127.0.0.1:${target.port}/***`,
    },
  })
  const single = await inject(app, deliveryOperations.read, { caller, params: { id: one.id } })
  t.match(single.body.attempts, [{ number: 1, outcome: 'delivered', statusCode: 200, error: null }])
})

t.test('a pending delivery states its reason and due time', async (t) => {
  const { app, caller, publish, drain, admin, subscriber } = await delivered(t)
  const reader = { ...subscriber, id: newId(), type: 'email' as const, email: 'a@example.com' }
  await publish(created(reader), opened(incident()))
  await drain()
  const until = '2100-01-01T00:00:00.000Z'
  await admin`UPDATE notifier.destinations SET blocked_until = ${until} WHERE type = 'webhook'`
  await admin`INSERT INTO notifier.transports (name, blocked_until, reason, fail_streak)
    VALUES ('smtp', ${until}, 'channel_auth', 1)`
  const query = { state: 'pending' as const }
  const { body } = await inject(app, deliveryOperations.list, { caller, query })
  const waits = body.data.map(({ destination, reason, nextAttemptAt }: Delivery) => [
    destination.type,
    reason,
    nextAttemptAt,
  ])
  t.same(waits.sort(), [
    ['email', 'channel_auth', until],
    ['webhook', 'endpoint_blocked', until],
  ])
})

t.test('pending deliveries are counted with the age of the oldest', async (t) => {
  const { app, caller, publish, drain, deliver, target, admin } = await delivered(t)
  const counted = async (reader = caller) =>
    (await inject(app, pendingDeliveryOperations.read, { caller: reader })).body
  t.same(await counted(), { pending: 0, oldestPendingAt: null, exhausted: 0 })
  await publish(opened(incident()))
  await drain()
  t.match(await counted(), { pending: 1, oldestPendingAt: /Z$/, exhausted: 0 })
  target.respond(() => ({ status: 200 }))
  await deliver()
  await admin`UPDATE notifier.deliveries SET state = 'exhausted'`
  t.match(await counted(), { pending: 0, exhausted: 2 })
  await admin`UPDATE notifier.deliveries SET created_at = now() - interval '25 hours'`
  t.match(await counted(), { exhausted: 0 })
  const other = testCaller({ permissions: ['notifications:read'] })
  t.match(await counted(other), { pending: 0, exhausted: 0 })
})

t.test('each filter narrows the log, an unknown id to nothing', async (t) => {
  const { app, caller, subscriber, subject, publish, deliver } = await delivered(t)
  const other = incident()
  await publish(opened(other), resolved(other, 2))
  await deliver()
  const total = async (query: Record<string, unknown>) => {
    const { body } = await inject(app, deliveryOperations.list, { caller, query })
    return body.meta.total
  }
  const cases: [Record<string, unknown>, number][] = [
    [{ state: 'delivered' }, 3],
    [{ state: 'pending' }, 0],
    [{ event: 'incident.created' }, 2],
    [{ event: 'incident.updated' }, 0],
    [{ incidentId: subject.id }, 1],
    [{ incidentId: other.id }, 2],
    [{ incidentId: newId() }, 0],
    [{ subscriberId: subscriber.id }, 3],
    [{ subscriberId: newId() }, 0],
    [{ eventId: newId() }, 0],
    [{ channelId: newId() }, 0],
    [{ from: '2000-01-01T00:00:00Z', to: '2000-01-02T00:00:00Z' }, 0],
    [{ from: '2000-01-01T00:00:00Z' }, 3],
    [{ page: 2 }, 3],
  ]
  for (const [query, expected] of cases)
    t.equal(await total(query), expected, JSON.stringify(query))
})

t.test('an invalid filter is rejected with its field', async (t) => {
  const { app, caller } = await delivered(t)
  for (const [field, value] of [
    ['state', 'lost'],
    ['event', 'incident.exploded'],
    ['eventId', 'x'],
    ['incidentId', 'x'],
    ['from', 'yesterday'],
    ['sortBy', 'address'],
  ] as const) {
    const { status, body } = await inject(app, deliveryOperations.list, {
      caller,
      query: { [field]: value },
    })
    t.equal(status, 400)
    t.equal(body.error.details.field, field)
  }
})

t.test('another organization sees no deliveries', async (t) => {
  const { app, caller } = await delivered(t)
  const stranger = testCaller({ permissions: ['notifications:read'] })
  const { body } = await inject(app, deliveryOperations.list, { caller })
  const foreign = { caller: stranger, params: { id: body.data[0].id } }
  const unknown = { caller: stranger, params: { id: newId() } }
  t.equal((await inject(app, deliveryOperations.list, { caller: stranger })).body.meta.total, 0)
  const answers = [
    await inject(app, deliveryOperations.read, foreign),
    await inject(app, deliveryOperations.read, unknown),
  ]
  t.same(answers[0]?.body, answers[1]?.body)
  t.equal(answers[0]?.status, 404)
})
