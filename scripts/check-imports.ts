/**
 * Boundaries of imports. Layers and kinds of files are rules of dependency-cruiser. Cycles between
 * folders are searched in its graph, because its own rule counts those of a folder and its subfolders.
 * Biome checks the imports of network modules, because it knows the imported names.
 */
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { cruise, type ICruiseResult, type IForbiddenRuleType } from 'dependency-cruiser'

/** Packages that each package imports; services import all of these. */
const LAYERS: Record<string, readonly string[]> = {
  contracts: [],
  client: [],
  agent: ['client', 'contracts', 'concurrency', 'outbound', 'probes', 'schedule', 'secrets'],
  cli: ['agent', 'client'],
  dashboard: ['client', 'contracts', 'markdown'],
  markdown: [],
  tracing: [],
  concurrency: ['contracts'],
  secrets: ['contracts', 'concurrency'],
  outbound: ['contracts', 'concurrency'],
  probes: ['contracts', 'concurrency', 'outbound', 'secrets'],
  postgres: ['contracts', 'concurrency', 'secrets', 'tracing'],
  bus: ['contracts', 'concurrency', 'postgres', 'tracing'],
  schedule: ['contracts', 'concurrency', 'postgres'],
  service: ['contracts', 'concurrency', 'secrets', 'postgres', 'bus', 'schedule', 'tracing'],
  html: ['contracts', 'markdown', 'service'],
}
/** Own modules; those of an undeclared dependency are not resolved. */
const OWN = '^(packages|services|infra|e2e|scripts|@status-page)/'
/** File below a feature folder of a service. */
const FEATURE = /^services\/[^/]+\/src\/[^/]+\//
const TEST = '[.](test|fixture|test-kit|test-program|replica)[.]ts$'

const packageRules = Object.entries(LAYERS).map(([name, lower]) => ({
  name: `packages/${name} imports only ${lower.join(', ') || 'itself'}`,
  from: { path: `^packages/${name}/src/`, pathNot: TEST },
  to: { path: OWN, pathNot: `^packages/(${[name, ...lower].join('|')})/` },
}))

/** Files of a service with this name: packages and own files that they do not import. */
const kindRule = (kind: string, name: string, forbidden: string) => ({
  name,
  from: { path: `^services/.+/(${kind})[.]ts$` },
  to: { path: forbidden },
})

const packagesExcept = (...names: string[]) => `^packages/(?!(${names.join('|')})/)`
const files = (...names: string[]) => `^services/.+/(${names.join('|')})[.]ts$`

const rules: IForbiddenRuleType[] = [
  {
    name: 'files have no cycles',
    from: {},
    to: { circular: true },
  },
  ...packageRules,
  {
    name: 'services import packages, never each other',
    from: { path: '^services/([^/]+)/src/', pathNot: TEST },
    to: { path: OWN, pathNot: `^(services/$1|packages/(${Object.keys(LAYERS).join('|')}))/` },
  },
  {
    name: 'the dashboard imports types of the contracts, slugs, and values in api/contract*.ts only',
    from: { path: '^packages/dashboard/src/', pathNot: `api/contract[a-z-]*[.]ts$|${TEST}` },
    to: {
      path: '^packages/contracts/',
      pathNot: 'src/slug[.]ts$',
      dependencyTypesNot: ['type-only'],
    },
  },
  kindRule('rules', 'rules import contracts and markdown', packagesExcept('contracts', 'markdown')),
  kindRule('rules', 'rules are pure', files('routes', 'handlers', 'jobs', 'store')),
  {
    name: 'rules import nothing of Node',
    from: { path: files('rules') },
    to: { dependencyTypes: ['core'] },
  },
  kindRule(
    'store',
    'stores import contracts and the database',
    packagesExcept('contracts', 'postgres', 'secrets'),
  ),
  kindRule(
    'store|routes|handlers|jobs',
    'routes, handlers and jobs are imported by the app only',
    files('routes', 'handlers', 'jobs', 'app'),
  ),
]

const options = {
  ruleSet: { forbidden: rules.map((rule) => ({ severity: 'error' as const, ...rule })) },
  validate: true,
  tsPreCompilationDeps: true,
  doNotFollow: { path: 'node_modules' },
  exclude: { path: 'node_modules|/dist/' },
  enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import'] },
}

/**
 * Imports that close a cycle between folders of a service, an example each. A folder and its own
 * subfolders may import each other.
 */
const folderCycles = ({ modules }: ICruiseResult): string[] => {
  const imports = new Map<string, Map<string, string>>()
  for (const { source, dependencies } of modules) {
    if (!FEATURE.test(source) || new RegExp(TEST).test(source)) continue
    const from = dirname(source)
    const targets = imports.get(from) ?? new Map<string, string>()
    imports.set(from, targets)
    for (const { resolved } of dependencies) {
      const to = dirname(resolved)
      if (!FEATURE.test(resolved) || isWithin(from, to) || isWithin(to, from)) continue
      targets.set(to, `${source} → ${resolved}`)
    }
  }
  const reaches = (from: string, to: string, seen = new Set<string>()): boolean =>
    from === to ||
    (!seen.has(from) &&
      [...(imports.get(from)?.keys() ?? [])].some((next) => reaches(next, to, seen.add(from))))
  return [...imports].flatMap(([from, targets]) =>
    [...targets].flatMap(([to, example]) => (reaches(to, from) ? [example] : [])),
  )
}

const isWithin = (folder: string, parent: string): boolean => `${folder}/`.startsWith(`${parent}/`)

process.chdir(fileURLToPath(new URL('..', import.meta.url)))
const { output } = await cruise(['packages', 'services', 'infra', 'e2e', 'scripts'], options)
const result = output as ICruiseResult
const findings = [
  ...result.summary.violations.map(
    ({ rule, from, to, cycle }) =>
      `${rule.name}: ${from} → ${cycle?.map(({ name }) => name).join(' → ') ?? to}`,
  ),
  ...folderCycles(result).map((example) => `folders have no cycles: ${example}`),
]
for (const finding of findings) console.error(finding)
console.log(`${result.summary.totalCruised} files, ${findings.length} findings of imports`)
process.exitCode = findings.length > 0 ? 1 : 0
