/**
 * Memory of full limits in one process, so that a backlog is not claimed and deferred row by row:
 * 100,000 rows waiting for a limit of 100 a minute would keep a core busy. Losing the memory costs
 * one claim.
 */
import type { SystemScope } from '@status-page/postgres'
import { sql } from 'drizzle-orm'
import { globalRateKey, type RateRefusal } from './rate.ts'

/** Maximum number of rows counted: beyond it the wait is long either way. */
const COUNT_LIMIT = 100_000
/** A limit that was recently full admits few messages, so claims stay small for this long. */
const RECOVERY_MS = 60_000
const RECOVERY_CLAIM_SIZE = 4

export interface RateLimitMemory {
  /**
   * Recent number of pending deliveries in all organizations; 0 unless the global limit was full
   * recently.
   */
  waiting(): number
  count(systemScope: SystemScope): Promise<void>
  /** Records a full limit. */
  refused(refusal: Pick<RateRefusal, 'key' | 'freeMs'>): void
  /** True while the global limit is full: only exempt deliveries may be sent. */
  isGlobalLimitFull(): boolean
  isRateLimited(organizationId: string): boolean
  /** Number of deliveries worth claiming, up to the free room. */
  claimSize(room: number): number
}

export const createRateLimitMemory = (
  now: () => number = () => performance.now(),
): RateLimitMemory => {
  let waiting = 0
  const fullUntil = new Map<string, number>()
  const isFull = (key: string) => (fullUntil.get(key) ?? 0) > now()
  const wasRecentlyFull = () => {
    const until = fullUntil.get(globalRateKey)
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
    isGlobalLimitFull: () => isFull(globalRateKey),
    isRateLimited: (organizationId) => isFull(organizationId),
    claimSize: (room) =>
      wasRecentlyFull() && !isFull(globalRateKey) ? Math.min(room, RECOVERY_CLAIM_SIZE) : room,
  }
}
