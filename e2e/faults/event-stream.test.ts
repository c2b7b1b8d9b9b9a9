/**
 * Killed gateways: clients of the event stream that reconnect with the last id end with the list of
 * `GET /events`, without gaps and repetitions, while another gateway accepts changes.
 */
import {
  eventOperations,
  eventStreamOperations,
  fullPath,
  incidentOperations,
} from '@status-page/contracts'
import { type EventStreamClient, eventually, openEventStream } from '@status-page/testing'
import t from 'tap'
import { apiOf } from '../kit/api.ts'
import { createScenario } from '../kit/tenant.ts'
import { killAndRevive, startWorld } from '../kit/world.ts'

const CLIENTS = 6
const KILLS = 3
const INCIDENTS_PER_KILL = 6
const RECEIVED_WITHIN_MS = 90_000
const RECONNECT_MS = 100

const world = await startWorld(t, { hasShortIntervals: true })
const scenario = await createScenario(t, world, { name: 'event-stream', mail: false })
const replica = await world.stack.replicate('gateway')
t.teardown(() => replica.stop())
const { headers } = scenario.tenant.api
/** Client of the gateway that is not killed. */
const api = apiOf(replica.origin, headers)
const streamPath = fullPath(eventStreamOperations.stream)

/** Follows the stream of a gateway; reconnects with the last id, as `EventSource` does. */
const followFrom = (origin: string, after: string) => {
  const received: string[] = []
  let lastEventId = after
  let connections = 0
  let current: EventStreamClient | null = null
  let isConnecting = false
  const connect = async () => {
    const client = await openEventStream(
      `${origin}${streamPath}`,
      { ...headers, 'last-event-id': lastEventId },
      ({ id }) => {
        received.push(id)
        lastEventId = id
      },
    )
    if (client.status !== 200) throw new Error(`The stream responded with ${client.status}`)
    connections++
    current = client
  }
  const timer = setInterval(() => {
    if (isConnecting || current?.isOver() === false) return
    isConnecting = true
    connect()
      // The gateway is down.
      .catch(() => {})
      .finally(() => {
        isConnecting = false
      })
  }, RECONNECT_MS)
  return {
    received,
    connections: () => connections,
    stop() {
      clearInterval(timer)
      current?.close()
    },
  }
}

/** Ids of all events after the cursor, page by page. */
const listAfter = async (cursor: string): Promise<string[]> => {
  const ids: string[] = []
  let after = cursor
  for (;;) {
    const { data, meta } = await api.call(eventOperations.list, { query: { after, limit: 5 } })
    ids.push(...data.map(({ id }) => id))
    if (!meta.hasMore) return ids
    after = meta.nextAfter
  }
}

const openAndResolve = async (title: string): Promise<void> => {
  const { id } = await api.call(incidentOperations.create, {
    body: { title, componentStatuses: { [scenario.component.id]: 'partial_outage' } },
  })
  await api.call(incidentOperations.addUpdate, { params: { id }, body: { status: 'resolved' } })
}

t.test('every client of a killed gateway ends with the same list without gaps', async (t) => {
  const { meta } = await api.call(eventOperations.list)
  const { origin } = world.stack.processes.gateway
  const clients = [
    ...Array.from({ length: CLIENTS }, () => followFrom(origin, meta.nextAfter)),
    followFrom(replica.origin, meta.nextAfter),
  ]
  t.teardown(() => clients.forEach((client) => void client.stop()))
  const victims = clients.slice(0, CLIENTS)
  const areConnected = (times: number) =>
    eventually(() => victims.every(({ connections }) => connections() > times), {
      timeoutMs: RECEIVED_WITHIN_MS,
    })
  for (let kill = 0; kill < KILLS; kill++) {
    await areConnected(kill)
    const change = async () => {
      for (let index = 0; index < INCIDENTS_PER_KILL; index++) {
        await openAndResolve(`Outage ${kill}.${index}`)
      }
    }
    await Promise.all([change(), killAndRevive(world, 'gateway')])
  }
  const expected = KILLS * INCIDENTS_PER_KILL * 2
  await eventually(async () => (await listAfter(meta.nextAfter)).length >= expected, {
    timeoutMs: RECEIVED_WITHIN_MS,
  })
  await eventually(() => clients.every(({ received }) => received.length >= expected), {
    timeoutMs: RECEIVED_WITHIN_MS,
  })
  const listed = await listAfter(meta.nextAfter)
  t.equal(listed.length, expected)
  t.equal(new Set(listed).size, expected)
  await areConnected(KILLS)
  for (const { received } of clients) t.same(received, listed)
})

t.test('webhooks carry the ids and payloads of the stream', async (t) => {
  const { data } = await api.call(eventOperations.list)
  // No webhook is sent about the settings of components.
  const notified = data.filter(({ event }) => !event.startsWith('component.'))
  const { requests } = scenario.hook
  await eventually(() => requests.length >= notified.length, { timeoutMs: RECEIVED_WITHIN_MS })
  const sent = requests.map(({ headers, body }) => ({
    id: headers['webhook-id'],
    ...JSON.parse(body),
  }))
  t.same(new Map(sent.map((one) => [one.id, one])), new Map(notified.map((one) => [one.id, one])))
})
