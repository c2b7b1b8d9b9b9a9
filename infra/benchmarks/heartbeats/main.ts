/**
 * `pnpm --filter infra benchmark:heartbeats`: processor time of a ping at a constant rate with few
 * and many tokens, compared with a request that uses no database, and the time in which a monitor
 * notices all heartbeats that were due while it was down. Settings: RATE (pings a second), SECONDS
 * per round, ROUNDS, DUE (heartbeats due at the restart), PER_ORGANIZATION (of those).
 */
import { setTimeout as delay } from 'node:timers/promises'
import { anonymousCaller, CALLER_HEADER, callerSigner } from '@status-page/service'
import { cpuMicros } from '../measure/cpu.ts'
import { type LoadResult, measureConstantRate } from '../measure/load.ts'
import { median } from '../measure/percentile.ts'
import { printMachine, printTable, printTargets } from '../measure/print.ts'
import { type MonitorBenchmark, startBenchmark } from '../monitor/setup.ts'
import { insertHeartbeats } from './setup.ts'

const setting = (name: string, value: number) => Number(process.env[name] ?? value)
/** 100,000 pings a minute. */
const rate = setting('RATE', 1_667)
const seconds = setting('SECONDS', 5)
const rounds = setting('ROUNDS', 3)
const dueCount = setting('DUE', 10_000)
/** Heartbeats of an organization at the restart; it has one transaction per hundred. */
const perOrganization = setting('PER_ORGANIZATION', 100)
const connections = 64
const tokenCounts = [1, 10, 1_000]
const MINUTE_MS = 60_000
const NOTICED_WITHIN_SECONDS = 120

interface Round extends LoadResult {
  cpuMicros: number
  transactions: number
}

const transactionsOf = async ({ sql }: MonitorBenchmark): Promise<number> => {
  const [row] = await sql<{ count: number }[]>`SELECT xact_commit::float8 AS count
    FROM pg_stat_database WHERE datname = current_database()`
  return row?.count ?? Number.NaN
}

const measureRound = async (
  world: MonitorBenchmark,
  origin: string,
  urls: readonly string[],
): Promise<Round> => {
  const [url = '', ...otherUrls] = urls
  const [before, transactionsBefore] = [await cpuMicros(origin), await transactionsOf(world)]
  const signer = callerSigner({ issuer: 'gateway', privateKey: world.gatewayKey })
  const headers = { [CALLER_HEADER]: signer.sign(anonymousCaller, 'monitor') }
  const load = await measureConstantRate({ url, otherUrls, headers, connections, seconds }, rate)
  const requests = load.answered
  return {
    ...load,
    cpuMicros: ((await cpuMicros(origin)) - before) / requests,
    transactions: ((await transactionsOf(world)) - transactionsBefore) / requests,
  }
}

const measure = async (world: MonitorBenchmark, origin: string, urls: readonly string[]) => {
  const all: Round[] = []
  for (let round = 0; round < rounds; round++) all.push(await measureRound(world, origin, urls))
  const middle = (read: (round: Round) => number) => median(all.map(read))
  return {
    perSecond: middle(({ perSecond }) => perSecond),
    p50Ms: middle(({ p50Ms }) => p50Ms),
    p99Ms: middle(({ p99Ms }) => p99Ms),
    cpuMicros: middle((round) => round.cpuMicros),
    transactions: middle(({ transactions }) => transactions),
    failed: all.reduce((sum, { failed }) => sum + failed, 0),
  }
}

type Measured = Awaited<ReturnType<typeof measure>>

const rowOf = (name: string, measured: Measured): string[] => [
  name,
  measured.perSecond.toFixed(0),
  measured.p50Ms.toFixed(1),
  measured.p99Ms.toFixed(1),
  measured.cpuMicros.toFixed(0),
  measured.transactions.toFixed(3),
  measured.failed.toFixed(0),
]

/** Kills the monitor, lets heartbeats become due, and starts it again. */
const restartWithDue = async (world: MonitorBenchmark) => {
  const { sql } = world
  const [replica] = world.replicas
  await replica?.process.kill('SIGKILL')
  await insertHeartbeats(sql, {
    count: dueCount,
    perOrganization,
    expectedAt: new Date(Date.now() - 2 * MINUTE_MS),
    dueAt: new Date(Date.now() - MINUTE_MS),
  })
  await replica?.process.restart()
  await replica?.process.waitReady()
  const readyMs = Date.now()
  const origin = replica?.origin ?? ''
  const cpuBefore = await cpuMicros(origin)
  const noticed = async () => {
    const [row] = await sql<{ results: number; jobs: number; last: Date | null }[]>`
      SELECT (SELECT count(*)::int FROM monitor.checks WHERE error = 'heartbeat_missed') AS results,
        count(*)::int AS jobs, max(updated_at) AS last
      FROM monitor.target_states WHERE derived_status <> 'operational'`
    return row ?? { results: 0, jobs: 0, last: null }
  }
  for (let second = 0; second < NOTICED_WITHIN_SECONDS; second++) {
    if ((await noticed()).jobs >= dueCount) break
    await delay(1_000)
  }
  const { results, jobs, last } = await noticed()
  return {
    cpuSeconds: ((await cpuMicros(origin)) - cpuBefore) / 1e6,
    missing: dueCount - jobs,
    twice: results - jobs,
    seconds: ((last?.getTime() ?? Number.NaN) - readyMs) / 1_000,
  }
}

await printMachine()
const world = await startBenchmark({
  targets: 0,
  intervalSeconds: 60,
  timeoutMs: 10_000,
  isSecure: false,
})
try {
  const { origin } = await world.addReplica()
  const later = new Date(Date.now() + 24 * 60 * MINUTE_MS)
  const bare = await measure(world, origin, [`${origin}/health`])
  const rows = [rowOf('GET /health', bare)]
  const measured: Measured[] = []
  for (const count of tokenCounts) {
    const tokens = await insertHeartbeats(world.sql, {
      count,
      perOrganization: 1,
      expectedAt: later,
      dueAt: later,
    })
    const urls = tokens.map((token) => `${origin}/api/v1/hooks/heartbeat/${token}`)
    const pings = await measure(world, origin, urls)
    measured.push(pings)
    rows.push(rowOf(`ping, ${count} tokens`, pings))
  }
  printTable(['', 'a second', 'p50 ms', 'p99 ms', 'CPU µs here', 'transactions', 'failed'], rows)
  const restarted = await restartWithDue(world)
  const worst = measured.reduce((one, other) => (other.cpuMicros > one.cpuMicros ? other : one))
  printTargets([
    {
      name: `CPU per ping at ${rate} a second`,
      measured: worst.cpuMicros,
      unit: 'µs',
      atMost: 6,
      yardstick: { name: 'GET /health', measured: bare.cpuMicros },
    },
    { name: 'cores of the monitor', measured: (worst.cpuMicros * rate) / 1e6, unit: '', atMost: 1 },
    {
      name: 'failed pings',
      measured: measured.reduce((sum, { failed }) => sum + failed, 0),
      unit: '',
      atMost: 0,
    },
    {
      name: `${dueCount} due at a restart: last one noticed after ready`,
      measured: restarted.seconds,
      unit: 's',
      atMost: 5,
    },
    {
      name: 'processor time of the monitor until then',
      measured: restarted.cpuSeconds,
      unit: 's',
      atMost: 5,
    },
    { name: 'not noticed', measured: restarted.missing, unit: '', atMost: 0 },
    { name: 'noticed twice', measured: restarted.twice, unit: '', atMost: 0 },
  ])
} finally {
  await world.close()
}
process.exit(0)
