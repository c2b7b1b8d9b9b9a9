/**
 * Bundles of the services: one file for each and those that several share, instead of several
 * hundred modules. The packages of the repository and of npm are included, except those with native
 * code. Stack traces refer to the sources of the repository.
 */
import { globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { decode, encode, type SourceMapSegment } from '@jridgewell/sourcemap-codec'
import { build, type OnLoadResult, type Plugin } from 'esbuild'

const repository = fileURLToPath(new URL('../..', import.meta.url))

/** Packages with native code, one that few installations load, and that of tests. */
const EXTERNAL = /^(?:@resvg\/resvg-js|bcrypt|sharp|twilio|tap)$/

/** Length of a line at which the next one begins: the runtime prints the line of a fatal error. */
const MAX_LINE = 200

/** Generated next to the services; see `service-process.ts`. */
const PRELOADED = join(repository, 'infra/local/exit-with-parent.ts')

/**
 * Writes `<service>/main.mjs`, `<service>/app.mjs`, which only loads the modules, the module that is
 * loaded before them, and what services share into the folder. `root` is the repository, or a copy
 * of it.
 */
export async function bundleServices(folder: string, root = repository): Promise<void> {
  const services = globSync('services/*/src/{main,app}.ts', { cwd: root })
  const { outputFiles } = await build({
    absWorkingDir: root,
    entryPoints: [...services, PRELOADED].map((path) => ({ in: path, out: outputOf(path) })),
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
    plugins: [externalPackages, originalLocations],
    write: false,
  })
  for (const { path, text } of outputFiles) {
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, path.endsWith('.map') ? ownPositions(text) : inAscii(text))
  }
}

/** `core/main` of `services/core/src/main.ts`, and the name of another file. */
function outputOf(path: string): string {
  const [, service = '', name = ''] = /(?:services\/([^/]+)\/src\/)?([^/]+)\.ts$/.exec(path) ?? []
  return join(service, name)
}

/**
 * V8 retains the source of a module, with two bytes per character if a single one is not in Latin-1.
 * esbuild escapes strings, but neither regular expressions nor templates.
 */
function inAscii(text: string): string {
  return text.replace(
    /[^\0-\x7f]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}

/** Source map with the lines of the repository only, a twelfth of its size. */
function ownPositions(text: string): string {
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

/** Imports the packages by absolute location, since the bundle is outside of the repository. */
const externalPackages: Plugin = {
  name: 'external packages',
  setup({ onResolve }) {
    onResolve({ filter: EXTERNAL }, ({ path, importer, kind }) => {
      const file = createRequire(importer).resolve(path)
      const isRequired = kind === 'require-call' || kind === 'require-resolve'
      return { path: isRequired ? file : pathToFileURL(file).href, external: true }
    })
  },
}

/** Modules find their data files and programs next to their source. */
const originalLocations: Plugin = {
  name: 'original locations',
  setup({ onLoad }) {
    onLoad({ filter: /\.(?:ts|js|mjs|cjs)$/ }, ({ path }): OnLoadResult | null => {
      const text = readFileSync(path, 'utf8')
      if (!/\bimport\.meta\.|\b__(?:dirname|filename)\b/.test(text)) return null
      return { contents: withLocation(path, text), loader: path.endsWith('.ts') ? 'ts' : 'js' }
    })
  },
}

function withLocation(path: string, text: string): string {
  const url = JSON.stringify(pathToFileURL(path).href)
  const names = [
    `__dirname = ${JSON.stringify(dirname(path))}`,
    `__filename = ${JSON.stringify(path)}`,
  ]
  const located = text.replaceAll('import.meta.url', () => url)
  return /\b__(?:dirname|filename)\b/.test(text) ? `var ${names.join(', ')};${located}` : located
}

if (import.meta.main) await bundleServices(process.argv[2] ?? '')
