/** Shared windows: what one turn of the event loop counts is one statement; memory stands in. */
import type { Database } from '@status-page/postgres'
import type { OwnedCounting } from './counter-sync.ts'
import { createMemoryWindows } from './memory.ts'
import type { DatabaseOutage } from './outage.ts'
import { type AskedCharge, chargeShared, type SharedCharge } from './store.ts'
import type { RateWindow } from './window.ts'

export interface Count {
  isGranted: boolean
  total: number
  waitMs: number
}

interface Waiting {
  key: string
  window: RateWindow
  resolve(count: Count): void
}

type Charges = ReadonlyMap<string, SharedCharge>

/** A statement charges so many counters at most; the rest go with the next one. */
const MAX_BATCH = 1_000

/** A database that hangs answers nothing, and nobody waits for it longer than this. */
const MAX_WAIT_MS = 2_000

export interface BatchOptions {
  database: Database
  outage: DatabaseOutage
  now: () => number
  /** Takes over the windows that were charged while this replica is alone. */
  owned: OwnedCounting
  soleReplicaSince: () => number | null
}

export const createBatchedCounting = (options: BatchOptions) => {
  const { database, outage, now, owned, soleReplicaSince } = options
  const memory = createMemoryWindows()
  /** How many wait for the shared window of a key: none of them may be overtaken by its new owner. */
  const waiting = new Map<string, number>()
  let queue: Waiting[] = []
  let isFlushing = false

  const countInMemory = ({ key, window, resolve }: Waiting) => {
    const { granted, total, waitMs } = memory.charge(key, window, 1, now())
    resolve({ isGranted: granted > 0, total, waitMs })
  }
  const chargeAll = async (asked: readonly AskedCharge[]): Promise<Charges | null> => {
    try {
      const charges = await inTime(
        owned.handOver(asked.map(({ key }) => key)).then(() => chargeShared(database, asked)),
      )
      outage.answered()
      return charges
    } catch (error) {
      outage.failed(error)
      return null
    }
  }
  const ownAll = (asked: readonly AskedCharge[], charges: Charges, alone: number) => {
    for (const { key, windowMs, capacity } of asked) {
      const charge = charges.get(key)
      if (charge === undefined || waiting.has(key)) continue
      owned.own(key, { windowMs, capacity }, charge, alone)
    }
  }
  const count = async (batch: Waiting[]) => {
    const asked = sumByKey(batch)
    const alone = soleReplicaSince()
    const charges = outage.isOn() ? null : await chargeAll(asked)
    leave(waiting, asked)
    if (charges === null) return batch.forEach(countInMemory)
    if (alone !== null && alone === soleReplicaSince()) ownAll(asked, charges, alone)
    settle(batch, charges)
  }
  /** One statement at a time: what arrives meanwhile makes the next batch. */
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

  return (key: string, window: RateWindow): Promise<Count> =>
    new Promise((resolve) => {
      waiting.set(key, (waiting.get(key) ?? 0) + 1)
      queue.push({ key, window, resolve })
      if (queue.length === 1) setImmediate(() => void flush())
    })
}

const leave = (waiting: Map<string, number>, asked: readonly AskedCharge[]) => {
  for (const { key, amount } of asked) {
    const left = (waiting.get(key) ?? 0) - amount
    if (left > 0) waiting.set(key, left)
    else waiting.delete(key)
  }
}

const inTime = async <T>(asked: Promise<T>): Promise<T> => {
  const { promise: late, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(new Error('the database is late')), MAX_WAIT_MS)
  try {
    return await Promise.race([asked, late])
  } finally {
    clearTimeout(timer)
  }
}

const sumByKey = (batch: readonly Waiting[]): AskedCharge[] => {
  const sums = new Map<string, AskedCharge>()
  for (const { key, window } of batch) {
    const known = sums.get(key)
    if (known === undefined) sums.set(key, { key, ...window, amount: 1 })
    else known.amount++
  }
  return [...sums.values()]
}

/** The first to ask are the first to be granted; each sees the count as of their own request. */
const settle = (batch: readonly Waiting[], charges: Charges) => {
  const served = new Map<string, number>()
  for (const { key, resolve } of batch) {
    const { granted, total, waitMs } = charges.get(key) ?? { granted: 0, total: 0, waitMs: 1 }
    const place = (served.get(key) ?? 0) + 1
    served.set(key, place)
    const isGranted = place <= granted
    resolve({ isGranted, total: isGranted ? total - granted + place : total, waitMs })
  }
}
