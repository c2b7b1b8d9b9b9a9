/**
 * `pnpm --filter infra benchmark:monitor`: processor time of a check compared with a minimal client
 * of the same server, lateness of checks, and the effect of killing a replica. Settings: TARGETS,
 * INTERVAL (seconds), SECONDS per measurement, REPLICAS, HANGING (targets of the last part), SCHEME
 * (http, https), PROFILE (any value: prints processor time by owner of the code).
 */
import { setTimeout as delay } from 'node:timers/promises'
import { cpuMicros } from '../measure/cpu.ts'
import { percentile } from '../measure/percentile.ts'
import { printMachine, printTable, printTargets } from '../measure/print.ts'
import { printProfiles, profileEnvironment } from '../measure/profile.ts'
import { numberSetting } from '../measure/settings.ts'
import {
  type CheckArrivals,
  type MonitorBenchmark,
  type MonitorReplica,
  startBenchmark,
} from './setup.ts'
import { measureBareCheckMicros } from './yardstick.ts'

const targets = numberSetting('TARGETS', 100_000)
const intervalSeconds = numberSetting('INTERVAL', 60)
const seconds = numberSetting('SECONDS', 60)
const replicaCount = numberSetting('REPLICAS', 3)
const hanging = numberSetting('HANGING', 50)
const isSecure = process.env.SCHEME === 'https'
const cpuTarget = isSecure ? 1500 : 400
/** Reference of the targets: a bare client on an idle machine, in µs per request. */
const BARE_MICROS = isSecure ? 1020 : 123
const BARE_REQUESTS = 3_000
const rate = targets / intervalSeconds
const MIB = 2 ** 20

interface Measured {
  checks: number
  cpuMicros: number
  transactions: number
  walBytes: number
  residentBytes: number
  checked: CheckArrivals
}

const metricValue = (metrics: string, name: string): number =>
  Number(new RegExp(`^${name} (\\S+)`, 'm').exec(metrics)?.[1])

const readCounters = async (
  { sql, replicas }: MonitorBenchmark,
  alive: readonly MonitorReplica[] = replicas,
) => {
  const [database] = await sql<{ transactions: number; wal: number }[]>`
    SELECT xact_commit::float8 AS transactions,
      pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::float8 AS wal
    FROM pg_stat_database WHERE datname = current_database()`
  const cpu = await Promise.all(alive.map(({ origin }) => cpuMicros(origin)))
  const resident = await Promise.all(
    alive.map(async ({ origin }) =>
      metricValue(await (await fetch(`${origin}/metrics`)).text(), 'process_resident_memory_bytes'),
    ),
  )
  return {
    transactions: database?.transactions ?? Number.NaN,
    wal: database?.wal ?? Number.NaN,
    cpu: cpu.reduce((sum, micros) => sum + micros, 0),
    residentBytes: Math.max(...resident),
  }
}

const measure = async (benchmark: MonitorBenchmark, forSeconds = seconds): Promise<Measured> => {
  await benchmark.takeArrivals()
  const before = await readCounters(benchmark)
  await delay(forSeconds * 1000)
  const checked = await benchmark.takeArrivals()
  const after = await readCounters(benchmark)
  const checks = checked.arrivals.times.length
  return {
    checks,
    checked,
    residentBytes: after.residentBytes,
    cpuMicros: (after.cpu - before.cpu) / checks,
    transactions: (after.transactions - before.transactions) / checks,
    walBytes: (after.wal - before.wal) / checks,
  }
}

const row = (name: string, measured: Measured, forSeconds = seconds): string[] => [
  name,
  (measured.checks / forSeconds).toFixed(0),
  percentile(measured.checked.latenessMs, 0.5).toFixed(0),
  percentile(measured.checked.latenessMs, 0.99).toFixed(0),
  measured.cpuMicros.toFixed(0),
  measured.transactions.toFixed(4),
  measured.walBytes.toFixed(0),
  (measured.residentBytes / MIB).toFixed(0),
]

