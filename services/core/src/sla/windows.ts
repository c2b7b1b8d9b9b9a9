/** Window of a service level: the last days, or a calendar month or quarter of its time zone. */
import type { SlaWindowType } from '@status-page/contracts'
import { DateTime } from 'luxon'
import { DAY_MS, type TimeSpan } from '../components/uptime/uptime.ts'

export interface SlaWindow {
  windowType: SlaWindowType
  windowDays: number
  timezone: string
}

/** Current window; a calendar window ends in the future, a rolling one now. */
export const presentWindow = (window: SlaWindow, now: Date): TimeSpan =>
  spans[window.windowType](window, now)

const calendar =
  (unit: 'month' | 'quarter') =>
  ({ timezone }: SlaWindow, now: Date): TimeSpan => {
    const start = DateTime.fromJSDate(now, { zone: timezone }).startOf(unit)
    return { from: start.toMillis(), to: start.plus({ [unit]: 1 }).toMillis() }
  }

const spans: Record<SlaWindowType, (window: SlaWindow, now: Date) => TimeSpan> = {
  rolling: ({ windowDays }, now) => ({
    from: now.getTime() - windowDays * DAY_MS,
    to: now.getTime(),
  }),
  calendar_month: calendar('month'),
  calendar_quarter: calendar('quarter'),
}
