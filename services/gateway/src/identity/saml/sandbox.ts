/**
 * Sandbox for XML of unauthenticated clients: a worker without settings and secrets of the
 * environment, with little memory and bounded processor time. The main thread never parses such
 * XML. Each network may use only a share of the slots, so that a few senders of invalid documents
 * cannot take all of them.
 */
import { Worker } from 'node:worker_threads'
import { compileCacheVariables, KeyedCounts, Semaphore } from '@status-page/concurrency'
import { unavailable } from '@status-page/contracts'
import { addressAllocationOf } from '../../limits/limiter.ts'
import type { ProviderMetadata } from './metadata.ts'
import { processorMsOf } from './processor-time.ts'
import type { MessageFields } from './rules.ts'
import { retainValidatorCode } from './validator-code.ts'

export type SandboxTask =
  | { kind: 'response'; text: string; certificates: readonly string[] }
  | { kind: 'metadata'; text: string }

interface Results {
  response: MessageFields
  metadata: ProviderMetadata
}

export type InspectionResult<T> = { ok: true; value: T } | { ok: false; reason: string }

export interface SandboxLimits {
  /**
   * Processor time per document, including the validator's own threads; loading the libraries does
   * not count. A genuine response takes 0.3 s. A limit of the elapsed time would refuse genuine
   * responses on a busy machine.
   */
  processorMs: number
  /** Maximum elapsed time of a worker, also when it uses no processor time. */
  durationMs: number
}

const defaultLimits: SandboxLimits = { processorMs: 3_000, durationMs: 60_000 }
const WATCH_EVERY_MS = 100
const MAX_AT_ONCE = 2
const MAX_WAITING = 30
/** One eighth of the slots, because colleagues behind one address log in at the same time. */
const MAX_PER_ALLOCATION = 4
const RETRY_AFTER_SECONDS = 5
const resourceLimits = { maxOldGenerationSizeMb: 64, maxYoungGenerationSizeMb: 16 }

export interface Sandbox {
  /**
   * Inspects a document; `address` is that of its sender. Throws 503 when no slot is free or the
   * document exceeds the limits.
   */
  inspect<Kind extends SandboxTask['kind']>(
    task: Extract<SandboxTask, { kind: Kind }>,
    address: string,
  ): Promise<InspectionResult<Results[Kind]>>
}

/** Shared quota key of senders without a known address. */
export const UNKNOWN_ADDRESS = 'unknown'

const REFUSAL = 'Too many concurrent logins'

export const createSandbox = (limits: Partial<SandboxLimits> = {}): Sandbox => {
  const bounds = { ...defaultLimits, ...limits }
  const semaphore = new Semaphore({
    slots: MAX_AT_ONCE,
    maxWaiting: MAX_WAITING,
    rejectionMessage: REFUSAL,
  })
  const inUse = new KeyedCounts()
  return {
    async inspect(task, address) {
      const allocation = addressAllocationOf(address)
      if (inUse.of(allocation) >= MAX_PER_ALLOCATION) throw unavailable(REFUSAL)
      inUse.add(allocation, 1)
      try {
        await retainValidatorCode()
        return (await semaphore.run(() => runOnce(task, bounds))) as never
      } finally {
        inUse.add(allocation, -1)
      }
    },
  }
}

/**
 * Messages of the worker. `validatorMs` is the processor time of the threads that the worker has
 * started.
 */
export type SandboxMessage = { ready: true } | { validatorMs: number } | InspectionResult<unknown>

const timedOut = () => unavailable('Reading the document timed out', RETRY_AFTER_SECONDS)

const runOnce = async (
  task: SandboxTask,
  limits: SandboxLimits,
): Promise<InspectionResult<unknown>> => {
  const { promise, resolve, reject } = Promise.withResolvers<InspectionResult<unknown>>()
  const worker = new Worker(new URL('worker.ts', import.meta.url), {
    workerData: task,
    env: compileCacheVariables(),
    stdout: true,
    stderr: true,
    resourceLimits,
  })
  const onLimit = () => reject(timedOut())
  const timers = [setTimeout(onLimit, limits.durationMs)]
  const used = { validatorMs: 0 }
  worker.on('message', (message: SandboxMessage) => {
    if ('ok' in message) resolve(message)
    else if ('ready' in message) timers.push(watch(worker, used, limits.processorMs, onLimit))
    else used.validatorMs = message.validatorMs
  })
  const exhausted = () => resolve({ ok: false, reason: 'exhausted' })
  worker.on('error', exhausted)
  worker.on('exit', exhausted)
  try {
    return await promise
  } finally {
    for (const timer of timers) clearTimeout(timer)
    await worker.terminate()
  }
}

/** Calls `onLimit` when the processor time since the call exceeds the limit. */
const watch = (
  worker: Worker,
  used: { validatorMs: number },
  limitMs: number,
  onLimit: () => void,
): NodeJS.Timeout => {
  const before = processorMsOf(worker)
  return setInterval(async () => {
    const ownMs = (await processorMsOf(worker)) - (await before)
    if (ownMs + used.validatorMs > limitMs) onLimit()
  }, WATCH_EVERY_MS)
}
