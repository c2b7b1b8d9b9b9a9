/**
 * Installs the dependencies with the pinned pnpm, once per lockfile: `npm start` and `npm test`
 * require only Node 20 and npm. Plain JavaScript, because the Node that strips types is itself
 * installed here.
 */
import { spawn, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const root = dirname(dirname(fileURLToPath(import.meta.url)))

const node = join(root, 'node_modules/node/bin/node')
const stampFile = join(root, 'node_modules/.install-stamp')
const oldestNode = 20
const parentPollMs = 500

/** Installs when the lockfile, the platform or the pinned Node changed since the last install. */
export function install() {
  if (Number.parseInt(process.versions.node, 10) < oldestNode) {
    fail(`Node ${oldestNode} or newer is needed; this is ${process.version}.`)
  }
  const stamp = currentStamp()
  if (isCurrent(stamp)) return
  const { packageManager } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  console.log(`Installing dependencies with ${packageManager} …`)
  // The purge prompt would fail an install without a terminal.
  const options = ['--frozen-lockfile', '--config.confirmModulesPurge=false']
  const { status, error } = spawnSync('npx', ['--yes', packageManager, 'install', ...options], {
    cwd: root,
    stdio: 'inherit',
  })
  if (error) fail(`npx could not be run (${error.message}); npm is needed in addition to Node.`)
  if (status !== 0) fail('The dependencies could not be installed; see the messages above.')
  if (!existsSync(node)) fail('The install contains no Node binary; is the platform supported?')
  writeFileSync(stampFile, stamp)
}

/** Runs a program of this repository with the installed Node; signals and the end are forwarded. */
export function runProgram(program, parameters) {
  // The closed IPC channel notifies the program when this process is killed.
  const child = spawn(node, ['--no-warnings', join(root, program), ...parameters], {
    cwd: root,
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
  })
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
    process.on(signal, () => child.kill(signal))
  }
  stopWithNpm(() => child.kill('SIGTERM'))
  child.on('error', (error) => fail(`${program} could not be run: ${error.message}`))
  child.on('exit', (code, signal) => process.exit(signal ? 1 : (code ?? 1)))
}

/** Stops the program when npm is gone: npm killed by a signal leaves its script running. */
function stopWithNpm(stop) {
  if (!process.env.npm_lifecycle_event) return
  const parent = process.ppid
  const watch = setInterval(() => {
    if (process.ppid === parent) return
    clearInterval(watch)
    stop()
  }, parentPollMs)
  watch.unref()
}

function currentStamp() {
  const hash = createHash('sha256')
  // The lockfile contains the hashes of patches too.
  for (const file of ['pnpm-lock.yaml', 'pnpm-workspace.yaml', 'package.json']) {
    hash.update(readFileSync(join(root, file)))
  }
  return `${process.platform} ${process.arch} ${hash.digest('hex')}\n`
}

function isCurrent(stamp) {
  return existsSync(node) && existsSync(stampFile) && readFileSync(stampFile, 'utf8') === stamp
}

function fail(sentence) {
  console.error(sentence)
  process.exit(1)
}
