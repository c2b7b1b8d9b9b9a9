/**
 * Runs tasks in child processes, without the environment of the service, with a small heap and with
 * deadlines.
 * A worker thread is not enough for input of tenants: exhausted memory or an error in native code
 * ends the whole process.
 */
import { type ChildProcess, fork } from 'node:child_process'
import { getCompileCacheDir } from 'node:module'
import { dirname } from 'node:path'
import { startTimeout } from './timeout.ts'

/** Maximum time to start the process; a loaded machine is slow. */
const START_TIMEOUT_MS = 15_000
/**
 * Maximum size of a semi-space in MiB. Node's default leaves the small heap no room: a document of
 * 1,000 components was parsed with three collections of the whole heap, in 240 instead of 150 ms.
 */
const MAX_SEMI_SPACE_MB = 8

export interface TaskProgram {
  /**
   * Path of the program: it flushes its compile cache, sends `ready`, receives each task as one
   * message, and sends an object with its `result`.
   */
  program: string
  maxHeapMb: number
  /** Maximum time of one task. */
  timeoutMs: number
  /**
   * Time for which a process waits for another task after one that succeeded. 0 ends the process
   * after each task: a program with native code for input of tenants requires it.
   */
  idleMs: number
  /** Error when the process could not start. */
  onStartFailure(): Error
  /** Error when the task exceeded its time or memory. */
  onTaskFailure(): Error
}

/** Runs one task and returns the result of the program; tasks in parallel use separate processes. */
type RunTask = (task: NonNullable<unknown>) => Promise<unknown>

export const createTaskRunner = (program: TaskProgram): RunTask => {
  /** Waiting processes with the timers that end them. */
  const idle = new Map<ChildProcess, NodeJS.Timeout>()
  return async (task) => {
    const child = takeFrom(idle) ?? (await start(program))
    try {
      const result = await run(child, task, program)
      if (program.idleMs > 0) waitForTask(child, idle, program.idleMs)
      return result
    } finally {
      if (!idle.has(child)) child.kill('SIGKILL')
    }
  }
}

const start = async ({ program, maxHeapMb, onStartFailure }: TaskProgram) => {
  const child = fork(program, {
    env: compileCacheVariables(),
    execArgv: [
      '--no-warnings',
      `--max-old-space-size=${maxHeapMb}`,
      `--max-semi-space-size=${MAX_SEMI_SPACE_MB}`,
    ],
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  })
  // A process that fails between two tasks has no other listener.
  child.on('error', () => {})
  try {
    await nextMessage(child, START_TIMEOUT_MS, onStartFailure)
    return child
  } catch (error) {
    child.kill('SIGKILL')
    throw error
  }
}

const run = async (
  child: ChildProcess,
  task: NonNullable<unknown>,
  { timeoutMs, onTaskFailure }: TaskProgram,
): Promise<unknown> => {
  const reply = nextMessage(child, timeoutMs, onTaskFailure)
  child.send(task, (error) => error !== null && child.emit('error', error))
  return ((await reply) as { result: unknown }).result
}

const nextMessage = async (
  child: ChildProcess,
  limitMs: number,
  errorOf: () => Error,
): Promise<unknown> => {
  const { promise, resolve, reject } = Promise.withResolvers<unknown>()
  const fail = () => reject(errorOf())
  const cancel = startTimeout(fail, limitMs)
  child.once('message', resolve).once('error', reject).once('exit', fail)
  try {
    return await promise
  } finally {
    cancel()
    child.off('message', resolve).off('error', reject).off('exit', fail)
  }
}

/** Retains a process for the next task; it does not keep this process running. */
const waitForTask = (
  child: ChildProcess,
  idle: Map<ChildProcess, NodeJS.Timeout>,
  idleMs: number,
): void => {
  const end = () => {
    idle.delete(child)
    child.kill('SIGKILL')
  }
  idle.set(child, setTimeout(end, idleMs).unref())
  child.once('exit', () => idle.delete(child))
  child.unref()
  child.channel?.unref()
}

/** The process that has waited for the shortest time, so that surplus ones end. */
const takeFrom = (idle: Map<ChildProcess, NodeJS.Timeout>): ChildProcess | undefined => {
  const [child, timer] = [...idle].at(-1) ?? []
  if (child === undefined) return undefined
  clearTimeout(timer)
  idle.delete(child)
  child.ref()
  child.channel?.ref()
  return child
}

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
