/** Calendar days of a time zone; a day with a clock change has 23 or 25 hours. */
import { DateTime } from 'luxon'
import type { CalendarDay, TimeSpan } from './uptime.ts'

/** Days up to and including today, oldest first. */
export const lastCalendarDays = (count: number, timezone: string, now: Date): CalendarDay[] => {
  const today = DateTime.fromJSDate(now, { zone: timezone }).startOf('day')
  return Array.from({ length: count }, (_none, index) =>
    dayOf(today.minus({ days: count - 1 - index })),
  )
}

/** Days that overlap the span, oldest first; the first and the last are cut to the span. */
export const daysInSpan = ({ from, to }: TimeSpan, timezone: string): CalendarDay[] => {
  const days: CalendarDay[] = []
  if (from >= to) return days
  let day = DateTime.fromMillis(from, { zone: timezone }).startOf('day')
  while (day.toMillis() < to) {
    const whole = dayOf(day)
    days.push({ ...whole, from: Math.max(whole.from, from), to: Math.min(whole.to, to) })
    day = day.plus({ days: 1 }).startOf('day')
  }
  return days
}

const dayOf = (day: DateTime): CalendarDay => ({
  date: day.toISODate() ?? '',
  from: day.toMillis(),
  to: day.plus({ days: 1 }).startOf('day').toMillis(),
})
