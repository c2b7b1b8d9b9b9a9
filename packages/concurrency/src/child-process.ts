/**
 * Runs one task in a process of its own, without the environment of the service, with a small heap
 * and with deadlines.
 * A worker thread is not enough for input of tenants: exhausted memory or an error in native code
 * ends the whole process.
 */
import { type ChildProcess, fork } from 'node:child_process'
import { getCompileCacheDir } from 'node:module'
import { dirname } from 'node:path'

/** Maximum time to start the process; a loaded machine is slow. */
const START_TIMEOUT_MS = 15_000

export interface ChildTask {
  /**
   * Path of the program: it flushes its compile cache, sends `ready`, receives the task as one
   * message, and sends an object with its `result`.
   */
  program: string
  task: NonNullable<unknown>
  maxHeapMb: number
  /** Maximum time of the task itself. */
  timeoutMs: number
  /** Error when the process could not start. */
  onStartFailure(): Error
  /** Error when the task exceeded its time or memory. */
  onTaskFailure(): Error
}

/** Returns the result of the program; the process has ended then. */
export const runInChildProcess = async (options: ChildTask): Promise<unknown> => {
  const { task, timeoutMs, onStartFailure, onTaskFailure } = options
  const child = forkProgram(options)
  let timer: NodeJS.Timeout | undefined
  const { promise, resolve, reject } = Promise.withResolvers<unknown>()
  const setDeadline = (limitMs: number, errorOf: () => Error) => {
    clearTimeout(timer)
    timer = setTimeout(() => reject(errorOf()), limitMs)
  }
  setDeadline(START_TIMEOUT_MS, onStartFailure)
  let hasStarted = false
  child.on('message', (message: 'ready' | { result: unknown }) => {
    if (message !== 'ready') return resolve(message.result)
    hasStarted = true
    setDeadline(timeoutMs, onTaskFailure)
    child.send(task, (error) => error !== null && reject(error))
  })
  child.once('error', reject)
  child.once('exit', () => reject(hasStarted ? onTaskFailure() : onStartFailure()))
  try {
    return await promise
  } finally {
    clearTimeout(timer)
    child.kill('SIGKILL')
  }
}

const forkProgram = ({ program, maxHeapMb }: ChildTask): ChildProcess =>
  fork(program, {
    env: compileCacheVariables(),
    execArgv: ['--no-warnings', `--max-old-space-size=${maxHeapMb}`],
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  })

/**
 * Environment that shares the compile cache of this process, if it has one, with a child process or
 * a worker: a start then takes half of its processor time, 60 ms instead of 140 for the parser of
 * configurations.
 */
export const compileCacheVariables = (): NodeJS.ProcessEnv => {
  const folder = getCompileCacheDir()
  // Node appends its version to the folder of the variable.
  return folder === undefined ? {} : { NODE_COMPILE_CACHE: dirname(folder) }
}
