/** Days of a month or a week, and the entries of each day. Times are in one time zone. */
import {
  type CalendarDate,
  endOfMonth,
  fromAbsolute,
  isSameMonth,
  startOfMonth,
  startOfWeek,
  toCalendarDate,
} from '@internationalized/date'
import type { MaintenanceData, OccurrenceData } from './queries.ts'

export type CalendarView = 'month' | 'week'

const WEEK_DAYS = 7

/** Weeks that the view of a day shows; those of a month are complete. */
export const weeksOf = (
  view: CalendarView,
  day: CalendarDate,
  locale: string,
): CalendarDate[][] => {
  const first = startOfWeek(view === 'month' ? startOfMonth(day) : day, locale)
  const last = view === 'month' ? endOfMonth(day) : first
  const weeks: CalendarDate[][] = []
  for (let start = first; start.compare(last) <= 0; start = start.add({ weeks: 1 })) {
    weeks.push(Array.from({ length: WEEK_DAYS }, (_, days) => start.add({ days })))
  }
  return weeks
}

/** Start of the first day and end of the last one, in ISO 8601. */
export const rangeOf = (weeks: readonly CalendarDate[][], timeZone: string) => {
  const [first, last] = [weeks[0]?.[0], weeks.at(-1)?.at(-1)] as [CalendarDate, CalendarDate]
  return {
    from: first.toDate(timeZone).toISOString(),
    to: last.add({ days: 1 }).toDate(timeZone).toISOString(),
  }
}

/** Maintenance or expected occurrence on one of its days. */
export interface CalendarEntry {
  key: string
  /** Maintenance that a link leads to; the first of the series for an expected occurrence. */
  id: string
  title: string
  status: MaintenanceData['status'] | 'expected'
  scheduledFor: string
  scheduledUntil: string
  /** Whether it has begun on an earlier day. */
  isContinued: boolean
  /** Whether it lasts beyond the day. */
  isContinuing: boolean
}

type Window = Omit<CalendarEntry, 'isContinued' | 'isContinuing'>

/** Entries in the order of their start, without those that were cancelled. */
export const windowsOf = (
  maintenances: readonly MaintenanceData[],
  expected: readonly OccurrenceData[],
): Window[] => {
  const windows = [
    ...maintenances
      .filter(({ status }) => status !== 'cancelled')
      .map(({ id, title, status, scheduledFor, scheduledUntil }): Window => {
        return { key: id, id, title, status, scheduledFor, scheduledUntil }
      }),
    ...expected.map(({ recurrenceOf: id, title, scheduledFor, scheduledUntil }): Window => {
      const key = `${id} ${scheduledFor}`
      return { key, id, title, status: 'expected', scheduledFor, scheduledUntil }
    }),
  ]
  return windows.sort((one, other) => one.scheduledFor.localeCompare(other.scheduledFor))
}

/** Entries by day, as yyyy-mm-dd. A window that ends at midnight has no part in the next day. */
export const entriesByDay = (
  windows: readonly Window[],
  days: readonly CalendarDate[],
  timeZone: string,
): Map<string, CalendarEntry[]> => {
  const entries = new Map(days.map((day) => [day.toString(), [] as CalendarEntry[]]))
  for (const window of windows) {
    const first = dayOf(Date.parse(window.scheduledFor), timeZone)
    const last = dayOf(Date.parse(window.scheduledUntil) - 1, timeZone)
    for (const day of days) {
      if (day.compare(first) < 0 || day.compare(last) > 0) continue
      const isContinued = day.compare(first) > 0
      const isContinuing = day.compare(last) < 0
      entries.get(day.toString())?.push({ ...window, isContinued, isContinuing })
    }
  }
  return entries
}

export const dayOf = (timeMs: number, timeZone: string): CalendarDate =>
  toCalendarDate(fromAbsolute(timeMs, timeZone))

/** Day of the same view, one step later or earlier. */
export const stepDay = (view: CalendarView, day: CalendarDate, steps: number): CalendarDate =>
  view === 'month' ? startOfMonth(day).add({ months: steps }) : day.add({ weeks: steps })

/** Movement of the keys within the table of days; null for another key. */
export const dayAfterKey = (
  key: string,
  day: CalendarDate,
  { locale, isRightToLeft }: { locale: string; isRightToLeft: boolean },
): CalendarDate | null => {
  const forward = isRightToLeft ? -1 : 1
  const weekStart = startOfWeek(day, locale)
  const moves: Record<string, () => CalendarDate> = {
    ArrowRight: () => day.add({ days: forward }),
    ArrowLeft: () => day.add({ days: -forward }),
    ArrowDown: () => day.add({ weeks: 1 }),
    ArrowUp: () => day.add({ weeks: -1 }),
    Home: () => weekStart,
    End: () => weekStart.add({ days: WEEK_DAYS - 1 }),
    PageDown: () => day.add({ months: 1 }),
    PageUp: () => day.add({ months: -1 }),
  }
  return moves[key]?.() ?? null
}

export const isInMonth = (day: CalendarDate, month: CalendarDate): boolean =>
  isSameMonth(day, month)
