/**
 * Job over due items: they are processed in order, one by one or in batches, and a failed one is
 * retried after a growing pause. Failing items at the head of the due ones therefore delay none
 * behind them.
 */
import { chunksOf } from './chunks.ts'
import { isConnectionLost } from './connection-fault.ts'
import { ItemFailures } from './jobs.ts'

const FIRST_RETRY_MS = 5_000
const MAX_RETRY_MS = 600_000
/** Maximum failed items in memory; beyond it the one that is due first is dropped. */
const MAX_WAITING = 5_000

interface DueOptions<Item> {
  /** Due items in a stable order. */
  find(limit: number): Promise<readonly Item[]>
  keyOf(item: Item): string
  /** Maximum items, or batches of them, that are processed concurrently; default 1. */
  atOnce?: number
  nowMs?: () => number
}

interface DueItemsOptions<Item> extends DueOptions<Item> {
  /** Maximum items in one run. */
  batchSize: number
  /** Returns whether the item was changed. */
  work(item: Item): Promise<boolean>
}

interface DueBatchesOptions<Item> extends DueOptions<Item> {
  /** Maximum items in one run. */
  maxItems: number
  /** Maximum items in one call of `work`. */
  batchSize: number
  /** Processes all of the items or fails; returns the number of those that were changed. */
  work(items: readonly Item[]): Promise<number>
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
export const createDueItemsRun = <Item>({
  batchSize: maxItems,
  work,
  ...options
}: DueItemsOptions<Item>): ((signal?: AbortSignal) => Promise<number>) =>
  createDueBatchesRun<Item>({
    ...options,
    maxItems,
    batchSize: 1,
    work: async ([item]) => (item !== undefined && (await work(item)) ? 1 : 0),
  })

/** Like `createDueItemsRun`; a batch that fails is halved until its failing items are alone. */
export const createDueBatchesRun = <Item>(
  options: DueBatchesOptions<Item>,
): ((signal?: AbortSignal) => Promise<number>) => {
  const { maxItems, batchSize, find, keyOf, work, atOnce = 1, nowMs = Date.now } = options
  const retries = new Map<string, Retry>()

  const nextItems = async (): Promise<Item[]> => {
    const now = nowMs()
    const waiting = retries.entries().filter(([, { atMs }]) => atMs > now)
    const keys = new Set(waiting.map(([key]) => key))
    const found = await find(maxItems + keys.size)
    return found.filter((item) => !keys.has(keyOf(item))).slice(0, maxItems)
  }

  const attempt = async (items: readonly Item[], failures: unknown[]): Promise<number> => {
    try {
      const done = await work(items)
      for (const item of items) retries.delete(keyOf(item))
      return done
    } catch (error) {
      if (isConnectionLost(error)) throw error
      if (items.length > 1) return attemptHalves(items, failures)
      failures.push(error)
      for (const item of items) postpone(retries, keyOf(item), nowMs())
      return 0
    }
  }

  const attemptHalves = async (items: readonly Item[], failures: unknown[]): Promise<number> => {
    let done = 0
    for (const half of chunksOf(items, Math.ceil(items.length / 2))) {
      done += await attempt(half, failures)
    }
    return done
  }

  return async (signal) => {
    const items = await nextItems()
    const failures: unknown[] = []
    let done = 0
    const queue = chunksOf(items, batchSize).values()
    const processQueue = async () => {
      for (const batch of queue) {
        if (signal?.aborted === true) break
        const changed = await attempt(batch, failures)
        done += changed
      }
    }
    await Promise.all(Array.from({ length: atOnce }, processQueue))
    const isBatchFull = items.length === maxItems
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
