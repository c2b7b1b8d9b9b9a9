/**
 * Assembles what services and commands need at run time in a folder: bundles with compiled code,
 * the parts of packages that bundles do not contain, data files, and the licenses of all packages.
 * Called with the folder and the CycloneDX document of the npm packages. Paths are the same in both
 * trees, because bundles contain absolute paths.
 */
import { spawnSync } from 'node:child_process'
import { chmodSync, cpSync, globSync, mkdirSync, readFileSync, realpathSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { bundleServices } from '../local/bundle-services.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const bundles = join(root, 'bundles')
/** The compile cache is only read by processes of the user who wrote it. */
const USER = 10_001

const commands = {
  'commands/migrate': 'infra/postgres/migrate.ts',
  'commands/doctor': 'infra/doctor/main.ts',
  'commands/secrets': 'scripts/generate-secrets.ts',
  'commands/nats-permissions': 'infra/nats/print-permissions.ts',
}

const data = [
  'packages/dashboard/dist',
  '{packages,services}/*/migrations',
  'services/gateway/src/identity/saml/schemas',
  'infra/nats/consumers.json',
]

const [target = '', packagesFile = ''] = process.argv.slice(2)
const { imported, located, named } = await bundleServices(bundles, { root, commands })
compileBundles(join(bundles, 'compiled'))
copy([bundles, ...globSync(data, { cwd: root }).map((path) => join(root, path))], () => true)
copy(new Set([...withDependencies(imported), ...[...located].map(packageFolderOf)]), isUsed)
copy([...named, ...licenseFiles()], () => true)

/** Loads the modules of each program once. */
function compileBundles(cache: string): void {
  mkdirSync(cache)
  chmodSync(cache, 0o777)
  const services = globSync(['*/app.mjs', 'local/source-positions.mjs'], { cwd: bundles })
  run([...services.flatMap((name) => ['--import', join(bundles, name)]), '--eval', ''])
  for (const program of globSync('*/{*-process,worker}.mjs', { cwd: bundles })) {
    run([join(bundles, program)])
  }
  // Node permits only the user, and the files of the image belong to root.
  for (const path of globSync(`${cache}/**`)) chmodSync(path, 0o755)

  function run(parameters: readonly string[]): void {
    const { status } = spawnSync(process.execPath, ['--no-warnings', ...parameters], {
      env: { NODE_COMPILE_CACHE: cache },
      stdio: 'inherit',
      uid: USER,
      gid: USER,
    })
    if (status !== 0) throw new Error(`A bundle could not be loaded: ${parameters.at(-1)}.`)
  }
}

/** `node_modules/.pnpm/<name>@<version>` of the packages, and of those that they depend on. */
function withDependencies(files: Iterable<string>): Set<string> {
  const folders = new Set([...files].map(storeFolderOf))
  for (const folder of folders) {
    for (const link of globSync('node_modules/{*,@*/*}', { cwd: folder })) {
      folders.add(storeFolderOf(realpathSync(join(folder, link))))
    }
  }
  return folders
}

function storeFolderOf(file: string): string {
  return partOf(file, /^.*\/node_modules\/\.pnpm\/[^/]+/)
}

function packageFolderOf(file: string): string {
  return partOf(file, /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/)
}

function partOf(file: string, pattern: RegExp): string {
  const [part] = pattern.exec(file) ?? []
  if (part === undefined) throw new Error(`${file} is not in a package.`)
  return part
}

/** Excludes declarations, source maps, documents, and the tests of a package. */
function isUsed(path: string): boolean {
  if (isLicense(path)) return true
  if (/\.(?:d\.[cm]?ts|map|md|markdown)$/.test(path)) return false
  return !/\/node_modules\/(?:@[^/]+\/)?[^/]+\/(?:tests?|__tests__|benchmark|coverage)$/.test(path)
}

function isLicense(path: string): boolean {
  return /\/(?:licen[cs]e|notice|copying)[^/]*$/i.test(path)
}

/** License files of the packages that the document names, also of those within the bundles. */
function licenseFiles(): string[] {
  const { components } = JSON.parse(readFileSync(packagesFile, 'utf8'))
  const names = (components as { purl: string }[]).map(({ purl }) =>
    decodeURIComponent(purl.replace(/^pkg:npm\//, '').replace(/\?.*$/, '')).replace('/', '+'),
  )
  const patterns = names.map((name) => `node_modules/.pnpm/${name}{,_*}/node_modules/{*,@*/*}/*`)
  return globSync(patterns, { cwd: root })
    .map((path) => join(root, path))
    .filter(isLicense)
}

function copy(paths: Iterable<string>, filter: (path: string) => boolean): void {
  for (const path of paths) {
    const copied = join(target, relative(root, path))
    mkdirSync(dirname(copied), { recursive: true })
    cpSync(path, copied, { recursive: true, verbatimSymlinks: true, filter })
  }
}
