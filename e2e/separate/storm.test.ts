/**
 * Hundreds of endpoints fail within ten seconds, and an incident is sent to twice as many subscribers
 * under the product's rate limits: no limit is exceeded, no message is lost, and newer messages
 * replace waiting ones. `pnpm faults` runs it with a thousand endpoints.
 */
import {
  componentOperations,
  configurationOperations,
  deliveryOperations,
  fullPath,
  incidentOperations,
  incidentPreviewOperations,
  notificationChannelOperations,
} from '@status-page/contracts'
import { eventually, httpTarget } from '@status-page/testing'
import t from 'tap'
import { register } from '../kit/tenant.ts'
import { advanceTime } from '../kit/time.ts'
import { startWorld } from '../kit/world.ts'

const MONITORS = Number(process.env.STORM_MONITORS ?? 200)
/** Enough for several windows of the limit after the first messages. */
const READERS = Math.max(800, 2 * MONITORS)
/** Limits of the product. */
const GLOBAL_PER_MINUTE = 100
const CHANNEL_PER_MINUTE = 10
const WINDOW_SECONDS = 60
/** Digest window of monitor messages. */
const GATHER_SECONDS = 30
/** Minimum interval of the contract, in which every endpoint is checked once. */
const CHECK_INTERVAL_SECONDS = 10
const WITHIN_MS = 180_000
/**
 * Arrival is later than the charge to the limit, by a varying time that grows on a busy machine.
 */
const ARRIVAL_SLACK_MS = 10_000

/** Endpoint of all components, each with its own path; it fails from the first check on. */
const endpoint = await httpTarget(t, { status: 503 })
const chat = await httpTarget(t, { body: 'ok' })
// Request limits are raised, because the test is about message limits only.
const world = await startWorld(t, {
  hasShortIntervals: true,
  env: {
    RATE_LIMIT_MULTIPLIER: '1',
    RATE_LIMIT_GLOBAL: '100000',
    RATE_LIMIT_ENDPOINT: '100000',
    RATE_LIMIT_INCIDENT_CREATE: '100000',
  },
})
const { admin } = world
const { api } = await register(world.api, 'storm')
await api.call(notificationChannelOperations.create, {
  body: {
    name: 'Ops',
    type: 'slack',
    events: ['monitor.down', 'monitor.recovered'],
    config: { webhookUrl: `${chat.url}/services/T/B/x` },
  },
})
const isAfter = (work: () => Promise<boolean> | boolean) =>
  eventually(work, { timeoutMs: WITHIN_MS })

/** Skipped time, added to the measured times of arrival. */
let skippedMs = 0
const mailedAt: number[] = []
type Mail = (typeof world.smtp.mails)[number]
const READER_DOMAIN = 'readers.test'
/** The mail that verifies the address of the owner is not subject to the limits. */
const isForReader = ({ to }: Mail) => to.every((address) => address.endsWith(READER_DOMAIN))
const push = world.smtp.mails.push.bind(world.smtp.mails)
world.smtp.mails.push = (...mails) => {
  mailedAt.push(...mails.filter(isForReader).map(() => Date.now() + skippedMs))
  return push(...mails)
}
const chatMessageTimes: number[] = []
chat.respond(() => {
  chatMessageTimes.push(Date.now() + skippedMs)
  return { body: 'ok' }
})

/**
 * Restarts the notifier, because the in-memory state of full limits is not shifted; a new process
 * reads the table.
 */
const skipTime = async (seconds: number): Promise<void> => {
  const { notifier } = world.stack.processes
  await notifier.stop()
  skippedMs += seconds * 1_000
  await advanceTime(world, seconds)
  await notifier.restart()
  await notifier.waitReady()
}

const maxPerWindow = (arrivals: readonly number[]): number =>
  Math.max(
    0,
    ...arrivals.map((from) => {
      const until = from + WINDOW_SECONDS * 1_000 - ARRIVAL_SLACK_MS
      return arrivals.filter((at) => at >= from && at < until).length
    }),
  )

const importReaders = async (): Promise<unknown> => {
  const rows = Array.from({ length: READERS }, (_, n) => `email,reader${n}@${READER_DOMAIN}`)
  const form = new FormData()
  form.set('file', new Blob([['type,email', ...rows].join('\n')], { type: 'text/csv' }), 'r.csv')
  const response = await fetch(`${world.stack.baseUrl}/api/v1/subscribers/import`, {
    method: 'POST',
    body: form,
    headers: api.headers,
  })
  return response.json()
}

const componentOf = (_: unknown, n: number) => ({
  name: `Endpoint ${n}`,
  type: 'ENDPOINT',
  url: `${endpoint.url}/${n}`,
  checkInterval: CHECK_INTERVAL_SECONDS,
  failureThreshold: 1,
  recoveryThreshold: 1,
  conditions: [{ type: 'STATUS_CODE', comparator: 'EQUALS', target: '200' }],
})

