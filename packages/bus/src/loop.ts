/** A background loop: one turn at a time, woken early by its bell, ended by a signal, never by an error. */
import type { Logger } from 'pino'

export interface Wakeup {
  wake(): void
  /** Resolves when rung (also if it rang before), after `ms`, or when the signal aborts. */
  wait(ms: number, signal: AbortSignal): Promise<void>
}

export const createWakeup = (): Wakeup => {
  let rung = false
  let wake: (() => void) | null = null
  return {
    wake() {
      rung = true
      wake?.()
    },
    async wait(ms, signal) {
      if (!rung && !signal.aborted) {
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
      rung = false
    },
  }
}

export interface BusLoop {
  wakeup: Wakeup
  /** Resolves when the last turn has ended; the signal must be aborted by whoever gave it. */
  ended: Promise<void>
}

export interface BusLoopSpec {
  name: string
  everyMs: number
  signal: AbortSignal
  logger: Pick<Logger, 'warn'>
  wakeup?: Wakeup
  /** After a turn that answers `rest`; `everyMs` when left out. */
  restMs?: number
  /** `again` asks for the next turn at once. */
  turn(): Promise<NextRun>
}

export type NextRun = 'again' | 'rest' | undefined

/** After an error the pause is the usual one: the loops are their own retry. */
export const startBusLoop = (spec: BusLoopSpec): BusLoop => {
  const { name, everyMs, signal, logger, wakeup = createWakeup(), restMs = everyMs } = spec
  let failing = false
  const attempt = async () => {
    try {
      const answer = await spec.turn()
      failing = false
      return answer
    } catch (error) {
      // Only the first of a row of failures: a database that is away would fill the log.
      if (!failing && !signal.aborted) logger.warn({ err: error, loop: name }, 'bus loop failed')
      failing = true
      return undefined
    }
  }
  const turns = async () => {
    while (!signal.aborted) {
      const pace = await attempt()
      if (pace !== 'again') await wakeup.wait(pace === 'rest' ? restMs : everyMs, signal)
    }
  }
  return { wakeup, ended: turns() }
}
