/** How a destination or its news ends: what still waits goes nowhere. */
import { emit, incidentDeleted, subscriberDeleted, subscriberUpdated } from '@status-page/contracts'
import { httpTarget } from '@status-page/testing'
import t from 'tap'
import { created, hook, incident, opened, stage, updated } from './stage.fixture.ts'

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
