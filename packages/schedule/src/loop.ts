/** Runs one task repeatedly: at its interval, or soon after a wake-up; never concurrently. */
import { runLoop, Wakeup } from '@status-page/concurrency'

/** Delay after a wake-up, so that one run covers several simultaneous ones. */
const WAKE_DELAY_MS = 20

export interface LoopOptions {
  /** Maximum interval between the starts of two runs. */
  intervalMs: number
  /** Resolves with the time until the next run, or null for the interval. */
  run: () => Promise<number | null>
  onError: (error: unknown) => void
}

export interface Loop {
  /** Resolves after the first run. */
  start(): Promise<void>
  wake(): void
  /** Resolves after the last run. */
  stop(): Promise<void>
}

export const createLoop = ({ intervalMs, run, onError }: LoopOptions): Loop => {
  const wakeup = new Wakeup()
  const stopping = new AbortController()
  const first = Promise.withResolvers<void>()
  let ended: Promise<void> | undefined

  const runOnce = async () => {
    const startedAt = performance.now()
    const pauseMs = await run().catch((error: unknown) => {
      onError(error)
      return null
    })
    first.resolve()
    const restMs = startedAt + intervalMs - performance.now()
    return pauseMs === null ? restMs : Math.min(pauseMs, restMs)
  }

  return {
    start() {
      const { signal } = stopping
      ended = runLoop({ run: runOnce, onError: () => intervalMs, wakeup, signal })
      return first.promise
    },
    wake: () => wakeup.wakeWithin(WAKE_DELAY_MS),
    async stop() {
      stopping.abort()
      await ended
    },
  }
}
