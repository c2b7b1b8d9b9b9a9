/**
 * The clock on the wall of a time zone, for hand-offs. `reached` never goes back: in an hour that comes
 * twice it stands still, over one that is skipped it jumps. So each local time is reached exactly once,
 * and turns that are cut by local times have neither gaps nor overlaps.
 */
import { IANAZone } from 'luxon'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
/** More than the largest jump of a clock since 1970, and than the difference of any two zones. */
const MARGIN_MS = 48 * HOUR_MS
/** No zone changes its offset and back within this. */
const LOOK_MS = 12 * HOUR_MS

/** Local times are milliseconds as if the zone were UTC. */
export interface WallClock {
  /** The latest local time that the clock has shown up to this instant. */
  reached(instant: number): number
  /** The instant at which the clock first shows this local time, or jumps over it. */
  instantOf(local: number): number
}

/** Since an instant the clock has this offset. */
interface Stretch {
  from: number
  offset: number
}

/** Answers for the instants from `from` to `to`, and for the local times that belong to them. */
export const wallClock = (timezone: string, from: number, to: number): WallClock => {
  const stretches = stretchesOf(timezone, from - MARGIN_MS, to + MARGIN_MS)
  const first = stretches[0] as Stretch
  const at = (instant: number) => stretches.findLast((one) => one.from <= instant) ?? first
  return {
    reached(instant) {
      const { from: since, offset } = at(instant)
      const index = stretches.findIndex((one) => one.from === since)
      const before = stretches[index - 1]
      const shown = instant + offset
      // Just before the clock was put back it had shown everything below this.
      return before === undefined ? shown : Math.max(shown, since + before.offset - 1)
    },
    instantOf(local) {
      for (const [index, { from: since, offset }] of stretches.entries()) {
        const until = stretches[index + 1]?.from ?? Number.POSITIVE_INFINITY
        const instant = Math.max(local - offset, since)
        if (instant < until) return instant
      }
      return local - first.offset
    },
  }
}

const stretchesOf = (timezone: string, from: number, to: number): Stretch[] => {
  const zone = IANAZone.create(timezone)
  const offsetAt = (instant: number) => Math.round(zone.offset(instant) * MINUTE_MS)
  const stretches: Stretch[] = [{ from, offset: offsetAt(from) }]
  let known = stretches[0] as Stretch
  for (let start = from; start < to; start += LOOK_MS) {
    const end = start + LOOK_MS
    const offset = offsetAt(end)
    if (offset === known.offset) continue
    known = { from: changeBetween(start, end, offsetAt), offset }
    stretches.push(known)
  }
  return stretches
}

/** The first instant with the offset of `end`. */
const changeBetween = (
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

/** What the clock shows at one instant. */
export const shownAt = (timezone: string, instant: number): number =>
  instant + Math.round(IANAZone.create(timezone).offset(instant) * MINUTE_MS)
