/** Runs one task repeatedly: at its interval, or at once when woken; never concurrently. */

/** Delay after a wake-up, so that one run covers several simultaneous ones. */
const WAKE_DELAY_MS = 20

export interface LoopOptions {
  intervalMs: number
  run: () => Promise<void>
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
  let timer: NodeJS.Timeout | undefined
  let dueAt = Number.POSITIVE_INFINITY
  let running: Promise<void> | null = null
  let wokenWhileRunning = false
  let stopped = false

  const schedule = (delayMs: number) => {
    if (stopped) return
    clearTimeout(timer)
    dueAt = performance.now() + delayMs
    timer = setTimeout(() => void once(), delayMs)
  }

  const once = async () => {
    const startedAt = performance.now()
    wokenWhileRunning = false
    dueAt = Number.POSITIVE_INFINITY
    running = run().catch(onError)
    await running
    running = null
    const restMs = Math.max(0, startedAt + intervalMs - performance.now())
    schedule(wokenWhileRunning ? Math.min(WAKE_DELAY_MS, restMs) : restMs)
  }

  return {
    start: once,
    wake() {
      wokenWhileRunning = true
      if (running === null && performance.now() + WAKE_DELAY_MS < dueAt) schedule(WAKE_DELAY_MS)
    },
    async stop() {
      stopped = true
      clearTimeout(timer)
      await running
    },
  }
}
