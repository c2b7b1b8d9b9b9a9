/**
 * Background loop: runs one iteration at a time, can be woken early, ends with its signal, and
 * survives errors.
 */
import type { Logger } from 'pino'

export interface Wakeup {
  wake(): void
  /** Resolves when woken (also before the call), after `ms`, or when the signal aborts. */
  wait(ms: number, signal: AbortSignal): Promise<void>
}

export const createWakeup = (): Wakeup => {
  let isSet = false
  let wake: (() => void) | null = null
  return {
    wake() {
      isSet = true
      wake?.()
    },
    async wait(ms, signal) {
      if (!isSet && !signal.aborted) {
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, ms)
          wake = () => {
            clearTimeout(timer)
            resolve()
          }
          signal.addEventListener('abort', wake, { once: true })
        })
        if (wake !== null) signal.removeEventListener('abort', wake)
        wake = null
      }
      isSet = false
    },
  }
}

export interface BusLoop {
  wakeup: Wakeup
  /** Resolves when the last iteration has ended; the owner of the signal must abort it. */
  ended: Promise<void>
}

export interface BusLoopSpec {
  name: string
  everyMs: number
  signal: AbortSignal
  logger: Pick<Logger, 'warn'>
  wakeup?: Wakeup
  /** Wait after an iteration that returns `idle`; `everyMs` by default. */
  restMs?: number
  /** Runs one iteration; `immediately` starts the next one without a wait. */
  runOnce(): Promise<NextRun>
}

export type NextRun = 'immediately' | 'idle' | undefined

/** Starts a loop. A failed iteration is followed by the usual wait, which is its retry. */
export const startBusLoop = (spec: BusLoopSpec): BusLoop => {
  const { name, everyMs, signal, logger, wakeup = createWakeup(), restMs = everyMs } = spec
  let isFailing = false
  const attempt = async () => {
    try {
      const nextRun = await spec.runOnce()
      isFailing = false
      return nextRun
    } catch (error) {
      // Logs only the first of consecutive failures; an unreachable database would fill the log.
      if (!isFailing && !signal.aborted) logger.warn({ err: error, loop: name }, 'bus loop failed')
      isFailing = true
      return undefined
    }
  }
  const run = async () => {
    while (!signal.aborted) {
      const nextRun = await attempt()
      if (nextRun !== 'immediately')
        await wakeup.wait(nextRun === 'idle' ? restMs : everyMs, signal)
    }
  }
  return { wakeup, ended: run() }
}
