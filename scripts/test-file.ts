/** Runs one test file and parses its TAP. Invariant: a file that ends abnormally has a failure. */
import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { Parser, type Result } from 'tap-parser'
import { stringify } from 'yaml'

const KILL_AFTER_MS = 10_000
const MAX_ERROR_OUTPUT_CHARACTERS = 8_000
const MAX_DIAGNOSTICS_CHARACTERS = 4_000

const drizzleModules = fileURLToPath(new URL('../infra/local/drizzle-modules.ts', import.meta.url))

export interface FileOutcome {
  file: string
  /** Passed assertions, without the closing lines of subtests. */
  passed: number
  /** Failures, one text each: name and diagnostics. */
  failures: string[]
  skipped: number
  durationMs: number
  errorOutput: string
}

export interface TestFileOptions {
  root: string
  timeoutSeconds: number
  environment: NodeJS.ProcessEnv
}

type Tally = Pick<FileOutcome, 'passed' | 'failures' | 'skipped'>

export async function runTestFile(file: string, options: TestFileOptions): Promise<FileOutcome> {
  const startedAt = performance.now()
  const tally: Tally = { passed: 0, failures: [], skipped: 0 }
  const { ended, errorOutput } = await execute(file, options, tally)
  const { passed, failures, skipped } = tally
  if (ended !== null && failures.length === 0) failures.push(`${file} ${ended}`)
  if (passed + failures.length + skipped === 0) failures.push(`${file} asserts nothing`)
  return { file, ...tally, durationMs: performance.now() - startedAt, errorOutput }
}

/** Runs the file; `ended` is the problem of the process's end or of its TAP, or null. */
function execute(
  file: string,
  { root, timeoutSeconds, environment }: TestFileOptions,
  tally: Tally,
): Promise<{ ended: string | null; errorOutput: string }> {
  const child = spawn(process.execPath, ['--no-warnings', '--import', drizzleModules, file], {
    cwd: root,
    env: { ...environment, TAP: '1', TAP_TIMEOUT: String(timeoutSeconds) },
    stdio: ['ignore', 'pipe', 'pipe'],
    // A process group of its own, so that processes of a stuck test are killed with it.
    detached: true,
  })
  const end = (signal: NodeJS.Signals) => child.pid && killGroup(child.pid, signal)
  const onExit = () => end('SIGKILL')
  process.once('exit', onExit)
  let late = false
  const timer = setTimeout(() => {
    late = true
    end('SIGTERM')
    setTimeout(() => end('SIGKILL'), KILL_AFTER_MS).unref()
  }, timeoutSeconds * 1000)

  let errorOutput = ''
  child.stderr.on('data', (chunk: Buffer) => {
    errorOutput = (errorOutput + chunk.toString()).slice(-MAX_ERROR_OUTPUT_CHARACTERS)
  })
  const tap = readTap(tally)
  child.stdout.pipe(tap.parser)
  return new Promise((resolve) => {
    child.once('close', async (code, signal) => {
      clearTimeout(timer)
      process.off('exit', onExit)
      const complete = await tap.complete
      const bad = signal !== null || code !== 0 || !complete
      const ended = late ? `took more than ${timeoutSeconds} s` : `ended with ${signal ?? code}`
      resolve({ ended: late || bad ? ended : null, errorOutput: errorOutput.trim() })
    })
  })
}

function readTap(tally: Tally): { parser: Parser; complete: Promise<boolean> } {
  const { promise, resolve } = Promise.withResolvers<boolean>()
  const parser = new Parser({}, (results) => resolve(results.ok))
  collect(parser, tally)
  return { parser, complete: promise }
}

function collect(parser: Parser, tally: Tally): void {
  let failuresBeforeChild = 0
  parser.on('child', (child: Parser) => {
    failuresBeforeChild = tally.failures.length
    collect(child, tally)
  })
  parser.on('assert', (result: Result) => {
    if (result.skip || result.todo) tally.skipped += 1
    else if (!result.closingTestPoint) count(result, tally)
    // A subtest can fail as a whole: by timeout or by its plan.
    else if (!result.ok && tally.failures.length === failuresBeforeChild) count(result, tally)
  })
}

function count(result: Result, tally: Tally): void {
  if (result.ok) {
    tally.passed += 1
    return
  }
  const diagnostics = result.diag ? stringify(result.diag) : ''
  tally.failures.push(
    `${result.fullname}\n${diagnostics.slice(0, MAX_DIAGNOSTICS_CHARACTERS)}`.trimEnd(),
  )
}

function killGroup(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-pid, signal)
  } catch {
    // The process has exited.
  }
}
