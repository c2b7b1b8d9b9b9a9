/** Loops over items of many organizations, in which a failure of one item stops no other. */
import { isConnectionLost } from './connection-fault.ts'

/**
 * Runs `work` for each item in turn, until `signal` aborts. Failures are collected: the first one is
 * thrown after the last item. A lost connection to Postgres is thrown at once, as each further item
 * would wait for the connection timeout.
 */
export const settleEach = async <Item>(
  items: Iterable<Item> | AsyncIterable<Item>,
  work: (item: Item) => Promise<unknown>,
  signal?: AbortSignal,
): Promise<void> => {
  const failures: unknown[] = []
  for await (const item of items) {
    if (signal?.aborted === true) break
    try {
      await work(item)
    } catch (error) {
      if (isConnectionLost(error)) throw error
      failures.push(error)
    }
  }
  if (failures.length > 0) throw failures[0]
}
