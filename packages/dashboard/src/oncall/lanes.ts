/** Geometry of the calendar: shifts and gaps of a period as fractions of its width. Pure. */
import type { Schemas } from '@status-page/client'

export type OnCallShift = Schemas['OncallShift']
export type Timeline = Schemas['OncallTimeline']
export type Override = Schemas['OncallOverride']

export interface Span {
  startsAt: number
  endsAt: number
}

export interface Fractions {
  start: number
  length: number
}

/** Visible part of a span; null outside of the period. */
export const fractionsOf = ({ startsAt, endsAt }: Span, period: Span): Fractions | null => {
  const start = Math.max(startsAt, period.startsAt)
  const end = Math.min(endsAt, period.endsAt)
  if (end <= start) return null
  const width = period.endsAt - period.startsAt
  return { start: (start - period.startsAt) / width, length: (end - start) / width }
}

export const spanOf = ({ startsAt, endsAt }: { startsAt: string; endsAt: string }): Span => ({
  startsAt: Date.parse(startsAt),
  endsAt: Date.parse(endsAt),
})

/** Shift of the effective schedule, or a gap without a shift. */
export interface Entry extends Span {
  shift: OnCallShift | null
}

/** Shifts in order, with the gaps between them. */
export const entriesOf = (shifts: readonly OnCallShift[], period: Span): Entry[] => {
  const entries: Entry[] = []
  let reached = period.startsAt
  for (const shift of shifts) {
    const span = spanOf(shift)
    if (span.startsAt > reached) {
      entries.push({ startsAt: reached, endsAt: span.startsAt, shift: null })
    }
    entries.push({ ...span, shift })
    reached = span.endsAt
  }
  if (reached < period.endsAt) {
    entries.push({ startsAt: reached, endsAt: period.endsAt, shift: null })
  }
  return entries
}

/** Number of colours of members. */
const TONES = 8

/** Colour of each member of the period by user id; the same in every lane. */
export const tonesOf = ({ shifts, layers, overrides }: Timeline): ReadonlyMap<string, number> => {
  const all = [...layers.flatMap((layer) => [...layer.shifts]), ...shifts, ...overrides]
  const ids = [...new Set(all.map(({ userId }) => userId))].sort()
  return new Map(ids.map((id, index) => [id, index % TONES]))
}
