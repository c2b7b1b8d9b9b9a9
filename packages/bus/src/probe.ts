/**
 * Liveness of NATS is a JetStream publish round trip and nothing less: `/healthz` was seen to say 200
 * while JetStream was dead.
 */
import type { Logger } from 'pino'
import type { Intervals } from './intervals.ts'
import type { NatsSession } from './nats-client.ts'

export type Mode = 'nats' | 'bypass'

export interface Liveness {
  succeeded(): void
  failed(): void
  mode(): Mode
  /** The last round trip was good: worth publishing to. */
  isGood(): boolean
}

/** Pure but for the clock; starts in hope, so that a fresh process does not bypass a good NATS. */
export const createLiveness = (
  intervals: Pick<Intervals, 'staleAfterMs' | 'recoverAfterMs'>,
  clock: () => number,
): Liveness => {
  let lastGoodMs = clock()
  let goodSinceMs: number | null = null
  let bypassing = false

  const judge = () => {
    const now = clock()
    if (now - lastGoodMs >= intervals.staleAfterMs) bypassing = true
    else if (bypassing && goodSinceMs !== null && now - goodSinceMs >= intervals.recoverAfterMs) {
      bypassing = false
    }
  }
  return {
    succeeded() {
      judge()
      lastGoodMs = clock()
      goodSinceMs ??= lastGoodMs
    },
    failed() {
      goodSinceMs = null
    },
    mode() {
      judge()
      return bypassing ? 'bypass' : 'nats'
    },
    isGood: () => goodSinceMs !== null,
  }
}

export interface RoundTrip {
  session: NatsSession
  subject: string
  timeoutMs: number
  logger: Pick<Logger, 'warn'>
}

export const isRoundTripGood = async (options: RoundTrip): Promise<boolean> => {
  const { session, subject, timeoutMs, logger } = options
  try {
    await session.js.publish(subject, '', { timeout: timeoutMs })
    return true
  } catch (error) {
    logger.warn({ err: error }, 'JetStream probe failed')
    return false
  }
}
