/**
 * `pnpm bench peers`: processor time of a check, with its storage, and of a read of public data, in
 * this product, in Gatus and in Uptime Kuma, one after the other. Settings: GATUS (path of its
 * program) and UPTIME_KUMA (folder of an installation), each left out when absent; TARGETS,
 * INTERVAL (seconds; Uptime Kuma needs at least 20), SECONDS of each measurement.
 */
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'
import { measureClosedLoop } from '../measure/load.ts'
import { type BenchmarkTarget, printMachine, printTable, printTargets } from '../measure/print.ts'
import { numberSetting } from '../measure/settings.ts'
import { startTargets } from '../monitor/setup.ts'
import { addressOf } from '../monitor/target-hosts.ts'
import type { TargetArrivals } from '../monitor/target-program.ts'
import { startGatus } from './gatus.ts'
import type { Peer, PeerOptions } from './peer.ts'
import { startProduct } from './product.ts'
import { startUptimeKuma } from './uptime-kuma.ts'

const targets = numberSetting('TARGETS', 1_000)
const intervalSeconds = numberSetting('INTERVAL', 20)
const seconds = numberSetting('SECONDS', 60)
const READ_SECONDS = 5
const CONNECTIONS = 16
const { GATUS, UPTIME_KUMA } = process.env

const peers: [name: string, start: (options: PeerOptions) => Promise<Peer>][] = [
  ['this product', startProduct],
]
if (GATUS !== undefined) {
  peers.push(['Gatus, SQLite', (options) => startGatus(GATUS, options)])
}
if (UPTIME_KUMA !== undefined) {
  peers.push(['Uptime Kuma, SQLite', (options) => startUptimeKuma(UPTIME_KUMA, options)])
}

interface Measured {
  name: string
  checks: number
  checkMicros: number
  reads: number
  readMicros: number
  failedReads: number
}

const checksSinceLast = async (child: ChildProcess): Promise<number> => {
  child.send({ report: true })
  const [arrivals] = (await once(child, 'message')) as [TargetArrivals]
  return arrivals.times.length
}

const measure = async (
  name: string,
  start: (options: PeerOptions) => Promise<Peer>,
): Promise<Measured> => {
  const { child, port } = await startTargets(null)
  const urls = Array.from(
    { length: targets },
    (_, index) => `http://${addressOf(index)}:${port}/${index}`,
  )
  const peer = await start({ urls, intervalSeconds })
  try {
    // Two intervals, in which first checks start and caches fill.
    await delay(2 * intervalSeconds * 1_000)
    await checksSinceLast(child)
    const before = peer.checkingMicros()
    await delay(seconds * 1_000)
    const checkingMicros = peer.checkingMicros() - before
    const checks = await checksSinceLast(child)
    const load = { url: peer.readUrl, connections: CONNECTIONS, seconds: READ_SECONDS }
    await measureClosedLoop(load)
    await checksSinceLast(child)
    const beforeReads = peer.readingMicros()
    const read = await measureClosedLoop(load)
    const readingMicros = peer.readingMicros() - beforeReads
    // Peers that check and serve in one process continue to check in the meantime.
    const isShared = peer.checkingMicros === peer.readingMicros
    const checksDuringReads = isShared ? await checksSinceLast(child) : 0
    const checkMicros = checkingMicros / checks
    return {
      name,
      checks,
      checkMicros,
      reads: read.responses,
      readMicros: (readingMicros - checksDuringReads * checkMicros) / read.responses,
      failedReads: read.failed,
    }
  } finally {
    await peer.stop()
    child.kill()
  }
}

const targetsOf = (product: Measured, other: Measured): BenchmarkTarget[] => [
  {
    name: `a check, compared with ${other.name}`,
    measured: product.checkMicros,
    unit: 'µs',
    atMost: 1,
    yardstick: { name: other.name, measured: other.checkMicros },
  },
  {
    name: `a public read, compared with ${other.name}`,
    measured: product.readMicros,
    unit: 'µs',
    atMost: 1,
    yardstick: { name: other.name, measured: other.readMicros },
  },
]

await printMachine()
console.log(`\n${targets} targets every ${intervalSeconds} s, ${CONNECTIONS} connections for reads`)
const measured: Measured[] = []
for (const [name, start] of peers) measured.push(await measure(name, start))
printTable(
  ['', 'checks/s', 'CPU µs per check', 'reads/s', 'CPU µs per read', 'failed reads'],
  measured.map(({ name, checks, checkMicros, reads, readMicros, failedReads }) => [
    name,
    (checks / seconds).toFixed(1),
    checkMicros.toFixed(0),
    (reads / READ_SECONDS).toFixed(0),
    readMicros.toFixed(0),
    String(failedReads),
  ]),
)
const [product, ...others] = measured
if (others.length === 0) {
  console.log('\nSet GATUS or UPTIME_KUMA to compare the product with them.')
} else if (product !== undefined) {
  printTargets(others.flatMap((other) => targetsOf(product, other)))
}
process.exit(0)
