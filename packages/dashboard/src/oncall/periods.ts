/** Days of the calendar of a schedule, as its time zone has them. */
import { instantOf, localTimeOf } from '../kit/zoned-time.ts'

const DAY_MS = 86_400_000
/** 1970-01-01 is a Thursday. */
const FIRST_WEEKDAY = 3
const DAYS_OF_WEEK = 7
const DAYS_OF_WEEKS = 14

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