const head = [
  '',
  'checks/s',
  'lateness p50 ms',
  'lateness p99 ms',
  'CPU µs per check',
  'transactions per check',
  'WAL bytes per check',
  'RSS MiB',
]

/** Prints a row as soon as it is measured, because the whole run takes minutes. */
const printRow = (name: string, measured: Measured, forSeconds?: number): string[] => {
  const cells = row(name, measured, forSeconds)
  console.log(
    cells.map((cell, column) => (column === 0 ? cell : `${cell} ${head[column]}`)).join(', '),
  )
  return cells
}

/** Counts slots of the measured time without a check, and those with two. */
const slotsOf = ({ arrivals, latenessMs }: CheckArrivals, { fromMs, toMs }: Span) => {
  const counts = new Map<string, number>()
  for (const [position, time] of arrivals.times.entries()) {
    const slot = Math.round(time - (latenessMs[position] ?? 0))
    if (slot < fromMs || slot >= toMs) continue
    const key = `${arrivals.indexes[position]} ${slot}`
    counts.set(key, (counts.get(key) ?? 0) + 1)
  }
  const twice = [...counts.values()].filter((count) => count > 1).length
  const expected = Math.round(((toMs - fromMs) / 1000) * rate)
  return { twice, missed: Math.max(0, expected - counts.size) }
}

interface Span {
  fromMs: number
  toMs: number
}

const perSecond = ({ arrivals }: CheckArrivals, startMs: number, forSeconds: number): number[] => {
  const counts = Array.from({ length: forSeconds }, () => 0)
  for (const time of arrivals.times) {
    const second = Math.floor((time - startMs) / 1000)
    if (second >= 0 && second < forSeconds) counts[second] = (counts[second] ?? 0) + 1
  }
  return counts
}

/** A measurement starts after a window of this length in which every slot arrived on time. */
const STEADY_WINDOW_SECONDS = 5
const STEADY_LATE_MS = 1000
const STEADY_SHARE = 0.9
const STEADY_ON_TIME_SHARE = 0.99
const MAX_WARM_UP_INTERVALS = 4

const isOnTime = (latenessMs: readonly number[]): boolean => {
  const onTime = latenessMs.filter((ms) => ms < STEADY_LATE_MS)
  return onTime.length >= STEADY_ON_TIME_SHARE * latenessMs.length
}

/** Waits until late slots are checked and new ones start on time; returns the seconds it took. */
const waitUntilSteady = async (benchmark: MonitorBenchmark): Promise<number> => {
  const startedMs = Date.now()
  const limitMs = MAX_WARM_UP_INTERVALS * intervalSeconds * 1000
  await benchmark.takeArrivals()
  for (;;) {
    await delay(STEADY_WINDOW_SECONDS * 1000)
    const { arrivals, latenessMs } = await benchmark.takeArrivals()
    const isFull = arrivals.times.length >= STEADY_SHARE * rate * STEADY_WINDOW_SECONDS
    const tookSeconds = (Date.now() - startedMs) / 1000
    if (isFull && isOnTime(latenessMs)) return tookSeconds
    if (Date.now() - startedMs < limitMs) continue
    console.log(
      `Checks are still late after ${tookSeconds.toFixed(0)} s: the machine is too slow for the rate`,
    )
    return tookSeconds
  }
}

/** Kills one replica with -9; measures how long the rate stays low and which slots are lost. */
const measureKill = async (benchmark: MonitorBenchmark) => {
  await benchmark.takeArrivals()
  const startMs = Date.now()
  const [victim] = benchmark.replicas
  await delay(10_000)
  await victim?.process.kill('SIGKILL')
  await delay((intervalSeconds + 20) * 1000)
  const checked = await benchmark.takeArrivals()
  const counts = perSecond(checked, startMs, intervalSeconds + 28)
  const fullAt = counts.slice(10).findIndex((count) => count >= rate * 0.95)
  const low = fullAt === -1 ? Number.POSITIVE_INFINITY : fullAt
  const span = { fromMs: startMs + 1000, toMs: startMs + (intervalSeconds + 20) * 1000 }
  return { counts, low, ...slotsOf(checked, span) }
}

