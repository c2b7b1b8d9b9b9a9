/** Digests combine monitor events, and any events that would take too long to send one by one. */
import {
  type AlertEventData,
  draftEvent,
  incidentDeleted,
  monitorDown,
  oncallTriggered,
} from '@status-page/contracts'
import { newId, write } from '@status-page/postgres'
import { httpTarget } from '@status-page/testing'
import t, { type Test } from 'tap'
import { channelStage, slack } from '../../notification-channels/channels.fixture.ts'
import {
  created,
  generous,
  incident,
  opened,
  stage,
  subscriber,
  updated,
} from '../stage.fixture.ts'
import { loadCoveredEvents } from './covered-events.ts'
import { absorbIntoDigest } from './digest.ts'

const chat = async (t: Test) => {
  const scene = await channelStage(t)
  const target = await httpTarget(t, { body: 'ok' })
  await scene.create(slack(target.url))
  return {
    ...scene,
    bodies: () => target.requests.map(({ body }) => body),
    texts: () => target.requests.map(({ body }) => JSON.parse(body).text),
  }
}

const down = (name: string, componentId = newId()) =>
  draftEvent(
    monitorDown,
    { id: componentId, version: 1 },
    {
      monitor: {
        componentId,
        name,
        derivedStatus: 'major_outage' as const,
        since: '2026-01-02T03:04:05.000Z',
        reason: null,
      },
    },
  )

t.test('three monitors that fail together are one message', async (t) => {
  const { publish, deliver, skipWait, send, texts, rows } = await chat(t)
  await publish(down('API'), down('Web'), down('Mail'))
  await deliver()
  t.same(texts(), [], 'collected for a while')
  await skipWait()
  await send()
  t.equal(texts().length, 1)
  t.match(texts()[0], /3 updates/)
  for (const name of ['API', 'Web', 'Mail']) t.match(texts()[0], new RegExp(`Down: ${name}`))
  t.match((await rows()).map(({ state, reason }) => [state, reason]).sort(), [
    ['delivered', null],
    ['superseded', 'digest'],
    ['superseded', 'digest'],
  ])
})

t.test('two monitor events are sent separately', async (t) => {
  const { publish, deliver, skipWait, send, texts } = await chat(t)
  await publish(down('API'), down('Web'))
  await deliver()
  await skipWait()
  await send()
  t.match(texts().sort(), [/^Down: API/, /^Down: Web/])
})

/** More incidents than one recipient is sent mails in five minutes. */
const slow = async (t: Test) => {
  const scene = await channelStage(t, { ...generous, perSubscriber: 1 })
  const reader = subscriber({ type: 'email', email: 'a@example.com' })
  const incidents = Array.from({ length: 8 }, (_none, n) => incident({ title: `Case ${n}` }))
  await scene.publish(created(reader), ...incidents.map((one) => opened(one)))
  return { ...scene, incidents }
}

t.test('events that would take more than five minutes are sent as one mail', async (t) => {
  const { deliver, smtp, rows } = await slow(t)
  await deliver()
  t.equal(smtp.mails.length, 1)
  t.match(smtp.mails[0]?.raw, /8 updates/)
  const states = (await rows()).map(({ state, reason }) => `${state} ${reason}`)
  t.equal(states.filter((state) => state === 'superseded digest').length, 7)
})

t.test(
  'events covered by a digest are sent separately when its own incident is deleted',
  async (t) => {
    const { drain, deliver, admin, publish, incidents, rows, skipWait, smtp } = await slow(t)
    await drain()
    await admin`INSERT INTO notifier.rate_hits (key, at) SELECT subscriber_id, now()
    FROM notifier.destinations`
    await deliver()
    t.equal(smtp.mails.length, 0, 'deferred, and covering the others already')
    const [waiting] = await admin`SELECT f.aggregate_id FROM notifier.deliveries d
    JOIN notifier.fanouts f USING (event_id) WHERE d.state = 'pending'`
    const gone = incidents.find(({ id }) => id === waiting?.aggregate_id) ?? incident()
    await publish(draftEvent(incidentDeleted, { id: gone.id, version: 2 }, { incident: gone }))
    await drain()
    t.equal((await rows()).filter(({ state }) => state === 'pending').length, 7)
    await admin`DELETE FROM notifier.rate_hits`
    await skipWait()
    await deliver()
    t.equal(smtp.mails.length, 1)
    t.match(smtp.mails[0]?.raw, /7 updates/)
  },
)

