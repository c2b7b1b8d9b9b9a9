/**
 * `pnpm --filter infra benchmark:noisy-neighbour`: latency of a GET of one organization while
 * another one applies a document that changes many components and while all services handle the
 * events of it, and the processor time of all services per component. Settings: COMPONENTS, ROUNDS.
 */
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { startStack } from '../../local/stack.ts'
import { registerOwner } from '../measure/owner.ts'
import { median, percentile } from '../measure/percentile.ts'
import { printMachine, printTable, printTargets } from '../measure/print.ts'
import { processAndDescendants, processorMicrosWithEnded } from '../measure/processes.ts'
import { numberSetting } from '../measure/settings.ts'

const components = numberSetting('COMPONENTS', 1_000)
const rounds = numberSetting('ROUNDS', 5)
/** Interval between a response and the next request. */
const REQUEST_PAUSE_MS = 5
/** Time from the response of an apply, within which its events are handled. */
const EVENTS_MS = 3_000
const MICROS_PER_MS = 1_000

const documentOf = (description: string): string =>
  [
    'apiVersion: v1',
    'kind: StatusPageConfig',
    'metadata: { name: noisy, configVersion: "1" }',
    'spec:',
    '  components:',
    ...Array.from(
      { length: components },
      (_, index) => `    - { name: C${index}, type: SERVICE, description: "${description}" }`,
    ),
  ].join('\n')

await printMachine()
const stack = await startStack({
  dataDir: mkdtempSync(join(tmpdir(), 'benchmark-noisy-neighbour-')),
  env: { LOG_LEVEL: 'warn', RATE_LIMIT_MULTIPLIER: '1000000' },
  disposable: true,
  log: () => {},
})
const cpuMs = (): number => {
  const pids = [...Object.values(stack.processes), stack.postgres].map((one) => one?.pid ?? 0)
  const micros = pids.map((pid) => processorMicrosWithEnded(processAndDescendants(pid)))
  return micros.reduce((sum, value) => sum + value, 0) / MICROS_PER_MS
}

try {
  const { origin } = stack.processes.gateway
  const [noisy, neighbour] = [await registerOwner(origin), await registerOwner(origin)]
  const component = { type: 'SERVICE', name: 'API' }
  const { id } = await neighbour.send<{ id: string }>('POST', '/components', component)
  const stopping = new AbortController()
  const requests: { startedMs: number; durationMs: number }[] = []
  const requestAll = async () => {
    while (!stopping.signal.aborted) {
      const startedMs = performance.now()
      const response = await fetch(`${origin}/api/v1/components/${id}`, neighbour)
      if (response.status !== 200) throw new Error(`GET: ${response.status}`)
      await response.arrayBuffer()
      requests.push({ startedMs, durationMs: performance.now() - startedMs })
      await pause(REQUEST_PAUSE_MS)
    }
  }
  const requesting = requestAll()
  const durationsBetween = (fromMs: number, untilMs: number): number[] =>
    requests
      .filter(({ startedMs }) => startedMs >= fromMs && startedMs < untilMs)
      .map(({ durationMs }) => durationMs)

  const measured = { before: [] as number[], apply: [] as number[], events: [] as number[] }
  const cpuPerComponent: number[] = []
  // The first round creates the components; the others change them.
  for (let round = 0; round <= rounds; round += 1) {
    await pause(EVENTS_MS)
    const cpuBefore = cpuMs()
    const startedMs = performance.now()
    const response = await fetch(`${origin}/api/v1/config/apply`, {
      method: 'POST',
      headers: { ...noisy.headers, 'content-type': 'application/yaml' },
      body: documentOf(`round ${round}`),
    })
    if (!response.ok) throw new Error(`apply: ${response.status} ${await response.text()}`)
    await response.arrayBuffer()
    const appliedMs = performance.now()
    await pause(EVENTS_MS)
    if (round === 0) continue
    cpuPerComponent.push((cpuMs() - cpuBefore) / components)
    measured.before.push(...durationsBetween(startedMs - EVENTS_MS, startedMs))
    measured.apply.push(...durationsBetween(startedMs, appliedMs))
    measured.events.push(...durationsBetween(appliedMs, appliedMs + EVENTS_MS))
  }
  stopping.abort()
  await requesting
  printTable(
    ['GET of another organization', 'requests', 'p50 ms', 'p95 ms'],
    Object.entries({
      'before an apply': measured.before,
      [`while ${components} components change`]: measured.apply,
      'while their events are handled': measured.events,
    }).map(([name, durations]) => [
      name,
      String(durations.length),
      median(durations).toFixed(1),
      percentile(durations, 0.95).toFixed(1),
    ]),
  )
  printTargets([
    {
      name: 'GET while events are handled, p95',
      measured: percentile(measured.events, 0.95),
      atMost: 30,
      unit: 'ms',
    },
    {
      name: 'a changed component, all services and Postgres',
      measured: median(cpuPerComponent),
      atMost: 7,
      unit: 'ms',
    },
  ])
} finally {
  await stack.stop()
}
process.exit(0)
