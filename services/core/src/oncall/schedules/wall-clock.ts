/**
 * Wall clock of a time zone, for hand-offs. `latestLocalTime` never goes back: it stops during a
 * repeated hour and jumps over a skipped hour. Each local time is therefore reached exactly once,
 * and turns that end at local times have neither gaps nor overlaps.
 */
import { IANAZone } from 'luxon'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
/**
 * Margin around the window; larger than any jump of a clock since 1970 and than the difference of
 * any two zones.
 */
const MARGIN_MS = 48 * HOUR_MS
/** Sampling interval of the offset; no zone changes its offset and back in less. */
const SAMPLE_INTERVAL_MS = 12 * HOUR_MS

/** Local times are milliseconds, computed as if the zone were UTC. */
export interface WallClock {
  /** Latest local time that the clock has shown up to `instant`. */
  latestLocalTime(instant: number): number
  /** Instant at which the clock first shows `local`, or jumps over it. */
  instantOf(local: number): number
}

/** Offset from UTC that is in force from an instant on. */
interface OffsetPeriod {
  from: number
  offset: number
}

/** Creates a clock for instants from `from` to `to` and their local times. */
export const createWallClock = (timezone: string, from: number, to: number): WallClock => {
  const periods = offsetPeriods(timezone, from - MARGIN_MS, to + MARGIN_MS)
  const first = periods[0] as OffsetPeriod
  const at = (instant: number) => periods.findLast((period) => period.from <= instant) ?? first
  return {
    latestLocalTime(instant) {
      const { from: since, offset } = at(instant)
      const index = periods.findIndex((period) => period.from === since)
      const before = periods[index - 1]
      const shown = instant + offset
      // The clock showed all earlier local times before it was set back.
      return before === undefined ? shown : Math.max(shown, since + before.offset - 1)
    },
    instantOf(local) {
      for (const [index, { from: since, offset }] of periods.entries()) {
        const until = periods[index + 1]?.from ?? Number.POSITIVE_INFINITY
        const instant = Math.max(local - offset, since)
        if (instant < until) return instant
      }
      return local - first.offset
    },
  }
}

const offsetPeriods = (timezone: string, from: number, to: number): OffsetPeriod[] => {
  const zone = IANAZone.create(timezone)
  const offsetAt = (instant: number) => Math.round(zone.offset(instant) * MINUTE_MS)
  const periods: OffsetPeriod[] = [{ from, offset: offsetAt(from) }]
  let known = periods[0] as OffsetPeriod
  for (let start = from; start < to; start += SAMPLE_INTERVAL_MS) {
    const end = start + SAMPLE_INTERVAL_MS
    const offset = offsetAt(end)
    if (offset === known.offset) continue
    known = { from: offsetChangeBetween(start, end, offsetAt), offset }
    periods.push(known)
  }
  return periods
}

/** First instant with the offset that is in force at `end`, found by bisection. */
const offsetChangeBetween = (
  start: number,
  end: number,
  offsetAt: (instant: number) => number,
): number => {
  const offset = offsetAt(end)
  let [before, after] = [start, end]
  while (after - before > 1) {
    const middle = Math.floor((before + after) / 2)
    if (offsetAt(middle) === offset) after = middle
    else before = middle
  }
  return after
}

/** Local time at an instant. */
export const localTimeAt = (timezone: string, instant: number): number =>
  instant + Math.round(IANAZone.create(timezone).offset(instant) * MINUTE_MS)
