/** Exchanged windows: counted in memory, told to the other replicas and heard from them once a second. */
import type { Database } from '@status-page/postgres'
import type { Count } from './batch.ts'
import { MAX_KEYS } from './memory.ts'
import type { Outage } from './outage.ts'
import { createRecent } from './recent.ts'
import { chargeShared, type SharedCharge } from './store.ts'
import { charge, type Slots, slotAt, type Window } from './window.ts'

export interface ExchangedCounting {
  count(key: string, window: Window): Count
  /** Sends what was counted since the last time; more than 0 when it could not send all at once. */
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
  const entries = createRecent<Entry>(MAX_KEYS)
  /** Those that hold something pending. */
  const changed = new Map<string, Entry>()
  const remember = (key: string, entry: Entry) => {
    if (changed.size < MAX_KEYS) changed.set(key, entry)
  }
  return {
    count(key, window) {
      const entry = entries.use(key, () => newEntry(window))
      const { granted, total, waitMs } = charge(entry.state, window, 1, now())
      entry.pending += granted
      if (granted > 0) remember(key, entry)
      return { isGranted: granted > 0, total, waitMs }
    },

    async exchange() {
      if (outage.isOn()) return 0
      const sent = take(changed)
      if (sent.length === 0) return 0
      try {
        const charges = await chargeShared(database, sent.map(askFully))
        for (const { key, entry } of sent) adopt(entry, charges.get(key), now())
        outage.answered()
        return sent.length === MAX_BATCH ? changed.size : 0
      } catch (error) {
        for (const { key, entry, amount } of sent) {
          entry.pending += amount
          remember(key, entry)
        }
        outage.failed(error)
        return 0
      }
    },
  }
}

const newEntry = (window: Window): Entry => ({
  window,
  state: { slots: [], counts: [] },
  pending: 0,
})

const take = (changed: Map<string, Entry>): Sent[] => {
  const sent: Sent[] = []
  for (const [key, entry] of changed) {
    if (sent.length === MAX_BATCH) break
    changed.delete(key)
    sent.push({ key, entry, amount: entry.pending })
    entry.pending = 0
  }
  return sent
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
