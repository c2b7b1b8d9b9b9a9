/**
 * Supervisor of one child process: its log, restarts with backoff, orderly stop. Invariant: at most
 * one process runs at a time, and none after `stop()` has returned.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { setTimeout as delay } from 'node:timers/promises'
import { withTimeout } from '@status-page/concurrency'
import type { LogFile } from './log-file.ts'
import type { Reaper } from './reaper.ts'
import { StartError } from './start-error.ts'

const FIRST_BACKOFF_MS = 500
const MAX_BACKOFF_MS = 30_000
/** A crash after this uptime counts as the first one. */
const STABLE_UPTIME_MS = 60_000
const MAX_CRASHES_WHILE_STARTING = 3
const PROBE_INTERVAL_MS = 100

export interface SupervisedProcessOptions {
  name: string
  command: string
  parameters: string[]
  environment: Record<string, string>
  folder: string
  user?: { uid: number; gid: number } | null
  /** Node programs watch the parent over the IPC channel; for others the reaper does. */
  guard: 'channel' | Reaper
  logFile: LogFile
  stopSignal: 'SIGTERM' | 'SIGINT'
  stopTimeoutMs: number
  /** True if the process is restarted after it exited by itself. */
  autoRestart: boolean
  /** Returns whether the running process is ready. */
  probe(): Promise<boolean>
  log(line: string): void
}

export class SupervisedProcess {
  readonly name: string
  readonly #options: SupervisedProcessOptions
  #environment: Record<string, string>
  #child: ChildProcess | null = null
  #isWanted = false
  #crashes = 0
  #startedAt = 0
  #backoff: NodeJS.Timeout | undefined

  constructor(options: SupervisedProcessOptions) {
    this.name = options.name
    this.#options = options
    this.#environment = options.environment
  }

  /** Variables of the next start. */
  get environment(): Readonly<Record<string, string>> {
    return this.#environment
  }

  get pid(): number | undefined {
    return this.#child?.pid
  }

  start(): void {
    if (this.#child) return
    this.#isWanted = true
    const { command, parameters, folder, user, guard, logFile } = this.#options
    this.#startedAt = performance.now()
    const child = spawn(command, parameters, {
      cwd: folder,
      env: this.#environment,
      // Runs in its own session: Ctrl-C reaches the whole foreground group, and stopping has an
      // order.
      detached: true,
      stdio: guard === 'channel' ? ['ignore', 'pipe', 'pipe', 'ipc'] : ['ignore', 'pipe', 'pipe'],
      ...(user ?? {}),
    })
    this.#child = child
    for (const stream of [child.stdout, child.stderr]) {
      stream?.on('data', (chunk: Buffer) => logFile.write(chunk))
    }
    child.once('error', (error) => this.#onEnd(child, error.message))
    child.once('exit', (code, signal) => this.#onEnd(child, signal ?? `exit code ${code}`))
    if (guard !== 'channel' && child.pid !== undefined) guard.watch(child.pid)
  }

  /** Resolves when the process is ready; throws when it keeps crashing or takes too long. */
  async waitReady(timeoutMs = 60_000): Promise<void> {
    const deadline = performance.now() + timeoutMs
    const crashesBefore = this.#crashes
    while (!(this.#child && (await this.#options.probe()))) {
      const crashes = this.#crashes - crashesBefore
      const hasFailed = this.#options.autoRestart
        ? crashes >= MAX_CRASHES_WHILE_STARTING
        : this.#child === null
      if (hasFailed) throw this.#failure('does not start')
      if (performance.now() > deadline) throw this.#failure(`did not get ready in ${timeoutMs} ms`)
      await delay(PROBE_INTERVAL_MS)
    }
  }

  /** Resolves once the process has exited; immediately for a signal that does not end it. */
  async kill(signal: NodeJS.Signals = 'SIGKILL'): Promise<void> {
    const child = this.#child
    if (!child) return
    child.kill(signal)
    if (signal === 'SIGSTOP' || signal === 'SIGCONT') return
    await waitForExit(child)
  }

  /** Stops the process with its stop signal, kills it after the timeout; no restart follows. */
  async stop(): Promise<void> {
    this.#isWanted = false
    clearTimeout(this.#backoff)
    const child = this.#child
    if (!child) return
    child.kill(this.#options.stopSignal)
    // A process stopped by SIGSTOP does not receive the signal before SIGCONT.
    child.kill('SIGCONT')
    await withTimeout(waitForExit(child), this.#options.stopTimeoutMs, async () => {
      this.#options.log(`${this.name} did not stop in time and was killed`)
      child.kill('SIGKILL')
      await waitForExit(child)
    })
  }

  /** Kills the process and does not restart it. */
  async abort(): Promise<void> {
    this.#isWanted = false
    clearTimeout(this.#backoff)
    await this.kill('SIGKILL')
  }

  /** Stops the process and starts it with these variables in addition to the previous ones. */
  async restart(environment: Record<string, string> = {}): Promise<void> {
    await this.stop()
    this.#environment = { ...this.#environment, ...environment }
    this.start()
  }

  #onEnd(child: ChildProcess, reason: string): void {
    if (this.#child !== child) return
    this.#child = null
    const { guard, log, autoRestart } = this.#options
    if (guard !== 'channel' && child.pid !== undefined) guard.forget(child.pid)
    if (!this.#isWanted) return
    this.#crashes = performance.now() - this.#startedAt > STABLE_UPTIME_MS ? 1 : this.#crashes + 1
    if (!autoRestart) {
      log(`${this.name} ended (${reason})`)
      return
    }
    const waitMs = Math.min(FIRST_BACKOFF_MS * 2 ** (this.#crashes - 1), MAX_BACKOFF_MS)
    log(`${this.name} ended (${reason}); restarting it in ${waitMs / 1000} s`)
    this.#backoff = setTimeout(() => this.start(), waitMs)
  }

  #failure(problem: string): StartError {
    const { logFile } = this.#options
    const last = logFile.tail().map((line) => `\n  ${line}`)
    return new StartError(`${this.name} ${problem}; its log is ${logFile.path}.${last.join('')}`)
  }
}

function waitForExit(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) {
    return Promise.resolve()
  }
  return new Promise((resolve) => child.once('exit', () => resolve()))
}
