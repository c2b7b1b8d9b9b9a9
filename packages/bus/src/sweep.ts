/**
 * Sweep and settle: the producer looks at every consumer's receipts. What is missing is published
 * again, ever more rarely; what nobody lacks is settled. A view that cannot be read settles nothing.
 */
import type { ServiceName } from '@status-page/contracts'
import { missingOver, run, type Sql } from './outbox-queries.ts'

/** The pause before publishing again doubles up to this many times the first one. */
const MAX_PAUSE_FACTOR = 60

export interface Swept {
  republished: number
  settled: number
}

export const sweepAndSettle = async (
  sql: Sql,
  services: readonly ServiceName[],
  republishMs: number,
): Promise<Swept> => {
  const missing = `WITH missing AS (${missingOver(services)})`
  const republished = await run(
    sql,
    `${missing} UPDATE outbox o SET published_at = NULL
      WHERE o.seq IN (SELECT seq FROM missing)
        AND o.published_at < now() - $1::float8 * interval '1 ms'
          * least(power(2, greatest(o.publish_count - 1, 0)), ${MAX_PAUSE_FACTOR})
      RETURNING 1`,
    [republishMs],
  )
  const settled = await run(
    sql,
    `${missing} UPDATE outbox o SET settled_at = now()
      WHERE o.settled_at IS NULL AND o.seq NOT IN (SELECT seq FROM missing) RETURNING 1`,
  )
  return { republished: republished.length, settled: settled.length }
}
