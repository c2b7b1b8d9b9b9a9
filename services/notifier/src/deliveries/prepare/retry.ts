/** Retries while Postgres is unavailable, and isolates failures of single deliveries in a batch. */
import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises'
import { AppError } from '@status-page/contracts'
import type { LoadedDelivery } from './load-for-send.ts'

const RETRY_WITHOUT_POSTGRES_MS = 500

export const isUnavailable = (error: unknown): boolean =>
  error instanceof AppError && error.code === 'SERVICE_UNAVAILABLE'

/**
 * Retries until Postgres is available: the running sender has the results of its messages, which
 * would be sent twice after their lease expires.
 */
export const retryWhileUnavailable = async <T>(
  signal: AbortSignal,
  work: () => Promise<T>,
): Promise<T> => {
  for (;;) {
    try {
      return await work()
    } catch (error) {
      if (!isUnavailable(error) || signal.aborted) throw error
      await pause(RETRY_WITHOUT_POSTGRES_MS)
    }
  }
}

type Item = LoadedDelivery | { leased: LoadedDelivery }

/** Longest time that the items of a batch hold the event loop before a pause, plus that of one item. */
const SLICE_MS = 10

/**
 * Runs `work` per item; a failing delivery keeps its lease, is reaped, and does not affect the
 * others. Pauses between items, because a batch may render a large template a thousand times.
 */
export const settleBatch = async <One extends Item, Result>(
  logger: { error(details: object, message: string): void },
  items: readonly One[],
  work: (item: One) => Promise<Result | null>,
): Promise<Result[]> => {
  const results: Result[] = []
  let sliceStart = performance.now()
  for (const item of items) {
    if (performance.now() - sliceStart > SLICE_MS) {
      await nextTurn()
      sliceStart = performance.now()
    }
    try {
      const result = await work(item)
      if (result !== null) results.push(result)
    } catch (error) {
      if (isUnavailable(error)) throw error
      const { id: deliveryId } = leasedOf(item).delivery
      logger.error(
        { err: error, deliveryId },
        'delivery failed, will be retried when its lease expires',
      )
    }
  }
  return results
}

const leasedOf = (item: Item): LoadedDelivery => ('leased' in item ? item.leased : item)
