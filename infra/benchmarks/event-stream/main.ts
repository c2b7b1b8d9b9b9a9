/**
 * `pnpm --filter infra benchmark:event-stream`: memory and processor time of a gateway with many
 * event streams, and the time from an event to its last client, against a single stream. Linux
 * only. Settings: STREAMS, EVENTS, SECONDS without events.
 */
import { once } from 'node:events'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { type Stack, startStack } from '../../local/stack.ts'
import { type BenchmarkOwner, registerOwner } from '../measure/owner.ts'
import { median, percentile } from '../measure/percentile.ts'
import { printMachine, printTable, printTargets } from '../measure/print.ts'
import { processAndDescendants, processorMicros, residentBytes } from '../measure/processes.ts'
import { forkProgram } from '../measure/program.ts'
import { numberSetting } from '../measure/settings.ts'
import type { LastReceipt } from './clients-program.ts'

const streams = numberSetting('STREAMS', 1_000)
const events = numberSetting('EVENTS', 100)
const seconds = numberSetting('SECONDS', 30)
const EVENT_INTERVAL_MS = 250
const RECEIVED_WITHIN_MS = 30_000
const SETTLE_MS = 5_000
const MIB = 2 ** 20

const program = new URL('clients-program.ts', import.meta.url)

interface Measurement {
  streams: number
  mib: number
  /** Share of a core without events, in percent. */
  idlePercent: number
  cpuMsPerEvent: number
  /** Times from the event to its first and last receipt. */
  firstMs: number[]
  lastMs: number[]
}

const startClients = async (origin: string, key: string, count: number) => {
  const child = forkProgram(program, [origin, key, String(count)])
  const receipts: LastReceipt[] = []
  const opened = Promise.withResolvers<void>()
  child.on('message', (message: 'open' | LastReceipt) => {
    if (message === 'open') opened.resolve()
    else receipts.push(message)
  })
  child.once('exit', (code) => opened.reject(new Error(`The clients ended with ${code}`)))
  await opened.promise
  return {
    receipts,
    async stop() {
      child.kill()
      await once(child, 'exit')
    },
  }
}

const measure = async (
  { processes: { gateway } }: Stack,
  owner: BenchmarkOwner,
  key: string,
  count: number,
): Promise<Measurement> => {
  const pids = processAndDescendants(gateway.pid ?? 0)
  const clients = await startClients(gateway.origin, key, count)
  await pause(SETTLE_MS)
  const idleBefore = processorMicros(pids)
  await pause(seconds * 1_000)
  const before = processorMicros(pids)
  const mib = residentBytes(pids) / MIB
  for (let index = 0; index < events; index++) {
    const { id } = await owner.send<{ id: string }>('POST', '/incidents', {
      title: `Outage ${index}`,
    })
    await pause(EVENT_INTERVAL_MS)
    await owner.send('PATCH', `/incidents/${id}`, { status: 'resolved' })
    await pause(EVENT_INTERVAL_MS)
  }
  const until = performance.now() + RECEIVED_WITHIN_MS
  while (clients.receipts.length < events * 2 && performance.now() < until) await pause(100)
  const { receipts } = clients
  if (receipts.length < events * 2)
    throw new Error(`${receipts.length} events reached every client`)
  const micros = processorMicros(pids) - before
  await clients.stop()
  return {
    streams: count,
    mib,
    idlePercent: (before - idleBefore) / (seconds * 10_000),
    cpuMsPerEvent: micros / 1_000 / receipts.length,
    firstMs: receipts.map(({ occurredAt, firstAt }) => firstAt - occurredAt),
    lastMs: receipts.map(({ occurredAt, lastAt }) => lastAt - occurredAt),
  }
}

await printMachine()
const stack = await startStack({
  dataDir: mkdtempSync(join(tmpdir(), 'benchmark-event-stream-')),
  services: ['gateway', 'core'],
  env: { LOG_LEVEL: 'warn', RATE_LIMIT_MULTIPLIER: '1000000' },
  disposable: true,
  log: () => {},
})
try {
  const owner = await registerOwner(stack.processes.gateway.origin)
  const { key } = await owner.send<{ key: string }>('POST', '/api-keys', {
    name: 'Streams',
    permissions: ['incidents:read'],
  })
  const single = await measure(stack, owner, key, 1)
  const many = await measure(stack, owner, key, streams)
  printTable(
    [
      'streams',
      'MiB',
      'CPU % without events',
      'CPU ms per event',
      'first p50 ms',
      'last p50 ms',
      'last p95 ms',
    ],
    [single, many].map((row) => [
      String(row.streams),
      row.mib.toFixed(0),
      row.idlePercent.toFixed(1),
      row.cpuMsPerEvent.toFixed(1),
      median(row.firstMs).toFixed(0),
      median(row.lastMs).toFixed(0),
      percentile(row.lastMs, 0.95).toFixed(0),
    ]),
  )
  const kibPerStream = ((many.mib - single.mib) * 1_024) / (streams - 1)
  printTargets([
    { name: 'memory per stream', measured: kibPerStream, atMost: 100, unit: 'KiB' },
    {
      name: 'event to the last client, p95',
      measured: percentile(many.lastMs, 0.95),
      atMost: 500,
      unit: 'ms',
    },
  ])
} finally {
  await stack.stop()
}
process.exit(0)