const addEndpoints = async () => {
  const document = {
    apiVersion: 'v1',
    kind: 'StatusPageConfig',
    metadata: { name: 'storm', configVersion: '1' },
    spec: { components: Array.from({ length: MONITORS }, componentOf) },
  }
  return api.send('POST', fullPath(configurationOperations.apply), {
    headers: { 'content-type': 'application/yaml' },
    body: JSON.stringify(document),
  })
}

const countOf = async (where: ReturnType<typeof admin>) => {
  const [row] = await admin<{ count: number }[]>`
    SELECT count(*)::int AS count FROM notifier.deliveries WHERE ${where}`
  return row?.count ?? 0
}

t.test('the audience preview estimates the wait before anything is published', async (t) => {
  t.match(await addEndpoints(), { status: 200 })
  t.match(await importReaders(), { imported: READERS })
  const isKnown = async () => {
    const seen = await api.call(incidentPreviewOperations.previewAudience, {
      body: { title: 'All is down' },
    })
    return seen.sent === READERS && seen
  }
  const seen = await eventually(isKnown, { timeoutMs: WITHIN_MS })
  t.match(seen, {
    deferred: READERS - GLOBAL_PER_MINUTE,
    estimatedSeconds: (READERS / GLOBAL_PER_MINUTE - 1) * WINDOW_SECONDS,
  })
})

t.test('hundreds of failing endpoints cause few messages per channel', async (t) => {
  await isAfter(async () => (await countOf(admin`kind = 'monitor.down'`)) === MONITORS)
  // A hundred checks a second would only take processor time from here on.
  await world.stack.processes.monitor.stop()
  await skipTime(GATHER_SECONDS)
  const open = () => countOf(admin`kind = 'monitor.down' AND state IN ('pending', 'sending')`)
  await isAfter(async () => (await open()) === 0)
  t.ok(chatMessageTimes.length < MONITORS / 20, `${chatMessageTimes.length} messages`)
  t.ok(
    maxPerWindow(chatMessageTimes) <= CHANNEL_PER_MINUTE,
    `${maxPerWindow(chatMessageTimes)} in a minute`,
  )
  const lost = await countOf(
    admin`kind = 'monitor.down' AND state NOT IN ('delivered', 'superseded')`,
  )
  t.equal(lost, 0)
})

t.test(
  'a resolution is sent before waiting messages, and every subscriber receives exactly one ' +
    'latest message',
  async (t) => {
    const incident = await api.call(incidentOperations.create, { body: { title: 'All is down' } })
    const isFannedOut = async (kind: string) => (await countOf(admin`kind = ${kind}`)) === READERS
    await isAfter(() => isFannedOut('incident.created'))
    await isAfter(() => world.smtp.mails.length >= GLOBAL_PER_MINUTE / 2)
    const { data } = await api.call(deliveryOperations.list, {
      query: { state: 'pending', event: 'incident.created' },
    })
    t.ok((data[0]?.estimatedWaitSeconds ?? 0) > 0, 'the delivery log estimates the wait')
    // A newer message replaces one that has waited a minute; subscribers of the first minutes
    // receive both.
    await skipTime(2 * WINDOW_SECONDS)
    await api.call(incidentOperations.addUpdate, {
      params: { id: incident.id },
      body: { status: 'resolved' },
    })
    await isAfter(() => isFannedOut('incident.resolved'))
    const [first] = await admin<{ all: number; replaced: number; lost: number }[]>`
      SELECT count(*)::int AS all, count(*) FILTER (WHERE state = 'superseded')::int AS replaced,
        count(*) FILTER (WHERE state NOT IN ('delivered', 'sending', 'superseded', 'pending'))::int
          AS lost
      FROM notifier.deliveries WHERE kind = 'incident.created'`
    t.match(first, { all: READERS, lost: 0 }, 'no subscriber is lost')
    t.ok((first?.replaced ?? 0) > READERS / 2, `${first?.replaced} replaced`)
    const [uncovered] = await admin<{ count: number }[]>`
    SELECT count(*)::int AS count FROM notifier.deliveries old
    WHERE old.kind = 'incident.created' AND old.state = 'superseded' AND NOT EXISTS (
      SELECT FROM notifier.deliveries new WHERE new.id = old.superseded_by
        AND new.destination_id = old.destination_id AND old.event_id = ANY (new.covered_event_ids))`
    t.equal(uncovered?.count, 0, 'every replaced delivery refers to its replacement')
    await skipTime(WINDOW_SECONDS)
    const isResolved = ({ headers }: Mail) => /Resolved/.test(headers.subject ?? '')
    await isAfter(() => world.smtp.mails.filter(isResolved).length >= GLOBAL_PER_MINUTE / 2)
    const all = [...mailedAt, ...chatMessageTimes]
    t.ok(maxPerWindow(all) <= GLOBAL_PER_MINUTE, `${maxPerWindow(all)} in a minute`)
  },
)

t.test('finally all endpoints are shown as down', async (t) => {
  const down = { status: 'major_outage', pageSize: 1 } as const
  await isAfter(async () => {
    const { meta } = await api.call(componentOperations.list, { query: down })
    return meta.total === MONITORS
  })
  t.equal(
    new Set(endpoint.requests.map(({ url }) => url)).size,
    MONITORS,
    'every endpoint was checked',
  )
})
