/**
 * Build of the dashboard, repeated only when its sources have changed. A build replaces the folder
 * as a whole, so that a gateway that serves it never reads half of one.
 */
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { brotliCompress, gzip } from 'node:zlib'
import { checkFirstLoads } from './first-load.ts'

const packageFolder = fileURLToPath(new URL('..', import.meta.url))
const repository = fileURLToPath(new URL('../../..', import.meta.url))
/** Folder that the gateway serves. */
export const dashboardFolder = join(packageFolder, 'dist')
const stampFile = join(packageFolder, 'node_modules/.cache/build-stamp')
const sources = [
  'packages/dashboard/{index.html,package.json,vite.config.ts}',
  'packages/dashboard/{src,build}/**/*',
  'packages/client/src/**/*.ts',
  'packages/contracts/src/{*,resources/*}.ts',
  'packages/markdown/src/parser.ts',
  'pnpm-workspace.yaml',
]
const compressible = /\.(?:js|css|svg)$/
const compress = { br: promisify(brotliCompress), gz: promisify(gzip) }

/** Builds the dashboard unless the existing build is one of the present sources. */
export async function buildDashboardIfChanged(): Promise<void> {
  const stamp = stampOfSources()
  const isBuilt = existsSync(join(dashboardFolder, 'index.html')) && existsSync(stampFile)
  if (isBuilt && readFileSync(stampFile, 'utf8') === stamp) return
  await buildDashboard()
  await writeFile(stampFile, stamp)
}

export async function buildDashboard(): Promise<void> {
  const cache = join(packageFolder, 'node_modules/.cache')
  const output = join(cache, `build-${process.pid}`)
  const replaced = join(cache, `replaced-${process.pid}`)
  await mkdir(cache, { recursive: true })
  try {
    await runVite(output)
    await compressAssets(join(output, 'assets'))
    await checkFirstLoads(packageFolder, output)
    if (existsSync(dashboardFolder)) await rename(dashboardFolder, replaced)
    await rename(output, dashboardFolder)
  } finally {
    for (const folder of [output, replaced]) await rm(folder, { recursive: true, force: true })
  }
}

/** A process of its own: its memory is free again once the services run. */
async function runVite(output: string): Promise<void> {
  const program = join(packageFolder, 'node_modules/vite/bin/vite.js')
  const options = ['build', '--outDir', output, '--emptyOutDir', '--logLevel', 'warn']
  const child = spawn(process.execPath, [program, ...options], {
    cwd: packageFolder,
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  const [code] = await once(child, 'exit')
  if (code !== 0) throw new Error('The dashboard could not be built; see the messages above.')
}

/** Writes each file compressed next to it, so that the gateway compresses nothing. */
async function compressAssets(folder: string): Promise<void> {
  const names = (await readdir(folder)).filter((name) => compressible.test(name))
  for (const name of names) {
    const content = await readFile(join(folder, name))
    await writeFile(join(folder, `${name}.br`), await compress.br(content))
    await writeFile(join(folder, `${name}.gz`), await compress.gz(content, { level: 9 }))
  }
}

function stampOfSources(): string {
  const hash = createHash('sha256')
  const files = sources.flatMap((pattern) => globSync(pattern, { cwd: repository })).sort()
  for (const file of files.filter((name) => /\.\w+$/.test(name))) {
    hash.update(file).update(readFileSync(join(repository, file)))
  }
  return hash.digest('hex')
}
