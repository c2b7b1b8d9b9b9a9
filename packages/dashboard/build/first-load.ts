/**
 * Size of the first load of each view: the frame, the view with its static imports, and the texts
 * that both read, in the language whose texts are largest. What a view loads while it is displayed
 * does not count.
 */
import { readdir, readFile, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'

/** Limit per view, compressed with gzip. */
export const MAX_FIRST_LOAD_BYTES = 250_000

/** Chunk of the manifest of Vite, by the path of its source or by a name. */
export interface ManifestChunk {
  file: string
  imports?: string[]
  css?: string[]
}
export type Manifest = Readonly<Record<string, ManifestChunk>>

export interface View {
  /** Path of its module below the package. */
  source: string
  /** Paths of the modules of its texts below the folder of a language. */
  texts: readonly string[]
}

export interface FirstLoad {
  source: string
  bytes: number
}

const ENTRY = 'index.html'

/** List of the files of the build, which Vite writes for this check. */
const MANIFEST_FILE = 'manifest.json'

/** First loads, largest first; `sizeOf` returns the compressed size of a file. */
export const firstLoadsOf = (
  manifest: Manifest,
  views: readonly View[],
  sizeOf: (file: string) => number,
): FirstLoad[] => {
  const locales = Object.keys(manifest).flatMap(
    (source) => source.match(/^src\/texts\/(\w+)\/index\.ts$/)?.[1] ?? [],
  )
  const bytesOf = ({ source, texts }: View, locale: string) => {
    const modules = ['index.ts', ...texts].map((name) => `src/texts/${locale}/${name}`)
    const files = filesOf(manifest, [ENTRY, source, ...modules])
    return [...files].map(sizeOf).reduce((sum, bytes) => sum + bytes, 0)
  }
  return views
    .map((view) => {
      const sizes = locales.map((locale) => bytesOf(view, locale))
      return { source: view.source, bytes: Math.max(...sizes) }
    })
    .sort((one, other) => other.bytes - one.bytes)
}

/** Files of chunks and of everything that they import statically. */
const filesOf = (manifest: Manifest, sources: readonly string[]): Set<string> => {
  const [files, seen] = [new Set<string>(), new Set<string>()]
  const add = (source: string) => {
    if (seen.has(source)) return
    seen.add(source)
    const chunk = manifest[source]
    if (chunk === undefined) throw new Error(`The build has no file of ${source}.`)
    for (const file of [chunk.file, ...(chunk.css ?? [])]) files.add(file)
    chunk.imports?.forEach(add)
  }
  sources.forEach(add)
  return files
}

/** Views of the routes with the texts that they declare, such as `withTexts(…, 'onCall')`. */
export const viewsOf = (routes: string, englishTexts: string): View[] => {
  const areaFiles = new Map(
    [...englishTexts.matchAll(/(\w+): async \(\) => \(await import\('\.\/([\w.-]+)'\)\)/g)].map(
      ([, area = '', file = '']) => [area, file],
    ),
  )
  const loads = routes.matchAll(/\(\) => import\('\.\.\/([\w./-]+)'\)((?:,\s*'\w+')*),?\s*\)/g)
  return [...loads].map(([, path, rest = '']) => {
    const areas = [...rest.matchAll(/'(\w+)'/g)].map(([, area = '']) => areaFiles.get(area))
    return { source: `src/${path}`, texts: areas.filter((file) => file !== undefined) }
  })
}

/** Throws if the first load of a view is larger than the limit. Removes the manifest. */
export const checkFirstLoads = async (packageFolder: string, output: string): Promise<void> => {
  const read = (path: string) => readFile(join(packageFolder, 'src', path), 'utf8')
  const names = await readdir(join(packageFolder, 'src/app'))
  const routes = names.filter((name) => name === 'router.tsx' || name.endsWith('-routes.ts'))
  const sources = await Promise.all(routes.map((name) => read(`app/${name}`)))
  const views = viewsOf(sources.join('\n'), await read('texts/en/index.ts'))
  const manifest: Manifest = JSON.parse(await readFile(join(output, MANIFEST_FILE), 'utf8'))
  const sizes = await compressedSizes(output)
  const sizeOf = (file: string): number => {
    const bytes = sizes.get(file)
    if (bytes === undefined) throw new Error(`${file} is not compressed.`)
    return bytes
  }
  const loads = firstLoadsOf(manifest, views, sizeOf)
  const excess = loads.filter(({ bytes }) => bytes > MAX_FIRST_LOAD_BYTES)
  if (excess.length === 0) return rm(join(output, MANIFEST_FILE))
  const lines = excess.map(({ source, bytes }) => `${source}: ${bytes} bytes`)
  throw new Error(
    `The first load of a view is limited to ${MAX_FIRST_LOAD_BYTES} bytes:\n${lines.join('\n')}`,
  )
}

const compressedSizes = async (output: string): Promise<Map<string, number>> => {
  const names = await readdir(join(output, 'assets'))
  const entries = names
    .filter((name) => name.endsWith('.gz'))
    .map(async (name) => {
      const { size } = await stat(join(output, 'assets', name))
      return [`assets/${name.slice(0, -'.gz'.length)}`, size] as const
    })
  return new Map(await Promise.all(entries))
}
