/** Counting requests: shared at once, or in memory and shared within a second; always somewhere. */
import type { Database } from '@status-page/postgres'
import { type CountShared, createBatchedCounting } from './batch.ts'
import { createExchangedCounting, type ExchangedCounting } from './exchange.ts'
import { createMemoryWindows, type MemoryWindows } from './memory.ts'
import { createOutage } from './outage.ts'

export interface Counting {
  shared: CountShared
  exchanged: ExchangedCounting
  /** Of requests that are refused before they count for all. */
  aside: MemoryWindows
}

export interface CountingOptions {
  database: Database
  now?: () => number
  onOutage?: (isOut: boolean, error?: unknown) => void
}

export const createCounting = (options: CountingOptions): Counting => {
  const { database, now = Date.now, onOutage = () => {} } = options
  const outage = createOutage(now, onOutage)
  return {
    shared: createBatchedCounting(database, outage, now),
    exchanged: createExchangedCounting(database, outage, now),
    aside: createMemoryWindows(),
  }
}
