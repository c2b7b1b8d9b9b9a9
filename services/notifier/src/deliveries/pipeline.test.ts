/** Guarantees of the pipeline from event to destination, on a real database. */
import { newId } from '@status-page/postgres'
import { httpTarget } from '@status-page/testing'
import t from 'tap'
import {
  changed,
  created,
  generous,
  hook,
  incident,
  opened,
  resolved,
  seals,
  stage,
  subscriber,
  updated,
} from './stage.fixture.ts'

t.test('a subscriber is notified once, even when events and jobs run twice', async (t) => {
  const { publish, deliver, rows } = await stage(t)
  const target = await httpTarget(t)
  await publish(created(hook(target)), opened(incident()))
  await deliver()
  await deliver()
  t.equal(target.requests.length, 1)
  t.match(await rows(), [{ state: 'delivered', attempts: 1 }])
  t.match(JSON.parse(target.requests[0]?.body ?? ''), { event: 'incident.created' })
})

t.test('webhooks get every event of an incident, in its order', async (t) => {
  const { publish, deliver } = await stage(t)
  const target = await httpTarget(t)
  const one = incident()
  await publish(created(hook(target)), opened(one), updated(one, 2), resolved(one, 3))
  await deliver()
  t.same(
    target.requests.map(({ headers }) => headers['x-event-sequence']),
    ['1', '2', '3'],
  )
})

