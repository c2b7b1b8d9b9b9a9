/**
 * Preloaded: shortens the resolution of imports, which is half of the processor time of a start.
 * For each import, Node reads the status of the file and the `package.json`, and parses the exports
 * of the package, which are 180 kB for drizzle. Here one resolution is valid for all files of a
 * folder, and one for all imports of a name in a package. Loading the modules of
 * gateway, core and notifier takes 1.4 s of processor time instead of 2.6 s (medians of five, in
 * turns, with compiled modules in the cache):
 *
 *     NODE_COMPILE_CACHE=/tmp/compiled node --import ./scripts/module-resolution.ts -e \
 *       "import('./services/core/src/app.ts').then(() => console.log(process.cpuUsage()))"
 */
import { type ResolveHookContext, registerHooks } from 'node:module'

interface Resolution {
  url: string
  format: string
}

/** Formats of modules by folder and extension; they depend on the nearest `package.json`. */
const formats = new Map<string, string>()
/** Resolutions of names by package of the importing file. */
const resolutions = new Map<string, Resolution>()

registerHooks({
  resolve(specifier, context, next) {
    const { parentURL } = context
    if (parentURL === undefined || !isPlainImport(context)) return next(specifier, context)
    const isRelative = specifier.startsWith('.')
    const url = isRelative ? new URL(specifier, parentURL).href : null
    const key = url === null ? nameKey(specifier, parentURL) : fileKey(url)
    if (key === null) return next(specifier, context)
    const known = url === null ? resolutions.get(key) : resolutionOf(url, formats.get(key))
    if (known !== undefined) return { ...known, shortCircuit: true }
    const resolved = next(specifier, context)
    const { format } = resolved
    if (format === null || format === undefined) return resolved
    if (url === null) resolutions.set(key, { url: resolved.url, format })
    // Another URL: the file is a symbolic link, which the other files of the folder need not be.
    else if (url === resolved.url) formats.set(key, format)
    return resolved
  },
})

/** `require` resolves by other rules, and attributes determine the format. */
function isPlainImport({ conditions, importAttributes }: ResolveHookContext): boolean {
  return conditions.includes('import') && Object.keys(importAttributes).length === 0
}

const FILE = /\/[^/]+(\.(?:ts|js|mjs))$/

function fileKey(url: string): string | null {
  return FILE.test(url) ? url.replace(FILE, '$1') : null
}

function resolutionOf(url: string, format: string | undefined): Resolution | undefined {
  return format === undefined ? undefined : { url, format }
}

/** Folders whose files find the same packages. */
const PACKAGE = /^.*(?:\/node_modules\/(?:@[^/]+\/)?[^/]+\/|\/(?:packages|services)\/[^/]+\/src\/)/

function nameKey(name: string, parentURL: string): string | null {
  if (/^(?:#|[a-z]+:)/.test(name)) return null
  const folder = PACKAGE.exec(parentURL)?.[0] ?? parentURL.replace(/[^/]*$/, '')
  return `${name} ${folder}`
}
