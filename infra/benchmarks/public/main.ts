/**
 * `pnpm --filter infra benchmark:public`: processor time of the gateway for a public response, as
 * JSON and as a page, with status 200 and 304, compared in turns of one run with bare Fastify and
 * nginx (where installed) and the same bytes; then the same while a component changes once a
 * second. Processor time per request is compared, because the load generator uses the same machine;
 * rates and latencies are those of this machine. Settings: COMPONENTS and UPTIME_DAYS of the page,
 * SECONDS per measurement, ROUNDS, NGINX (path of the program), PROFILE=1 (prints processor time by
 * owner of the code; the profiler itself adds a little).
 */
import { setTimeout as delay } from 'node:timers/promises'
import type { LoadResult } from '../measure/load.ts'
import { median } from '../measure/percentile.ts'
import { type BenchmarkTarget, printMachine, printTable, printTargets } from '../measure/print.ts'
import { printProfiles } from '../measure/profile.ts'
import { numberSetting } from '../measure/settings.ts'
import { browserHeaders, type ResponseName, responseNames } from './recorded-responses.ts'
import { type BenchmarkServer, startBenchmark } from './setup.ts'

const CONNECTIONS = 64
const CHANGE_EVERY_MS = 1_000
/** Maximum processor time as a multiple of bare Fastify: at least 65 % of its rate. */
const MAX_RATIO = 1.54
const MAX_P99_MS = 10
/**
 * The gateway revalidates the page during the measurement, independent of the number of requests.
 */
const MAX_TRANSACTIONS_PER_THOUSAND = 1
const IDLE_MS = 10_000
const seconds = numberSetting('SECONDS', 5)
const rounds = numberSetting('ROUNDS', 3)

interface Measurement {
  name: ResponseName
  status: 200 | 304
}

interface Run extends LoadResult {
  cpuMicros: number
}

const measurements = responseNames.flatMap((name): Measurement[] => [
  { name, status: 200 },
  { name, status: 304 },
])

const runOnce = async (
  { urls, cpu }: BenchmarkServer,
  { name, status }: Measurement,
): Promise<Run> => {
  const url = urls[name]
  const headers = status === 304 ? await benchmark.conditionalHeaders(url) : browserHeaders
  const before = await cpu()
  const measured = await benchmark.measure({
    url,
    headers,
    status,
    seconds,
    connections: CONNECTIONS,
  })
  return { ...measured, cpuMicros: ((await cpu()) - before) / measured.responses }
}

const medianOf = (runs: readonly Run[]): Run => {
  const middle = (pick: (run: Run) => number) => median(runs.map(pick))
  return {
    responses: runs.reduce((sum, { responses }) => sum + responses, 0),
    failed: runs.reduce((sum, { failed }) => sum + failed, 0),
    perSecond: middle(({ perSecond }) => perSecond),
    p50Ms: middle(({ p50Ms }) => p50Ms),
    p99Ms: middle(({ p99Ms }) => p99Ms),
    cpuMicros: middle(({ cpuMicros }) => cpuMicros),
  }
}

/** Changes a component once a second until the returned function is called. */
const startChanges = () => {
  const stopped = new AbortController()
  const work = async () => {
    while (!stopped.signal.aborted) {
      await benchmark.change()
      await delay(CHANGE_EVERY_MS, undefined, { signal: stopped.signal }).catch(() => {})
    }
  }
  const done = work()
  return async () => {
    stopped.abort()
    await done
  }
}

type Table = Map<Measurement, Map<BenchmarkServer, Run[]>>

/** Measures the servers in turns, so that changing load of the machine affects all of them. */
const measureInTurns = async (
  servers: readonly BenchmarkServer[],
  statuses: readonly number[],
): Promise<Table> => {
  const chosen = measurements.filter(({ status }) => statuses.includes(status))
  const table: Table = new Map(
    chosen.map((measurement) => [measurement, new Map(servers.map((server) => [server, []]))]),
  )
  for (let round = 0; round < rounds; round++) {
    for (const [measurement, runs] of table) {
      for (const server of servers) runs.get(server)?.push(await runOnce(server, measurement))
    }
  }
  return table
}