await printMachine()
const benchmark = await startBenchmark({
  targets,
  intervalSeconds,
  timeoutMs: 10_000,
  isSecure,
  environment: profileEnvironment,
})
try {
  console.log(`\n${targets} targets every ${intervalSeconds} s: ${rate.toFixed(0)} checks/s`)
  const bareMicros = await measureBareCheckMicros({ ...benchmark.server, count: BARE_REQUESTS })
  console.log(`a bare client of the same server: ${bareMicros.toFixed(0)} CPU µs per request`)
  await benchmark.takeArrivals()
  const startedMs = Date.now()
  await benchmark.addReplica()
  await delay(intervalSeconds * 1000)
  const first = perSecond(await benchmark.takeArrivals(), startedMs, intervalSeconds)
  const warmUpSeconds = await waitUntilSteady(benchmark)
  const single = await measure(benchmark)
  const singleRow = printRow('one replica', single)
  while (benchmark.replicas.length < replicaCount) await benchmark.addReplica()
  await waitUntilSteady(benchmark)
  const several = await measure(benchmark)
  const severalRow = printRow(`${replicaCount} replicas`, several)
  // A single replica has no other that could continue its checks.
  const killed = replicaCount === 1 ? null : await measureKill(benchmark)
  if (killed !== null) benchmark.replicas.shift()
  benchmark.hang(hanging)
  await delay(intervalSeconds * 1000)
  const withHanging = await measure(benchmark, Math.min(seconds, 30))
  const others = withHanging.checked.latenessMs.filter(
    (_late, position) => (withHanging.checked.arrivals.indexes[position] ?? 0) >= hanging,
  )
  printTable(head, [
    singleRow,
    severalRow,
    row(`${hanging} targets hang`, withHanging, Math.min(seconds, 30)),
  ])
  const busiest = Math.max(...first) / rate
  console.log(`\nFirst interval, busiest second: ${busiest.toFixed(1)} times the rate; `)
  console.log(`  every slot on time ${warmUpSeconds.toFixed(0)} s after it`)
  if (killed !== null) {
    console.log(`kill -9 of one of ${replicaCount}: ${killed.twice} slots checked twice, `)
    console.log(`  ${killed.missed} without a check, full rate after ${killed.low} s`)
  }
  const killTargets =
    killed === null
      ? []
      : [
          { name: 'full rate after kill -9', measured: killed.low, atMost: 8, unit: 's' },
          { name: 'slots checked twice', measured: killed.twice, atMost: 0, unit: '' },
        ]
  const p99 = (values: readonly number[]) => percentile(values, 0.99)
  printTargets([
    {
      name: 'CPU per check, one replica',
      measured: single.cpuMicros,
      unit: 'µs',
      atMost: Number((cpuTarget / BARE_MICROS).toFixed(2)),
      yardstick: { name: 'a bare request', measured: bareMicros },
    },
    { name: 'transactions per check', measured: single.transactions, atMost: 0.01, unit: '' },
    { name: 'WAL per check', measured: single.walBytes, atMost: 400, unit: 'bytes' },
    { name: 'lateness p99', measured: p99(single.checked.latenessMs), atMost: 100, unit: 'ms' },
    { name: 'RSS', measured: single.residentBytes / MIB, atMost: 400, unit: 'MiB' },
    ...killTargets,
    {
      name: 'lateness p99 next to hanging targets',
      measured: p99(others),
      atMost: 250,
      unit: 'ms',
    },
  ])
} finally {
  await benchmark.close()
}
printProfiles(['monitor'])
process.exit(0)
