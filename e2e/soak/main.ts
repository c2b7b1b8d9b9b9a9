/**
 * Soak: replicas of the services, of NATS and of Postgres under load while a seeded plan kills,
 * stops, pauses and partitions them. At the end every acknowledged incident exists, every webhook
 * arrived, and no check ran twice. SOAK_MINUTES and SOAK_SEED are set by `pnpm faults soak`.
 */
import { setTimeout as pause } from 'node:timers/promises'
import { incidentOperations, type ServiceName } from '@status-page/contracts'
import type { StackProcess } from '@status-page/infra/local'
import { startReplicatedServers } from '@status-page/infra/replicated'
import t, { type Test } from 'tap'
import { startBalancer } from '../kit/balancer.ts'
import { assertIdle } from '../kit/delivery-ledger.ts'
import { startLoad } from '../kit/load.ts'
import { createMonitoredTenant } from '../kit/monitored-tenant.ts'
import { startWorld } from '../kit/world.ts'
import { type FaultTarget, processTarget, serverTargets } from './faults.ts'
import { describeFault, type Fault, planFaults } from './plan.ts'
import { createSampler, type Sample } from './samples.ts'

const MINUTE_MS = 60_000
const minutes = Number(process.env.SOAK_MINUTES ?? 2)
const seed = Number(process.env.SOAK_SEED ?? 1)
const REPLICAS: Partial<Record<ServiceName, number>> = {
  gateway: 2,
  core: 2,
  monitor: 3,
  notifier: 2,
  integrations: 2,
  'config-sync': 2,
}
/** Streams have a replica on each server. */
const NATS_REPLICAS = '3'
const CLIENTS = 4
const CLIENT_PAUSE_MS = 3_000
const ENDPOINTS = 20
const CHECK_INTERVAL_SECONDS = 10
const SAMPLE_EVERY_MS = 10_000
const READY_WITHIN_MS = 120_000
/** Deliveries that a killed or paused notifier can have sent without recording them. */
const MAX_UNRECORDED = 256

t.setTimeout(0)
const say = (line: string) => void console.error(line)
const servers = await startReplicatedServers(say)
t.teardown(() => servers.abort())
const world = await startWorld(t, {
  hasShortIntervals: true,
  env: { LOG_LEVEL: 'warn', NATS_REPLICAS },
  servers: { databaseUrl: servers.postgres.url, natsUrl: servers.nats.urlOf },
})
const { stack } = world

const processes = new Map<string, StackProcess>()
await Promise.all(
  (Object.entries(REPLICAS) as [ServiceName, number][]).map(async ([service, count]) => {
    processes.set(`${service}-1`, stack.processes[service])
    for (let index = 2; index <= count; index++) {
      processes.set(`${service}-${index}`, await stack.replicate(service))
    }
  }),
)
/** Names of the processes, in an order that does not depend on their starts. */
const names = [...processes.keys()].toSorted()
const originsOf = (service: ServiceName) =>
  [...processes].filter(([name]) => name.startsWith(`${service}-`)).map(([, { origin }]) => origin)

const CORE_URL = await startBalancer(t, originsOf('core'))
for (const [name, gateway] of processes) {
  if (!name.startsWith('gateway-')) continue
  await gateway.restart({ CORE_URL })
  await gateway.waitReady(READY_WITHIN_MS)
}

const targets = new Map<string, FaultTarget>([
  ...names.map((name) => [name, processTarget(processes.get(name) as StackProcess)] as const),
  ...serverTargets(servers),
])

const { tenant, component, hook, endpoint } = await createMonitoredTenant(t, world.api, {
  slug: 'soak',
  endpoints: ENDPOINTS,
  checkInterval: CHECK_INTERVAL_SECONDS,
})

const plan = planFaults({
  seed,
  durationMs: minutes * MINUTE_MS,
  targets: new Map([...targets].map(([name, { kinds }]) => [name, kinds])),
})
const stopping = new AbortController()
const startedAt = performance.now()
const elapsedMs = () => performance.now() - startedAt
const samples: Sample[] = []
const load = startLoad({
  origins: originsOf('gateway'),
  headers: tenant.api.headers,
  componentId: component.id,
  slug: 'soak',
  clients: CLIENTS,
  pauseMs: CLIENT_PAUSE_MS,
  signal: stopping.signal,
})
const sampling = takeSamples()
for (const fault of plan) await strike(fault)
await pause(Math.max(0, minutes * MINUTE_MS - elapsedMs()))
stopping.abort()
await load.ended
const result = load.outcome
/** Incidents whose creation was acknowledged. */
const opened = result.acknowledged.filter(({ kind }) => kind === 'incident.created')
await sampling
summarize(samples)

