/**
 * `pnpm --filter infra benchmark:heartbeats`: processor time of a ping at a constant rate with few
 * and many tokens, compared with a request that uses no database, and the time in which a monitor
 * detects all heartbeats that were due while it was down, after a stop and after a kill: those of few
 * organizations with many each, and of many with one. Settings: RATE (pings a second), SECONDS per
 * round, ROUNDS, DUE (heartbeats due at a restart), PER_ORGANIZATION (due heartbeats of one; a list
 * has restarts for each of its numbers).
 */
import { setTimeout as delay } from 'node:timers/promises'
import { anonymousCaller, CALLER_HEADER, callerSigner } from '@status-page/service'
import { cpuMicros } from '../measure/cpu.ts'
import { type LoadResult, measureConstantRate } from '../measure/load.ts'
import { median } from '../measure/percentile.ts'
import { printMachine, printTable, printTargets } from '../measure/print.ts'
import { numberSetting } from '../measure/settings.ts'
import { type MonitorBenchmark, startBenchmark } from '../monitor/setup.ts'
import { insertHeartbeats } from './setup.ts'

/** 100,000 pings a minute. */
const rate = numberSetting('RATE', 1_667)
const seconds = numberSetting('SECONDS', 5)
const rounds = numberSetting('ROUNDS', 3)
const dueCount = numberSetting('DUE', 10_000)
const perOrganizationSizes = (process.env.PER_ORGANIZATION ?? '100,1').split(',').map(Number)
const connections = 64
const tokenCounts = [1, 10, 1_000]
const MINUTE_MS = 60_000
const WAIT_SECONDS = 120

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
  benchmark: MonitorBenchmark,
  origin: string,
  urls: readonly string[],
): Promise<Round> => {
  const [url = '', ...otherUrls] = urls
  const [before, transactionsBefore] = [await cpuMicros(origin), await transactionsOf(benchmark)]
  const signer = callerSigner({ issuer: 'gateway', privateKey: benchmark.gatewayKey })
  const headers = { [CALLER_HEADER]: signer.sign(anonymousCaller, 'monitor') }
  const load = await measureConstantRate({ url, otherUrls, headers, connections, seconds }, rate)
  const requests = load.responses
  return {
    ...load,
    cpuMicros: ((await cpuMicros(origin)) - before) / requests,
    transactions: ((await transactionsOf(benchmark)) - transactionsBefore) / requests,
  }
}

