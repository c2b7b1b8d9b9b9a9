/**
 * `pnpm --filter infra benchmark:lists`: pages of 100 from many components and incidents, for every
 * filter and order, with the processor time of each and the scans that Postgres used. Settings:
 * COMPONENTS, INCIDENTS, ORGANIZATIONS (others of the same size), REQUESTS of each kind.
 */
import { median, percentile } from '../measure/percentile.ts'
import { printMachine, printTable, printTargets } from '../measure/print.ts'
import { numberSetting } from '../measure/settings.ts'
import { type ListsBenchmark, ORGANIZATION, startBenchmark } from './setup.ts'

const sizes = {
  components: numberSetting('COMPONENTS', 10_000),
  incidents: numberSetting('INCIDENTS', 50_000),
  organizations: numberSetting('ORGANIZATIONS', 3),
}
const requests = numberSetting('REQUESTS', 200)
const WARM_REQUESTS = 5
const P95 = 0.95

const listPathsOf = async ({ sql }: ListsBenchmark): Promise<Record<string, string>> => {
  const [row] = await sql<{ component: string; parent: string; from: Date }[]>`
    SELECT component_id AS component,
      (SELECT parent_component_id FROM core.components WHERE organization_id = ${ORGANIZATION}
        AND parent_component_id IS NOT NULL LIMIT 1) AS parent,
      now() - interval '30 days' AS from
    FROM core.incident_components WHERE organization_id = ${ORGANIZATION} LIMIT 1`
  const { component, parent, from } = row ?? { component: '', parent: '', from: new Date() }
  const day = 86_400_000
  const to = new Date(from.getTime() + day).toISOString()
  const list = (noun: string, query: string) => `/api/v1/${noun}?pageSize=100&${query}`
  const components = Object.entries({
    'components, first page': '',
    'components, page 50': 'page=50',
    'components by type': 'type=SERVICE',
    'components with checks': 'type=ENDPOINT',
    'components by status': 'status=major_outage',
    'components of a parent': `parentId=${parent}`,
    'components without a parent': 'topLevelOnly=true',
    'components by search': 'search=onent%2099',
    'components, newest first': 'sortBy=createdAt',
    'components by name, backwards': 'sortBy=name&sortOrder=desc',
    'components by severity': 'sortBy=status',
    'components with children': 'include=subComponents',
  }).map(([name, query]) => [name, list('components', query)])
  const incidents = Object.entries({
    'incidents, first page': '',
    'incidents, page 400': 'page=400',
    'incidents, open': 'resolved=false',
    'incidents, resolved': 'resolved=true',
    'incidents by status': 'status=investigating',
    'incidents by impact': 'impact=critical',
    'incidents of a component': `componentId=${component}`,
    'incidents of a day': `from=${from.toISOString()}&to=${to}`,
    'incidents by search': 'search=dent%204999',
    'incidents by change': 'sortBy=updatedAt',
    'incidents by beginning': 'sortBy=startedAt',
    'incidents by end': 'sortBy=resolvedAt',
    'incidents by title': 'sortBy=title',
    'incidents with updates': 'include=updates',
  }).map(([name, query]) => [name, list('incidents', query)])
  return Object.fromEntries([...components, ...incidents])
}

interface Measured {
  times: number[]
  /** Processor time of one request, in ms. */
  cpuMs: { core: number; monitor: number; postgres: number }
}

const measure = async (benchmark: ListsBenchmark, path: string): Promise<Measured> => {
  const timesOf = async (count: number): Promise<number[]> => {
    const times: number[] = []
    for (let request = 0; request < count; request += 1) {
      const { status, ms } = await benchmark.request(path)
      if (status !== 200) throw new Error(`${path}: ${status}`)
      times.push(ms)
    }
    return times
  }
  await timesOf(WARM_REQUESTS)
  const before = benchmark.cpuMicros()
  const times = await timesOf(requests)
  const after = benchmark.cpuMicros()
  const perRequest = (name: keyof typeof after) => (after[name] - before[name]) / requests / 1_000
  return {
    times,
    cpuMs: {
      core: perRequest('core'),
      monitor: perRequest('monitor'),
      postgres: perRequest('postgres'),
    },
  }
}

/**
 * Scan nodes of the logged plans, without duplicates. Jobs that ran at the same time log their
 * plans, too.
 */
const scansIn = (log: string): string[] => {
  const plans = log.split(/^(?=.*LOG: +duration)/m).filter((plan) => plan.includes(ORGANIZATION))
  const nodes = plans
    .join('')
    .matchAll(
      /(Seq Scan|Index Only Scan|Index Scan|Bitmap Index Scan)(?: Backward)?(?: using| on)? ?(\S+)(?: on (\S+))?/g,
    )
  const scans = [...nodes].map(([, kind, first, second]) => `${kind} ${second ?? first}`)
  return [...new Set(scans)]
}

await printMachine()
console.log(
  `\n${sizes.components} components and ${sizes.incidents} incidents in each of ` +
    `${sizes.organizations + 1} organizations`,
)
const benchmark = await startBenchmark(sizes)
try {
  const paths = Object.entries(await listPathsOf(benchmark))
  const rows: string[][] = []
  const latenciesMs: number[] = []
  const logs = new Map<string, string>()
  const measured = new Map<string, Measured>()
  for (const [name, path] of paths) measured.set(name, await measure(benchmark, path))
  await benchmark.logPlans()
  for (const [name, path] of paths) {
    await benchmark.request(path)
    logs.set(name, await benchmark.readLogOf(() => benchmark.request(path)))
  }
  for (const [name, path] of paths) {
    const { times, cpuMs } = measured.get(name) as Measured
    const { total } = await benchmark.request(path)
    const scans = scansIn(logs.get(name) ?? '')
    const sequential = scans.filter((scan) => scan.startsWith('Seq Scan'))
    latenciesMs.push(percentile(times, P95))
    rows.push([
      name,
      String(total),
      median(times).toFixed(1),
      percentile(times, P95).toFixed(1),
      cpuMs.core.toFixed(1),
      cpuMs.monitor.toFixed(1),
      cpuMs.postgres.toFixed(1),
      sequential.length === 0 ? 'by index' : sequential.join(', '),
    ])
  }
  const cpu = ['core: CPU ms', 'monitor', 'postgres']
  printTable(['a page of 100', 'total', 'p50 ms', 'p95 ms', ...cpu, 'scans'], rows)
  const slowest = Math.max(...latenciesMs)
  printTargets([{ name: 'p95 of the slowest list', measured: slowest, atMost: 30, unit: 'ms' }])
} finally {
  await benchmark.close()
}
process.exit(0)
