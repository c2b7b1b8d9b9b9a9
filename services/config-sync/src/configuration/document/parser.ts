/**
 * Parses YAML in child processes: one document at a time, with little memory, no environment and a
 * deadline. At most two run, shared fairly between organizations. A worker thread is not enough:
 * 100 kB of `[` exhaust its memory so fast that the whole process dies.
 */
import { fileURLToPath } from 'node:url'
import { createTaskRunner, Semaphore } from '@status-page/concurrency'
import { type AppError, invalid, unavailable } from '@status-page/contracts'
import type { ParserTask } from './parser-process.ts'
import type { SourcePosition, YamlReadResult } from './yaml-reading.ts'
import type { YamlWriteTask } from './yaml-writing.ts'

const MAX_RUNNING = 2
const MAX_WAITING_PER_ORGANIZATION = 4
const MAX_WAITING = 64
/** Maximum time in the queue; with the task itself below the timeout of the gateway. */
const QUEUE_TIMEOUT_MS = 15_000
const MAX_HEAP_MB = 64
/**
 * Maximum time of a task. A document of maximum size takes a third of a second, ten times as much
 * under load.
 */
const TASK_TIMEOUT_MS = 12_000
/**
 * A request parses several times, and a start takes as much processor time as a large document. A
 * process that a document has exhausted is not used again.
 */
const IDLE_MS = 10_000

export interface Parser {
  /** Throws 400 if the text exceeds the time limit. */
  read(text: string): Promise<YamlReadResult>
  locate(text: string, paths: readonly string[]): Promise<SourcePosition[]>
  write(writing: YamlWriteTask): Promise<string>
}

/** Parser of an organization; the semaphore is fair between organizations. */
export type GetParser = (organizationId: string) => Parser

export const createParsers = (): GetParser => {
  const runTask = createTaskRunner({
    program: PROGRAM,
    maxHeapMb: MAX_HEAP_MB,
    timeoutMs: TASK_TIMEOUT_MS,
    idleMs: IDLE_MS,
    onStartFailure: () => unavailable('The parser failed to start'),
    // The process most likely ran out of memory; in any case the document caused it.
    onTaskFailure: tooComplex,
  })
  const semaphore = new Semaphore({
    slots: MAX_RUNNING,
    slotsPerKey: 1,
    maxWaitingPerKey: MAX_WAITING_PER_ORGANIZATION,
    maxWaiting: MAX_WAITING,
    waitMs: QUEUE_TIMEOUT_MS,
    rejectionMessage: 'Too many documents are being processed',
  })
  return (organizationId) => {
    const run = <Result>(task: ParserTask): Promise<Result> =>
      semaphore.run(async () => {
        const result = await runTask(task)
        if (result === null) throw tooComplex()
        return result as Result
      }, organizationId)
    return {
      read: (text) => run({ kind: 'read', text }),
      locate: (text, paths) => run({ kind: 'locate', text, paths }),
      write: (writing) => run({ kind: 'write', ...writing }),
    }
  }
}

const PROGRAM = fileURLToPath(new URL('./parser-process.ts', import.meta.url))

const tooComplex = (): AppError =>
  invalid({ field: 'body', message: 'The document is too complex' })
