/** Loop of runs and pauses; runs never overlap, and a failed one does not end the loop. */
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Wakeup } from './wakeup.ts'

interface LoopSettings {
  /** Runs once; returns the pause in ms before the next run. */
  run(): Promise<number>
  /** Receives the error of a failed run; returns the pause in ms before the next run. */
  onError(error: unknown): number
  /** Ends the pause early. */
  wakeup: Wakeup
  signal: AbortSignal
}

/** Resolves when the signal has aborted and the last run has ended. */
export const runLoop = async ({ run, onError, wakeup, signal }: LoopSettings): Promise<void> => {
  while (!signal.aborted) {
    const pauseMs = await run().catch(onError)
    if (pauseMs > 0) await wakeup.wait(pauseMs, signal)
    else await nextTurn()
  }
}
