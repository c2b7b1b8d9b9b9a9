/**
 * Sliding window: pure arithmetic over counts by time. Counts within one sixtieth of the window
 * share the time of the last one and expire together, so no span of the window's length ever holds
 * more than the capacity, and no request waits longer than the window.
 */

/** Number of parts of a rate window; a window that begins within a part spans one more. */
const PARTS = 60

/** Maximum capacity of a window: Postgres counts with integers of 32 bits. */
export const MAX_CAPACITY = 2 ** 31 - 1

export interface RateWindow {
  windowMs: number
  capacity: number
}

/** Counts by moment in milliseconds, oldest first. */
export interface WindowCounts {
  times: number[]
  counts: number[]
}

export interface WindowCharge {
  granted: number
  /** Number of requests in the window after the charge. */
  total: number
  /** Time until the oldest request expires; 0 for an empty window. */
  waitMs: number
}

/** Time until a counted request leaves the rate window, in ms. */
export const timeUntilExpiryMs = (
  windowMs: number,
  time: number | undefined,
  nowMs: number,
): number => (time === undefined ? 0 : Math.min(windowMs, Math.max(1, time + windowMs - nowMs)))

const totalCountOf = ({ counts }: WindowCounts): number => {
  let total = 0
  for (const count of counts) total += count
  return total
}

/** Drops expired counts, then adds as much of the amount as fits. Changes the state. */
export const chargeWindow = (
  state: WindowCounts,
  { windowMs, capacity }: RateWindow,
  amount: number,
  nowMs: number,
): WindowCharge => {
  dropExpired(state, nowMs - windowMs)
  const used = totalCountOf(state)
  const granted = Math.max(0, Math.min(amount, capacity - used))
  if (granted > 0) add(state, { nowMs, partMs: Math.ceil(windowMs / PARTS) }, granted)
  return {
    granted,
    total: used + granted,
    waitMs: timeUntilExpiryMs(windowMs, state.times[0], nowMs),
  }
}

const dropExpired = (state: WindowCounts, untilMs: number): void => {
  const [oldest = Infinity] = state.times
  if (oldest > untilMs) return
  const firstLive = state.times.findIndex((time) => time > untilMs)
  const expired = firstLive === -1 ? state.times.length : firstLive
  state.times.splice(0, expired)
  state.counts.splice(0, expired)
}

/** Adds to the newest part when the clock stepped back, because a window never runs backwards. */
const add = (
  { times, counts }: WindowCounts,
  { nowMs, partMs }: { nowMs: number; partMs: number },
  granted: number,
) => {
  const last = times.length - 1
  const newest = times[last]
  if (newest !== undefined && Math.floor(newest / partMs) >= Math.floor(nowMs / partMs)) {
    times[last] = Math.max(newest, nowMs)
    counts[last] = (counts[last] ?? 0) + granted
    return
  }
  times.push(nowMs)
  counts.push(granted)
}
