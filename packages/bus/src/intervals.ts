/** All intervals of the bus in one table, so that a test can scale them without other changes. */

export interface Intervals {
  /** Polling interval of the relay without NOTIFY. */
  relayPollMs: number
  sweepMs: number
  /**
   * First pause before an unhandled event is published again; it doubles up to 60 times this value.
   */
  republishMs: number
  epochMs: number
  probeMs: number
  /** Timeout of a PubAck and of a JetStream API request. */
  requestTimeoutMs: number
  /** Time without a successful round trip after which NATS counts as unavailable. */
  staleAfterMs: number
  /** Time of continuous successful round trips after which the bypass ends. */
  recoverAfterMs: number
  bypassPollMs: number
  /** Age of an unpublished event at which its consumers read the producer's outbox themselves. */
  unpublishedLagMs: number
  canaryMs: number
  /** Unit of the retry pause: the n-th failure waits `2^n` units, up to the maximum. */
  retryUnitMs: number
  retryMaxMs: number
  /** Delay of an event behind a failing predecessor. */
  predecessorMs: number
  workingMs: number
  ackWaitMs: number
  reconnectMs: number
  /** Interval of the query for metrics, alarms, and events that are late or were not announced. */
  observeMs: number
}

export const DEFAULT_INTERVALS: Intervals = Object.freeze({
  relayPollMs: 1_000,
  sweepMs: 30_000,
  republishMs: 60_000,
  epochMs: 15_000,
  probeMs: 5_000,
  requestTimeoutMs: 5_000,
  staleAfterMs: 15_000,
  recoverAfterMs: 30_000,
  bypassPollMs: 1_000,
  unpublishedLagMs: 30_000,
  canaryMs: 60_000,
  retryUnitMs: 1_000,
  retryMaxMs: 60_000,
  predecessorMs: 5_000,
  workingMs: 10_000,
  ackWaitMs: 30_000,
  reconnectMs: 500,
  observeMs: 5_000,
})

/** Scales all intervals but the request timeout and the canary interval. */
export const scaledIntervals = (percent: number): Intervals => {
  const { requestTimeoutMs, canaryMs } = DEFAULT_INTERVALS
  const scaled = Object.entries(DEFAULT_INTERVALS).map(([name, ms]) => [name, (ms * percent) / 100])
  return { ...Object.fromEntries(scaled), requestTimeoutMs, canaryMs }
}

/** Pause after the n-th failure of an event. */
export const retryPauseMs = (intervals: Intervals, n: number): number =>
  Math.min(2 ** n * intervals.retryUnitMs, intervals.retryMaxMs)
