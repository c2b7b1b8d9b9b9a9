/**
 * Job over due items: they are processed in order, and a failed one is retried after a growing pause.
 * Failing items at the head of the due ones therefore delay none behind them.
 */
import { isConnectionLost } from './connection-fault.ts'
import { ItemFailures } from './jobs.ts'

const FIRST_RETRY_MS = 5_000
const MAX_RETRY_MS = 600_000
/** Maximum failed items in memory; beyond it the one that is due first is dropped. */
const MAX_WAITING = 5_000

interface DueItemsOptions<Item> {
  /** Maximum items in one run. */
  batchSize: number
  /** Due items in a stable order. */
  find(limit: number): Promise<readonly Item[]>
  keyOf(item: Item): string
  /** Returns whether the item was changed. */
  work(item: Item): Promise<boolean>
  /** Maximum items that are processed concurrently; default 1. */
  atOnce?: number
  nowMs?: () => number
}

interface Retry {
  atMs: number
  pauseMs: number
}

/**
 * Returns a run over the next items that are not paused; a run returns the number of items done. It
 * throws `ItemFailures` after the last item if some failed, and the error of a lost connection at
 * once, since every further item would fail with it.
 */
export const createDueItemsRun = <Item>(
  options: DueItemsOptions<Item>,
): ((signal?: AbortSignal) => Promise<number>) => {
  const { batchSize, find, keyOf, work, atOnce = 1, nowMs = Date.now } = options
  const retries = new Map<string, Retry>()

  const nextItems = async (): Promise<Item[]> => {
    const now = nowMs()
    const waiting = retries.entries().filter(([, { atMs }]) => atMs > now)
    const keys = new Set(waiting.map(([key]) => key))
    const found = await find(batchSize + keys.size)
    return found.filter((item) => !keys.has(keyOf(item))).slice(0, batchSize)
  }

  const attempt = async (item: Item, failures: unknown[]): Promise<boolean> => {
    const key = keyOf(item)
    try {
      const isDone = await work(item)
      retries.delete(key)
      return isDone
    } catch (error) {
      if (isConnectionLost(error)) throw error
      failures.push(error)
      postpone(retries, key, nowMs())
      return false
    }
  }

  return async (signal) => {
    const items = await nextItems()
    const failures: unknown[] = []
    let done = 0
    const queue = items.values()
    const processQueue = async () => {
      for (const item of queue) {
        if (signal?.aborted === true) break
        if (await attempt(item, failures)) done++
      }
    }
    await Promise.all(Array.from({ length: atOnce }, processQueue))
    const isBatchFull = items.length === batchSize
    if (failures.length > 0) throw new ItemFailures(failures, { isBatchFull })
    return done
  }
}

const postpone = (retries: Map<string, Retry>, key: string, nowMs: number): void => {
  const last = retries.get(key)
  const pauseMs = last === undefined ? FIRST_RETRY_MS : Math.min(last.pauseMs * 2, MAX_RETRY_MS)
  retries.set(key, { atMs: nowMs + pauseMs, pauseMs })
  if (retries.size <= MAX_WAITING) return
  const [first] = [...retries].toSorted(([, left], [, right]) => left.atMs - right.atMs)
  if (first !== undefined) retries.delete(first[0])
}
