/**
 * Boundaries of imports: a rule is a pattern of one import, dependencies are declared, and files and
 * folders have no cycles. Biome checks the imports of network modules, because it knows the imported
 * names.
 */
import { dirname, join } from 'node:path'
import { Visitor } from 'oxc-parser'
import type { Source } from './source.ts'

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
/** Own modules, of packages and of folders. */
const OWN = '(?:packages|services|infra|e2e|scripts)/'
/** File below a feature folder of a service. */
const FEATURE = /^services\/[^/]+\/src\/[^/]+\//
const TEST = /[.](?:test|fixture|test-kit|test-program|replica)[.]ts$/

export interface ModuleImport {
  from: string
  /** Path of an own file; the specifier of any other module. */
  to: string
  isType: boolean
  /** Package of the specifier; null for a path and for a module of Node. */
  dependency: string | null
}

export interface PackageWorkspace {
  /** Exported files by the specifiers of the own packages, such as `@status-page/bus/permissions`. */
  exportedFiles: ReadonlyMap<string, string>
  /** Declared dependencies by the folder of the package. */
  dependencies: ReadonlyMap<string, ReadonlySet<string>>
}

interface ImportRule {
  name: string
  /** Pattern of a forbidden import, as `from → to`. */
  forbidden: RegExp
  allowsTests?: true
  allowsTypes?: true
}

const forbidden = (from: string, to: string) => new RegExp(`^${from} → ${to}`)

const packageRules = Object.entries(LAYERS).map(([name, lower]) => ({
  name: `packages/${name} imports only ${lower.join(', ') || 'itself'}`,
  forbidden: forbidden(
    `packages/${name}/src/.+`,
    `(?!packages/(?:${[name, ...lower].join('|')})/)${OWN}`,
  ),
  allowsTests: true as const,
}))

/** Files of a service with this name: packages and own files that they do not import. */
const kindRule = (kind: string, name: string, to: string): ImportRule => ({
  name,
  forbidden: forbidden(`services/.+/(?:${kind})[.]ts`, to),
})

const packagesExcept = (...names: string[]) => `packages/(?!(?:${names.join('|')})/)`
const files = (...names: string[]) => `services/.+/(?:${names.join('|')})[.]ts$`

