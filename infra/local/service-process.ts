/** One service as a child process: its log, the errors shown on the terminal, its readiness. */
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { ServiceName } from '@status-page/contracts'
import { compileCacheOf } from './builds.ts'
import { openLogFile } from './log-file.ts'
import type { EnvironmentVariables } from './settings.ts'
import { SupervisedProcess } from './supervisor.ts'

/** Maximum time for a service to stop; its own drain takes at most 20 s. */
const STOP_TIMEOUT_MS = 25_000
const PROBE_TIMEOUT_MS = 2_000
/**
 * Maximum size of a semi-space in MiB. On a machine with much memory Node would use 64, which a
 * service fills without benefit: an idle one then uses 300 MiB instead of 190.
 */
const YOUNG_GENERATION_FLAG = '--max-semi-space-size=16'
/** Lets a service collect the garbage of its start; see `collectStartupGarbage`. */
const LOW_MEMORY_FLAG = '--expose-gc'
/**
 * Fixes the young generation and forces no collection: a start takes 0.5 s of processor time
 * instead of 0.7 s, and an idle service uses 30 MiB more.
 */
const FAST_START_FLAG = '--min-semi-space-size=16'
/** glibc would give each of Node's threads its own arena, which retains memory of the start. */
const MALLOC_ARENAS = '2'
/** Number of the level `error` in log lines of pino. */
const ERROR_LEVEL = 50
const FATAL_LEVEL = 60
const SHOWN_ERRORS_PER_MINUTE = 5
const MAX_SHOWN_CHARACTERS = 300
const MAX_FATAL_CHARACTERS = 1_500

const exitWithParent = fileURLToPath(new URL('./exit-with-parent.ts', import.meta.url))

export interface ServiceProcessOptions {
  name: ServiceName
  environment: EnvironmentVariables
  port: number
  servicesFolder: string
  /** Folder of the bundles; null: the sources run. */
  bundleFolder: string | null
  logFolder: string
  autoRestart: boolean
  /** True: starts with less processor time and uses more memory. */
  isShortLived?: boolean
  log(line: string): void
  /** Receives each line of the output. */
  onLine?(line: string): void
}

export function startService(options: ServiceProcessOptions): SupervisedProcess {
  const { name, environment, port, servicesFolder, bundleFolder, logFolder, autoRestart, log } =
    options
  const reportError = errorReporter(name, log)
  const child = new SupervisedProcess({
    name,
    command: process.execPath,
    parameters: [
      '--no-warnings',
      YOUNG_GENERATION_FLAG,
      options.isShortLived === true ? FAST_START_FLAG : LOW_MEMORY_FLAG,
      '--import',
      ...(bundleFolder === null
        ? [exitWithParent, join(servicesFolder, name, 'src/main.ts')]
        : [join(bundleFolder, 'local/exit-with-parent.mjs'), join(bundleFolder, name, 'main.mjs')]),
    ],
    environment: {
      MALLOC_ARENA_MAX: MALLOC_ARENAS,
      ...(bundleFolder === null ? {} : { NODE_COMPILE_CACHE: compileCacheOf(bundleFolder) }),
      ...environment,
    },
    folder: join(servicesFolder, name),
    guard: 'channel',
    logFile: openLogFile(join(logFolder, `${name}.log`), (line) => {
      reportError(line)
      options.onLine?.(line)
    }),
    stopSignal: 'SIGTERM',
    stopTimeoutMs: STOP_TIMEOUT_MS,
    autoRestart,
    probe: () => isReady(port),
    log,
  })
  child.start()
  return child
}

async function isReady(port: number): Promise<boolean> {
  try {
    const response = await fetch(`http://127.0.0.1:${port}/readyz`, {
      signal: AbortSignal.timeout(PROBE_TIMEOUT_MS),
    })
    await response.arrayBuffer()
    return response.ok
  } catch {
    return false
  }
}

/**
 * Prints errors to the terminal up to a rate; further ones are only in the log file. Fatal errors
 * are always printed.
 */
function errorReporter(name: ServiceName, log: (line: string) => void): (line: string) => void {
  let windowStart = 0
  let shown = 0
  return (line) => {
    const error = errorIn(line)
    if (error === null) return
    if (performance.now() - windowStart > 60_000) {
      windowStart = performance.now()
      shown = 0
    }
    shown += 1
    if (shown > SHOWN_ERRORS_PER_MINUTE && !error.isFatal) return
    log(`${name}: ${error.text}`)
  }
}

function errorIn(line: string): { text: string; isFatal: boolean } | null {
  if (!line.startsWith('{')) return null
  try {
    const { level, msg, err } = JSON.parse(line)
    const isFatal = Number(level) >= FATAL_LEVEL || level === 'fatal'
    if (!(isFatal || Number(level) >= ERROR_LEVEL || level === 'error')) return null
    const parts = [msg, isFatal ? (err?.stack ?? err?.message) : err?.message]
    const text = parts.filter((part) => typeof part === 'string').join(': ')
    return { text: text.slice(0, isFatal ? MAX_FATAL_CHARACTERS : MAX_SHOWN_CHARACTERS), isFatal }
  } catch {
    return null
  }
}
