/** Recurrence rule of RFC 5545 as the parts that the form edits and the text names. */

export const weekdays = ['MO', 'TU', 'WE', 'TH', 'FR', 'SA', 'SU'] as const
export type Weekday = (typeof weekdays)[number]

export const frequencies = ['DAILY', 'WEEKLY', 'MONTHLY'] as const
export type Frequency = (typeof frequencies)[number]

export interface RuleDay {
  day: Weekday
  /** Number within the month, from its end if negative; null for each such day. */
  ordinal: number | null
}

export interface Rule {
  frequency: Frequency
  interval: number
  days: RuleDay[]
  monthDays: number[]
  /** Number of occurrences; null without an end. */
  count: number | null
}

const DAY = /^(-?[1-5])?(MO|TU|WE|TH|FR|SA|SU)$/

/** Parts of a rule that the service accepts; null for another one. */
export const parseRule = (rrule: string): Rule | null => {
  const parts = new Map(rrule.split(';').map((part) => part.split('=') as [string, string]))
  const frequency = frequencies.find((one) => one === parts.get('FREQ'))
  if (frequency === undefined) return null
  const listOf = (name: string) => parts.get(name)?.split(',') ?? []
  const days = listOf('BYDAY').map((text) => DAY.exec(text))
  if (days.includes(null)) return null
  const count = parts.get('COUNT')
  return {
    frequency,
    interval: Number(parts.get('INTERVAL') ?? 1),
    days: days.map((match) => ({
      day: match?.[2] as Weekday,
      ordinal: match?.[1] === undefined ? null : Number(match[1]),
    })),
    monthDays: listOf('BYMONTHDAY').map(Number),
    count: count === undefined ? null : Number(count),
  }
}

export const formatRule = ({ frequency, interval, days, monthDays, count }: Rule): string => {
  const parts = [`FREQ=${frequency}`]
  if (interval !== 1) parts.push(`INTERVAL=${interval}`)
  if (days.length > 0) {
    parts.push(`BYDAY=${days.map(({ day, ordinal }) => `${ordinal ?? ''}${day}`).join(',')}`)
  }
  if (monthDays.length > 0) parts.push(`BYMONTHDAY=${monthDays.join(',')}`)
  if (count !== null) parts.push(`COUNT=${count}`)
  return parts.join(';')
}

/** Day of a month with its weekday. */
export interface MonthDate {
  /** 1 to 31. */
  day: number
  daysInMonth: number
  weekday: Weekday
}

const WEEK_DAYS = 7
const MAX_ORDINAL = 4

/** Rule of a frequency, on the day of the first maintenance. */
export const ruleOn = (frequency: Frequency, date: MonthDate): Rule => ({
  frequency,
  interval: 1,
  days: frequency === 'WEEKLY' ? [{ day: date.weekday, ordinal: null }] : [],
  monthDays: frequency === 'MONTHLY' ? [date.day] : [],
  count: null,
})

type MonthlyPattern = Pick<Rule, 'days' | 'monthDays'>

/** Patterns by which a monthly rule can repeat a date: as number, as weekday, and from the end. */
export const monthlyPatterns = ({ day, daysInMonth, weekday }: MonthDate): MonthlyPattern[] => {
  const ordinal = Math.ceil(day / WEEK_DAYS)
  const patterns: MonthlyPattern[] = [{ days: [], monthDays: [day] }]
  if (ordinal <= MAX_ORDINAL) patterns.push({ days: [{ day: weekday, ordinal }], monthDays: [] })
  if (day > daysInMonth - WEEK_DAYS)
    patterns.push({ days: [{ day: weekday, ordinal: -1 }], monthDays: [] })
  if (day === daysInMonth) patterns.push({ days: [], monthDays: [-1] })
  return patterns
}

/** Weekdays in the order of the week, without repetition. */
export const sortDays = (days: readonly Weekday[]): Weekday[] =>
  weekdays.filter((day) => days.includes(day))
