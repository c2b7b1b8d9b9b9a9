/**
 * Counters of requests, the same for any number of gateways. An exact window is shared: one
 * statement charges all windows of the requests of one turn of the event loop. The copy in this
 * process refuses requests to a window that is full, and takes over while Postgres does not
 * respond. Windows of public pages are charged in the copy and synchronized every second, so that a
 * page costs no query.
 *
 * A shared charge takes 11 to 19 µs of processor time, 12 to 24 µs where two gateways charge the
 * same windows; one in the copy takes 0.4 µs (`benchmark:rate-limits`). A separate mode for a sole
 * gateway, which charged exact windows in memory, saved nothing measurable of a request: 1,367 and
 * 1,673 µs with it, 1,437 and 1,419 µs without it (`benchmark:gateway`, two runs).
 */
import { withTimeout } from '@status-page/concurrency'
import type { Database } from '@status-page/postgres'
import { type CountResult, createLocalWindows } from './local-windows.ts'
import { createDatabaseOutage } from './outage.ts'
import { chargeSharedWindows, type RequestedCharge, type SharedCharge } from './store.ts'
import type { RateWindow } from './window.ts'

export interface Counting {
  /** Charges a window exactly over all gateways. */
  charge(key: string, window: RateWindow): CountResult | Promise<CountResult>
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

/** Maximum of windows per statement; the others go with the next one. */
const MAX_BATCH = 1_000

/** Maximum time to wait for a database that hangs. */
const MAX_WAIT_MS = 2_000

const failLate = (): never => {
  throw new Error(`Postgres did not respond to the charge of rate limits in ${MAX_WAIT_MS} ms`)
}

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
  const enqueue = createBatchQueue(async (batch) => {
    const charges = await chargeAll(sumByKey(batch))
    if (charges !== null) return resolveAll(batch, charges)
    for (const { key, window, resolve } of batch) resolve(local.charge(key, window))
  })
  return {
    charge: (key, window) =>
      local.findRefusal(key, window) ?? new Promise((resolve) => enqueue({ key, window, resolve })),
    chargeLocally: local.charge,
    sync: local.sync,
  }
}

/**
 * Queue of charges. Batches are counted one at a time, from the next turn of the event loop on;
 * charges that arrive in the meantime form the next batch.
 */
const createBatchQueue = (count: (batch: QueuedCharge[]) => Promise<void>) => {
  let queue: QueuedCharge[] = []
  let isFlushing = false
  const flush = async () => {
    if (isFlushing) return
    isFlushing = true
    while (queue.length > 0) {
      const batch = queue.slice(0, MAX_BATCH)
      queue = queue.slice(MAX_BATCH)
      await count(batch)
    }
    isFlushing = false
  }
  return (charge: QueuedCharge) => {
    queue.push(charge)
    if (queue.length === 1) setImmediate(() => void flush())
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
