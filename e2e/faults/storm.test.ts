/**
 * A thousand monitors go down at once, an incident is told to two thousand readers, and the limits are those
 * of the product: nobody gets too much, nothing is lost, and what is newer goes first.
 */
import {
  deliveryOperations,
  incidentOperations,
  incidentPreviewOperations,
  notificationChannelOperations,
} from '@status-page/contracts'
import { eventually, httpTarget } from '@status-page/testing'
import t from 'tap'
import { register } from '../kit/journey.ts'
import { startWorld } from '../kit/world.ts'

const MONITORS = 1_000
const READERS = 2_000
const PER_MINUTE = 100
const WINDOW_MS = 60_000
const TOLD_WITHIN_MS = 150_000
/** Arrivals are later than what the limit counts, unevenly, and more so on a busy machine. */
const ARRIVAL_SLACK_MS = 10_000

const chat = await httpTarget(t, { body: 'ok' })
// The limits of requests are not what this is about, so they alone are out of the way.
const world = await startWorld(t, {
  env: {
    RATE_LIMIT_MULTIPLIER: '1',
    RATE_LIMIT_GLOBAL: '100000',
    RATE_LIMIT_ENDPOINT: '100000',
    RATE_LIMIT_INCIDENT_CREATE: '100000',
    NOTIFY_GLOBAL_PER_MINUTE: String(PER_MINUTE),
  },
})
const { admin } = world
const { api, identity } = await register(world.api, 'storm')
const organizationId = identity.organization.id
await api.call(notificationChannelOperations.create, {
  body: {
    ...{ name: 'Ops', type: 'slack', events: ['monitor.down', 'monitor.recovered'] },
    config: { webhookUrl: `${chat.url}/services/T/B/x` },
  },
})

const arrivals: number[] = []
const push = world.smtp.mails.push.bind(world.smtp.mails)
world.smtp.mails.push = (...mails) => {
  arrivals.push(...mails.map(() => Date.now()))
  return push(...mails)
}

const importReaders = async (): Promise<unknown> => {
  const rows = Array.from({ length: READERS }, (_, n) => `email,reader${n}@readers.test`)
  const form = new FormData()
  form.set('file', new Blob([['type,email', ...rows].join('\n')], { type: 'text/csv' }), 'r.csv')
  const answer = await fetch(`${world.stack.baseUrl}/api/v1/subscribers/import`, {
    ...{ method: 'POST', body: form, headers: api.headers },
  })
  return answer.json()
}

/** As the monitor states it; the targets are nobody's, so that only the telling is under load. */
const takeDownMonitors = () => admin`
  WITH down AS (SELECT gen_random_uuid() AS id, n FROM generate_series(1, ${MONITORS}) n)
  INSERT INTO monitor.outbox (event_id, organization_id, aggregate_type, aggregate_id,
    aggregate_version, kind, subject, payload)
  SELECT gen_random_uuid(), ${organizationId}, 'monitor', id, 1, 'monitor.down',
    'events.monitor.down.' || ${organizationId}::text,
    jsonb_build_object('monitor', jsonb_build_object('componentId', id, 'name', 'Target ' || n,
      'derivedStatus', 'major_outage', 'since', '2026-01-02T03:04:05.000Z', 'reason', 'HTTP 503'))
  FROM down`

const countOf = async (where: ReturnType<typeof admin>) => {
  const [row] = await admin<{ count: number }[]>`
    SELECT count(*)::int AS count FROM notifier.deliveries WHERE ${where}`
  return row?.count ?? 0
}

const mostInAWindow = (): number =>
  Math.max(
    0,
    ...arrivals.map((from) => {
      const until = from + WINDOW_MS - ARRIVAL_SLACK_MS
      return arrivals.filter((at) => at >= from && at < until).length
    }),
  )

t.test('the estimate of the wait is known before anything is published', async (t) => {
  t.match(await importReaders(), { imported: READERS })
  const isKnown = async () => {
    const seen = await api.call(incidentPreviewOperations.previewAudience, {
      body: { title: 'All is down' },
    })
    return seen.sent === READERS && seen
  }
  const seen = await eventually(isKnown, { timeoutMs: TOLD_WITHIN_MS })
  t.match(seen, {
    deferred: READERS - PER_MINUTE,
    estimatedSeconds: (READERS / PER_MINUTE - 1) * 60,
  })
})

t.test('a thousand monitors are few messages to a channel', async (t) => {
  await takeDownMonitors()
  await admin`SELECT pg_notify('outbox_new', 'monitor')`
  const isGathered = async () =>
    (await countOf(admin`kind = 'monitor.down'`)) === MONITORS &&
    (await countOf(admin`kind = 'monitor.down' AND state IN ('pending', 'sending')`)) === 0
  await eventually(isGathered, { timeoutMs: TOLD_WITHIN_MS })
  t.ok(chat.requests.length < MONITORS / 20, `${chat.requests.length} messages`)
  const lost = await countOf(
    admin`kind = 'monitor.down' AND state NOT IN ('delivered', 'superseded')`,
  )
  t.equal(lost, 0)
})

t.test(
  'a resolution overtakes what still waits, and everybody is owed exactly one word',
  async (t) => {
    const incident = await api.call(incidentOperations.create, { body: { title: 'All is down' } })
    const isFannedOut = async (kind: string) => (await countOf(admin`kind = ${kind}`)) === READERS
    const soon = { timeoutMs: TOLD_WITHIN_MS }
    await eventually(() => isFannedOut('incident.created'), soon)
    await eventually(() => world.smtp.mails.length >= PER_MINUTE / 2, soon)
    const { data } = await api.call(deliveryOperations.list, {
      query: { state: 'pending', event: 'incident.created' },
    })
    t.ok((data[0]?.estimatedWaitSeconds ?? 0) > 0, 'the log says how long it takes')
    // What has waited a minute is replaced by what is newer; the readers of the first minute get both.
    await admin`
    UPDATE notifier.deliveries SET created_at = created_at - interval '2 minutes'
    WHERE kind = 'incident.created' AND state = 'pending'`
    await api.call(incidentOperations.addUpdate, {
      ...{ params: { id: incident.id }, body: { status: 'resolved' } },
    })
    await eventually(() => isFannedOut('incident.resolved'), soon)
    const [first] = await admin<{ all: number; replaced: number; lost: number }[]>`
      SELECT count(*)::int AS all, count(*) FILTER (WHERE state = 'superseded')::int AS replaced,
        count(*) FILTER (WHERE state NOT IN ('delivered', 'sending', 'superseded', 'pending'))::int
          AS lost
      FROM notifier.deliveries WHERE kind = 'incident.created'`
    t.match(first, { all: READERS, lost: 0 }, 'nobody is lost')
    t.ok((first?.replaced ?? 0) > READERS / 2, `${first?.replaced} replaced`)
    const [unheard] = await admin<{ count: number }[]>`
    SELECT count(*)::int AS count FROM notifier.deliveries old
    WHERE old.kind = 'incident.created' AND old.state = 'superseded' AND NOT EXISTS (
      SELECT FROM notifier.deliveries new WHERE new.id = old.superseded_by
        AND new.destination_id = old.destination_id AND old.event_id = ANY (new.covers))`
    t.equal(unheard?.count, 0, 'what was replaced is covered by what replaced it')
    await eventually(
      () => world.smtp.mails.some(({ headers }) => /Resolved/.test(headers.subject ?? '')),
      soon,
    )
    t.ok(mostInAWindow() <= PER_MINUTE, `${mostInAWindow()} in a minute`)
  },
)
