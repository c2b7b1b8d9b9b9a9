/**
 * `pnpm --filter infra benchmark:gateway`: overhead of the gateway for an authenticated GET. One
 * run reads the same component, in turns, through one and two gateways, through a bare hop, from
 * core directly, and as bytes from bare Fastify. Latencies are compared at one steady rate over warm
 * connections. Bare Fastify is also measured at the rate that the gateway reaches: at its own maximum
 * one turn of the event loop serves many requests, at that rate one or two.
 * Settings: SECONDS per measurement, ROUNDS, RATE of the steady part, PROFILE=1 (prints processor
 * time by owner of the code; the profiler itself adds a little).
 */
import { cpuMicros } from '../measure/cpu.ts'
import { type LoadResult, measureClosedLoop, measureConstantRate } from '../measure/load.ts'
import { median } from '../measure/percentile.ts'
import { printMachine, printTable, printTargets } from '../measure/print.ts'
import { printProfiles } from '../measure/profile.ts'
import { numberSetting } from '../measure/settings.ts'
import { type RequestRoute, startBenchmark } from './setup.ts'

const CONNECTIONS = 64
/**
 * Minimum share of the requested rate. Below it the measurement shows queueing, not the request
 * path.
 */
const MIN_RATE_SHARE = 0.98
/** Maximum processor time of a request, as a multiple of one to bare Fastify. */
const MAX_GATEWAY_TIMES = 5
const MAX_CORE_TIMES = 8
const seconds = numberSetting('SECONDS', 8)
const rounds = numberSetting('ROUNDS', 3)
const rate = numberSetting('RATE', 200)

interface Run extends LoadResult {
  cpu: Record<string, number>
}

const runOnce = async (route: RequestRoute, steadyRate?: number): Promise<Run> => {
  const before = await cpuOf(route)
  const load = {
    url: route.url,
    otherUrls: route.otherUrls ?? [],
    headers: route.headers(),
    connections: CONNECTIONS,
    seconds,
  }
  const measured = await (steadyRate === undefined
    ? measureClosedLoop(load)
    : measureConstantRate(load, steadyRate))
  const after = await cpuOf(route)
  const cpu = Object.fromEntries(
    Object.keys(route.origins).map((name) => [
      name,
      ((after[name] ?? 0) - (before[name] ?? 0)) / measured.responses,
    ]),
  )
  return { ...measured, cpu }
}

const cpuOf = async ({ origins }: RequestRoute): Promise<Record<string, number>> =>
  Object.fromEntries(
    await Promise.all(
      Object.entries(origins).map(
        async ([name, origin]) => [name, await cpuMicros(origin)] as const,
      ),
    ),
  )

const medianOf = (runs: readonly Run[]): Run => ({
  responses: runs.reduce((sum, { responses }) => sum + responses, 0),
  failed: runs.reduce((sum, { failed }) => sum + failed, 0),
  perSecond: median(runs.map(({ perSecond }) => perSecond)),
  p50Ms: median(runs.map(({ p50Ms }) => p50Ms)),
  p99Ms: median(runs.map(({ p99Ms }) => p99Ms)),
  cpu: Object.fromEntries(
    Object.keys(runs[0]?.cpu ?? {}).map((name) => [
      name,
      median(runs.map(({ cpu }) => cpu[name] ?? Number.NaN)),
    ]),
  ),
})

const rowOf = (name: string, run: Run): string[] => [
  name,
  run.perSecond.toFixed(0),
  run.p50Ms.toFixed(2),
  run.p99Ms.toFixed(2),
  Object.entries(run.cpu)
    .map(([process, micros]) => `${process} ${micros.toFixed(0)}`)
    .join(', '),
  String(run.failed),
]

