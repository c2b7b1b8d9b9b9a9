/**
 * Upgrade to the next version and back under load: the services are replaced one after the other
 * while both versions use the schema of the next one. That version writes a column of its own and
 * adds a field to an event.
 */
import { databaseSchemaOf, type ServiceName, services } from '@status-page/contracts'
import type { Release, StackProcess } from '@status-page/infra/local'
import { eventually } from '@status-page/testing'
import t from 'tap'
import { startBalancer } from '../kit/balancer.ts'
import { assertDelivered, assertIdle, assertSettled } from '../kit/delivery-ledger.ts'
import { startLoad } from '../kit/load.ts'
import { createMonitoredTenant } from '../kit/monitored-tenant.ts'
import { buildNextVersion } from '../kit/next-version.ts'
import { startWorld } from '../kit/world.ts'

const CLIENTS = 4
const CLIENT_PAUSE_MS = 200
/** Requests that both processes of a service share before the old one stops. */
const SHARED_REQUESTS = 30
const ENDPOINTS = 10
const CHECK_INTERVAL_SECONDS = 10
const WAIT = { timeoutMs: 60_000 }

const next = await buildNextVersion(t, ({ write, replace }) => {
  write(
    'services/core/migrations/0002_written_by.sql',
    "ALTER TABLE incidents ADD COLUMN written_by text NOT NULL DEFAULT 'present'",
  )
  replace(
    'services/core/src/tables.ts',
    "  overdueNotified: boolean('overdue_notified').notNull().default(false),\n",
    "  overdueNotified: boolean('overdue_notified').notNull().default(false),\n" +
      "  writtenBy: text('written_by').notNull().$default(() => 'next'),\n",
  )
  replace(
    'services/core/src/incidents/view.ts',
    '    message: input.message,\n',
    "    message: input.message, fieldOfNextVersion: 'added',\n",
  )
})
const world = await startWorld(t, { env: { LOG_LEVEL: 'warn' }, hasShortIntervals: true })
const { stack, admin } = world

const running = new Map<ServiceName, StackProcess>()
/** Origins that the balancer of each service connects to. */
const origins = new Map<ServiceName, string[]>()
const urls: Record<string, string> = {}
for (const name of services) {
  const process = stack.processes[name]
  const list = [process.origin]
  running.set(name, process)
  origins.set(name, list)
  urls[`${databaseSchemaOf(name).toUpperCase()}_URL`] = await startBalancer(t, list)
}
for (const process of running.values()) await process.restart(urls)
for (const process of running.values()) await process.waitReady()

const { tenant, component, hook, endpoint } = await createMonitoredTenant(t, world.api, {
  slug: 'upgrade',
  endpoints: ENDPOINTS,
  checkInterval: CHECK_INTERVAL_SECONDS,
})

const stopping = new AbortController()
const load = startLoad({
  origins: [urls.GATEWAY_URL ?? ''],
  headers: tenant.api.headers,
  componentId: component.id,
  slug: 'upgrade',
  clients: CLIENTS,
  pauseMs: CLIENT_PAUSE_MS,
  signal: stopping.signal,
})
t.teardown(() => stopping.abort())
const { outcome } = load

const moreRequests = () => {
  const until = outcome.requests + SHARED_REQUESTS
  return eventually(() => outcome.requests >= until, WAIT)
}

/**
 * Replaces the processes of each service. The old one stops while the balancer still connects to
 * it, as in Kubernetes, where both begin at the same time.
 */
const roll = async (order: readonly ServiceName[], release?: Release) => {
  for (const name of order) {
    const started = await stack.replicate(name, release)
    origins.get(name)?.push(started.origin)
    await moreRequests()
    await running.get(name)?.stop()
    origins.get(name)?.shift()
    running.set(name, started)
  }
}

/** Versions that have written the incidents created during the work, and after it. */
const writersDuring = async (work: () => Promise<unknown>): Promise<string[]> => {
  const [mark] = await admin`SELECT now() AS now`
  await work()
  const rows = await admin<{ writer: string }[]>`
    SELECT DISTINCT written_by AS writer FROM core.incidents
    WHERE created_at > ${mark?.now} ORDER BY 1`
  return rows.map(({ writer }) => writer)
}

t.test('the schema of the next version is used by the present one', async (t) => {
  await moreRequests()
  await stack.migrate(next)
  t.same(await writersDuring(moreRequests), ['present'])
})

t.test('the next version replaces the present one, a service after the other', async (t) => {
  t.same(await writersDuring(() => roll(services, next)), ['next', 'present'])
  t.same(await writersDuring(moreRequests), ['next'])
})

t.test('the present version returns on the schema of the next one', async (t) => {
  t.same(await writersDuring(() => roll(services.toReversed())), ['next', 'present'])
  t.same(await writersDuring(moreRequests), ['present'])
})

t.test('no request is lost: each has its response, or a refusal with Retry-After', async (t) => {
  stopping.abort()
  await load.ended
  const { violations, connectionErrors, unknownOutcomes, requests, refused, slowestMs } = outcome
  t.comment(`${requests} requests, ${refused} refused, the slowest took ${slowestMs} ms`)
  const none = { violations: [], connectionErrors: 0, unknownOutcomes: 0 }
  t.same({ violations, connectionErrors, unknownOutcomes }, none)
})

t.test('every event is handled, and every message is delivered once', async (t) => {
  await assertIdle(t, world)
  await assertSettled(t, admin)
  assertDelivered(t, outcome.acknowledged, hook.received())
})

t.test('every check that was sent is recorded, so that none ran twice', async (t) => {
  const recorded = async () => {
    const [row] = await admin<{ count: number }[]>`
      SELECT count(*)::int AS count FROM monitor.checks WHERE NOT is_manual`
    return row?.count ?? 0
  }
  // Checks of this moment are sent and not yet recorded.
  await eventually(async () => (await recorded()) === endpoint.requests.length, WAIT)
  t.ok(endpoint.requests.length > ENDPOINTS)
})

t.test('a breaking migration refuses the version that lacks its predecessor', async (t) => {
  const core = running.get('core') ?? stack.processes.core
  const ofNext = await stack.replicate('core', next)
  next.sources.write(
    'services/core/migrations/0003_dropped.sql',
    "-- breaking 0002_written_by\nCOMMENT ON TABLE incidents IS 'without an old column'",
  )
  await stack.migrate(next)
  t.match(await readinessOf(ofNext), { status: 200, body: { checks: { schema: 'ok' } } })
  const newer = 'newer than this version: 0003_dropped'
  t.match(await readinessOf(core), { status: 503, body: { checks: { schema: newer } } })
  await core.restart()
  await t.rejects(core.waitReady(), /does not start/)
  t.same(
    world.lines.filter((line) => line.includes('newer')),
    [`core: The schema core is ${newer}; update this service.`],
  )
  await t.rejects(stack.migrate(), /Schema core is newer than this code: it has 0003_dropped/)
})

const readinessOf = async ({ origin }: StackProcess) => {
  const response = await fetch(`${origin}/readyz`)
  return { status: response.status, body: await response.json() }
}
