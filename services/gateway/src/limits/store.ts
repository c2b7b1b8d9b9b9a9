/** Shared windows: one statement charges all windows of a turn, one row each, in key order. */
import type { Database } from '@status-page/postgres'
import { timeUntilExpiryMs, type WindowCharge } from './window.ts'

export interface RequestedCharge {
  key: string
  windowMs: number
  capacity: number
  amount: number
}

export interface SharedCharge extends WindowCharge {
  /** Counts by age, oldest first. */
  agesMs: number[]
  counts: number[]
}

interface Row {
  key: string
  granted: number
  times: string[]
  counts: number[]
  now_ms: number
}

/** Maximum of windows per statement; the others go with the next one. */
export const MAX_BATCH = 1_000

/** Maximum time for which a charge waits for a database that hangs. */
export const MAX_WAIT_MS = 2_000

export const lateResponse = (): Error =>
  new Error(`Postgres did not respond to the charge of rate limits in ${MAX_WAIT_MS} ms`)

/**
 * Charges the windows by the database's clock, so that replicas agree. Key order prevents
 * deadlocks of two replicas that charge the same windows.
 */
export const chargeSharedWindows = async (
  database: Database,
  requested: readonly RequestedCharge[],
): Promise<Map<string, SharedCharge>> => {
  const rows = await database.batchSql<Row[]>`
    INSERT INTO rate_windows AS c (key, window_ms, capacity, times, counts, granted, expires_at)
    SELECT a.key, a.window_ms, a.capacity, ARRAY[n.ms], ARRAY[least(a.amount, a.capacity)],
      least(a.amount, a.capacity), to_timestamp((n.ms + a.window_ms) / 1000.0)
    FROM unnest(${requested.map(({ key }) => key)}::text[],
        ${requested.map(({ windowMs }) => windowMs)}::int[],
        ${requested.map(({ capacity }) => capacity)}::int[],
        ${requested.map(({ amount }) => amount)}::int[]) AS a (key, window_ms, capacity, amount),
      (SELECT floor(extract(epoch FROM statement_timestamp()) * 1000)::bigint AS ms) AS n
    ORDER BY a.key
    ON CONFLICT (key) DO UPDATE SET window_ms = excluded.window_ms, capacity = excluded.capacity,
      expires_at = excluded.expires_at,
      (times, counts, granted) = (SELECT w.times, w.counts, w.granted FROM charge_window(
        c.times, c.counts, excluded.times[1], excluded.window_ms, excluded.capacity,
        excluded.granted) AS w)
    RETURNING key, granted, times::text[] AS times, counts,
      floor(extract(epoch FROM statement_timestamp()) * 1000)::float8 AS now_ms`
  const windows = new Map(requested.map(({ key, windowMs }) => [key, windowMs]))
  return new Map(rows.map((row) => [row.key, chargeOf(row, windows.get(row.key) ?? 0)]))
}

const chargeOf = (row: Row, windowMs: number): SharedCharge => {
  const times = row.times.map(Number)
  return {
    granted: row.granted,
    total: row.counts.reduce((sum, count) => sum + count, 0),
    waitMs: timeUntilExpiryMs(windowMs, times[0], row.now_ms),
    agesMs: times.map((time) => Math.max(0, row.now_ms - time)),
    counts: row.counts,
  }
}
