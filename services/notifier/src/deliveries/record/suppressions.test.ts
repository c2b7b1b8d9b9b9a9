/** Pending deliveries are cancelled when their destination or their subject ends. */
import { draftEvent, incidentDeleted, subscriberDeleted } from '@status-page/contracts'
import { newId } from '@status-page/postgres'
import { httpTarget } from '@status-page/testing'
import t from 'tap'
import { changed, created, hook, incident, opened, stage, updated } from '../stage.fixture.ts'

t.test(
  '410 suppresses the destination, cancels pending deliveries and notifies core',
  async (t) => {
    const { publish, deliver, rows, admin } = await stage(t)
    const target = await httpTarget(t, { status: 410 })
    const one = incident()
    await publish(created(hook(target)), opened(one), updated(one, 2))
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
  },
)

t.test('nothing is sent after an unsubscribe', async (t) => {
  const { publish, deliver, drain, rows } = await stage(t)
  const target = await httpTarget(t)
  const one = hook(target)
  await publish(created(one), opened(incident()))
  await drain()
  await publish(changed({ ...one, status: 'unsubscribed' }, 2))
  await deliver()
  t.equal(target.requests.length, 0)
  t.match(await rows(), [{ state: 'cancelled', reason: 'unsubscribed' }])
})

t.test('an unsubscribe applies before its event has arrived', async (t) => {
  const { publish, drain, send, rows } = await stage(t)
  const target = await httpTarget(t)
  const one = hook(target)
  await publish(created(one), opened(incident()))
  await drain()
  await publish(changed({ ...one, status: 'unsubscribed' }, 2))
  await send()
  t.equal(target.requests.length, 0)
  t.match(await rows(), [{ state: 'cancelled', reason: 'unsubscribed' }])
})

t.test('nothing is sent while the state of a subscriber is unknown', async (t) => {
  const { publish, drain, send, rows } = await stage(t)
  const target = await httpTarget(t)
  const one = hook(target)
  await publish(created(one), opened(incident()))
  await drain()
  const unreadable = { ...one, status: 'nonsense' as never }
  await publish(changed(unreadable, 2))
  await send()
  t.equal(target.requests.length, 0)
  t.match(await rows(), [{ state: 'pending', reason: 'retry', attempts: 0, deferrals: 1 }])
})

t.test('an endpoint is suppressed five days after its last success', async (t) => {
  const { publish, deliver, drain, skipWait, admin } = await stage(t)
  const target = await httpTarget(t, [{ status: 200 }, { status: 500 }])
  await publish(created(hook(target)), opened(incident()))
  await deliver()
  await admin`UPDATE notifier.deliveries SET created_at = created_at - interval '6 days',
    finished_at = finished_at - interval '6 days'`
  await admin`UPDATE notifier.destinations SET history_since = now() - interval '9 days',
    first_fail_at = now() - interval '1 day', fail_streak = 1`
  for (const state of ['active', 'active', 'quarantined']) {
    await publish(opened(incident()))
    await drain()
    await skipWait()
    await admin`UPDATE notifier.deliveries SET next_attempt_at = now() + interval '1 hour'
      WHERE state = 'pending' AND attempts > 0`
    await deliver()
    t.match(await admin`SELECT state FROM notifier.destinations`, [{ state }])
  }
})

t.test('a reactivated destination has no failure history', async (t) => {
  const { publish, drain, deliver, admin } = await stage(t)
  const target = await httpTarget(t, { status: 500 })
  const one = hook(target)
  await publish(created(one))
  await drain()
  await admin`UPDATE notifier.destinations SET state = 'quarantined', fail_streak = 20,
    first_fail_at = now() - interval '6 days', history_since = now() - interval '9 days'`
  await publish(changed(one, 2))
  await drain()
  t.match(await admin`SELECT * FROM notifier.destinations`, [
    { state: 'active', fail_streak: 0, first_fail_at: null },
  ])
  t.match(
    await admin`SELECT history_since > now() - interval '1 day' AS is_new FROM notifier.destinations`,
    [{ is_new: true }],
  )
  await publish(changed(one, 3))
  await publish(opened(incident()))
  await deliver()
  await publish(changed(one, 4))
  await drain()
  t.match(await admin`SELECT fail_streak FROM notifier.destinations`, [{ fail_streak: 1 }])
})