async function strike(fault: Fault): Promise<void> {
  await pause(Math.max(0, fault.atMs - elapsedMs()))
  say(describeFault(fault))
  const repair = await targets.get(fault.target)?.begin(fault.kind)
  await pause(fault.durationMs)
  await repair?.()
}

async function takeSamples(): Promise<void> {
  const sample = createSampler(processes)
  while (!stopping.signal.aborted) {
    const taken = await sample(Math.round(elapsedMs()))
    samples.push(taken)
    const memory = Object.entries(taken.memoryMib).map(([name, mib]) => `${name} ${mib}`)
    say(
      `${Math.round(taken.atMs / 1_000)} s: lag ${taken.lagMs ?? '-'} ms; MiB: ${memory.join(', ')}`,
    )
    await pause(SAMPLE_EVERY_MS, undefined, { signal: stopping.signal }).catch(() => {})
  }
}

/** Prints the first and the last memory of each process, and the delays of the checks. */
function summarize(samples: readonly Sample[]): void {
  for (const name of names) {
    const values = samples
      .map(({ memoryMib }) => memoryMib[name])
      .filter((mib) => mib !== undefined)
    say(
      `${name}: ${values[0]} MiB at first, ${values.at(-1)} at last, at most ${Math.max(...values)}`,
    )
  }
  const lags = samples.map(({ lagMs }) => lagMs).filter((lagMs) => lagMs !== null)
  say(
    `delay of checks: ${lags[0]} ms at first, ${lags.at(-1)} at last, at most ${Math.max(...lags)}`,
  )
}

/** Faults that interrupt the work of a service: an orderly stop finishes it. */
const interruptionsOf = (service: ServiceName): number =>
  plan.filter(({ target, kind }) => target.startsWith(`${service}-`) && kind !== 'stop').length

t.test('every request gets a response, or a refusal with Retry-After', async (t) => {
  const { requests, refused, connectionErrors, unknownOutcomes } = result
  say(
    `${requests} requests, ${opened.length} incidents acknowledged, ${refused} refused with ` +
      `Retry-After, ${unknownOutcomes} with unknown outcome, ${connectionErrors} connection errors, ` +
      `the slowest took ${result.slowestMs} ms`,
  )
  // A client has one request in flight.
  t.ok(unknownOutcomes <= CLIENTS * interruptionsOf('core'), 'unknown outcomes')
  t.same(result.violations, [])
  t.ok(opened.length > 0)
  const hadGatewayFault = plan.some(({ target }) => target.startsWith('gateway-'))
  t.ok(connectionErrors === 0 || hadGatewayFault, 'connections are lost with a gateway only')
})

t.test('every event is handled and every delivery has ended', async (t) => {
  await assertIdle(t, world)
})

t.test('every acknowledged incident exists', async (t) => {
  for (const { incidentId: id } of opened) {
    const response = await tenant.api.request(incidentOperations.read, { params: { id } })
    if (response.status !== 200) t.fail(`${id} responded with ${response.status}`)
  }
  t.pass(`${opened.length} incidents`)
})

t.test('every webhook arrives, and repeats only after a fault of the notifier', async (t) => {
  assertWebhooks(t)
})

function assertWebhooks(t: Test): void {
  const received = hook.received().filter(({ kind }) => kind === 'incident.created')
  const ids = new Set(received.map(({ incidentId }) => incidentId))
  t.same(
    opened.filter(({ incidentId }) => !ids.has(incidentId)),
    [],
    'at least once',
  )
  const all = hook.received()
  const repeats = all.length - new Set(all.map(({ key }) => key)).size
  const faults = interruptionsOf('notifier')
  say(`${all.length} webhooks, ${repeats} repeated, ${faults} kills and pauses of the notifier`)
  t.ok(repeats <= faults * MAX_UNRECORDED, 'repeats within the window')
}

t.test('a check runs once, except those that a fault of the monitor left unrecorded', async (t) => {
  const [row] = await world.admin<{ count: number }[]>`
    SELECT count(*)::int AS count FROM monitor.checks WHERE NOT is_manual`
  const recorded = row?.count ?? 0
  const sent = endpoint.requests.length
  const faults = plan.filter(({ target }) => target.startsWith('monitor-')).length
  const planned = Math.round((ENDPOINTS * elapsedMs()) / (CHECK_INTERVAL_SECONDS * 1_000))
  say(
    `${sent} checks sent, ${recorded} recorded of ${planned} slots, ${faults} faults of the monitor`,
  )
  t.ok(recorded > 0)
  // A key of the table refuses a second row of a slot: a second run is sent and not recorded. Checks
  // of this moment are sent and not yet recorded.
  t.ok(sent - recorded <= (faults + 1) * ENDPOINTS, `${sent - recorded} checks were not recorded`)
})
