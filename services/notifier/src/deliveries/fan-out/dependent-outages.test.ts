/** Outages of components with dependencies: notified of when core confirms them. */
import {
  componentUpdated,
  type DerivedStatus,
  draftEvent,
  type MonitorEventData,
  outageConfirmed,
} from '@status-page/contracts'
import { newId } from '@status-page/postgres'
import t, { type Test } from 'tap'
import { watched } from './watched-monitor.fixture.ts'

/** A monitor of a component with dependencies. */
const dependent = async (t: Test) => {
  const scene = await watched(t)
  const { componentId, publish } = scene
  const component = {
    id: componentId,
    name: 'API',
    type: 'SERVICE' as const,
    isEnabled: true,
    isMuted: false,
    parentComponentId: null,
    ancestorIds: [],
    dependsOn: [newId()],
    endpoint: null,
  }
  await publish(draftEvent(componentUpdated, { id: componentId, version: 2 }, { component }))
  const monitor: MonitorEventData = {
    componentId,
    name: 'API',
    derivedStatus: 'major_outage',
    since: new Date().toISOString(),
    reason: null,
  }
  const confirm = async (
    eventId: string,
    monitorVersion: number,
    derivedStatus: DerivedStatus = 'major_outage',
  ) =>
    publish(
      draftEvent(
        outageConfirmed,
        { id: componentId, version: monitorVersion },
        { outage: { eventId, monitorVersion, monitor: { ...monitor, derivedStatus } } },
      ),
    )
  const downEventId = async () => {
    const [row] = await scene.admin<{ event_id: string }[]>`
      SELECT event_id FROM notifier.fanouts WHERE kind IN ('monitor.down', 'monitor.degraded')`
    return row?.event_id ?? ''
  }
  return { ...scene, confirm, downEventId }
}

t.test('an outage that a dependency explains and its recovery send nothing', async (t) => {
  const { goDown, recover, deliver, received, rows } = await dependent(t)
  await goDown(false)
  await recover(false)
  await deliver()
  t.same(received(), [])
  t.match(await rows(), [{ state: 'suppressed' }])
})

t.test('a degradation is sent when it is confirmed', async (t) => {
  const { degrade, recover, deliver, received, confirm, downEventId } = await dependent(t)
  await degrade()
  await deliver()
  t.same(received(), [])
  await confirm(await downEventId(), 1, 'degraded_performance')
  await deliver()
  await recover(false)
  await deliver()
  t.same(received(), ['monitor.degraded', 'monitor.recovered'])
})

t.test('a confirmed outage and its recovery are sent once', async (t) => {
  const { goDown, recover, deliver, received, confirm, downEventId } = await dependent(t)
  await goDown(false)
  await deliver()
  t.same(received(), [])
  await confirm(await downEventId(), 1)
  await deliver()
  await recover(false)
  await deliver()
  t.same(received(), ['monitor.down', 'monitor.recovered'])
})

t.test('an outage that ended before its confirmation is sent, then its recovery', async (t) => {
  const { goDown, recover, deliver, received, confirm, downEventId } = await dependent(t)
  await goDown(false)
  await recover(false)
  await deliver()
  t.same(received(), [])
  await confirm(await downEventId(), 1)
  await deliver()
  t.same(received(), ['monitor.down', 'monitor.recovered'])
})

t.test('an outage that was followed by another one is not sent', async (t) => {
  const { goDown, recover, deliver, received, confirm, downEventId } = await dependent(t)
  await goDown(false)
  const first = await downEventId()
  await recover(false)
  await goDown(false)
  await confirm(first, 1)
  await deliver()
  t.same(received(), [])
})

t.test('the confirmation of an outage that was sent already sends nothing', async (t) => {
  const { goDown, deliver, received, confirm, downEventId, admin } = await dependent(t)
  await admin`UPDATE notifier.components SET has_dependencies = false`
  await goDown(false)
  await deliver()
  await confirm(await downEventId(), 1)
  await deliver()
  t.same(received(), ['monitor.down'])
})

t.test('a confirmation that overtakes its outage sends one message', async (t) => {
  const { goDown, deliver, received, confirm } = await dependent(t)
  await confirm(newId(), 1)
  await goDown(false)
  await deliver()
  t.same(received(), ['monitor.down'])
})
