/** Periods of a report. */
import { startOfDay } from '../app/days.ts'

export const periods = ['window', 'week', 'month', 'quarter', 'custom'] as const
export type PeriodKind = (typeof periods)[number]

export interface ReportPeriod {
  kind: PeriodKind
  /** First and last local day of a custom period, as yyyy-mm-dd. */
  from: string
  to: string
}

const DAY_MS = 86_400_000
const HOUR_MS = 3_600_000
const MINUTE_MS = 60_000
const days: Partial<Record<PeriodKind, number>> = { week: 7, month: 30, quarter: 90 }
const DATE_LENGTH = 'yyyy-mm-dd'.length

export const initialPeriod = (nowMs: number): ReportPeriod => ({
  kind: 'window',
  from: dayOf(nowMs - 30 * DAY_MS),
  to: dayOf(nowMs),
})

/** Range of the request; empty for the present window of the service level. */
export const periodRange = (
  { kind, from, to }: ReportPeriod,
  nowMs = Date.now(),
): { from?: string; to?: string } => {
  if (kind === 'window') return {}
  if (kind === 'custom') return { from: startOfDay(from, 0), to: startOfDay(to, 1) }
  // To the hour, so that each render asks for the same range.
  const end = Math.ceil(nowMs / HOUR_MS) * HOUR_MS
  const start = end - (days[kind] ?? 0) * DAY_MS
  return { from: new Date(start).toISOString(), to: new Date(end).toISOString() }
}

/** Local day of a time. */
const dayOf = (timeMs: number): string => {
  const offsetMs = new Date(timeMs).getTimezoneOffset() * MINUTE_MS
  return new Date(timeMs - offsetMs).toISOString().slice(0, DATE_LENGTH)
}
