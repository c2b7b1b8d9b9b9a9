/**
 * Local times of a time zone. The zone of a schedule can differ from that of the browser. A local
 * time is the number of ms that a clock in UTC would show the same time at.
 */

const DAY_MS = 86_400_000
/** 1970-01-01 is a Thursday. */
const FIRST_WEEKDAY = 3
const DAYS_OF_WEEK = 7
const DAYS_OF_WEEKS = 14

const formats = new Map<string, Intl.DateTimeFormat>()

const formatOf = (zone: string): Intl.DateTimeFormat => {
  const known = formats.get(zone)
  if (known !== undefined) return known
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone: zone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  })
  formats.set(zone, format)
  return format
}

export const browserZone = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone

export const localTimeOf = (instant: number, zone: string): number => {
  const parts = formatOf(zone).formatToParts(instant)
  const value = (type: string) => Number(parts.find((part) => part.type === type)?.value)
  const [month, day] = [value('month') - 1, value('day')]
  return Date.UTC(value('year'), month, day, value('hour'), value('minute'), value('second'))
}

/** Instant of a local time; of a skipped one the time after the jump. */
export const instantOf = (local: number, zone: string): number => {
  const offsetAt = (instant: number) => localTimeOf(instant, zone) - instant
  return local - offsetAt(local - offsetAt(local))
}

const startOfDay = (local: number): number => Math.floor(local / DAY_MS) * DAY_MS

const startOfWeek = (local: number): number => {
  const day = Math.floor(local / DAY_MS)
  return (day - ((day + FIRST_WEEKDAY) % DAYS_OF_WEEK)) * DAY_MS
}

export const periods = ['weeks', 'month'] as const
/** Two weeks from a Monday, or a calendar month. */
export type Period = (typeof periods)[number]

/**
 * Starts of the local days of a period, and the end of the last one. `offset` counts periods from
 * the one of the instant.
 */
export const daysOf = (
  { period, offset }: { period: Period; offset: number },
  instant: number,
  zone: string,
): number[] => {
  const today = localTimeOf(instant, zone)
  const first = period === 'weeks' ? weeksStart(today, offset) : monthStart(today, offset)
  const last = period === 'weeks' ? weeksStart(today, offset + 1) : monthStart(today, offset + 1)
  const count = Math.round((last - first) / DAY_MS)
  return Array.from({ length: count + 1 }, (_, day) => instantOf(first + day * DAY_MS, zone))
}

const weeksStart = (local: number, offset: number): number =>
  startOfDay(startOfWeek(local) + offset * DAYS_OF_WEEKS * DAY_MS)

const monthStart = (local: number, offset: number): number => {
  const date = new Date(local)
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + offset, 1)
}

/** Nearest multiple of a step of local time. */
export const snapped = (instant: number, stepMs: number, zone: string): number =>
  instantOf(Math.round(localTimeOf(instant, zone) / stepMs) * stepMs, zone)
