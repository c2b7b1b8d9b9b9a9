/**
 * `pnpm --filter infra benchmark:configuration`: plans, applies, re-applies and exports a document
 * of 1,000 components, then sends hostile documents, and prints the longest turn of the event loop
 * of each service. Settings: COMPONENTS, ROUNDS.
 */
import { setTimeout as pause } from 'node:timers/promises'
import { cpuMicros } from '../measure/cpu.ts'
import { median } from '../measure/percentile.ts'
import { printMachine, printTable, printTargets } from '../measure/print.ts'
import { numberSetting } from '../measure/settings.ts'
import { hostileDocuments } from './hostile-documents.ts'
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

const operationsOf = (
  benchmark: ConfigurationBenchmark,
): Record<string, () => Promise<unknown>> => ({
  'plan, all new': () => benchmark.apply(documentOf(60), 'dryRun=true'),
  'apply, all new': () => benchmark.apply(documentOf(60)),
  'apply, nothing changed': () => benchmark.apply(documentOf(60)),
  'apply, all changed': () => benchmark.apply(documentOf(90)),
  export: () => benchmark.export(),
  drift: () => benchmark.requestStatus('/config/drift'),
  rollback: async () =>
    benchmark.requestStatus(`/config/versions/${await benchmark.findFirstVersion()}/rollback`, ''),
  'apply, all removed': () =>
    benchmark.apply(`${documentOf(60).split('spec:')[0]}spec: {}\n`, 'prune=true'),
})

/** Measures each operation once per round, in an organization of its own. */
const measureInRounds = async <T>(
  benchmark: ConfigurationBenchmark,
  measure: (work: () => Promise<unknown>) => Promise<T>,
): Promise<Map<string, T[]>> => {
  const measured = new Map<string, T[]>()
  for (let round = 0; round < rounds; round++) {
    await benchmark.registerOrganization()
    for (const [name, work] of Object.entries(operationsOf(benchmark))) {
      measured.set(name, [...(measured.get(name) ?? []), await measure(work)])
      await pause(SETTLE_MS)
    }
  }
  return measured
}

const byService = (values: readonly number[]) =>
  Object.fromEntries(services.map((name, index) => [name, values[index] ?? Number.NaN]))

const measureTimes = async (): Promise<Map<string, Measured[]>> => {
  const benchmark = await startBenchmark({ isProbed: false })
  const cpuOf = () => Promise.all(services.map((name) => cpuMicros(benchmark.originOf(name))))
  try {
    return await measureInRounds(benchmark, async (work) => {
      const before = await cpuOf()
      const start = performance.now()
      await work()
      const ms = performance.now() - start
      const after = await cpuOf()
      return {
        ms,
        cpuMs: byService(after.map((micros, index) => (micros - (before[index] ?? 0)) / 1000)),
      }
    })
  } finally {
    await benchmark.close()
  }
}

/** Longest turn of the event loop by service, in ms of processor time. */
type LongestTurns = Record<string, number>

const measureLongestTurns = async (
  benchmark: ConfigurationBenchmark,
  work: () => Promise<unknown>,
): Promise<LongestTurns> => {
  // Reading the values resets them.
  for (const name of services) await benchmark.longestTurnMs(name)
  await work()
  return byService(await Promise.all(services.map((name) => benchmark.longestTurnMs(name))))
}

const measureTurns = async () => {
  const benchmark = await startBenchmark({ isProbed: true })
  try {
    const ordinary = await measureInRounds(benchmark, (work) =>
      measureLongestTurns(benchmark, work),
    )
    return { ordinary, hostile: await measureHostileDocuments(benchmark) }
  } finally {
    await benchmark.close()
  }
}

interface HostileResult {
  turns: LongestTurns
  /** Status codes of the validation and of the apply. */
  statuses: string
}

const measureHostileDocuments = async (
  benchmark: ConfigurationBenchmark,
): Promise<Map<string, HostileResult>> => {
  await benchmark.registerOrganization()
  await benchmark.setVariable('LONG', 'x'.repeat(4_000))
  await benchmark.setVariable('SET', 'y')
  const measured = new Map<string, HostileResult>()
  for (const [name, text] of Object.entries(hostileDocuments)) {
    const statuses: number[] = []
    const turns = await measureLongestTurns(benchmark, async () => {
      statuses.push(await benchmark.requestStatus('/config/validate', text))
      statuses.push(await benchmark.requestStatus('/config/apply', text))
    })
    measured.set(name, { turns, statuses: statuses.join(', ') })
  }
  return measured
}

await printMachine()
const times = await measureTimes()
const { ordinary, hostile } = await measureTurns()
const msOf = (name: string) => median((times.get(name) ?? []).map(({ ms }) => ms))
const cpuOf = (name: string, service: Service) =>
  median((times.get(name) ?? []).map(({ cpuMs }) => cpuMs[service] ?? Number.NaN))
const longestTurnOf = (name: string, service: Service) =>
  Math.max(...(ordinary.get(name) ?? []).map((turns) => turns[service] ?? Number.NaN))
const rounded = (value: number) => value.toFixed(0)
printTable(
  ['', 'ms', ...services.flatMap((name) => [`${name}: CPU ms`, 'longest turn ms'])],
  [...times.keys()].map((name) => [
    name,
    rounded(msOf(name)),
    ...services.flatMap((service) => [
      rounded(cpuOf(name, service)),
      rounded(longestTurnOf(name, service)),
    ]),
  ]),
)
printTable(
  ['hostile document', 'status codes', ...services.map((name) => `${name}: longest turn ms`)],
  [...hostile].map(([name, { turns, statuses }]) => [
    name,
    statuses,
    ...services.map((service) => rounded(turns[service] ?? Number.NaN)),
  ]),
)
const longest = (measured: readonly LongestTurns[]) =>
  Math.max(...measured.flatMap((turns) => services.map((name) => turns[name] ?? Number.NaN)))
const ordinaryTurns = [...ordinary.values()].flat()
const hostileTurns = [...hostile.values()].map(({ turns }) => turns)
printTargets([
  { name: 'plan', measured: msOf('plan, all new'), atMost: 1_000, unit: 'ms' },
  { name: 'apply', measured: msOf('apply, all new'), atMost: 5_000, unit: 'ms' },
  { name: 'longest turn', measured: longest(ordinaryTurns), atMost: 50, unit: 'ms' },
  { name: 'longest turn, hostile', measured: longest(hostileTurns), atMost: 50, unit: 'ms' },
])
process.exit(0)
