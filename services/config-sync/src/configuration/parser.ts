/**
 * YAML is never read in this process: each document gets one of its own, with little memory, no environment
 * and a deadline. There are never more than two, shared fairly between organizations. A thread is not enough:
 * 100 kB of `[` run it out of memory so fast that the whole process dies with it.
 */
import { type ChildProcess, fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { type AppError, invalid, unavailable } from '@status-page/contracts'
import { createFairTurns } from './fair-turns.ts'
import type { ParserTask } from './parser-process.ts'
import type { SourcePosition, YamlReading } from './yaml-reading.ts'
import type { YamlWriteTask } from './yaml-writing.ts'

const AT_ONCE = 2
const MAX_WAITING_EACH = 4
const MAX_WAITING = 64
/** With the work itself, less than the gateway waits for an answer. */
const MAX_WAIT_MS = 15_000
const MAX_HEAP_MB = 64
/** Of the work itself: a full document takes a third of a second, and ten times that on a crowded machine. */
const DEADLINE_MS = 12_000
/** A busy machine may take a while to start a process. */
const START_MS = 15_000

export interface Parser {
  /** 400 where the text keeps the parser busy for too long. */
  read(text: string): Promise<YamlReading>
  locate(text: string, paths: readonly string[]): Promise<SourcePosition[]>
  write(writing: YamlWriteTask): Promise<string>
}

/** Whose documents are read decides whose turn it is. */
export type ParserOf = (organizationId: string) => Parser

export const createParsers = (): ParserOf => {
  const inTurn = createFairTurns({
    atOnce: AT_ONCE,
    waitingEach: MAX_WAITING_EACH,
    waiting: MAX_WAITING,
    waitMs: MAX_WAIT_MS,
    refusal: 'Too many documents are being processed',
  })
  return (organizationId) => {
    const run = <Result>(job: ParserTask): Promise<Result> =>
      inTurn(organizationId, () => work(job) as Promise<Result>)
    return {
      read: (text) => run({ kind: 'read', text }),
      locate: (text, paths) => run({ kind: 'locate', text, paths }),
      write: (writing) => run({ kind: 'write', ...writing }),
    }
  }
}

const PROGRAM = fileURLToPath(new URL('./parser-process.ts', import.meta.url))

const start = (): ChildProcess =>
  fork(PROGRAM, {
    env: {},
    execArgv: ['--no-warnings', `--max-old-space-size=${MAX_HEAP_MB}`],
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  })

const work = async (job: ParserTask): Promise<unknown> => {
  const child = start()
  let timer: NodeJS.Timeout | undefined
  const { promise, resolve, reject } = Promise.withResolvers<unknown>()
  const within = (limitMs: number, error: AppError) => {
    clearTimeout(timer)
    timer = setTimeout(() => reject(error), limitMs)
  }
  within(START_MS, unavailable('The parser did not start in time'))
  let hasBegun = false
  child.on('message', (message: 'ready' | { result: unknown }) => {
    if (message !== 'ready') {
      return message.result === null ? reject(tooComplex()) : resolve(message.result)
    }
    hasBegun = true
    within(DEADLINE_MS, tooComplex())
    child.send(job, (error) => error !== null && reject(error))
  })
  child.once('error', reject)
  // Out of memory, most likely: whatever it is, the document did it.
  child.once('exit', () => reject(hasBegun ? tooComplex() : unavailable('The parser failed')))
  try {
    return await promise
  } finally {
    clearTimeout(timer)
    child.kill('SIGKILL')
  }
}

const tooComplex = (): AppError =>
  invalid({ field: 'body', message: 'The document is too complex' })
