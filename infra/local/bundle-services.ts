/**
 * Bundles of the services and of their child processes: one file for each and those that several
 * share, instead of several hundred modules. The packages of the repository and of npm are included,
 * except those with native code. Stack traces refer to the sources of the repository.
 */
import { globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createRequire, isBuiltin } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { decode, encode, type SourceMapSegment } from '@jridgewell/sourcemap-codec'
import { build, type OnLoadResult, type Plugin } from 'esbuild'

const repository = fileURLToPath(new URL('../..', import.meta.url))

/** Packages with native code, twilio, which few installations load, and tap, which tests load. */
const EXTERNAL = /^(?:@resvg\/resvg-js|bcrypt|sharp|twilio|tap)$/

/** Length of a line at which the next one begins: the runtime prints the line of a fatal error. */
const MAX_LINE = 200

/** Sources by the path of their bundle, without its extension. */
type EntryPoints = Readonly<Record<string, string>>

/** Modules that are loaded before a service; see `service-process.ts`. */
const preloaded: EntryPoints = {
  'local/exit-with-parent': join(repository, 'infra/local/exit-with-parent.ts'),
  'local/source-positions': join(repository, 'infra/local/source-positions.ts'),
}

/** Programs of the services; `app.ts` only loads the modules. */
const PROGRAMS = ['services/*/src/{main,app}.ts', 'services/*/src/**/{*-process,worker}.ts']

export interface BundleOptions {
  /** The repository, or a copy of it. */
  root?: string
  /** Further programs. */
  commands?: EntryPoints
}

/** Files of packages that the bundles need, next to those that they contain. */
export interface RuntimeFiles {
  /** Modules that the bundles import. */
  imported: Set<string>
  /** Modules in the bundles that find other files next to their source. */
  located: Set<string>
  /** Files that the bundles read. */
  named: Set<string>
}

/**
 * Writes `<service>/main.mjs`, `<service>/app.mjs`, `<service>/<program>.mjs`, the preloaded modules
 * and what they share into the folder. All files have the same depth.
 */
export async function bundleServices(
  folder: string,
  { root = repository, commands = {} }: BundleOptions = {},
): Promise<RuntimeFiles> {
  const sources = globSync(PROGRAMS, { cwd: root })
  const programs = Object.fromEntries(sources.map((source) => [programOf(source), source]))
  const runtime: RuntimeFiles = { imported: new Set(), located: new Set(), named: new Set() }
  const { outputFiles } = await build({
    absWorkingDir: root,
    entryPoints: { ...programs, ...preloaded, ...commands },
    chunkNames: 'shared/[name]-[hash]',
    outdir: folder,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node24',
    sourcemap: 'linked',
    sourcesContent: false,
    legalComments: 'none',
    minifyWhitespace: true,
    lineLimit: MAX_LINE,
    logLevel: 'error',
    banner: { js: banner },
    plugins: [requiredBuiltins, externalPackages(runtime), originalLocations(runtime, programs)],
    write: false,
  })
  for (const { path, text } of outputFiles) {
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, path.endsWith('.map') ? withoutPackagePositions(text) : toAscii(text))
  }
  return runtime
}

/** `core/converter-process` of `services/core/src/uploads/images/converter-process.ts`. */
function programOf(source: string): string {
  return source.replace(/^(?:.*\/)?services\/([^/]+)\/src\/(?:.*\/)?([^/]+)\.ts$/, '$1/$2')
}

/**
 * V8 retains the source of a module, with two bytes per character if a single one is not in Latin-1.
 * esbuild escapes strings, but neither regular expressions nor templates.
 */
