/** Calendar days of a time zone; one that changes its clock has 23 or 25 hours. */
import { DateTime } from 'luxon'
import type { Span } from '../components/uptime.ts'

/** The last days up to today, oldest first. */
export const lastDays = (
  count: number,
  timezone: string,
  now: Date,
): (Span & { date: string })[] => {
  const today = DateTime.fromJSDate(now, { zone: timezone }).startOf('day')
  return Array.from({ length: count }, (_none, index) => {
    const day = today.minus({ days: count - 1 - index })
    return {
      date: day.toISODate() ?? '',
      from: day.toMillis(),
      to: day.plus({ days: 1 }).startOf('day').toMillis(),
    }
  })
}
