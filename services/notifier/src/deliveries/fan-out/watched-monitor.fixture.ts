/** A monitor, and a webhook channel that receives its events. */
import {
  draftEvent,
  type MonitorEventData,
  monitorDegraded,
  monitorDown,
  monitorRecovered,
} from '@status-page/contracts'
import { newId } from '@status-page/postgres'
import { httpTarget } from '@status-page/testing'
import type { Test } from 'tap'
import { stage } from '../stage.fixture.ts'

export const watched = async (t: Test) => {
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
    componentId,
    target,
    goDown: (isFlapping: boolean) =>
      scene.publish(
        draftEvent(monitorDown, at(), fact({ isFlapping, derivedStatus: 'major_outage' })),
      ),
    degrade: () =>
      scene.publish(
        draftEvent(monitorDegraded, at(), fact({ derivedStatus: 'degraded_performance' })),
      ),
    recover: (isFlapping: boolean) =>
      scene.publish(draftEvent(monitorRecovered, at(), fact({ isFlapping }))),
    received: () => target.requests.map(({ body }) => JSON.parse(body.toString()).event),
  }
}
