/** Exchanged windows: counted in memory, told to the other replicas and heard from them once a second. */
import type { Database } from '@status-page/postgres'
import type { Count } from './batch.ts'
import { MAX_KEYS } from './memory.ts'
import type { Outage } from './outage.ts'
import { chargeShared, type SharedCharge } from './store.ts'
import { charge, type Slots, slotAt, type Window } from './window.ts'

export interface ExchangedCounting {
  count(key: string, window: Window): Count
  /** Sends what was counted since the last time; answers for how many counters. */
  exchange(): Promise<number>
}

interface Entry {
  window: Window
  state: Slots
  /** Counted here and not yet in the shared window. */
  pending: number
}

interface Sent {
  key: string
  entry: Entry
  amount: number
}

const MAX_BATCH = 1_000
/** What was granted is a fact; the shared window takes it all. */
const UNBOUNDED = 2 ** 31 - 1

export const createExchangedCounting = (
  database: Database,
  outage: Outage,
  now: () => number,
): ExchangedCounting => {
  const entries = new Map<string, Entry>()
  return {
    count(key, window) {
      const entry = entries.get(key) ?? { window, state: { slots: [], counts: [] }, pending: 0 }
      entries.delete(key)
      entries.set(key, entry)
      const [oldest] = entries.keys()
      if (entries.size > MAX_KEYS && oldest !== undefined) entries.delete(oldest)
      const { granted, total, waitMs } = charge(entry.state, window, 1, now())
      entry.pending += granted
      return { isGranted: granted > 0, total, waitMs }
    },

    async exchange() {
      if (outage.isOn()) return 0
      const sent = take(entries)
      if (sent.length === 0) return 0
      try {
        const charges = await chargeShared(database, sent.map(askFully))
        for (const { key, entry } of sent) adopt(entry, charges.get(key), now())
        outage.answered()
        return sent.length
      } catch (error) {
        for (const { entry, amount } of sent) entry.pending += amount
        outage.failed(error)
        return 0
      }
    },
  }
}

const take = (entries: ReadonlyMap<string, Entry>): Sent[] => {
  const moved = [...entries].filter(([, { pending }]) => pending > 0).slice(0, MAX_BATCH)
  return moved.map(([key, entry]) => {
    const amount = entry.pending
    entry.pending = 0
    return { key, entry, amount }
  })
}

const askFully = ({ key, entry, amount }: Sent) => ({
  key,
  ...entry.window,
  capacity: UNBOUNDED,
  amount,
})

/** Takes over what all replicas counted, on this process's clock, and keeps what came meanwhile. */
const adopt = (entry: Entry, shared: SharedCharge | undefined, nowMs: number) => {
  if (shared === undefined) return
  const { windowMs } = entry.window
  const newest = slotAt(windowMs, nowMs)
  entry.state = { slots: shared.ages.map((age) => newest - age), counts: [...shared.counts] }
  if (entry.pending > 0) {
    charge(entry.state, { windowMs, capacity: UNBOUNDED }, entry.pending, nowMs)
  }
}
