/**
 * In-memory pauses of failed events where no transport delays them: in bypass, and for
 * predecessors.
 */

export interface RetryPauses {
  set(consumer: string, eventId: string, pauseMs: number): void
  clear(consumer: string, eventId: string): void
  /** Events of the consumer that must not be retried yet. */
  of(consumer: string): string[]
  has(consumer: string, eventId: string): boolean
}

/**
 * Maximum pauses per consumer; an event beyond it may be retried early, which costs one attempt.
 */
const MAX_PAUSES = 10_000

export const createRetryPauses = (clock: () => number): RetryPauses => {
  const until = new Map<string, Map<string, number>>()

  const forget = (consumer: string) => {
    const now = clock()
    for (const [eventId, at] of until.get(consumer) ?? []) {
      if (at <= now) until.get(consumer)?.delete(eventId)
    }
  }

  return {
    set(consumer, eventId, pauseMs) {
      const events = until.get(consumer) ?? new Map<string, number>()
      until.set(consumer, events)
      if (events.size >= MAX_PAUSES) forget(consumer)
      if (events.size < MAX_PAUSES) events.set(eventId, clock() + pauseMs)
    },
    clear(consumer, eventId) {
      until.get(consumer)?.delete(eventId)
    },
    of(consumer) {
      forget(consumer)
      return [...(until.get(consumer)?.keys() ?? [])]
    },
    has: (consumer, eventId) => (until.get(consumer)?.get(eventId) ?? 0) > clock(),
  }
}