t.test('covered events are loaded within bounds, the newest of each digest first', async (t) => {
  const { admin, notifier, drain } = await slow(t)
  await drain()
  const rows = await admin<{ id: string; organization_id: string; bytes: number }[]>`
    SELECT event_id AS id, organization_id, octet_length(payload::text) AS bytes
    FROM notifier.fanouts WHERE kind = 'incident.created' ORDER BY event_id`
  const ids = rows.map(({ id }) => id)
  const organizationId = rows[0]?.organization_id ?? ''
  const digests = [ids.slice(0, 4), ids.slice(4)].map((coveredEventIds) => {
    return { delivery: { organizationId, coveredEventIds }, event: { aggregateId: newId() } }
  })
  const loaded = async (bounds: { perDigest?: number; perBatch?: number; batchBytes?: number }) => {
    const all = { perDigest: 100, perBatch: 100, batchBytes: 1_000_000, ...bounds }
    const covered = await loadCoveredEvents(notifier, digests, all)
    return digests.map((digest) =>
      covered(digest).loaded.map(({ eventId }) => ids.indexOf(eventId)),
    )
  }
  t.same(await loaded({}), [
    [0, 1, 2, 3],
    [4, 5, 6, 7],
  ])
  t.same(await loaded({ perDigest: 1 }), [[3], [7]])
  t.same(await loaded({ perBatch: 3 }), [[2, 3], [7]])
  const [bytes = 0] = rows.map((row) => row.bytes)
  t.same(await loaded({ batchBytes: 2.5 * bytes }), [[3], [7]])
})

t.test('a digest counts the events beyond those that it loads', async (t) => {
  const { publish, deliver, smtp, admin } = await slow(t)
  const more = Array.from({ length: 120 }, (_none, n) => opened(incident({ title: `Case ${n}` })))
  await publish(...more)
  await deliver()
  const [coverage] =
    await admin`SELECT max(cardinality(covered_event_ids)) AS most FROM notifier.deliveries`
  t.match(coverage, { most: 127 })
  t.match(smtp.mails[0]?.raw, /128 updates/)
  t.match(smtp.mails[0]?.raw, /and 98 more/)
})

/** Delivery of the newest update of an incident to a chat; it covers `count` older ones. */
const superseding = async (t: Test, count: number) => {
  const scene = await chat(t)
  const one = incident({ url: 'https://status.example.com/incidents/1' })
  const updates = Array.from({ length: count }, (_none, n) => updated(one, n + 2))
  await scene.publish(opened(one), ...updates)
  await scene.drain()
  const { admin } = scene
  const rows = await admin<{ event_id: string }[]>`
    SELECT event_id FROM notifier.fanouts WHERE aggregate_id = ${one.id}
    ORDER BY aggregate_version`
  const ids = rows.map(({ event_id }) => event_id)
  const eventId = ids.pop() ?? ''
  await admin`DELETE FROM notifier.deliveries WHERE event_id <> ${eventId}`
  await admin`UPDATE notifier.deliveries SET covered_event_ids = ${ids}::uuid[]`
  return { ...scene, incident: one, coveredEventIds: ids }
}

t.test('an incident with more updates than are loaded is one message with its link', async (t) => {
  const { skipWait, send, texts, bodies } = await superseding(t, 101)
  await skipWait()
  await send()
  t.equal(texts().length, 1)
  t.match(texts()[0], /API is down/)
  t.notMatch(texts()[0], /102 updates|more/)
  t.match(bodies()[0], 'https://status.example.com/incidents/1')
  t.match(bodies()[0], 'Includes 101 earlier updates.')
})

t.test('omitted updates of an incident in the message are not counted', async (t) => {
  const { notifier, organizationId, incident, coveredEventIds, publish, drain, admin } =
    await superseding(t, 3)
  const others = [newId(), newId()]
  await publish(...others.map((id) => opened({ ...incident, id })))
  await drain()
  const rows = await admin<{ event_id: string }[]>`
    SELECT event_id FROM notifier.fanouts WHERE aggregate_id = ANY (${others}::uuid[])
    ORDER BY event_id`
  const otherIds = rows.map(({ event_id }) => event_id)
  const count = async (aggregateId: string, ids: readonly string[], perDigest: number) => {
    const one = { delivery: { organizationId, coveredEventIds: ids }, event: { aggregateId } }
    const bounds = { perDigest, perBatch: 100, batchBytes: perDigest * 1_000_000 }
    const { loaded, omitted } = (await loadCoveredEvents(notifier, [one], bounds))(one)
    return [loaded.length, omitted]
  }
  const small = { perDigest: 100, perBatch: 100, batchBytes: 1 }
  const own = { delivery: { organizationId, coveredEventIds }, event: { aggregateId: incident.id } }
  t.same((await loadCoveredEvents(notifier, [own], small))(own), { loaded: [], omitted: 0 })
  const all = [...coveredEventIds, ...otherIds]
  t.same(await count(incident.id, all, 1), [1, 1], 'the other incident')
  t.same(await count(newId(), all, 1), [1, 2], 'the three updates count once')
  t.same(await count(newId(), all, 4), [4, 0], 'one update of the incident is loaded')
})

t.test('a digest covers at most 500 events, whatever it covered before', async (t) => {
  const { drain, admin, notifier } = await slow(t)
  await drain()
  const [digest] = await admin<{ id: string; destination: string; organization: string }[]>`
    UPDATE notifier.deliveries SET covered_event_ids = array(
      SELECT gen_random_uuid() FROM generate_series(1, 498))
    WHERE id = (SELECT min(id::text)::uuid FROM notifier.deliveries)
    RETURNING id, destination_id AS destination, organization_id AS organization`
  if (digest === undefined) throw new Error('no delivery is pending')
  const { id, destination: destinationId, organization: organizationId } = digest
  const delivery = { id, destinationId, organizationId }
  const coveredEventIds = await write(notifier, delivery, (scope) =>
    absorbIntoDigest(scope, delivery, '%'),
  )
  t.equal(coveredEventIds?.length, 500)
})

