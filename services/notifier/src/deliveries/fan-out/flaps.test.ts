/** Flapping monitors, and monitors that recovered before their outage was announced. */
import t from 'tap'
import { watched } from './watched-monitor.fixture.ts'

t.test(
  'flapping is announced once, followed by one summary when the status is stable',
  async (t) => {
    const { goDown, recover, deliver, received, rows, announceStable, admin } = await watched(t)
    await goDown(false)
    await recover(false)
    await goDown(false)
    await recover(true)
    await goDown(true)
    await recover(true)
    await deliver()
    t.same(received(), ['monitor.down', 'monitor.recovered', 'monitor.down', 'monitor.recovered'])
    t.match((await rows()).slice(4), [
      { state: 'suppressed', reason: 'flapping' },
      { state: 'suppressed', reason: 'flapping' },
    ])
    t.equal(await announceStable(), 0, 'not yet')
    await admin`UPDATE notifier.flaps SET stable_at = now() - interval '1 second'`
    await announceStable()
    await deliver()
    t.same(received().slice(4), ['monitor.recovered'])
    await goDown(false)
    await deliver()
    t.same(received().slice(5), ['monitor.down'], 'and updates as before')
  },
)

t.test(
  'a destination that was not notified of an outage is not notified of the recovery',
  async (t) => {
    const { goDown, recover, deliver, received, rows, admin } = await watched(t)
    await admin`UPDATE notifier.audiences SET events = '{monitor.recovered}'`
    await goDown(false)
    await recover(false)
    await deliver()
    t.same(received(), [])
    t.match(await rows(), [{ state: 'suppressed', reason: 'flapping' }])
  },
)

t.test('a recovery that replaces the pending message of its outage is sent', async (t) => {
  const { goDown, recover, drain, rows, admin } = await watched(t)
  await admin`UPDATE notifier.notification_channels SET type = 'slack'`
  await admin`UPDATE notifier.destinations SET type = 'slack'`
  await goDown(false)
  await recover(false)
  await drain()
  t.match(await rows(), [
    { state: 'superseded', reason: 'newer_update' },
    { state: 'pending', reason: null },
  ])
})
