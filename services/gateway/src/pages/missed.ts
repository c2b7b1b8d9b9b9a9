/** Changes of pages that a gateway may not have heard of: while it was down, or between two connections. */
import { lastStated } from '@status-page/bus'
import { statusPageDeleted, statusPageUpdated } from '@status-page/contracts'
import type { Database } from '@status-page/postgres'
import { MAX_STALE_MS } from './answers.ts'

/** What is older was kept no longer than that. */
const WITHIN_MS = MAX_STALE_MS + 3_600_000

export const changesOfPages = ({ hot }: Database): Promise<Map<string, number>> =>
  lastStated(hot, {
    ...{ producer: 'core', aggregateType: 'status-page', withinMs: WITHIN_MS },
    kinds: [statusPageUpdated.kind, statusPageDeleted.kind],
  })
