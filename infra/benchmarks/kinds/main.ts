/**
 * `pnpm --filter infra benchmark:kinds`: processor time of a check by its kind, compared with HTTP.
 * Each kind has a location of its own with one monitor, and all of them make their checks at the
 * same time, so that the machine is the same for each. Settings: TARGETS and INTERVAL (seconds) of
 * each kind, SECONDS per round, ROUNDS.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { newId } from '@status-page/postgres'
import { cpuMicros } from '../measure/cpu.ts'
import { median } from '../measure/percentile.ts'
import { printMachine, printTable, printTargets } from '../measure/print.ts'
import { startProgram } from '../measure/program.ts'
import { numberSetting } from '../measure/settings.ts'
import { HTTP_PROBE, insertTargets, startBenchmark } from '../monitor/setup.ts'
import { ADDRESSES, addressOf, nameOf, zoneCertificate } from '../monitor/target-hosts.ts'
import type { TargetPorts } from './target-program.ts'

const targets = numberSetting('TARGETS', 10_000)
const intervalSeconds = numberSetting('INTERVAL', 30)
const seconds = numberSetting('SECONDS', 20)
const rounds = numberSetting('ROUNDS', 5)
const timeoutMs = 10_000
/** Time after the first interval in which code is compiled and late slots are checked. */
const WARM_UP_SECONDS = 10

const kinds = ['http', 'tcp', 'tls', 'dns'] as const
type Kind = (typeof kinds)[number]

const probes: Record<Kind, (index: number, ports: TargetPorts) => object> = {
  http: (index, { http }) => ({ ...HTTP_PROBE, url: `http://${addressOf(index)}:${http}/` }),
  tcp: (index, { tcp }) => ({
    kind: 'tcp',
    url: `tcp://${addressOf(index)}:${tcp}`,
    send: null,
    conditions: [],
  }),
  tls: (index, { tls }) => ({
    kind: 'tls',
    url: `tls://${nameOf(index)}:${tls}`,
    conditions: [],
  }),
  dns: (index, { dns }) => ({
    kind: 'dns',
    url: `dns://${addressOf(index % ADDRESSES)}:${dns}/${nameOf(index)}?type=A`,
    conditions: [],
  }),
}

interface KindCounters {
  checks: number
  failed: number
  cpuMicros: number
}

type KindsBenchmark = Awaited<ReturnType<typeof startBenchmark>>

const readCounters = async (
  { sql }: KindsBenchmark,
  origins: ReadonlyMap<Kind, string>,
): Promise<Map<Kind, KindCounters>> => {
  const rows = await sql<{ location: Kind; checks: number; failed: number }[]>`
    SELECT location, count(*)::float8 AS checks,
      count(*) FILTER (WHERE status <> 'SUCCESS')::float8 AS failed
    FROM monitor.checks GROUP BY location`
  const counts = new Map(rows.map((row) => [row.location, row]))
  const states = kinds.map(async (kind): Promise<[Kind, KindCounters]> => {
    const { checks = 0, failed = 0 } = counts.get(kind) ?? {}
    return [kind, { checks, failed, cpuMicros: await cpuMicros(origins.get(kind) ?? '') }]
  })
  return new Map(await Promise.all(states))
}

/** Changes of the counters of each kind during a round. */
const measureRound = async (benchmark: KindsBenchmark, origins: ReadonlyMap<Kind, string>) => {
  const before = await readCounters(benchmark, origins)
  await delay(seconds * 1000)
  const after = await readCounters(benchmark, origins)
  const differenceOf = (kind: Kind, read: (state: KindCounters) => number): number => {
    const [first, last] = [before.get(kind), after.get(kind)]
    return first === undefined || last === undefined ? Number.NaN : read(last) - read(first)
  }
  return new Map(
    kinds.map((kind) => {
      const checks = differenceOf(kind, (state) => state.checks)
      const failed = differenceOf(kind, (state) => state.failed)
      return [
        kind,
        { checks, failed, cpuMicros: differenceOf(kind, (state) => state.cpuMicros) / checks },
      ]
    }),
  )
}

type Round = Awaited<ReturnType<typeof measureRound>>

await printMachine()
const folder = mkdtempSync(join(tmpdir(), 'benchmark-kinds-'))
const certificate = zoneCertificate()
const authorities = join(folder, 'authorities.pem')
writeFileSync(authorities, certificate.cert)
const { child, message: ports } = await startProgram<TargetPorts>(
  new URL('target-program.ts', import.meta.url),
  [certificate.cert, certificate.key],
)
const benchmark = await startBenchmark({ targets: 0, intervalSeconds, timeoutMs, isSecure: false })
try {
  const origins = new Map<Kind, string>()
  for (const kind of kinds) {
    const ids = Array.from({ length: targets }, newId)
    const probeOf = (index: number) => probes[kind](index, ports)
    await insertTargets(benchmark.sql, { ids, intervalSeconds, timeoutMs, probeOf, location: kind })
    const environment = { MONITOR_LOCATION: kind, NODE_EXTRA_CA_CERTS: authorities }
    origins.set(kind, (await benchmark.addReplica(environment)).origin)
  }
  await delay((intervalSeconds + WARM_UP_SECONDS) * 1000)
  const measured: Round[] = []
  for (let round = 0; round < rounds; round++) measured.push(await measureRound(benchmark, origins))
  const medianOf = (
    kind: Kind,
    read: (state: KindCounters, http: KindCounters) => number,
  ): number =>
    median(
      measured.flatMap((round) => {
        const [state, http] = [round.get(kind), round.get('http')]
        return state === undefined || http === undefined ? [] : read(state, http)
      }),
    )
  const perCheck = (kind: Kind) => medianOf(kind, (state) => state.cpuMicros)
  const ratioOf = (kind: Kind) => medianOf(kind, (state, http) => state.cpuMicros / http.cpuMicros)
  const rows = kinds.map((kind) => [
    kind,
    (medianOf(kind, ({ checks }) => checks) / seconds).toFixed(0),
    perCheck(kind).toFixed(0),
    ratioOf(kind).toFixed(2),
    measured.reduce((sum, round) => sum + (round.get(kind)?.failed ?? 0), 0).toFixed(0),
  ])
  printTable(['kind', 'checks/s', 'CPU µs per check', 'ratio to http', 'failed'], rows)
  printTargets([
    {
      name: 'CPU per check of kind tcp, median of the ratios to http',
      measured: ratioOf('tcp'),
      unit: '',
      atMost: 1,
    },
    {
      name: 'failed checks',
      measured: rows.reduce((sum, row) => sum + Number(row.at(-1)), 0),
      unit: '',
      atMost: 0,
    },
  ])
} finally {
  await benchmark.close()
  child.kill()
  rmSync(folder, { recursive: true, force: true })
}
process.exit(0)