/** Prints the latency that a route adds, unless the machine did not keep up with the rate. */
const printAdded = (name: string, direct: Run, through: Run): void => {
  if ([direct, through].some(({ perSecond }) => perSecond < rate * MIN_RATE_SHARE)) {
    console.log(
      `UNKNOWN latency added ${name}: the machine did not keep up with ${rate} requests/s`,
    )
    return
  }
  const added = (percentile: 'p50Ms' | 'p99Ms') => through[percentile] - direct[percentile]
  printTargets([
    { name: `p50 added ${name}`, measured: added('p50Ms'), atMost: 1.5, unit: 'ms' },
    { name: `p99 added ${name}`, measured: added('p99Ms'), atMost: 8, unit: 'ms' },
  ])
}

await printMachine()
const benchmark = await startBenchmark()
try {
  const routes = Object.values(benchmark.routes)
  const closedLoop = new Map<RequestRoute, Run[]>(routes.map((route) => [route, []]))
  const steady = new Map<RequestRoute, Run[]>(routes.map((route) => [route, []]))
  const single = routes.filter(({ otherUrls }) => otherUrls === undefined)
  const { bare, core, gateway, twoGateways } = benchmark.routes
  const bareAtGatewayRate: Run[] = []
  // Warms all processes: only the constant rate reaches the second gateway.
  for (const route of single) await runOnce(route)
  for (const route of routes) await runOnce(route, rate)
  for (let round = 0; round < rounds; round++) {
    for (const route of single) closedLoop.get(route)?.push(await runOnce(route))
    const gatewayRate = closedLoop.get(gateway)?.at(-1)?.perSecond ?? rate
    bareAtGatewayRate.push(await runOnce(bare, gatewayRate))
    for (const route of routes) steady.get(route)?.push(await runOnce(route, rate))
  }
  const runOf = (runs: Map<RequestRoute, Run[]>, route: RequestRoute) =>
    medianOf(runs.get(route) ?? [])
  const head = [
    'GET /components/{id}',
    'requests/s',
    'p50 ms',
    'p99 ms',
    'CPU µs per request',
    'failed',
  ]
  console.log(`\n${CONNECTIONS} connections, ${rounds} × ${seconds} s, load from this process`)
  printTable(head, [
    ...single.map((route) => rowOf(`${route.name}, closed loop`, runOf(closedLoop, route))),
    rowOf(`${bare.name} at the rate of the gateway`, medianOf(bareAtGatewayRate)),
    ...routes.map((route) => rowOf(`${route.name}, ${rate} requests/s`, runOf(steady, route))),
  ])
  const yardstickOf = (name: string, { cpu }: Run) => ({ name, measured: cpu.bare ?? Number.NaN })
  const yardstick = yardstickOf(bare.name, runOf(closedLoop, bare))
  const yardstickAtRate = yardstickOf(
    `${bare.name} at the rate of the gateway`,
    medianOf(bareAtGatewayRate),
  )
  const microsOf = (route: RequestRoute, process: string) =>
    runOf(closedLoop, route).cpu[process] ?? Number.NaN
  printTargets([
    {
      name: 'processor time of the gateway',
      measured: microsOf(gateway, 'gateway'),
      unit: 'µs',
      atMost: MAX_GATEWAY_TIMES,
      yardstick,
    },
    {
      name: 'processor time of the gateway at its rate',
      measured: microsOf(gateway, 'gateway'),
      unit: 'µs',
      atMost: MAX_GATEWAY_TIMES,
      yardstick: yardstickAtRate,
    },
    {
      name: 'processor time of core',
      measured: microsOf(core, 'core'),
      unit: 'µs',
      atMost: MAX_CORE_TIMES,
      yardstick,
    },
    {
      name: 'processor time of core at the rate of the gateway',
      measured: microsOf(gateway, 'core'),
      unit: 'µs',
      atMost: MAX_CORE_TIMES,
      yardstick: yardstickAtRate,
    },
  ])
  const direct = runOf(steady, core)
  for (const route of [gateway, twoGateways]) printAdded(route.name, direct, runOf(steady, route))
} finally {
  await benchmark.close()
}
printProfiles(['gateway', 'core'])
process.exit(0)
