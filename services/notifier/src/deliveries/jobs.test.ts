import { eventually, httpTarget } from '@status-page/testing'
import t from 'tap'
import { DELIVERIES_DUE } from './fan-out/fan-out.ts'
import { created, hook, incident, opened, stage } from './stage.fixture.ts'

t.test('workers are woken when a deferral ends, and not before', async (t) => {
  const { notifier, admin, publish, drain, send, wakeDue, skipWait, rows } = await stage(t)
  const target = await httpTarget(t)
  await publish(created(hook(target)), opened(incident()))
  await drain()
  await admin`UPDATE notifier.deliveries SET next_attempt_at = now() + interval '1 hour'`
  let rung = 0
  await notifier.listen(DELIVERIES_DUE, () => rung++)
  await wakeDue()
  // Notifications arrive in order: the earlier ones precede this one.
  let notifications = 0
  await notifier.listen('notifier_test', () => notifications++)
  await notifier.batchSql.notify('notifier_test', '')
  await eventually(() => notifications === 1)
  t.equal(rung, 0)
  await skipWait()
  await wakeDue()
  await eventually(() => rung === 1)
  await send()
  t.match(await rows(), [{ state: 'delivered' }])
})