const rules: ImportRule[] = [
  ...packageRules,
  {
    name: 'services import packages, never each other',
    forbidden: forbidden(
      'services/([^/]+)/src/.+',
      `(?!services/\\1/|packages/(?:${Object.keys(LAYERS).join('|')})/)${OWN}`,
    ),
    allowsTests: true,
  },
  {
    name: 'the dashboard imports types of the contracts, slugs, and values in api/contract*.ts only',
    forbidden: forbidden(
      'packages/dashboard/src/(?!.*api/contract[a-z-]*[.]ts →).+',
      'packages/contracts/(?!.*src/slug[.]ts$)',
    ),
    allowsTests: true,
    allowsTypes: true,
  },
  kindRule('rules', 'rules import contracts and markdown', packagesExcept('contracts', 'markdown')),
  kindRule('rules', 'rules are pure', files('routes', 'handlers', 'jobs', 'store')),
  kindRule('rules', 'rules import nothing of Node', 'node:'),
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

/** Returns the imports in all forms with a literal specifier. */
export function importsOf(
  { file, text, module, program }: Source,
  { exportedFiles }: PackageWorkspace,
): ModuleImport[] {
  const imports: ModuleImport[] = []
  const add = (specifier: string, isType: boolean) => {
    const isPath = specifier.startsWith('.')
    const to = isPath ? join(dirname(file), specifier) : (exportedFiles.get(specifier) ?? specifier)
    const dependency = isPath ? null : packageNameIn(specifier)
    imports.push({ from: file, to, isType, dependency })
  }
  for (const { moduleRequest, entries } of module.staticImports) {
    add(moduleRequest.value, entries.length > 0 && entries.every(({ isType }) => isType))
  }
  for (const { entries } of module.staticExports) {
    for (const { moduleRequest, isType } of entries) {
      if (moduleRequest !== null) add(moduleRequest.value, isType)
    }
  }
  if (!text.includes('import(')) return imports
  new Visitor({
    ImportExpression({ source }) {
      if (source.type === 'Literal') add(String(source.value), false)
    },
    TSImportType: ({ source }) => add(source.value, true),
  }).visit(program)
  return imports
}

/** Returns null for a module of Node (`node:fs`). */
const packageNameIn = (specifier: string): string | null =>
  /^(?:@[^/]+\/)?[^/:]+(?=\/|$)/.exec(specifier)?.[0] ?? null

/** Returns the violations of rules, undeclared dependencies, imports of missing files, and cycles. */
export function checkImports(
  imports: readonly ModuleImport[],
  { dependencies }: PackageWorkspace,
  files: ReadonlySet<string>,
): string[] {
  const isDeclared = ({ from, dependency }: ModuleImport) =>
    dependency === null || dependencies.get(packageFolderOf(from))?.has(dependency)
  const isPresent = ({ to, dependency }: ModuleImport) =>
    dependency !== null || to.startsWith('node:') || files.has(to)
  return [
    ...imports.flatMap(violations),
    ...imports
      .filter((one) => !isDeclared(one) && !TEST.test(one.from))
      .map(({ from, dependency }) => `dependencies are declared: ${from} → ${dependency}`),
    ...imports
      .filter((one) => !isPresent(one))
      .map(({ from, to }) => `a path is that of a file: ${from} → ${to}`),
    ...cyclesIn(graphOf(imports)).map((cycle) => `files have no cycles: ${cycle.join(', ')}`),
    ...cyclesIn(folderGraphOf(imports)).map(
      (cycle) => `folders have no cycles: ${cycle.join(', ')}`,
    ),
  ]
}

/** Folder of the package that contains the file; the root for scripts. */
const packageFolderOf = (file: string): string =>
  /^(?:(?:packages|services)\/[^/]+|e2e|infra)(?=\/)/.exec(file)?.[0] ?? '.'

function violations({ from, to, isType }: ModuleImport): string[] {
  const text = `${from} → ${to}`
  return rules
    .filter(
      ({ forbidden, allowsTests, allowsTypes }) =>
        forbidden.test(text) && !(allowsTests && TEST.test(from)) && !(allowsTypes && isType),
    )
    .map(({ name }) => `${name}: ${text}`)
}

/** Imported nodes of each node, with an import as an example. */
type ImportGraph = Map<string, Map<string, string>>

function graphOf(imports: readonly ModuleImport[], nodeOf = (file: string) => file): ImportGraph {
  const graph: ImportGraph = new Map()
  for (const { from, to } of imports) {
    const targets = graph.get(nodeOf(from)) ?? new Map<string, string>()
    graph.set(nodeOf(from), targets.set(nodeOf(to), `${from} → ${to}`))
  }
  return graph
}

/** Folders of a service; a folder and its own subfolders may import each other. */
function folderGraphOf(imports: readonly ModuleImport[]): ImportGraph {
  const between = imports.filter(({ from, to }) => {
    const isFeature = FEATURE.test(from) && FEATURE.test(to) && !TEST.test(from)
    return (
      isFeature && !isWithin(dirname(from), dirname(to)) && !isWithin(dirname(to), dirname(from))
    )
  })
  return graphOf(between, dirname)
}

const isWithin = (folder: string, parent: string): boolean => `${folder}/`.startsWith(`${parent}/`)

/** Returns at least one cycle of each group of nodes that have cycles, as its imports. */
function cyclesIn(graph: ImportGraph): string[][] {
  const cycles: string[][] = []
  const finished = new Set<string>()
  const path: string[] = []
  const imports: string[] = []
  const visit = (node: string) => {
    const start = path.indexOf(node)
    if (start !== -1) cycles.push(imports.slice(start))
    if (start !== -1 || finished.has(node)) return
    path.push(node)
    for (const [next, example] of graph.get(node) ?? []) {
      imports.push(example)
      visit(next)
      imports.pop()
    }
    path.pop()
    finished.add(node)
  }
  for (const node of graph.keys()) visit(node)
  return cycles
}
