/**
 * Liveness of NATS: a JetStream publish round trip and nothing less, because `/healthz` was seen to
 * respond 200 while JetStream was dead. In a cluster the stream of the events can be on another
 * server than that of the probe, so that it has to respond, too.
 */
import type { Logger } from 'pino'
import type { Intervals } from './intervals.ts'
import type { NatsSession } from './nats-client.ts'

export type TransportMode = 'nats' | 'bypass'

export interface Liveness {
  succeeded(): void
  failed(): void
  mode(): TransportMode
  /** Whether the last round trip succeeded, so that publishing is worthwhile. */
  isAvailable(): boolean
  /** Time until the bypass begins unless a round trip succeeds. */
  staleInMs(): number
}

/**
 * Creates the state machine of the mode. It starts as live, so that a new process does not bypass a
 * healthy NATS.
 */
export const createBusMode = (
  intervals: Pick<Intervals, 'staleAfterMs' | 'recoverAfterMs'>,
  clock: () => number,
): Liveness => {
  let lastGoodMs = clock()
  let goodSinceMs: number | null = null
  let isBypassing = false

  const updateMode = () => {
    const now = clock()
    if (now - lastGoodMs >= intervals.staleAfterMs) isBypassing = true
    else if (isBypassing && goodSinceMs !== null && now - goodSinceMs >= intervals.recoverAfterMs) {
      isBypassing = false
    }
  }
  return {
    succeeded() {
      updateMode()
      lastGoodMs = clock()
      goodSinceMs ??= lastGoodMs
    },
    failed() {
      goodSinceMs = null
    },
    mode() {
      updateMode()
      return isBypassing ? 'bypass' : 'nats'
    },
    isAvailable: () => goodSinceMs !== null,
    staleInMs: () => lastGoodMs + intervals.staleAfterMs - clock(),
  }
}

export interface RoundTripOptions {
  session: NatsSession
  subject: string
  /** Stream of the events, which must have a leader. */
  eventStream: string
  timeoutMs: number
  logger: Pick<Logger, 'warn'>
}

export const isRoundTripSuccessful = async (options: RoundTripOptions): Promise<boolean> => {
  const { session, subject, eventStream, timeoutMs, logger } = options
  try {
    await Promise.all([
      session.js.publish(subject, '', { timeout: timeoutMs }),
      hasAllStreams(session) ? null : requireLeader(session, eventStream),
    ])
    return true
  } catch (error) {
    logger.warn({ err: error }, 'JetStream probe failed')
    return false
  }
}

/** Whether the server of the connection has all streams, because it belongs to no cluster. */
const hasAllStreams = ({ connection: { info } }: NatsSession): boolean =>
  info?.jetstream === true && info.cluster === undefined

const requireLeader = async ({ jsm }: NatsSession, stream: string): Promise<void> => {
  const { cluster } = await jsm.streams.info(stream)
  if (cluster !== undefined && !cluster.leader) throw new Error(`${stream} has no leader`)
}
