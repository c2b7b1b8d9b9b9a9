/**
 * `pnpm --filter infra benchmark:heartbeats`: processor time of a ping at a constant rate with few
 * and many tokens, compared with a request that uses no database, and the time in which a monitor
 * notices all heartbeats that were due while it was down, after a stop and after a kill: those of few
 * organizations with many each, and of many with one. Settings: RATE (pings a second), SECONDS per
 * round, ROUNDS, DUE (heartbeats due at a restart), PER_ORGANIZATION (of those; a list has restarts
 * of its own for each).
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
const perOrganization = (process.env.PER_ORGANIZATION ?? '100,1').split(',').map(Number)
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

interface Noticed {
  results: number
  jobs: number
  last: Date | null
}

const noticedIn = async ({ sql }: MonitorBenchmark): Promise<Noticed> => {
  const [row] = await sql<Noticed[]>`
    SELECT (SELECT count(*)::int FROM monitor.checks WHERE error = 'heartbeat_missed') AS results,
      count(*)::int AS jobs, max(updated_at) AS last
    FROM monitor.target_states WHERE derived_status <> 'operational'`
  return row ?? { results: 0, jobs: 0, last: null }
}

/** Time of the first one since `start`: after a kill, the monitor waits for leases to expire. */
const firstNoticedSince = async ({ sql }: MonitorBenchmark, start: Date): Promise<Date | null> => {
  const [row] = await sql<{ first: Date | null }[]>`SELECT min(updated_at) AS first
    FROM monitor.target_states WHERE derived_status <> 'operational' AND updated_at > ${start}`
  return row?.first ?? null
}

interface Restart {
  /** How the monitor ends; only an orderly stop releases its leases. */
  end: 'stop' | 'kill'
  /** Due heartbeats of an organization. */
  perOne: number
}

/** Ends the monitor, lets heartbeats become due, and starts it again. */
const restartWithDue = async (world: MonitorBenchmark, { end, perOne }: Restart) => {
  const { sql } = world
  const [replica] = world.replicas
  const endedAt = new Date()
  if (end === 'stop') await replica?.process.stop()
  else await replica?.process.kill('SIGKILL')
  // Events of an earlier restart, which no consumer has received, would be published again.
  await sql`DELETE FROM monitor.outbox`
  await insertHeartbeats(sql, {
    count: dueCount,
    perOrganization: perOne,
    expectedAt: new Date(Date.now() - 2 * MINUTE_MS),
    dueAt: new Date(Date.now() - MINUTE_MS),
  })
  const before = await noticedIn(world)
  await replica?.process.restart()
  await replica?.process.waitReady()
  const readyMs = Date.now()
  const origin = replica?.origin ?? ''
  const cpuBefore = await cpuMicros(origin)
  for (let second = 0; second < WAIT_SECONDS; second++) {
    if ((await noticedIn(world)).jobs >= before.jobs + dueCount) break
    await delay(1_000)
  }
  const { results, jobs, last } = await noticedIn(world)
  const first = await firstNoticedSince(world, endedAt)
  const sinceReady = (time: Date | null) => ((time?.getTime() ?? Number.NaN) - readyMs) / 1_000
  return {
    end,
    perOne,
    firstSeconds: sinceReady(first),
    cpuSeconds: ((await cpuMicros(origin)) - cpuBefore) / 1e6,
    missing: before.jobs + dueCount - jobs,
    twice: results - jobs,
    seconds: sinceReady(last),
  }
}

type Restarted = Awaited<ReturnType<typeof restartWithDue>>

const restartTargetsOf = ({ end, perOne, ...restarted }: Restarted) => {
  const name = `${dueCount} due at a ${end} and start, in ${dueCount / perOne} organizations`
  const seconds = end === 'stop' ? restarted.seconds : restarted.seconds - restarted.firstSeconds
  const figure = (of: string, measured: number, unit: string, atMost: number) => ({
    name: `${name}: ${of}`,
    measured,
    unit,
    atMost,
  })
  return [
    figure(`last one noticed after ${end === 'stop' ? 'ready' : 'the first one'}`, seconds, 's', 5),
    figure('processor time of the monitor until then', restarted.cpuSeconds, 's', 5),
    figure('not noticed', restarted.missing, '', 0),
    figure('noticed twice', restarted.twice, '', 0),
  ]
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
  const restarted: Restarted[] = []
  for (const perOne of perOrganization) {
    for (const end of ['stop', 'kill'] as const) {
      const one = await restartWithDue(world, { end, perOne })
      const [first, last] = [one.firstSeconds.toFixed(2), one.seconds.toFixed(2)]
      console.log(
        `${end}, ${perOne} per organization: first after ${first} s, last after ${last} s`,
      )
      restarted.push(one)
    }
  }
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
    ...restarted.flatMap(restartTargetsOf),
  ])
} finally {
  await world.close()
}
process.exit(0)
