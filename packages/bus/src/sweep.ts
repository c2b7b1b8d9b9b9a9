/**
 * Sweep and settle: the producer compares its open events with all consumers' receipts. Events
 * without a receipt are published again with growing pauses; events with all receipts are settled.
 * When a view cannot be read, nothing is settled.
 */
import type { ServiceName } from '@status-page/contracts'
import { missingReceipts, runStatement, type Sql } from './outbox-queries.ts'

/** Maximum factor by which the pause before a repeated publication grows. */
const MAX_PAUSE_FACTOR = 60

export interface SweepResult {
  republished: number
  settled: number
}

export const sweepAndSettle = async (
  sql: Sql,
  services: readonly ServiceName[],
  republishMs: number,
): Promise<SweepResult> => {
  const missing = `WITH missing AS (${missingReceipts(services)})`
  const republished = await runStatement(
    sql,
    `${missing} UPDATE outbox o SET published_at = NULL
      WHERE o.seq IN (SELECT seq FROM missing)
        AND o.published_at < now() - $1::float8 * interval '1 ms'
          * least(power(2, greatest(o.publish_count - 1, 0)), ${MAX_PAUSE_FACTOR})
      RETURNING 1`,
    [republishMs],
  )
  const settled = await runStatement(
    sql,
    `${missing} UPDATE outbox o SET settled_at = now()
      WHERE o.settled_at IS NULL AND o.seq NOT IN (SELECT seq FROM missing) RETURNING 1`,
  )
  return { republished: republished.length, settled: settled.length }
}
