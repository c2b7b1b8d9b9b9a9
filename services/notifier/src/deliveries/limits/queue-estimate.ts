/** Estimates the remaining wait of pending deliveries at the rate that the limits allow. */
import type { Scope } from '@status-page/postgres'
import { sql } from 'drizzle-orm'

const MINUTE_SECONDS = 60
/** Maximum number of rows counted: beyond it the wait is long either way. */
const COUNT_LIMIT = 200_000

export interface QueueEstimate {
  /** Whole seconds until a delivery of this priority, not due before `until`, is sent. */
  secondsUntil(priority: number, until: Date): number
}

/** Pending deliveries of the organization, counted by priority. */
export const loadQueueEstimate = async (
  scope: Scope,
  perMinute: number,
): Promise<QueueEstimate> => {
  const rows = await scope.tx.execute<{ priority: number; waiting: number }>(sql`
    SELECT priority, count(*)::int AS waiting FROM (
      SELECT priority FROM deliveries WHERE organization_id = ${scope.organizationId}
        AND state = 'pending' LIMIT ${COUNT_LIMIT}) waiting
    GROUP BY priority`)
  return {
    secondsUntil(priority, until) {
      const ahead = rows.filter((row) => row.priority <= priority)
      const others = ahead.reduce((sum, { waiting }) => sum + waiting, 0) - 1
      const queued = Math.floor(Math.max(0, others) / perMinute) * MINUTE_SECONDS
      const ownMs = until.getTime() - scope.now.getTime()
      return Math.max(0, queued, Math.ceil(ownMs / 1000))
    },
  }
}
