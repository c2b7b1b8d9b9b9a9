/**
 * Builds that `npm start` and tests use, repeated only when their sources have changed. Invariant:
 * what runs was built from the present sources.
 */
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, globSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { rename, rm, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { buildDashboard, dashboardFolder } from '@status-page/dashboard/build'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** The maximum takes 3 s of processor time instead of 0.1 s, for files of 825 instead of 898 kB. */
const BROTLI_QUALITY = 5
const dashboardStamp = join(root, 'packages/dashboard/node_modules/.cache/build-stamp')
const dashboardSources = [
  'packages/dashboard/{index.html,package.json,vite.config.ts}',
  'packages/dashboard/{src,build}/**/*.*',
  'packages/client/src/**/*.ts',
  'packages/contracts/src/{*,resources/*}.ts',
  'packages/markdown/src/parser.ts',
  'pnpm-workspace.yaml',
]

/**
 * Contains a folder of bundles for each state of the sources. Not below `node_modules`, where Node
 * ignores source maps.
 */
const bundlesFolder = fileURLToPath(new URL('dist', import.meta.url))
/** Time after which unused bundles are deleted. */
const MAX_UNUSED_MS = 7 * 86_400_000
/** Interval at which a process marks the bundles that it uses, from which it restarts services. */
const MARK_INTERVAL_MS = 3_600_000
const serviceSources = [
  '{packages,services}/*/package.json',
  '{packages,services}/*/src/**/*.ts',
  'infra/local/{bundle-services,exit-with-parent,source-positions}.ts',
  // Versions of the installed packages; `pnpm-lock.yaml` may be newer.
  'node_modules/.pnpm/lock.yaml',
]
const excludedSources =
  /^packages\/(?:agent|cli|client|dashboard|testing)\/|\.(?:test|fixture)\.ts$/

/** Builds the dashboard unless the existing build is one of the present sources. */
export async function buildDashboardIfChanged(): Promise<void> {
  const stamp = hashOf(filesOf(dashboardSources))
  const isBuilt = existsSync(join(dashboardFolder, 'index.html')) && existsSync(dashboardStamp)
  if (isBuilt && readFileSync(dashboardStamp, 'utf8') === stamp) return
  await buildDashboard(BROTLI_QUALITY)
  await writeFile(dashboardStamp, stamp)
}

/** Returns a folder with `<service>/main.mjs`, built from the present sources. */
export async function serviceBundles(): Promise<string> {
  const files = filesOf(serviceSources).filter((file) => !excludedSources.test(file))
  const folder = join(bundlesFolder, hashOf(files))
  if (!existsSync(folder)) await buildServices(folder)
  await markUsed(folder)
  setInterval(markUsed, MARK_INTERVAL_MS, folder).unref()
  return folder
}

async function markUsed(folder: string): Promise<void> {
  // A folder that was deleted by hand is built again by the next start.
  await utimes(folder, new Date(), new Date()).catch(() => {})
}

/** Folder of the compile cache of bundles. */
export const compileCacheOf = (bundles: string): string => join(bundles, 'compiled')

async function buildServices(folder: string): Promise<void> {
  const draft = `${folder}.${process.pid}`
  try {
    // A process of its own: its memory is free again once the services run.
    await run([fileURLToPath(new URL('bundle-services.ts', import.meta.url)), draft])
    // Another process can have built the same sources in the meantime.
    await rename(draft, folder).catch((error) => {
      if (!existsSync(folder)) throw error
    })
    // Six services would compile what they share at the same time.
    await run([...modulesOf(folder).flatMap((path) => ['--import', path]), '--eval', ''], {
      NODE_COMPILE_CACHE: compileCacheOf(folder),
    })
  } finally {
    await rm(draft, { recursive: true, force: true })
  }
  await deleteUnused()
}

/** Modules that services load at their start. */
function modulesOf(folder: string): string[] {
  return globSync(['local/exit-with-parent.mjs', '*/app.mjs'], { cwd: folder }).map((name) =>
    join(folder, name),
  )
}

async function run(parameters: string[], environment: Record<string, string> = {}): Promise<void> {
  const child = spawn(process.execPath, ['--no-warnings', ...parameters], {
    cwd: root,
    env: { ...process.env, ...environment },
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  const [code] = await once(child, 'exit')
  if (code !== 0) throw new Error('The services could not be built; see the messages above.')
}

async function deleteUnused(): Promise<void> {
  const paths = readdirSync(bundlesFolder).map((name) => join(bundlesFolder, name))
  const unused = paths.filter((path) => Date.now() - statSync(path).mtimeMs > MAX_UNUSED_MS)
  for (const path of unused) await rm(path, { recursive: true, force: true })
}

function filesOf(patterns: readonly string[]): string[] {
  return patterns.flatMap((pattern) => globSync(pattern, { cwd: root })).sort()
}

function hashOf(files: readonly string[]): string {
  // Bundles contain absolute paths.
  const hash = createHash('sha256').update(root)
  for (const file of files) hash.update(file).update(readFileSync(join(root, file)))
  return hash.digest('hex')
}
