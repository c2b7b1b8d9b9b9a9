/** The shared windows: one statement charges all counters of a turn, one row each, in key order. */
import type { Database } from '@status-page/postgres'
import { type Charge, slotMsOf, waitFor } from './window.ts'

export interface AskedCharge {
  key: string
  windowMs: number
  capacity: number
  amount: number
}

export interface SharedCharge extends Charge {
  /** Counts by age of their slot, oldest first; 0 is the newest. */
  ages: number[]
  counts: number[]
}

interface Row {
  key: string
  granted: number
  slots: string[]
  counts: number[]
  now_ms: number
}

/**
 * The database's clock rules, so that replicas agree on slots. Key order keeps two replicas that
 * charge the same counters from waiting for each other in a ring.
 */
export const chargeShared = async (
  database: Database,
  asked: readonly AskedCharge[],
): Promise<Map<string, SharedCharge>> => {
  const rows = await database.hot<Row[]>`
    INSERT INTO rate_counters AS c (key, capacity, slots, counts, granted, expires_at)
    SELECT a.key, a.capacity, ARRAY[floor(n.ms / a.slot_ms)::bigint],
      ARRAY[least(a.amount, a.capacity)], least(a.amount, a.capacity),
      to_timestamp((n.ms + a.slot_ms * 62) / 1000)
    FROM unnest(${asked.map(({ key }) => key)}::text[],
        ${asked.map(({ windowMs }) => slotMsOf(windowMs))}::int[],
        ${asked.map(({ capacity }) => capacity)}::int[],
        ${asked.map(({ amount }) => amount)}::int[]) AS a (key, slot_ms, capacity, amount),
      (SELECT extract(epoch FROM statement_timestamp()) * 1000 AS ms) AS n
    ORDER BY a.key
    ON CONFLICT (key) DO UPDATE SET capacity = excluded.capacity, expires_at = excluded.expires_at,
      (slots, counts, granted) = (SELECT w.slots, w.counts, w.granted FROM charge_window(
        c.slots, c.counts, excluded.slots[1], excluded.capacity, excluded.granted) AS w)
    RETURNING key, granted, slots::text[] AS slots, counts,
      (extract(epoch FROM statement_timestamp()) * 1000)::float8 AS now_ms`
  const windows = new Map(asked.map(({ key, windowMs }) => [key, windowMs]))
  return new Map(rows.map((row) => [row.key, chargeOf(row, windows.get(row.key) ?? 0)]))
}

const chargeOf = (row: Row, windowMs: number): SharedCharge => {
  const slots = row.slots.map(Number)
  const newest = Math.floor(row.now_ms / slotMsOf(windowMs))
  return {
    granted: row.granted,
    total: row.counts.reduce((sum, count) => sum + count, 0),
    waitMs: waitFor(windowMs, slots[0], row.now_ms),
    ages: slots.map((slot) => Math.max(0, newest - slot)),
    counts: row.counts,
  }
}
