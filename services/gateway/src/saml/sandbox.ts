/**
 * Reads strangers' XML in a worker: nothing of the environment, little memory, five seconds. The main
 * thread never parses it, so a document can hold up nobody but itself.
 */
import { Worker } from 'node:worker_threads'
import { createTurns } from '@status-page/secrets'
import type { ProviderMetadata } from './metadata.ts'
import type { AnswerFacts } from './rules.ts'

export type Job =
  | { kind: 'answer'; text: string; certificates: readonly string[] }
  | { kind: 'metadata'; text: string }

interface Results {
  answer: AnswerFacts
  metadata: ProviderMetadata
}

export type Inspected<T> = { ok: true; value: T } | { ok: false; reason: string }

/**
 * Of the document; loading the libraries does not depend on it and has a limit of its own. A good one
 * takes 0.3 s, of which the validator's own thread is half: two seconds refused some under load.
 */
const DEADLINE_MS = 5_000
const START_DEADLINE_MS = 15_000
const MAX_AT_ONCE = 2
const MAX_WAITING = 8
const resourceLimits = { maxOldGenerationSizeMb: 64, maxYoungGenerationSizeMb: 16 }

export interface Sandbox {
  inspect<Kind extends Job['kind']>(
    job: Extract<Job, { kind: Kind }>,
  ): Promise<Inspected<Results[Kind]>>
}

export const createSandbox = (): Sandbox => {
  const inTurn = createTurns({
    atOnce: MAX_AT_ONCE,
    waiting: MAX_WAITING,
    refusal: 'Too many logins at once',
  })
  return { inspect: async (job) => (await inTurn(() => runOnce(job))) as never }
}

type Message = { ready: true } | Inspected<unknown>

const runOnce = async (job: Job): Promise<Inspected<unknown>> => {
  const { promise, resolve } = Promise.withResolvers<Inspected<unknown>>()
  const refuse = (reason: string) => resolve({ ok: false, reason })
  const worker = new Worker(new URL('worker.ts', import.meta.url), {
    workerData: job,
    env: {},
    stdout: true,
    stderr: true,
    resourceLimits,
  })
  let timer = setTimeout(refuse, START_DEADLINE_MS, 'start_deadline')
  worker.on('message', (message: Message) => {
    if ('ok' in message) return resolve(message)
    clearTimeout(timer)
    timer = setTimeout(refuse, DEADLINE_MS, 'deadline')
  })
  worker.on('error', () => refuse('exhausted'))
  worker.on('exit', () => refuse('exhausted'))
  try {
    return await promise
  } finally {
    clearTimeout(timer)
    await worker.terminate()
  }
}