t.test('an update that replaces pending ones covers at most 500 events', async (t) => {
  const { publish, drain, skipWait, admin } = await stage(t)
  const one = incident()
  const reader = subscriber({ type: 'email', email: 'reader@example.com' })
  await publish(created(reader), opened(one))
  await drain()
  await admin`UPDATE notifier.deliveries SET deferrals = 1, covered_event_ids =
    ARRAY(SELECT gen_random_uuid() FROM generate_series(1, 499))`
  await publish(updated(one, 2))
  await drain()
  await skipWait()
  await admin`UPDATE notifier.deliveries SET deferrals = 1`
  await publish(updated(one, 3))
  await drain()
  const covered = await admin`SELECT state, cardinality(covered_event_ids) AS covered
    FROM notifier.deliveries ORDER BY ordering_seq`
  t.match(covered, [
    { state: 'superseded', covered: 499 },
    { state: 'pending', covered: 500 },
    { state: 'pending', covered: 0 },
  ])
})

t.test('a digest leaves out a digest whose events would exceed its 500', async (t) => {
  const { drain, admin, notifier } = await slow(t)
  await drain()
  const digests = await admin<{ id: string; destination: string; organization: string }[]>`
    UPDATE notifier.deliveries SET covered_event_ids = array(
      SELECT gen_random_uuid() FROM generate_series(1, 300))
    WHERE id IN (SELECT id FROM notifier.deliveries ORDER BY id LIMIT 2)
    RETURNING id, destination_id AS destination, organization_id AS organization`
  t.equal(digests.length, 2)
  const [digest] = digests
  if (digest === undefined) throw new Error('no delivery is pending')
  const { id, destination: destinationId, organization: organizationId } = digest
  const delivery = { id, destinationId, organizationId }
  const coveredEventIds = await write(notifier, delivery, (scope) =>
    absorbIntoDigest(scope, delivery, '%'),
  )
  const [{ others } = { others: 0 }] = await admin<{ others: number }[]>`
    SELECT count(*)::int AS others FROM notifier.deliveries WHERE superseded_by = ${id}`
  t.ok(others > 0, 'the single events are absorbed')
  t.equal(coveredEventIds?.length, 300 + others)
  t.same(await admin`SELECT state FROM notifier.deliveries WHERE id = ${digests[1]?.id ?? null}`, [
    { state: 'pending' },
  ])
})

const alert = (channelId: string): AlertEventData => ({
  id: newId(),
  status: 'triggered',
  title: 'API',
  severity: 'critical',
  source: 'monitor',
  componentId: newId(),
  incidentId: null,
  schedule: { id: newId(), name: 'Backend' },
  reason: 'HTTP 503',
  details: null,
  since: '2026-01-02T03:04:05.000Z',
  url: null,
  escalationLevel: 1,
  escalatesAt: null,
  count: 1,
  noResponder: false,
  acknowledgedAt: null,
  acknowledgedBy: null,
  resolvedAt: null,
  assigned: [],
  recipients: [],
  triggeredAt: '2026-01-02T03:04:05.000Z',
  channelIds: [channelId],
})

/** More incidents than a chat receives in five minutes, and an on-call alert for the same chat. */
const backlogWithAlert = async (t: Test) => {
  const scene = await channelStage(t, { ...generous, perChannel: 1 })
  const target = await httpTarget(t, { body: 'ok' })
  const { body: channel } = await scene.create(slack(target.url))
  const one = alert(channel.id)
  await scene.publish(
    ...Array.from({ length: 8 }, (_none, n) => opened(incident({ title: `Case ${n}` }))),
    draftEvent(oncallTriggered, { id: one.id, version: 1 }, { alert: one }),
  )
  await scene.drain()
  return { ...scene, texts: () => target.requests.map(({ body }) => JSON.parse(body).text) }
}

t.test('an on-call message absorbs no other deliveries', async (t) => {
  const { send, admin, texts } = await backlogWithAlert(t)
  await send()
  const [own] =
    await admin`SELECT state, covered_event_ids FROM notifier.deliveries WHERE kind LIKE 'oncall.%'`
  t.match(own, { state: 'delivered', covered_event_ids: [] })
  t.match(texts(), [/^CRITICAL: API/, /^8 updates/])
})

t.test('no digest absorbs a pending on-call message', async (t) => {
  const { send, skipWait, admin, texts } = await backlogWithAlert(t)
  await admin`UPDATE notifier.deliveries SET next_attempt_at = now() + interval '1 hour'
    WHERE kind LIKE 'oncall.%'`
  await send()
  t.match(texts(), [/^8 updates/])
  await skipWait()
  await send()
  t.match(texts(), [/^8 updates/, /^CRITICAL: API/])
})
