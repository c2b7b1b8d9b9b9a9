/** Loops of due work: one a work, never two at once in a process; rows, not loops, hold the truth. */
import { setImmediate as nextTurn } from 'node:timers/promises'

const FIRST_BACKOFF_MS = 1_000
const MAX_BACKOFF_MS = 60_000
const JITTER = 0.2

export interface Job {
  name: string
  /** Pause after a run that found nothing, give or take a fifth. */
  intervalMs: number
  /** Answers how much it did; more than 0 runs it again at once. */
  run(signal: AbortSignal): Promise<number>
  /** Told while it runs, where a run lasts and can take more on. */
  wake?(): void
}

/**
 * Items of one run that failed, each on its own; their work goes on as usual. The message is that of
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
  onError?: (work: Job, error: unknown) => void
}

export interface JobRunner {
  /** Ends the pause of one work, or of all. */
  wake(name?: string): void
  /** Resolves when every run has ended; runs see their signal aborted. */
  stop(): Promise<void>
}

export const startJobs = (works: readonly Job[], options: JobOptions): JobRunner => {
  const stopping = new AbortController()
  const loops = works.map((work) => ({ work, ...startLoop(work, stopping.signal, options) }))
  return {
    wake(name) {
      for (const loop of loops) {
        if (name !== undefined && loop.work.name !== name) continue
        loop.wake()
        loop.work.wake?.()
      }
    },
    async stop() {
      stopping.abort()
      for (const loop of loops) loop.wake()
      await Promise.all(loops.map((loop) => loop.ended))
    },
  }
}

const startLoop = (work: Job, signal: AbortSignal, options: JobOptions) => {
  const wakeup = createWakeup()
  let failures = 0

  const report = (error: ItemFailures): number => {
    const details = { err: error, work: work.name, failedItems: error.failures.length }
    options.logger.error(details, 'scheduled job failed for some items')
    options.onError?.(work, error)
    const { intervalMs } = work
    return jittered(error.isBatchFull ? Math.min(FIRST_BACKOFF_MS, intervalMs) : intervalMs)
  }

  const runOnce = async (): Promise<number> => {
    try {
      const done = await work.run(signal)
      failures = 0
      return done > 0 ? 0 : jittered(work.intervalMs)
    } catch (error) {
      if (signal.aborted) return 0
      if (error instanceof ItemFailures) return report(error)
      failures++
      options.logger.error({ err: error, work: work.name, failures }, 'scheduled job failed')
      options.onError?.(work, error)
      return jittered(Math.min(FIRST_BACKOFF_MS * 2 ** (failures - 1), MAX_BACKOFF_MS))
    }
  }

  const loop = async () => {
    while (!signal.aborted) {
      const pauseMs = await runOnce()
      if (pauseMs === 0) await nextTurn()
      else if (!signal.aborted) await wakeup.waitFor(pauseMs)
    }
  }
  return { wake: wakeup.ring, ended: loop() }
}

const jittered = (pauseMs: number) =>
  Math.max(1, Math.round(pauseMs * (1 - JITTER + 2 * JITTER * Math.random())))

/** A ring during a run is kept for the pause after it. */
const createWakeup = () => {
  let rung = false
  let wake: (() => void) | null = null
  return {
    ring() {
      if (wake === null) rung = true
      else wake()
    },
    async waitFor(pauseMs: number) {
      if (!rung) {
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, pauseMs)
          wake = () => {
            clearTimeout(timer)
            resolve()
          }
        })
        wake = null
      }
      rung = false
    },
  }
}
