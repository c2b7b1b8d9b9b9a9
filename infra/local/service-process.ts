/** One service as a child process: its log, the errors worth showing, its readiness. */
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { ServiceName } from '@status-page/contracts'
import { openLogFile } from './log-file.ts'
import type { Environment } from './settings.ts'
import { Supervised } from './supervised.ts'

/** A service drains for at most 20 s. */
const STOP_TIMEOUT_MS = 25_000
const PROBE_TIMEOUT_MS = 2_000
/** Pino's number for "error"; 60 is "fatal". */
const ERROR_LEVEL = 50
const SHOWN_ERRORS_PER_MINUTE = 5
const MAX_SHOWN_CHARACTERS = 300

const tether = fileURLToPath(new URL('./tether.ts', import.meta.url))

export interface ServiceProcessOptions {
  name: ServiceName
  environment: Environment
  port: number
  servicesFolder: string
  logFolder: string
  autoRestart: boolean
  log(line: string): void
}

export function startService(options: ServiceProcessOptions): Supervised {
  const { name, environment, port, servicesFolder, logFolder, autoRestart, log } = options
  const child = new Supervised({
    name,
    command: process.execPath,
    parameters: [
      ...['--no-warnings', '--enable-source-maps', '--import', tether],
      join(servicesFolder, name, 'src/main.ts'),
    ],
    environment,
    folder: join(servicesFolder, name),
    guard: 'channel',
    logFile: openLogFile(join(logFolder, `${name}.log`), errorReporter(name, log)),
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
    const answer = await fetch(`http://127.0.0.1:${port}/readyz`, {
      signal: AbortSignal.timeout(PROBE_TIMEOUT_MS),
    })
    await answer.arrayBuffer()
    return answer.ok
  } catch {
    return false
  }
}

/** Errors reach the terminal too, but a flood of them stays in the file. */
function errorReporter(name: ServiceName, log: (line: string) => void): (line: string) => void {
  let windowStart = 0
  let shown = 0
  return (line) => {
    const message = errorIn(line)
    if (message === null) return
    if (performance.now() - windowStart > 60_000) {
      windowStart = performance.now()
      shown = 0
    }
    shown += 1
    if (shown > SHOWN_ERRORS_PER_MINUTE) return
    log(`${name}: ${message}`)
  }
}

function errorIn(line: string): string | null {
  if (!line.startsWith('{')) return null
  try {
    const { level, msg, err } = JSON.parse(line)
    if (!(Number(level) >= ERROR_LEVEL || level === 'error' || level === 'fatal')) return null
    const text = [msg, err?.message].filter((part) => typeof part === 'string').join(': ')
    return text.slice(0, MAX_SHOWN_CHARACTERS)
  } catch {
    return null
  }
}
