/**
 * `pnpm --filter infra benchmark:idle`: start time of the whole product, on an empty folder and on
 * an existing one, and its memory and processor time without requests. Linux only. Settings: SETTLE
 * (seconds before the measurement), SECONDS of the measurement.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { services } from '@status-page/contracts'
import { type Stack, startStack } from '../../local/stack.ts'
import { printMachine, printTable, printTargets } from '../measure/print.ts'
import {
  processAndDescendants,
  processorMicros,
  residentBytes,
  residentBytesOfEach,
} from '../measure/processes.ts'
import { numberSetting } from '../measure/settings.ts'

/** V8 compiles in the first minutes, which take 1.5 times the processor time of later ones. */
const settleSeconds = numberSetting('SETTLE', 300)
const seconds = numberSetting('SECONDS', 60)
const MIB = 2 ** 20

const dataDir = mkdtempSync(join(tmpdir(), 'benchmark-idle-'))

const start = async (): Promise<{ stack: Stack; seconds: number }> => {
  const before = performance.now()
  const stack = await startStack({ dataDir, log: () => {} })
  return { stack, seconds: (performance.now() - before) / 1000 }
}

const processesOf = ({ processes, postgres, nats }: Stack): [string, number[]][] => {
  const pids = [
    ...services.map((name) => [name, processes[name].pid] as const),
    ['postgres', postgres?.pid] as const,
    ['nats', nats?.pid] as const,
  ]
  const children = pids.map(([name, pid]): [string, number[]] => [
    name,
    pid === undefined ? [] : processAndDescendants(pid),
  ])
  // The supervisor of the other processes.
  return [...children, ['starter', [process.pid]]]
}

await printMachine()
const first = await start()
await first.stack.stop()
const { stack, seconds: warmSeconds } = await start()
try {
  await pause(settleSeconds * 1000)
  const parts = processesOf(stack)
  const before = parts.map(([, pids]) => processorMicros(pids))
  await pause(seconds * 1000)
  const rows = parts.map(([name, pids], index) => ({
    name,
    mib: residentBytes(pids) / MIB,
    eachMib: residentBytesOfEach(pids) / MIB,
    percent: (processorMicros(pids) - (before[index] ?? 0)) / (seconds * 10_000),
  }))
  const sum = (valueIn: (row: (typeof rows)[number]) => number) =>
    rows.reduce((total, row) => total + valueIn(row), 0)
  const [mib, percent] = [sum((row) => row.mib), sum((row) => row.percent)]
  const all = { name: 'all', mib, percent, eachMib: sum((row) => row.eachMib) }
  printTable(
    ['idle', 'MiB', 'MiB with shared pages', 'CPU %'],
    [...rows, all].map((row) => [
      row.name,
      row.mib.toFixed(0),
      row.eachMib.toFixed(0),
      row.percent.toFixed(1),
    ]),
  )
  printTargets([
    { name: 'first start', measured: first.seconds, atMost: 30, unit: 's' },
    { name: 'warm start', measured: warmSeconds, atMost: 15, unit: 's' },
    { name: 'idle memory', measured: mib, atMost: 600, unit: 'MiB' },
    { name: 'idle processor time', measured: percent, atMost: 3, unit: '%' },
  ])
} finally {
  await stack.stop()
  rmSync(dataDir, { recursive: true, force: true })
}
process.exit(0)