const measure = async (benchmark: MonitorBenchmark, origin: string, urls: readonly string[]) => {
  const measuredRounds: Round[] = []
  for (let round = 0; round < rounds; round++)
    measuredRounds.push(await measureRound(benchmark, origin, urls))
  const medianOf = (read: (round: Round) => number) => median(measuredRounds.map(read))
  return {
    perSecond: medianOf(({ perSecond }) => perSecond),
    p50Ms: medianOf(({ p50Ms }) => p50Ms),
    p99Ms: medianOf(({ p99Ms }) => p99Ms),
    cpuMicros: medianOf((round) => round.cpuMicros),
    transactions: medianOf(({ transactions }) => transactions),
    failed: measuredRounds.reduce((sum, { failed }) => sum + failed, 0),
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

interface DetectedHeartbeats {
  /** Results of missed heartbeats. */
  results: number
  /** Heartbeats that are not operational. */
  jobs: number
  last: Date | null
}

const countDetected = async ({ sql }: MonitorBenchmark): Promise<DetectedHeartbeats> => {
  const [row] = await sql<DetectedHeartbeats[]>`
    SELECT (SELECT count(*)::int FROM monitor.checks WHERE error = 'heartbeat_missed') AS results,
      count(*)::int AS jobs, max(updated_at) AS last
    FROM monitor.target_states WHERE derived_status <> 'operational'`
  return row ?? { results: 0, jobs: 0, last: null }
}

/** Time of the first detection since `start`; after a kill, the monitor waits for its leases. */
const findFirstDetection = async ({ sql }: MonitorBenchmark, start: Date): Promise<Date | null> => {
  const [row] = await sql<{ first: Date | null }[]>`SELECT min(updated_at) AS first
    FROM monitor.target_states WHERE derived_status <> 'operational' AND updated_at > ${start}`
  return row?.first ?? null
}

interface Restart {
  /** How the monitor ends; only an orderly stop releases its leases. */
  end: 'stop' | 'kill'
  /** Due heartbeats of an organization. */
  perOrganization: number
}

/** Ends the monitor, lets heartbeats become due, and starts it again. */
const restartWithDue = async (benchmark: MonitorBenchmark, { end, perOrganization }: Restart) => {
  const { sql } = benchmark
  const [replica] = benchmark.replicas
  const endedAt = new Date()
  if (end === 'stop') await replica?.process.stop()
  else await replica?.process.kill('SIGKILL')
  // Events of an earlier restart, which no consumer has received, would be published again.
  await sql`DELETE FROM monitor.outbox`
  await insertHeartbeats(sql, {
    count: dueCount,
    perOrganization,
    expectedAt: new Date(Date.now() - 2 * MINUTE_MS),
    dueAt: new Date(Date.now() - MINUTE_MS),
  })
  const before = await countDetected(benchmark)
  await replica?.process.restart()
  await replica?.process.waitReady()
  const readyMs = Date.now()
  const origin = replica?.origin ?? ''
  const cpuBefore = await cpuMicros(origin)
  for (let second = 0; second < WAIT_SECONDS; second++) {
    if ((await countDetected(benchmark)).jobs >= before.jobs + dueCount) break
    await delay(1_000)
  }
  const { results, jobs, last } = await countDetected(benchmark)
  const first = await findFirstDetection(benchmark, endedAt)
  const sinceReady = (time: Date | null) => ((time?.getTime() ?? Number.NaN) - readyMs) / 1_000
  return {
    end,
    perOrganization,
    firstSeconds: sinceReady(first),
    cpuSeconds: ((await cpuMicros(origin)) - cpuBefore) / 1e6,
    missing: before.jobs + dueCount - jobs,
    twice: results - jobs,
    seconds: sinceReady(last),
  }
}

type Restarted = Awaited<ReturnType<typeof restartWithDue>>

const restartTargetsOf = ({ end, perOrganization, ...restarted }: Restarted) => {
  const name = `${dueCount} due at a ${end} and start, in ${dueCount / perOrganization} organizations`
  const seconds = end === 'stop' ? restarted.seconds : restarted.seconds - restarted.firstSeconds
  const target = (label: string, measured: number, unit: string, atMost: number) => ({
    name: `${name}: ${label}`,
    measured,
    unit,
    atMost,
  })
  return [
    target(
      `last one detected after ${end === 'stop' ? 'readiness' : 'the first one'}`,
      seconds,
      's',
      5,
    ),
    target('processor time of the monitor until then', restarted.cpuSeconds, 's', 5),
    target('not detected', restarted.missing, '', 0),
    target('detected twice', restarted.twice, '', 0),
  ]
}

await printMachine()
const benchmark = await startBenchmark({
  targets: 0,
  intervalSeconds: 60,
  timeoutMs: 10_000,
  isSecure: false,
})
try {
  const { origin } = await benchmark.addReplica()
  const later = new Date(Date.now() + 24 * 60 * MINUTE_MS)
  const bare = await measure(benchmark, origin, [`${origin}/health`])
  const rows = [rowOf('GET /health', bare)]
  const measured: Measured[] = []
  for (const count of tokenCounts) {
    const tokens = await insertHeartbeats(benchmark.sql, {
      count,
      perOrganization: 1,
      expectedAt: later,
      dueAt: later,
    })
    const urls = tokens.map((token) => `${origin}/api/v1/hooks/heartbeat/${token}`)
    const pings = await measure(benchmark, origin, urls)
    measured.push(pings)
    rows.push(rowOf(`ping, ${count} tokens`, pings))
  }
  printTable(
    ['', 'requests/s', 'p50 ms', 'p99 ms', 'CPU µs each', 'transactions each', 'failed'],
    rows,
  )
  const restarted: Restarted[] = []
  for (const perOrganization of perOrganizationSizes) {
    for (const end of ['stop', 'kill'] as const) {
      const result = await restartWithDue(benchmark, { end, perOrganization })
      const [first, last] = [result.firstSeconds.toFixed(2), result.seconds.toFixed(2)]
      console.log(
        `${end}, ${perOrganization} per organization: first detected after ${first} s, last after ${last} s`,
      )
      restarted.push(result)
    }
  }
  const worst = measured.reduce((left, right) => (right.cpuMicros > left.cpuMicros ? right : left))
  printTargets([
    {
      name: `CPU per ping at ${rate} pings/s`,
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
    ...restarted.flatMap(restartTargetsOf),
  ])
} finally {
  await benchmark.close()
}
process.exit(0)
