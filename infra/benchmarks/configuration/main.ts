/**
 * `pnpm --filter infra benchmark:configuration`: a document of 1,000 components planned, applied, applied
 * again and exported, then documents made to keep a process busy, with how long each of the services held
 * its event loop meanwhile. Settings: COMPONENTS, ROUNDS.
 */
import { cpuMicros } from '../measure/cpu.ts'
import { median } from '../measure/load.ts'
import { printMachine, printTable, printTargets } from '../measure/print.ts'
import { hostileDocuments } from './hostile.ts'
import { openWorld } from './world.ts'

const components = Number(process.env.COMPONENTS ?? 1_000)
const rounds = Number(process.env.ROUNDS ?? 3)

const documentOf = (interval: number): string => {
  const entries = Array.from({ length: components }, (_, index) =>
    [
      `    - name: Component ${index}`,
      '      type: ENDPOINT',
      `      group: Group ${index % 20}`,
      `      url: https://93.184.215.14/health/${index}`,
      `      checkInterval: ${interval}`,
      '      isEnabled: false',
      '      conditions: [{ type: STATUS_CODE, comparator: EQUALS, target: "200" }]',
    ].join('\n'),
  )
  const groups = Array.from({ length: 20 }, (_, index) => `    - { name: Group ${index} }`)
  return `apiVersion: v1
kind: StatusPageConfig
metadata: { name: benchmark, configVersion: "1" }
spec:
  componentGroups:
${groups.join('\n')}
  components:
${entries.join('\n')}
`
}

interface Measured {
  ms: number
  cpuMs: Record<string, number>
  heldMs: Record<string, number>
}

const services = ['config-sync', 'core'] as const

const measure = async (work: () => Promise<unknown>): Promise<Measured> => {
  // Begins the next stretch.
  await world.heldMs('core')
  await world.heldMs('config-sync')
  const cpuOf = () => Promise.all(services.map((name) => cpuMicros(world.originOf(name))))
  const before = await cpuOf()
  const start = performance.now()
  await work()
  const ms = performance.now() - start
  const held = await Promise.all(services.map((name) => world.heldMs(name)))
  const after = await cpuOf()
  const by = (values: readonly number[]) =>
    Object.fromEntries(services.map((name, index) => [name, values[index] ?? Number.NaN]))
  return {
    ms,
    cpuMs: by(after.map((one, index) => (one - (before[index] ?? 0)) / 1000)),
    heldMs: by(held),
  }
}

/** Gives the longest hold of all. */
const measureHostile = async (): Promise<number> => {
  await world.begin()
  await world.setVariable('LONG', 'x'.repeat(4_000))
  await world.setVariable('SET', 'y')
  const held: number[] = []
  const rows: string[][] = []
  for (const [name, text] of Object.entries(hostileDocuments)) {
    const answers: number[] = []
    const one = await measure(async () => {
      answers.push(await world.offer('/config/validate', text))
      answers.push(await world.offer('/config/apply', text))
    })
    const own = services.map((service) => one.heldMs[service] ?? Number.NaN)
    held.push(...own)
    rows.push([name, answers.join(', '), one.ms.toFixed(0), ...own.map((ms) => ms.toFixed(0))])
  }
  printTable(['hostile', 'answers', 'ms', ...services.map((name) => `${name} held ms`)], rows)
  return Math.max(...held)
}

printMachine()
const world = await openWorld()
try {
  const work: Record<string, () => Promise<unknown>> = {
    'plan, all new': () => world.apply(documentOf(60), 'dryRun=true'),
    'apply, all new': () => world.apply(documentOf(60)),
    'apply, nothing changed': () => world.apply(documentOf(60)),
    'apply, all changed': () => world.apply(documentOf(90)),
    export: () => world.export(),
    drift: () => world.offer('/config/drift'),
    rollback: async () =>
      world.offer(`/config/versions/${await world.firstVersion()}/rollback`, ''),
    'apply, all removed': () =>
      world.apply(`${documentOf(60).split('spec:')[0]}spec: {}\n`, 'prune=true'),
  }
  const measured = new Map<string, Measured[]>(Object.keys(work).map((name) => [name, []]))
  for (let round = 0; round < rounds; round++) {
    await world.begin()
    for (const [name, run] of Object.entries(work)) {
      measured.get(name)?.push(await measure(run))
    }
  }
  const middle = (name: string, of: (one: Measured) => number) =>
    median((measured.get(name) ?? []).map(of))
  printTable(
    ['', 'ms', ...services.map((name) => `${name}: CPU ms, held ms`)],
    Object.keys(work).map((name) => [
      name,
      middle(name, ({ ms }) => ms).toFixed(0),
      ...services.map((service) =>
        [
          middle(name, ({ cpuMs }) => cpuMs[service] ?? Number.NaN).toFixed(0),
          middle(name, ({ heldMs }) => heldMs[service] ?? Number.NaN).toFixed(0),
        ].join(', '),
      ),
    ]),
  )
  const worst = Object.keys(work).flatMap((name) =>
    services.map((service) => middle(name, ({ heldMs }) => heldMs[service] ?? Number.NaN)),
  )
  const hostile = await measureHostile()
  printTargets([
    { name: 'plan', measured: middle('plan, all new', ({ ms }) => ms), atMost: 1_000, unit: 'ms' },
    {
      name: 'apply',
      measured: middle('apply, all new', ({ ms }) => ms),
      atMost: 5_000,
      unit: 'ms',
    },
    { name: 'longest hold of an event loop', measured: Math.max(...worst), atMost: 50, unit: 'ms' },
    { name: 'the same, hostile documents', measured: hostile, atMost: 50, unit: 'ms' },
  ])
} finally {
  await world.close()
}
process.exit(0)