t.test('the address of a deleted subscriber is deleted', async (t) => {
  const { publish, deliver, drain, admin } = await stage(t)
  const target = await httpTarget(t)
  const one = hook(target)
  await publish(created(one), opened(incident()))
  await drain()
  await publish(draftEvent(subscriberDeleted, { id: one.id, version: 2 }, { subscriber: one }))
  await deliver()
  t.equal(target.requests.length, 0)
  t.match(await admin`SELECT state, address FROM notifier.destinations`, [
    { state: 'deleted', address: '' },
  ])
})

t.test('a deleted incident cancels its pending deliveries', async (t) => {
  const { publish, deliver, drain, rows } = await stage(t)
  const target = await httpTarget(t)
  const one = incident()
  await publish(created(hook(target)), opened(one))
  await drain()
  await publish(draftEvent(incidentDeleted, { id: one.id, version: 2 }, { incident: one }))
  await deliver()
  t.match(await rows(), [{ state: 'cancelled', reason: 'deleted' }])
})

t.test('a delivery that fails while its incident is deleted is not retried', async (t) => {
  const { publish, drain, deliver, skipWait, rows } = await stage(t)
  const one = incident()
  const target = await httpTarget(t, async () => {
    await publish(draftEvent(incidentDeleted, { id: one.id, version: 2 }, { incident: one }))
    await drain()
    return { status: 500 }
  })
  await publish(created(hook(target)), opened(one))
  await deliver()
  t.match(await rows(), [{ state: 'pending', reason: 'retry' }])
  await skipWait()
  await deliver()
  t.equal(target.requests.length, 1)
  t.match(await rows(), [{ state: 'cancelled', reason: 'deleted' }])
})

t.test('an event that arrives after a later one of its incident is not delivered', async (t) => {
  const { publish, deliver } = await stage(t)
  const target = await httpTarget(t)
  const one = incident()
  await publish(created(hook(target)), updated(one, 2))
  await deliver()
  await publish(opened(one))
  await deliver()
  t.same(
    target.requests.map(({ headers }) => headers['x-event-sequence']),
    ['2'],
  )
})

t.test('without a copy of a component the mute state of the event applies', async (t) => {
  const { publish, deliver, admin, organizationId } = await stage(t)
  const target = await httpTarget(t)
  const component = { name: 'API', status: 'major_outage' as const, ancestorIds: [] }
  const loud = { ...component, id: newId(), isMuted: false }
  const quiet = { ...component, id: newId(), isMuted: true }
  await admin`INSERT INTO notifier.components (organization_id, id, name, is_muted, version)
    VALUES (${organizationId}, ${quiet.id}, 'API', true, 1)`
  await publish(created(hook(target)), opened(incident({ components: [loud, quiet] })))
  await deliver()
  t.equal(target.requests.length, 1)
})

t.test(
  'deliveries are deleted after thirty days, and events with their last delivery',
  async (t) => {
    const { publish, deliver, deleteExpired, rows, admin } = await stage(t)
    const target = await httpTarget(t)
    await publish(created(hook(target)), opened(incident()))
    await deliver()
    await admin`UPDATE notifier.fanouts SET occurred_at = now() - interval '31 days'`
    await deleteExpired()
    t.match(await rows(), [{ state: 'delivered' }])
    await admin`WITH old AS (
        UPDATE notifier.deliveries SET id = notifier.first_id_at(now() - interval '31 days')
        RETURNING id)
      UPDATE notifier.delivery_attempts SET delivery_id = old.id FROM old`
    await deleteExpired()
    t.match(await rows(), [{ state: 'delivered' }], 'finished less than thirty days ago')
    await admin`UPDATE notifier.deliveries SET finished_at = now() - interval '30 days 1 hour'`
    await deleteExpired()
    t.same(await rows(), [])
    t.same(await admin`SELECT * FROM notifier.fanouts`, [])
    t.same(await admin`SELECT * FROM notifier.delivery_attempts`, [])
  },
)
