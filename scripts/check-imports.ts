/**
 * Boundaries of imports. Layers and kinds of files are rules of dependency-cruiser. Cycles between
 * folders are searched in its graph, because its own rule does not join a folder with its subfolders.
 * Biome checks the imports of network modules, because it knows the imported names.
 */
import { fileURLToPath } from 'node:url'
import { cruise, type ICruiseResult, type IForbiddenRuleType } from 'dependency-cruiser'

/** Packages that each package imports; services import all of these. */
const LAYERS: Record<string, readonly string[]> = {
  contracts: [],
  markdown: [],
  concurrency: ['contracts'],
  secrets: ['contracts', 'concurrency'],
  outbound: ['contracts', 'concurrency'],
  postgres: ['contracts', 'concurrency', 'secrets'],
  bus: ['contracts', 'concurrency', 'postgres'],
  schedule: ['contracts', 'concurrency', 'postgres'],
  service: ['contracts', 'concurrency', 'secrets', 'postgres', 'bus', 'schedule'],
}
/** Own modules; those of an undeclared dependency are not resolved. */
const OWN = '^(packages|services|infra|e2e|scripts|@status-page)/'
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
  kindRule('rules', 'rules import contracts only', packagesExcept('contracts')),
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

/** Folders whose subfolders still import each other in a cycle; the list may only shrink. */
const CYCLIC_FOLDERS = new Set([
  'services/core/src',
  'services/core/src/oncall',
  'services/core/src/status-pages',
  'services/monitor/src/checks',
])

const options = {
  ruleSet: { forbidden: rules.map((rule) => ({ severity: 'error' as const, ...rule })) },
  validate: true,
  tsPreCompilationDeps: true,
  doNotFollow: { path: 'node_modules' },
  exclude: { path: 'node_modules' },
  enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import'] },
}

/** Imports that close a cycle between folders of this depth, an example each, by parent. */
const folderCycles = ({ modules }: ICruiseResult, depth: 1 | 2): [parent: string, string][] => {
  const folder = new RegExp(`^((services/[^/]+/src(?:/[^/]+){${depth - 1}})/[^/]+)/`)
  const imports = new Map<string, Map<string, string>>()
  for (const { source, dependencies } of modules) {
    const [, from, parent] = folder.exec(source) ?? []
    if (from === undefined || new RegExp(TEST).test(source)) continue
    const targets = imports.get(from) ?? new Map<string, string>()
    imports.set(from, targets)
    for (const { resolved } of dependencies) {
      const [, to, parentOfTarget] = folder.exec(resolved) ?? []
      if (to === undefined || to === from || parent !== parentOfTarget) continue
      targets.set(to, `${source} → ${resolved}`)
    }
  }
  const reaches = (from: string, to: string, seen = new Set<string>()): boolean =>
    from === to ||
    (!seen.has(from) &&
      [...(imports.get(from)?.keys() ?? [])].some((next) => reaches(next, to, seen.add(from))))
  return [...imports].flatMap(([from, targets]) =>
    [...targets].flatMap(([to, example]): [string, string][] =>
      reaches(to, from) ? [[from.slice(0, from.lastIndexOf('/')), example]] : [],
    ),
  )
}

process.chdir(fileURLToPath(new URL('..', import.meta.url)))
const { output } = await cruise(['packages', 'services', 'infra', 'e2e', 'scripts'], options)
const result = output as ICruiseResult
const cycles = [...folderCycles(result, 1), ...folderCycles(result, 2)]
const cyclic = new Set(cycles.map(([parent]) => parent))
const findings = [
  ...result.summary.violations.map(
    ({ rule, from, to, cycle }) =>
      `${rule.name}: ${from} → ${cycle?.map(({ name }) => name).join(' → ') ?? to}`,
  ),
  ...cycles
    .filter(([parent]) => !CYCLIC_FOLDERS.has(parent))
    .map(([, example]) => `folders have no cycles: ${example}`),
  ...[...CYCLIC_FOLDERS.difference(cyclic)].map(
    (folder) => `${folder} has no cycles any more: remove it from the list`,
  ),
]
if (process.argv.includes('--folders')) for (const [, example] of cycles) console.log(example)
for (const finding of findings) console.error(finding)
console.log(`${result.summary.totalCruised} files, ${findings.length} findings of imports`)
process.exitCode = findings.length > 0 ? 1 : 0