t.test('a scope that names an ancestor covers the component; another scope does not', async (t) => {
  const { publish, deliver } = await stage(t)
  const [parent, child, other] = [newId(), newId(), newId()]
  const [covered, elsewhere] = [await httpTarget(t), await httpTarget(t)]
  await publish(
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

t.test('a failed request is retried with the same id and body', async (t) => {
  const { publish, deliver, rows, skipWait, admin } = await stage(t)
  const target = await httpTarget(t, [{ status: 500 }, { status: 200 }])
  await publish(created(hook(target)), opened(incident()))
  await deliver()
  t.match(await rows(), [{ state: 'pending', reason: 'retry', attempts: 1 }])
  await skipWait()
  await deliver()
  const [first, second] = target.requests
  t.equal(first?.headers['webhook-id'], second?.headers['webhook-id'])
  t.equal(first?.body, second?.body)
  t.equal(second?.headers['x-delivery-attempt'], '2')
  t.match(await admin`SELECT number, outcome, status_code FROM notifier.delivery_attempts`, [
    { number: 1, outcome: 'rejected', status_code: 500 },
  ])
  t.match(await rows(), [{ delivered_attempt: 2, delivered_status_code: 200 }])
  t.match(
    await admin`SELECT fail_streak, first_fail_at, blocked_until FROM notifier.destinations`,
    [{ fail_streak: 0, first_fail_at: null, blocked_until: null }],
  )
})

t.test('a retry in a test waits for the test, however slow the machine is', async (t) => {
  const { publish, deliver, rows, admin } = await stage(t)
  const target = await httpTarget(t, { status: 500 })
  await publish(created(hook(target)), opened(incident()), opened(incident()))
  await deliver()
  await admin`UPDATE notifier.destinations SET blocked_until = blocked_until - interval '10 minutes'`
  await admin`UPDATE notifier.deliveries SET next_attempt_at = next_attempt_at - interval '10 minutes'`
  await deliver()
  t.equal(target.requests.length, 1)
  t.match(await rows(), [{ attempts: 1 }, { attempts: 0 }])
})

t.test('a rejected payload does not delay the next one', async (t) => {
  const { publish, deliver, rows, skipWait } = await stage(t)
  const target = await httpTarget(t, [{ status: 422 }, { status: 200 }])
  const one = incident()
  await publish(created(hook(target)), opened(one))
  await deliver()
  await publish(updated(one, 2))
  await skipWait()
  await deliver()
  t.same(
    (await rows()).map(({ state }) => state),
    ['delivered', 'delivered'],
  )
})

t.test('a limit defers deliveries without counting an attempt', async (t) => {
  const { publish, deliver, rows } = await stage(t, { ...generous, webhookPerSubscriber: 1 })
  const target = await httpTarget(t)
  await publish(created(hook(target)), opened(incident()), opened(incident()))
  await deliver()
  t.equal(target.requests.length, 1)
  const waiting = (await rows()).filter(({ state }) => state === 'pending')
  t.match(waiting, [{ reason: 'rate_limit', attempts: 0, deferrals: 1 }])
})

t.test('for people the newest update replaces pending ones', async (t) => {
  const { publish, deliver, rows, smtp, skipWait, admin } = await stage(t, {
    ...generous,
    perSubscriber: 1,
  })
  const reader = subscriber({ type: 'email', email: 'reader@example.com' })
  const [first, second] = [incident(), incident()]
  await publish(created(reader), opened(first))
  await deliver()
  await publish(opened(second))
  await deliver()
  await publish(updated(second, 2))
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
  t.match(smtp.mails[1]?.raw, /Includes 1 earlier update/)
})

t.test('a mail has one-click unsubscribe and threads with its incident', async (t) => {
  const { publish, deliver, smtp, organizationId } = await stage(t)
  const reader = subscriber({ type: 'email', email: 'reader@example.com' })
  const context = { organizationId, purpose: 'mail-token', recordId: reader.id } as const
  const one = incident({ title: 'API <b>down</b>' })
  await publish(created({ ...reader, manageToken: seals.seal('token-1', context) }), opened(one))
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

t.test(
  'deliveries of a dead sender are sent again, and the lost attempt is recorded',
  async (t) => {
    const { publish, deliver, drain, runUpkeep, rows, admin } = await stage(t)
    const target = await httpTarget(t)
    await publish(created(hook(target)), opened(incident()))
    await drain()
    await admin`UPDATE notifier.deliveries SET state = 'sending', attempts = 1,
    lease_owner = ${newId()}, lease_until = now() - interval '1 s'`
    await runUpkeep()
    await deliver()
    t.match(await rows(), [{ state: 'delivered', attempts: 2, delivered_attempt: 2 }])
    t.match(await admin`SELECT number, outcome FROM notifier.delivery_attempts`, [
      { number: 1, outcome: 'unknown' },
    ])
  },
)

t.test('a lease is renewed before the send, however slow earlier sends were', async (t) => {
  const { publish, deliver, rows, admin } = await stage(t)
  let leases: readonly unknown[] = []
  const target = await httpTarget(t, async () => {
    leases = await admin`SELECT id FROM notifier.deliveries
      WHERE state = 'sending' AND lease_until > now() + interval '80 s'`
    await admin`UPDATE notifier.deliveries SET lease_until = now() + interval '1 s'
      WHERE state = 'sending'`
    return {}
  })
  await publish(created(hook(target)), opened(incident()), opened(incident()))
  await deliver()
  t.equal(target.requests.length, 2)
  t.equal(leases.length, 1, 'the last was sent under a full lease')
  t.match(await rows(), [{ state: 'delivered' }, { state: 'delivered' }])
})

t.test('a delivery past its lifetime expires', async (t) => {
  const { publish, drain, deliver, runUpkeep, rows, admin } = await stage(t)
  const target = await httpTarget(t)
  await publish(created(hook(target)), opened(incident()))
  await drain()
  await admin`UPDATE notifier.deliveries SET expires_at = now()`
  await runUpkeep()
  await deliver()
  t.equal(target.requests.length, 0)
  t.match(await rows(), [{ state: 'exhausted', reason: 'expired' }])
})

t.test('a delivery without a transport waits with a reason', async (t) => {
  const { publish, deliver, rows } = await stage(t)
  await publish(created(subscriber({ type: 'sms', phone: '+4915112345678' })), opened(incident()))
  await deliver()
  t.match(await rows(), [{ state: 'pending', reason: 'no_transport', attempts: 0 }])
})

t.test(
  'a person with several subscriptions gets one message per event, whatever their scopes and pages',
  async (t) => {
    const { publish, publishIn, deliver, smtp } = await stage(t)
    const [page, otherPage, component] = [newId(), newId(), newId()]
    const person = (change: object = {}) =>
      created(subscriber({ type: 'email', email: 'reader@example.com', ...change }))
    await publish(
      person(),
      person({ statusPageId: page }),
      person({ statusPageId: otherPage, componentIds: [component] }),
      person({ statusPageId: newId() }),
      person({ events: ['incident.resolved'], componentIds: [component] }),
      created(subscriber({ type: 'email', email: 'other@example.com', statusPageId: page })),
    )
    const other = newId()
    await publishIn(other, person())
    const one = incident({
      statusPageIds: [page, otherPage],
      components: [
        { id: component, name: 'API', status: 'major_outage', isMuted: false, ancestorIds: [] },
      ],
    })
    const receivers = () => smtp.mails.splice(0).flatMap(({ to }) => to)
    await publish(opened(one))
    await deliver()
    t.same(receivers().sort(), ['other@example.com', 'reader@example.com'])
    await publish(resolved(one, 2))
    await deliver()
    t.same(receivers().sort(), ['other@example.com', 'reader@example.com'])
    await publishIn(other, opened(incident()))
    await deliver()
    t.same(receivers(), ['reader@example.com'], 'another organization has its own')
  },
)

t.test('an ended subscription does not remove the message of another one', async (t) => {
  const { publish, deliver, smtp } = await stage(t)
  const reader = { type: 'email', email: 'reader@example.com' } as const
  const first = subscriber(reader)
  await publish(created(first), created(subscriber(reader)))
  await publish(changed({ ...first, status: 'unsubscribed' }, 2), opened(incident()))
  await deliver()
  t.equal(smtp.mails.length, 1)
})