function toAscii(text: string): string {
  return text.replace(
    /[^\0-\x7f]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}

/** Source map with the lines of the repository only, a twelfth of its size. */
function withoutPackagePositions(text: string): string {
  const map = JSON.parse(text) as { sources: string[]; mappings: string }
  const isOwn = map.sources.map((source) => !source.includes('/node_modules/'))
  const lines = decode(map.mappings).map((segments) => {
    let last = ''
    return segments.flatMap((segment): SourceMapSegment[] => {
      const [column, source, line] = segment
      const isMapped = source !== undefined && isOwn[source] === true
      const position = isMapped ? `${source}:${line}` : ''
      if (position === last) return []
      last = position
      return [isMapped ? segment : [column]]
    })
  })
  return JSON.stringify({ ...map, mappings: encode(lines), names: [] })
}

/** `require` of CommonJS packages; only modules of Node are left to it. */
const banner = `
import { createRequire as createRequireOfBundle } from 'node:module'
const require = createRequireOfBundle(import.meta.url)
`

/**
 * Requires the modules of Node. An import statement would read all exports of a module, and thereby
 * load what is behind them: `node:http` alone loads the WebSocket client of Node.
 */
const requiredBuiltins: Plugin = {
  name: 'required builtins',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^[a-z]/ }, ({ path, kind }) =>
      kind === 'import-statement' && isBuiltin(path) ? { path, namespace: 'builtin' } : null,
    )
    onLoad({ filter: /.*/, namespace: 'builtin' }, ({ path }) => ({
      contents: `module.exports = require(${JSON.stringify(path)})`,
    }))
  },
}

/** Imports the packages by absolute location, since the bundle is outside of the repository. */
const externalPackages = ({ imported }: RuntimeFiles): Plugin => ({
  name: 'external packages',
  setup({ onResolve }) {
    onResolve({ filter: EXTERNAL }, ({ path, importer, kind }) => {
      const file = createRequire(importer).resolve(path)
      imported.add(file)
      const isRequired = kind === 'require-call' || kind === 'require-resolve'
      return { path: isRequired ? file : pathToFileURL(file).href, external: true }
    })
  },
})

/** Modules find their data files next to their source, and programs next to the bundle. */
const originalLocations = (runtime: RuntimeFiles, programs: EntryPoints): Plugin => ({
  name: 'original locations',
  setup({ onLoad }) {
    onLoad({ filter: /\.(?:ts|js|mjs|cjs)$/ }, ({ path }): OnLoadResult | null => {
      const text = readFileSync(path, 'utf8')
      if (!/\bimport\.meta\.|\b__(?:dirname|filename)\b/.test(text)) return null
      if (path.includes('/node_modules/')) runtime.located.add(path)
      const contents = withLocation(path, text, { runtime, programs })
      return { contents, loader: path.endsWith('.ts') ? 'ts' : 'js' }
    })
  },
})

/** URL of a program, location of a file in a package, and URL of the module. */
const LOCATIONS =
  /\bnew URL\('(?:\.\/)?([\w-]+\.ts)', import\.meta\.url\)|\bimport\.meta\.resolve\('([^']+)'\)|\bimport\.meta\.url\b/g

function withLocation(
  path: string,
  text: string,
  { runtime, programs }: { runtime: RuntimeFiles; programs: EntryPoints },
): string {
  const located = text.replaceAll(LOCATIONS, (_, program?: string, name?: string) => {
    if (program !== undefined) {
      const bundle = programOf(join(dirname(path), program))
      if (!(bundle in programs)) throw new Error(`${program} is not among the bundled programs.`)
      return `new URL('../${bundle}.mjs', import.meta.url)`
    }
    const file = name === undefined ? path : createRequire(path).resolve(name)
    if (name !== undefined) runtime.named.add(file)
    return JSON.stringify(pathToFileURL(file).href)
  })
  if (!/\b__(?:dirname|filename)\b/.test(text)) return located
  const names = [
    `__dirname = ${JSON.stringify(dirname(path))}`,
    `__filename = ${JSON.stringify(path)}`,
  ]
  return `var ${names.join(', ')};${located}`
}

if (import.meta.main) await bundleServices(process.argv[2] ?? '')
