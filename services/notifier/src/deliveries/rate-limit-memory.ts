/**
 * What one process remembers of limits that are full, so that a backlog is not claimed and put off row by
 * row: 100,000 rows that wait for a limit of 100 a minute would keep a core busy. Forgetting it costs one try.
 */
import type { SystemScope } from '@status-page/postgres'
import { sql } from 'drizzle-orm'
import { globalKey, type RateRefusal, webhooksOf } from './rate.ts'

/** Counting stops here: the wait is long either way. */
const COUNT_LIMIT = 100_000
/** A limit that was just full lets few through: more would only be put off again. */
const RECOVERY_MS = 60_000
const RECOVERY_CLAIM_SIZE = 4

export interface RateLimitMemory {
  /** Deliveries of all organizations before the limit of all, as of a moment ago; 0 while it lets all through. */
  waiting(): number
  count(systemScope: SystemScope): Promise<void>
  /** A limit is full. */
  refused(refusal: Pick<RateRefusal, 'key' | 'freeMs'>): void
  /** Nothing that a limit holds for may go now. */
  isGlobalLimitFull(): boolean
  isRateLimited(organizationId: string): boolean
  /** As many as it is worth to claim, of those that there is room for. */
  claimSize(room: number): number
}

export const createRateLimitMemory = (
  now: () => number = () => performance.now(),
): RateLimitMemory => {
  let waiting = 0
  const fullUntil = new Map<string, number>()
  const isFull = (key: string) => (fullUntil.get(key) ?? 0) > now()
  const wasRecentlyFull = () => {
    const until = fullUntil.get(globalKey)
    return until !== undefined && until + RECOVERY_MS > now()
  }
  return {
    waiting: () => (wasRecentlyFull() ? waiting : 0),
    async count({ tx }) {
      const [row] = await tx.execute<{ waiting: number }>(sql`
        SELECT count(*)::int AS waiting FROM (
          SELECT FROM deliveries WHERE state = 'pending' LIMIT ${COUNT_LIMIT}) counted`)
      waiting = row?.waiting ?? 0
      for (const [key, until] of fullUntil) if (until + RECOVERY_MS < now()) fullUntil.delete(key)
    },
    refused({ key, freeMs }) {
      fullUntil.set(key, now() + freeMs)
    },
    isGlobalLimitFull: () => isFull(globalKey),
    isRateLimited: (organizationId) => isFull(webhooksOf(organizationId)),
    claimSize: (room) =>
      wasRecentlyFull() && !isFull(globalKey) ? Math.min(room, RECOVERY_CLAIM_SIZE) : room,
  }
}
