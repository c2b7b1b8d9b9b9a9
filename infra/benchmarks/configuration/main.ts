/**
 * `pnpm --filter infra benchmark:configuration`: plans, applies, re-applies and exports a document
 * of 1,000 components, then sends hostile documents, and prints the longest event-loop hold of each
 * service. Settings: COMPONENTS, ROUNDS.
 */
import { setTimeout as pause } from 'node:timers/promises'
import { cpuMicros } from '../measure/cpu.ts'
import { median } from '../measure/percentile.ts'
import { printMachine, printTable, printTargets } from '../measure/print.ts'
import { numberSetting } from '../measure/settings.ts'
import { hostileDocuments } from './hostile.ts'
import { type ConfigurationBenchmark, startBenchmark } from './setup.ts'

const components = numberSetting('COMPONENTS', 1_000)
const rounds = numberSetting('ROUNDS', 3)

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
}

const services = ['config-sync', 'core'] as const

type Service = (typeof services)[number]

/**
 * Pause between measurements, so that event handling of one change does not count toward the next.
 */
const SETTLE_MS = 6_000

const workOf = (world: ConfigurationBenchmark): Record<string, () => Promise<unknown>> => ({
  'plan, all new': () => world.apply(documentOf(60), 'dryRun=true'),
  'apply, all new': () => world.apply(documentOf(60)),
  'apply, nothing changed': () => world.apply(documentOf(60)),
  'apply, all changed': () => world.apply(documentOf(90)),
  export: () => world.export(),
  drift: () => world.offer('/config/drift'),
  rollback: async () => world.offer(`/config/versions/${await world.firstVersion()}/rollback`, ''),
  'apply, all removed': () =>
    world.apply(`${documentOf(60).split('spec:')[0]}spec: {}\n`, 'prune=true'),
})

/** Runs each kind of work once per round, in an organization of its own. */
const inRounds = async <T>(
  world: ConfigurationBenchmark,
  measure: (work: () => Promise<unknown>) => Promise<T>,
): Promise<Map<string, T[]>> => {
  const measured = new Map<string, T[]>()
  for (let round = 0; round < rounds; round++) {
    await world.begin()
    for (const [name, work] of Object.entries(workOf(world))) {
      measured.set(name, [...(measured.get(name) ?? []), await measure(work)])
      await pause(SETTLE_MS)
    }
  }
  return measured
}

const byService = (values: readonly number[]) =>
  Object.fromEntries(services.map((name, index) => [name, values[index] ?? Number.NaN]))

const takeTimes = async (): Promise<Map<string, Measured[]>> => {
  const world = await startBenchmark({ isProbed: false })
  const cpuOf = () => Promise.all(services.map((name) => cpuMicros(world.originOf(name))))
  try {
    return await inRounds(world, async (work) => {
      const before = await cpuOf()
      const start = performance.now()
      await work()
      const ms = performance.now() - start
      const after = await cpuOf()
      return {
        ms,
        cpuMs: byService(after.map((one, index) => (one - (before[index] ?? 0)) / 1000)),
      }
    })
  } finally {
    await world.close()
  }
}

type Held = Record<string, number>

const holdOf = async (
  world: ConfigurationBenchmark,
  work: () => Promise<unknown>,
): Promise<Held> => {
  // Resets the measured latencies for the next measurement.
  for (const name of services) await world.heldMs(name)
  await work()
  return byService(await Promise.all(services.map((name) => world.heldMs(name))))
}

const takeHolds = async () => {
  const world = await startBenchmark({ isProbed: true })
  try {
    const ordinary = await inRounds(world, (work) => holdOf(world, work))
    return { ordinary, hostile: await takeHostile(world) }
  } finally {
    await world.close()
  }
}

interface Judged {
  held: Held
  answers: string
}

const takeHostile = async (world: ConfigurationBenchmark): Promise<Map<string, Judged>> => {
  await world.begin()
  await world.setVariable('LONG', 'x'.repeat(4_000))
  await world.setVariable('SET', 'y')
  const measured = new Map<string, Judged>()
  for (const [name, text] of Object.entries(hostileDocuments)) {
    const answers: number[] = []
    const held = await holdOf(world, async () => {
      answers.push(await world.offer('/config/validate', text))
      answers.push(await world.offer('/config/apply', text))
    })
    measured.set(name, { held, answers: answers.join(', ') })
  }
  return measured
}

await printMachine()
const times = await takeTimes()
const { ordinary, hostile } = await takeHolds()
const msOf = (name: string) => median((times.get(name) ?? []).map(({ ms }) => ms))
const cpuOf = (name: string, service: Service) =>
  median((times.get(name) ?? []).map(({ cpuMs }) => cpuMs[service] ?? Number.NaN))
const heldOf = (name: string, service: Service) =>
  Math.max(...(ordinary.get(name) ?? []).map((held) => held[service] ?? Number.NaN))
const figure = (value: number) => value.toFixed(0)
printTable(
  ['', 'ms', ...services.flatMap((name) => [`${name}: CPU ms`, 'held ms'])],
  [...times.keys()].map((name) => [
    name,
    figure(msOf(name)),
    ...services.flatMap((one) => [figure(cpuOf(name, one)), figure(heldOf(name, one))]),
  ]),
)
printTable(
  ['hostile', 'answers', ...services.map((name) => `${name} held ms`)],
  [...hostile].map(([name, { held, answers }]) => [
    name,
    answers,
    ...services.map((service) => figure(held[service] ?? Number.NaN)),
  ]),
)
const longest = (holds: Iterable<Held>) =>
  Math.max(...[...holds].flatMap((held) => services.map((name) => held[name] ?? Number.NaN)))
const hostileHolds = [...hostile.values()].map((one) => one.held)
const held = longest([...ordinary.values()].flat())
printTargets([
  { name: 'plan', measured: msOf('plan, all new'), atMost: 1_000, unit: 'ms' },
  { name: 'apply', measured: msOf('apply, all new'), atMost: 5_000, unit: 'ms' },
  { name: 'longest hold of an event loop', measured: held, atMost: 50, unit: 'ms' },
  { name: 'of a hostile document', measured: longest(hostileHolds), atMost: 50, unit: 'ms' },
])
process.exit(0)
