/**
 * Build of the dashboard. It replaces the folder as a whole, so that a gateway that serves it never
 * reads half of one.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import { checkFirstLoads } from './first-load.ts'

const packageFolder = fileURLToPath(new URL('..', import.meta.url))
/** Folder that the gateway serves. */
export const dashboardFolder = join(packageFolder, 'dist')
const compressible = /\.(?:js|css|svg)$/
const compress = { br: promisify(brotliCompress), gz: promisify(gzip) }
const { BROTLI_MAX_QUALITY, BROTLI_PARAM_QUALITY } = constants

export async function buildDashboard(brotliQuality = BROTLI_MAX_QUALITY): Promise<void> {
  const cache = join(packageFolder, 'node_modules/.cache')
  const output = join(cache, `build-${process.pid}`)
  const replaced = join(cache, `replaced-${process.pid}`)
  await mkdir(cache, { recursive: true })
  try {
    await runVite(output)
    await compressAssets(join(output, 'assets'), brotliQuality)
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
async function compressAssets(folder: string, brotliQuality: number): Promise<void> {
  const params = { [BROTLI_PARAM_QUALITY]: brotliQuality }
  const names = (await readdir(folder)).filter((name) => compressible.test(name))
  for (const name of names) {
    const content = await readFile(join(folder, name))
    await writeFile(join(folder, `${name}.br`), await compress.br(content, { params }))
    await writeFile(join(folder, `${name}.gz`), await compress.gz(content, { level: 9 }))
  }
}
