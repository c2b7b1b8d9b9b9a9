/**
 * Loops of jobs: one per job, never two runs at once in a process; the state is in rows, not in
 * loops.
 */
import { runLoop, Wakeup } from '@status-page/concurrency'

const FIRST_BACKOFF_MS = 1_000
const MAX_BACKOFF_MS = 60_000
const JITTER = 0.2

export interface Job {
  name: string
  /** Pause after a run that did nothing, with a jitter of a fifth. */
  intervalMs: number
  /** Returns the number of items done; more than 0 starts the next run at once. */
  run(signal: AbortSignal): Promise<number>
  /** Called during a run that is long and can accept more work. */
  wake?(): void
}

/**
 * Items of one run that failed independently; the job continues as usual. The message is that of
 * the first failure.
 */
export class ItemFailures extends Error {
  readonly failures: readonly unknown[]
  /** Whether more items may be due. */
  readonly isBatchFull: boolean

  constructor(failures: readonly unknown[], { isBatchFull }: { isBatchFull: boolean }) {
    const [first] = failures
    super(first instanceof Error ? first.message : String(first), { cause: first })
    this.name = 'ItemFailures'
    this.failures = failures
    this.isBatchFull = isBatchFull
  }
}

export interface JobOptions {
  logger: { error(details: object, message: string): void }
  onError?: (job: Job, error: unknown) => void
}

export interface JobRunner {
  /** Ends the pause of one job, or of all. */
  wake(name?: string): void
  /** Aborts the signal of all runs; resolves when they have ended. */
  stop(): Promise<void>
}

export const startJobs = (jobs: readonly Job[], options: JobOptions): JobRunner => {
  const stopping = new AbortController()
  const loops = jobs.map((job) => ({ job, ...startLoop(job, stopping.signal, options) }))
  return {
    wake(name) {
      for (const loop of loops) {
        if (name !== undefined && loop.job.name !== name) continue
        loop.wake()
        loop.job.wake?.()
      }
    },
    async stop() {
      stopping.abort()
      await Promise.all(loops.map((loop) => loop.ended))
    },
  }
}

const startLoop = (job: Job, signal: AbortSignal, { logger, onError }: JobOptions) => {
  const wakeup = new Wakeup()
  let failures = 0
  const ended = runLoop({
    async run() {
      const done = await job.run(signal)
      failures = 0
      return done > 0 ? 0 : jittered(job.intervalMs)
    },
    onError(error) {
      if (signal.aborted) return 0
      onError?.(job, error)
      if (error instanceof ItemFailures) {
        const details = { err: error, job: job.name, failedItems: error.failures.length }
        logger.error(details, 'scheduled job failed for some items')
        const { intervalMs } = job
        return jittered(error.isBatchFull ? Math.min(FIRST_BACKOFF_MS, intervalMs) : intervalMs)
      }
      failures++
      logger.error({ err: error, job: job.name, failures }, 'scheduled job failed')
      return jittered(Math.min(FIRST_BACKOFF_MS * 2 ** (failures - 1), MAX_BACKOFF_MS))
    },
    wakeup,
    signal,
  })
  return { wake: wakeup.wake, ended }
}

const jittered = (pauseMs: number) =>
  Math.max(1, Math.round(pauseMs * (1 - JITTER + 2 * JITTER * Math.random())))
