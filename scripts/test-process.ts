/**
 * Runs test files in one process and parses its TAP. Invariant: a file during which the process
 * ends has a failure.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { Parser, type Result } from 'tap-parser'
import { stringify } from 'yaml'

/** Size of a semi-space in MiB; growing to it would take a tenth of the processor time of a start. */
const YOUNG_GENERATION = '--min-semi-space-size=16'
/** Time after the timeout of a file in which the program reports it. */
const KILL_AFTER_MS = 10_000
const MAX_ERROR_OUTPUT_CHARACTERS = 8_000
const MAX_DIAGNOSTICS_CHARACTERS = 4_000

export const moduleResolution = fileURLToPath(new URL('module-resolution.ts', import.meta.url))
const program = fileURLToPath(new URL('test-program.ts', import.meta.url))

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

export interface TestFilesOptions {
  root: string
  environment: NodeJS.ProcessEnv
  /** Maximum time of each file, and of the end of the process after the last one. */
  timeoutSeconds: number
  onOutcome(outcome: FileOutcome): void
}

/** Runs the files up to the first that fails; returns those that have not run. */
export async function runTestFiles(files: string[], options: TestFilesOptions): Promise<string[]> {
  const { root, environment, timeoutSeconds, onOutcome } = options
  const parameters = ['--no-warnings', YOUNG_GENERATION, '--import', moduleResolution, program]
  const child = spawn(process.execPath, parameters, {
    cwd: root,
    env: { ...environment, TAP: '1', TEST_FILES: JSON.stringify({ files, timeoutSeconds }) },
    stdio: ['ignore', 'pipe', 'pipe'],
    // A process group of its own, so that processes of a stuck test are killed with it.
    detached: true,
  })
  const waiting = [...files]
  // The time after the last file, in which the process ends by itself, counts as a file.
  const end = `end of the process after ${files.at(-1)}`
  let current = startOf(waiting.shift() ?? end)
  let isPassing = true
  const finish = (problems: string[]) => {
    const outcome = outcomeOf(current, problems)
    isPassing = outcome.failures.length === 0
    onOutcome(outcome)
    if (isPassing) current = startOf(waiting.shift() ?? end)
  }
  child.stderr.on('data', (chunk: Buffer) => {
    current.errorOutput = `${current.errorOutput}${chunk}`.slice(-MAX_ERROR_OUTPUT_CHARACTERS)
  })
  const kill = setTimeout(() => killGroup(child), timeoutSeconds * 1_000 + KILL_AFTER_MS)
  const parser = new Parser()
  collect(parser, () => current)
  parser.on('assert', ({ closingTestPoint, name }: Result) => {
    if (!closingTestPoint || name !== current.file) return
    finish([])
    kill.refresh()
  })
  child.stdout.pipe(parser)
  const problem = await endOf(child)
  clearTimeout(kill)
  const isComplete = current.file === end && problem === null
  if (isPassing && !isComplete) finish([`${current.file} ${problem ?? 'ended the process'}`])
  return waiting
}

type Run = Omit<FileOutcome, 'durationMs'> & { startedAt: number }

function startOf(file: string): Run {
  const startedAt = performance.now()
  return { file, passed: 0, failures: [], skipped: 0, errorOutput: '', startedAt }
}

function outcomeOf({ startedAt, ...run }: Run, problems: string[]): FileOutcome {
  const failures = [...run.failures, ...problems]
  if (run.passed + failures.length + run.skipped === 0) failures.push(`${run.file} asserts nothing`)
  return { ...run, failures, durationMs: performance.now() - startedAt }
}

/** Resolves when the process has ended: with the problem, or null after a success. */
function endOf(child: ChildProcess): Promise<string | null> {
  const onExit = () => killGroup(child)
  process.once('exit', onExit)
  return new Promise((resolve) => {
    child.once('close', (code, signal) => {
      process.off('exit', onExit)
      resolve(code === 0 ? null : `ended with ${signal ?? code}`)
    })
  })
}

function collect(parser: Parser, runOf: () => Run): void {
  let failuresBeforeChild = 0
  parser.on('child', (child: Parser) => {
    failuresBeforeChild = runOf().failures.length
    collect(child, runOf)
  })
  parser.on('assert', (result: Result) => {
    const run = runOf()
    if (result.skip || result.todo) run.skipped += 1
    else if (!result.closingTestPoint) count(result, run)
    // A subtest can fail as a whole: by timeout or by its plan.
    else if (!result.ok && run.failures.length === failuresBeforeChild) count(result, run)
  })
}

function count(result: Result, run: Run): void {
  if (result.ok) {
    run.passed += 1
    return
  }
  const diagnostics = result.diag ? stringify(result.diag) : ''
  run.failures.push(
    `${result.fullname}\n${diagnostics.slice(0, MAX_DIAGNOSTICS_CHARACTERS)}`.trimEnd(),
  )
}

function killGroup({ pid }: ChildProcess): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL')
  } catch {
    // The process has exited.
  }
}
