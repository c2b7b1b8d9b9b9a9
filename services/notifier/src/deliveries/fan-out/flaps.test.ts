/** Flapping monitors, and monitors that recovered before their outage was announced. */
import {
  draftEvent,
  type MonitorEventData,
  monitorDown,
  monitorRecovered,
} from '@status-page/contracts'
import { newId } from '@status-page/postgres'
import { httpTarget } from '@status-page/testing'
import t, { type Test } from 'tap'
import { stage } from '../stage.fixture.ts'

/** A monitor, and a webhook channel that receives its events. */
const watched = async (t: Test) => {
  const scene = await stage(t)
  const { admin, organizationId } = scene
  const target = await httpTarget(t)
  const [channelId, destinationId, componentId] = [newId(), newId(), newId()]
  const now = new Date()
  await admin`INSERT INTO notifier.notification_channels ${admin({
    id: channelId,
    organization_id: organizationId,
    name: 'Hook',
    type: 'webhook',
    config: { url: target.url, method: 'POST', headers: {}, bodyTemplate: null },
    events: [],
    component_ids: [],
    impacts: [],
    is_enabled: true,
    created_at: now,
    updated_at: now,
  })}`
  await admin`INSERT INTO notifier.destinations ${admin({
    id: destinationId,
    organization_id: organizationId,
    kind: 'channel',
    channel_id: channelId,
    type: 'webhook',
    address: target.url,
    state: 'active',
    version: 1,
  })}`
  await admin`INSERT INTO notifier.audiences ${admin({
    organization_id: organizationId,
    destination_id: destinationId,
    events: [],
    component_ids: [],
  })}`
  let version = 0
  const fact = (change: Partial<MonitorEventData>): { monitor: MonitorEventData } => ({
    monitor: {
      componentId,
      name: 'API',
      derivedStatus: 'operational',
      since: now.toISOString(),
      reason: null,
      ...change,
    },
  })
  const at = () => ({ id: componentId, version: ++version })
  return {
    ...scene,
    target,
    goDown: (isFlapping: boolean) =>
      scene.publish(
        draftEvent(monitorDown, at(), fact({ isFlapping, derivedStatus: 'major_outage' })),
      ),
    recover: (isFlapping: boolean) =>
      scene.publish(draftEvent(monitorRecovered, at(), fact({ isFlapping }))),
    received: () => target.requests.map(({ body }) => JSON.parse(body.toString()).event),
  }
}

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
