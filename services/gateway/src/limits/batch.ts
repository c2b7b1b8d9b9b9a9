/**
 * Shared windows: all charges of one turn of the event loop are one statement. Memory takes over
 * when Postgres fails.
 */
import type { Database } from '@status-page/postgres'
import type { ExclusiveCounting } from './counter-sync.ts'
import { createMemoryWindows } from './memory.ts'
import type { DatabaseOutage } from './outage.ts'
import { chargeSharedCounters, type RequestedCharge, type SharedCharge } from './store.ts'
import type { RateWindow } from './window.ts'

export interface CountResult {
  isGranted: boolean
  total: number
  waitMs: number
}

interface PendingCharge {
  key: string
  window: RateWindow
  resolve(count: CountResult): void
}

type Charges = ReadonlyMap<string, SharedCharge>

/** Maximum of counters per statement; the others go with the next one. */
const MAX_BATCH = 1_000

/** Maximum time to wait for a database that hangs. */
const MAX_WAIT_MS = 2_000

export interface BatchOptions {
  database: Database
  outage: DatabaseOutage
  now: () => number
  /** Takes over the windows that were charged while this replica is the only one. */
  exclusive: ExclusiveCounting
  soleReplicaSince: () => number | null
}

export const createBatchedCounting = (options: BatchOptions) => {
  const { database, outage, now, exclusive, soleReplicaSince } = options
  const memory = createMemoryWindows()
  /** Number of pending charges per key; a key becomes exclusive only when none is left. */
  const pendingByKey = new Map<string, number>()

  const countInMemory = ({ key, window, resolve }: PendingCharge) => {
    const { granted, total, waitMs } = memory.charge(key, window, 1, now())
    resolve({ isGranted: granted > 0, total, waitMs })
  }
  const chargeAll = async (requested: readonly RequestedCharge[]): Promise<Charges | null> => {
    try {
      const charges = await withTimeout(
        exclusive
          .flushKeys(requested.map(({ key }) => key))
          .then(() => chargeSharedCounters(database, requested)),
      )
      outage.recovered()
      return charges
    } catch (error) {
      outage.failed(error)
      return null
    }
  }
  const makeAllExclusive = (
    requested: readonly RequestedCharge[],
    charges: Charges,
    soleSince: number,
  ) => {
    for (const { key, windowMs, capacity } of requested) {
      const charge = charges.get(key)
      if (charge === undefined || pendingByKey.has(key)) continue
      exclusive.makeExclusive(key, { windowMs, capacity }, charge, soleSince)
    }
  }
  const count = async (batch: PendingCharge[]) => {
    const requested = sumByKey(batch)
    const soleSince = soleReplicaSince()
    const charges = outage.isOn() ? null : await chargeAll(requested)
    removePending(pendingByKey, requested)
    if (charges === null) return batch.forEach(countInMemory)
    if (soleSince !== null && soleSince === soleReplicaSince())
      makeAllExclusive(requested, charges, soleSince)
    resolveAll(batch, charges)
  }
  const enqueue = createBatchQueue(count)

  return (key: string, window: RateWindow): Promise<CountResult> =>
    new Promise((resolve) => {
      pendingByKey.set(key, (pendingByKey.get(key) ?? 0) + 1)
      enqueue({ key, window, resolve })
    })
}

/**
 * Queue of charges. Batches are counted one at a time, from the next turn of the event loop on;
 * charges that arrive in the meantime form the next batch.
 */
const createBatchQueue = (count: (batch: PendingCharge[]) => Promise<void>) => {
  let queue: PendingCharge[] = []
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
  return (charge: PendingCharge) => {
    queue.push(charge)
    if (queue.length === 1) setImmediate(() => void flush())
  }
}

const removePending = (
  pendingByKey: Map<string, number>,
  requested: readonly RequestedCharge[],
) => {
  for (const { key, amount } of requested) {
    const left = (pendingByKey.get(key) ?? 0) - amount
    if (left > 0) pendingByKey.set(key, left)
    else pendingByKey.delete(key)
  }
}

const withTimeout = async <T>(requested: Promise<T>): Promise<T> => {
  const { promise: timeout, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(
    () =>
      reject(
        new Error(`Postgres did not respond to the charge of rate limits within ${MAX_WAIT_MS} ms`),
      ),
    MAX_WAIT_MS,
  )
  try {
    return await Promise.race([requested, timeout])
  } finally {
    clearTimeout(timer)
  }
}

const sumByKey = (batch: readonly PendingCharge[]): RequestedCharge[] => {
  const sums = new Map<string, RequestedCharge>()
  for (const { key, window } of batch) {
    const known = sums.get(key)
    if (known === undefined) sums.set(key, { key, ...window, amount: 1 })
    else known.amount++
  }
  return [...sums.values()]
}

/** Grants charges in the order of arrival; each sees the count as of its own request. */
const resolveAll = (batch: readonly PendingCharge[], charges: Charges) => {
  const served = new Map<string, number>()
  for (const { key, resolve } of batch) {
    const { granted, total, waitMs } = charges.get(key) ?? { granted: 0, total: 0, waitMs: 1 }
    const position = (served.get(key) ?? 0) + 1
    served.set(key, position)
    const isGranted = position <= granted
    resolve({ isGranted, total: isGranted ? total - granted + position : total, waitMs })
  }
}
