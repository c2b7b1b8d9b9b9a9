/**
 * Counters of requests, the same for any number of gateways. An exact window is shared: one
 * statement charges all windows of the requests of one turn of the event loop. The copy in this
 * process grants requests of a window that is far from full, and stores them within 50 ms
 * (write-behind); it refuses those of a full window, and takes over while Postgres does not respond.
 * Windows of public pages are charged in the copy and synchronized every second, so that a page
 * costs no query.
 *
 * A charge takes 0.7 to 1.9 µs of processor time in the copy, and 6 to 31 µs where Postgres stores
 * it, with one gateway and with two (`benchmark:rate-limits`). `benchmark:gateway` measures the
 * latency that the gateway adds: a write-behind charge takes the wait for Postgres out of it.
 */
import { KeyedCounts, withTimeout } from '@status-page/concurrency'
import type { Database } from '@status-page/postgres'
import { createLocalWindows, type LocalWindows } from './local-windows.ts'
import { createDatabaseOutage } from './outage.ts'
import type { CountResult } from './pending-charges.ts'
import {
  chargeSharedWindows,
  lateResponse,
  MAX_BATCH,
  MAX_WAIT_MS,
  type RequestedCharge,
  type SharedCharge,
} from './store.ts'
import type { RateWindow } from './window.ts'

export interface Counting {
  /** Charges a window over all gateways; at once where the copy in this process decides. */
  charge(key: string, window: RateWindow): CountResult | Promise<CountResult>
  /** Charges a window where the copy in this process decides; null when Postgres has to. */
  chargeAtOnce(key: string, window: RateWindow): CountResult | null
  /** Charges the copy of a window in this process, without a query. */
  chargeLocally(key: string, window: RateWindow): CountResult
  /** Stores local charges in the shared windows; returns more than 0 when some are left. */
  sync(): Promise<number>
}

export interface CountingOptions {
  database: Database
  now?: () => number
  onOutage?: (isOut: boolean, error?: unknown) => void
}

interface QueuedCharge {
  key: string
  window: RateWindow
  resolve(count: CountResult): void
}

type Charges = ReadonlyMap<string, SharedCharge>

/** Time between two batches of charges that no request waits for. */
const STORE_INTERVAL_MS = 50

export const createCounting = (options: CountingOptions): Counting => {
  const { database, now = Date.now, onOutage = () => {} } = options
  const outage = createDatabaseOutage(now, onOutage)
  const local = createLocalWindows(database, outage, now)

  const chargeAll = async (requested: readonly RequestedCharge[]): Promise<Charges | null> => {
    if (outage.isOn()) return null
    const sentMs = now()
    try {
      const charges = await withTimeout(
        chargeSharedWindows(database, requested),
        MAX_WAIT_MS,
        failLate,
      )
      outage.recovered()
      for (const { key, windowMs, capacity } of requested) {
        const charge = charges.get(key)
        if (charge !== undefined) local.merge(key, { windowMs, capacity }, charge, sentMs)
      }
      return charges
    } catch (error) {
      outage.failed(error)
      return null
    }
  }
  const queue = createBatchQueue(local, async (batch) => {
    const charges = await chargeAll(sumByKey(batch))
    if (charges !== null) return resolveAll(batch, charges)
    for (const { key, window, resolve } of batch) resolve(local.charge(key, window))
  })
  const shared = createSharedCharges(queue.add)
  const chargeAtOnce = (key: string, window: RateWindow): CountResult | null => {
    const use = local.find(key, window)
    if (use === null) return null
    const { total, waitMs } = use
    if (total >= window.capacity) return { isGranted: false, total, waitMs }
    const charged = shared.isDeciding(key) ? null : local.chargeWriteBehind(key, use, window)
    if (charged !== null) queue.storeSoon()
    return charged
  }
  return {
    charge: (key, window) => chargeAtOnce(key, window) ?? shared.charge(key, window),
    chargeAtOnce,
    chargeLocally: local.charge,
    async sync() {
      await queue.storeEarlier()
      return local.sync()
    },
  }
}

const failLate = (): never => {
  throw lateResponse()
}

/** Charges that the shared windows decide. */
const createSharedCharges = (enqueue: (charge: QueuedCharge) => void) => {
  /** Number of undecided charges by window. */
  const undecided = new KeyedCounts()
  return {
    /**
     * Whether the shared window decides about the key. Later charges of the key wait too, so that
     * they do not overtake.
     */
    isDeciding: (key: string): boolean => undecided.of(key) > 0,
    charge: (key: string, window: RateWindow): Promise<CountResult> =>
      new Promise((resolve) => {
        undecided.add(key, 1)
        const onDecided = (decided: CountResult) => {
          undecided.add(key, -1)
          resolve(decided)
        }
        enqueue({ key, window, resolve: onDecided })
      }),
  }
}

/**
 * Queue of charges. Batches are counted one at a time, from the next turn of the event loop on;
 * charges that arrive in the meantime form the next batch. Write-behind charges that were made
 * earlier are stored before, so that the shared window includes them when it decides.
 */
const createBatchQueue = (
  local: Pick<LocalWindows, 'unstoredSize' | 'storeUnstored'>,
  count: (batch: QueuedCharge[]) => Promise<void>,
) => {
  let queue: QueuedCharge[] = []
  let flushing: Promise<void> | null = null
  let round = Promise.resolve()
  let timer: NodeJS.Timeout | null = null
  const flushOnce = async () => {
    const batch = queue.slice(0, MAX_BATCH)
    queue = queue.slice(MAX_BATCH)
    // Only those made before the batch was taken: others arrive all the time.
    for (let remaining = local.unstoredSize(); remaining > 0; remaining -= MAX_BATCH)
      await local.storeUnstored()
    if (batch.length > 0) await count(batch)
  }
  const flushAll = async () => {
    while (queue.length > 0 || local.unstoredSize() > 0) {
      round = flushOnce()
      await round
    }
  }
  const flush = (): Promise<void> => {
    if (timer !== null) clearTimeout(timer)
    timer = null
    flushing ??= flushAll().finally(() => {
      flushing = null
    })
    return flushing
  }
  return {
    add(charge: QueuedCharge) {
      queue.push(charge)
      if (queue.length === 1) setImmediate(() => void flush())
    },
    /** Stores the write-behind charges within the interval. */
    storeSoon() {
      timer ??= setTimeout(flush, STORE_INTERVAL_MS).unref()
    },
    /** Stores the write-behind charges that were made before the call. */
    async storeEarlier() {
      void flush()
      // The round in progress may have begun before some of them.
      await round
      await round
    },
  }
}

const sumByKey = (batch: readonly QueuedCharge[]): RequestedCharge[] => {
  const sums = new Map<string, RequestedCharge>()
  for (const { key, window } of batch) {
    const known = sums.get(key)
    if (known === undefined) sums.set(key, { key, ...window, amount: 1 })
    else known.amount++
  }
  return [...sums.values()]
}

/** Grants charges in the order of arrival; each sees the count as of its own request. */
const resolveAll = (batch: readonly QueuedCharge[], charges: Charges) => {
  const served = new Map<string, number>()
  for (const { key, resolve } of batch) {
    const { granted, total, waitMs } = charges.get(key) ?? { granted: 0, total: 0, waitMs: 1 }
    const position = (served.get(key) ?? 0) + 1
    served.set(key, position)
    const isGranted = position <= granted
    resolve({ isGranted, total: isGranted ? total - granted + position : total, waitMs })
  }
}
