/** Loop of the bus, which logs only the first of consecutive failures. */
import { runLoop, Wakeup } from '@status-page/concurrency'
import type { Logger } from 'pino'

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
  /** Runs one iteration; returns the pause in ms before the next one, `everyMs` by default. */
  runOnce(): Promise<number | undefined>
}

/** Starts a loop. A failed iteration is followed by the usual wait, which is its retry. */
export const startBusLoop = (spec: BusLoopSpec): BusLoop => {
  const { name, everyMs, signal, logger, wakeup = new Wakeup() } = spec
  let isFailing = false
  const ended = runLoop({
    async run() {
      const pauseMs = await spec.runOnce()
      isFailing = false
      return pauseMs ?? everyMs
    },
    onError(error) {
      // An unreachable database would fill the log.
      if (!isFailing && !signal.aborted) logger.warn({ err: error, loop: name }, 'bus loop failed')
      isFailing = true
      return everyMs
    },
    wakeup,
    signal,
  })
  return { wakeup, ended }
}