/** Transactions per 1,000 requests, minus those of the idle stack. */
const countTransactions = async (work: () => Promise<Table>) => {
  const idle = await transactionRate(() => delay(IDLE_MS))
  let requests = 0
  let table: Table = new Map()
  const loaded = await transactionRate(async () => {
    table = await work()
    const runs = [...table.values()].flatMap((byServer) => byServer.get(benchmark.gateway) ?? [])
    requests = runs.reduce((sum, { responses }) => sum + responses, 0)
  })
  const transactions = (loaded.perSecond - idle.perSecond) * loaded.elapsedSeconds
  return { table, perThousand: Math.max(0, (transactions / requests) * 1_000) }
}

const transactionRate = async (work: () => Promise<unknown>) => {
  const started = performance.now()
  const before = await benchmark.transactions()
  await work()
  const count = (await benchmark.transactions()) - before
  const elapsedSeconds = (performance.now() - started) / 1_000
  return { elapsedSeconds, perSecond: count / elapsedSeconds }
}

const labelOf = ({ name, status }: Measurement) => `${name} ${status}`

const print = (table: Table): void => {
  const rows = [...table].flatMap(([measurement, byServer]) =>
    [...byServer].map(([server, runs]) => {
      const { perSecond, p50Ms, p99Ms, cpuMicros, failed } = medianOf(runs)
      const latencies = [perSecond.toFixed(0), p50Ms.toFixed(2), p99Ms.toFixed(2)]
      const processorTime = [cpuMicros.toFixed(1), (1e6 / cpuMicros).toFixed(0)]
      return [labelOf(measurement), server.name, ...latencies, ...processorTime, String(failed)]
    }),
  )
  const head = ['response', 'server', 'requests/s', 'p50 ms', 'p99 ms']
  printTable([...head, 'CPU µs per request', 'requests per CPU second', 'failed'], rows)
}

const targetsOf = (table: Table, yardsticks: Table, when: string): BenchmarkTarget[] =>
  [...table].flatMap(([measurement, byServer]) => {
    const gateway = medianOf(byServer.get(benchmark.gateway) ?? [])
    const [bare] = benchmark.yardsticks.map(
      (server) => yardsticks.get(measurement)?.get(server) ?? [],
    )
    const name = `${labelOf(measurement)}, ${when}`
    return [
      {
        name: `${name}: processor time`,
        measured: gateway.cpuMicros,
        unit: 'µs',
        atMost: MAX_RATIO,
        yardstick: { name: 'bare Fastify', measured: medianOf(bare ?? []).cpuMicros },
      },
      { name: `${name}: p99`, measured: gateway.p99Ms, atMost: MAX_P99_MS, unit: 'ms' },
    ]
  })

const transactionTarget = (when: string, measured: number): BenchmarkTarget => ({
  name: `${when}: transactions for each 1,000 requests`,
  measured,
  atMost: MAX_TRANSACTIONS_PER_THOUSAND,
  unit: '',
})

await printMachine()
const benchmark = await startBenchmark()
try {
  const servers = [...benchmark.yardsticks, benchmark.gateway]
  console.log(`\n${benchmark.bytes}; ${CONNECTIONS} connections, ${rounds} × ${seconds} s`)
  const isAlone = benchmark.yardsticks.length === 1
  if (isAlone) console.log('nginx is not installed here: it is left out.')
  for (const measurement of measurements)
    for (const server of servers) await runOnce(server, measurement)
  const unchanged = await countTransactions(() => measureInTurns(servers, [200, 304]))
  print(unchanged.table)
  const stop = startChanges()
  // A request with an old ETag gets a full response after the first change.
  const changing = await countTransactions(() => measureInTurns([benchmark.gateway], [200]))
  await stop()
  console.log('\nWhile a component changes once a second:')
  print(changing.table)
  printTargets([
    ...targetsOf(unchanged.table, unchanged.table, 'unchanged'),
    ...targetsOf(changing.table, unchanged.table, 'changing'),
    transactionTarget('unchanged', unchanged.perThousand),
    transactionTarget('changing', changing.perThousand),
  ])
} finally {
  await benchmark.close()
}
printProfiles(['gateway'])
process.exit(0)
