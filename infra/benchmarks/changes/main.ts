/**
 * `pnpm --filter infra benchmark:changes`: latency of two large writes through the gateway, an
 * incident with many components and an import of many subscribers. Settings: COMPONENTS of each
 * incident, ROWS of each file, ROUNDS.
 */
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startStack } from '../../local/stack.ts'
import { registerOwner } from '../measure/owner.ts'
import { median, percentile } from '../measure/percentile.ts'
import { printMachine, printTable, printTargets } from '../measure/print.ts'
import { numberSetting } from '../measure/settings.ts'

const components = numberSetting('COMPONENTS', 50)
const rows = numberSetting('ROWS', 10_000)
const rounds = numberSetting('ROUNDS', 200)
const WARM_ROUNDS = 5
const IMPORTS = 3

const timed = async (work: () => Promise<unknown>): Promise<number> => {
  const before = performance.now()
  await work()
  return performance.now() - before
}

await printMachine()
const stack = await startStack({
  dataDir: mkdtempSync(join(tmpdir(), 'benchmark-changes-')),
  services: ['gateway', 'core'],
  env: { LOG_LEVEL: 'warn', RATE_LIMIT_MULTIPLIER: '1000000' },
  disposable: true,
  log: () => {},
})
try {
  const { send } = await registerOwner(stack.processes.gateway.origin)
  const componentIds: string[] = []
  for (let index = 0; index < components; index += 1) {
    const body = { type: 'SERVICE', name: `Component ${index}` }
    componentIds.push((await send<{ id: string }>('POST', '/components', body)).id)
  }
  const opened: number[] = []
  for (let round = 0; round < WARM_ROUNDS + rounds; round += 1) {
    const body = {
      title: `Outage ${round}`,
      status: 'investigating',
      impact: 'major',
      componentIds,
      message: 'We are on it.',
      notifySubscribers: true,
    }
    const incident: { id?: string } = {}
    const ms = await timed(async () =>
      Object.assign(incident, await send('POST', '/incidents', body)),
    )
    if (round >= WARM_ROUNDS) opened.push(ms)
    await send('PATCH', `/incidents/${incident.id}`, { status: 'resolved' })
  }
  const imported: number[] = []
  for (let round = 0; round < IMPORTS; round += 1) {
    const lines = Array.from(
      { length: rows },
      (_, row) => `email,reader-${round}-${row}@example.com`,
    )
    const form = new FormData()
    form.set('file', new Blob([['type,email', ...lines].join('\n')], { type: 'text/csv' }), 'a.csv')
    imported.push(await timed(() => send('POST', '/subscribers/import', form)))
  }
  printTable(
    ['', 'repetitions', 'p50 ms', 'p95 ms'],
    [
      [
        `an incident of ${components} components`,
        String(rounds),
        median(opened).toFixed(1),
        percentile(opened, 0.95).toFixed(1),
      ],
      [`an import of ${rows} rows`, String(IMPORTS), median(imported).toFixed(1), ''],
    ],
  )
  printTargets([
    { name: 'an incident, p95', measured: percentile(opened, 0.95), atMost: 40, unit: 'ms' },
    { name: 'an import', measured: median(imported) / 1000, atMost: 3, unit: 's' },
  ])
} finally {
  await stack.stop()
}
process.exit(0)
