/** Every pace of the bus in one table, so that a test can scale them without touching behaviour. */

export interface Intervals {
  /** The relay looks this often when no NOTIFY wakes it. */
  relayPollMs: number
  /** So often while it found nothing the last time, and NOTIFY would wake it. */
  relayRestMs: number
  sweepMs: number
  /** First pause before an unhandled event is published again; it doubles up to 60 times itself. */
  republishMs: number
  epochMs: number
  probeMs: number
  /** For a PubAck, and for an answer of the JetStream API. */
  requestTimeoutMs: number
  /** Without a good round trip for this long, NATS counts as away. */
  staleAfterMs: number
  /** Good round trips for this long end the bypass. */
  recoverAfterMs: number
  bypassPollMs: number
  /** An event unpublished for this long makes its consumers read the producer's feed. */
  unpublishedLagMs: number
  lagCheckMs: number
  canaryMs: number
  /** The n-th failure waits `2^n` of these, up to the maximum. */
  retryUnitMs: number
  retryMaxMs: number
  /** An event behind a failing predecessor is put back for this long. */
  predecessorMs: number
  workingMs: number
  ackWaitMs: number
  reconnectMs: number
  observeMs: number
}

export const INTERVALS: Intervals = Object.freeze({
  relayPollMs: 1_000,
  relayRestMs: 5_000,
  sweepMs: 30_000,
  republishMs: 60_000,
  epochMs: 15_000,
  probeMs: 5_000,
  requestTimeoutMs: 5_000,
  staleAfterMs: 15_000,
  recoverAfterMs: 30_000,
  bypassPollMs: 1_000,
  unpublishedLagMs: 30_000,
  lagCheckMs: 5_000,
  canaryMs: 60_000,
  retryUnitMs: 1_000,
  retryMaxMs: 60_000,
  predecessorMs: 5_000,
  workingMs: 10_000,
  ackWaitMs: 30_000,
  reconnectMs: 500,
  observeMs: 5_000,
})

/** Intervals in their proportions; the time for an answer and the pace of canaries stay. */
export const scaledIntervals = (percent: number): Intervals => {
  const { requestTimeoutMs, canaryMs } = INTERVALS
  const scaled = Object.entries(INTERVALS).map(([name, ms]) => [name, (ms * percent) / 100])
  return { ...Object.fromEntries(scaled), requestTimeoutMs, canaryMs }
}

/** Pause after the n-th failure of an event. */
export const retryPauseMs = (intervals: Intervals, n: number): number =>
  Math.min(2 ** n * intervals.retryUnitMs, intervals.retryMaxMs)
