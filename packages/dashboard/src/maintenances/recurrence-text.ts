/** Recurrence in words, such as "every second Tuesday at 22:00, Europe/Berlin". */

import type { Formats, Texts } from '../texts/texts.tsx'
import { useFormats, useLanguage, useTexts } from '../texts/texts.tsx'
import { monthDateOf } from './draft.ts'
import type { RecurrenceData } from './queries.ts'
import { parseRule, type Rule, type RuleDay, type Weekday, weekdays } from './rule.ts'

type RecurrenceTexts = Texts['maintenance']['recurrence']

export interface RuleWords {
  texts: RecurrenceTexts
  formats: Pick<Formats, 'fill' | 'plural' | 'number'>
  list(values: readonly string[]): string
  dayName(day: Weekday): string
}

/** A Monday, from which the names of the weekdays are formatted. */
const MONDAY = Date.UTC(2024, 0, 1)
const DAY_MS = 86_400_000

export const useRuleWords = (): RuleWords => {
  const { recurrence: texts } = useTexts().maintenance
  const formats = useFormats()
  const { formatLocale: locale } = useLanguage()
  const names = new Intl.DateTimeFormat(locale, { weekday: 'long', timeZone: 'UTC' })
  const lists = new Intl.ListFormat(locale)
  return {
    texts,
    formats,
    list: (values) => lists.format(values),
    dayName: (day) => names.format(MONDAY + weekdays.indexOf(day) * DAY_MS),
  }
}

/** Rule without its time; `date` is that of the first maintenance, which fills what is absent. */
export const ruleText = (
  rule: Rule,
  date: { day: number; weekday: Weekday },
  words: RuleWords,
): string => {
  const { texts, formats } = words
  const { frequency, interval } = rule
  if (frequency === 'DAILY') return dailyText(rule, words)
  if (frequency === 'WEEKLY') {
    const days = rule.days.length > 0 ? rule.days : [{ day: date.weekday, ordinal: null }]
    const names = words.list(days.map(({ day }) => words.dayName(day)))
    const isSecond = interval === 2 && days.length === 1
    const text = isSecond ? texts.weeklySecond : formats.plural(texts.weekly, interval)
    return formats.fill(text, { days: names })
  }
  const isPlain = rule.days.length + rule.monthDays.length === 0
  const monthDays = isPlain ? [date.day] : rule.monthDays
  const parts = [
    ...rule.days.map((day) => monthWeekday(day, words)),
    ...monthDays.map((day) => monthDay(day, words)),
  ]
  return formats.fill(formats.plural(texts.monthly, interval), { days: words.list(parts) })
}

const dailyText = ({ interval, days, monthDays }: Rule, words: RuleWords): string => {
  const { texts, formats } = words
  const every = formats.plural(texts.daily, interval)
  const only = [
    ...days.map(({ day }) => words.dayName(day)),
    ...monthDays.map((day) => monthDay(day, words)),
  ]
  return only.length === 0
    ? every
    : formats.fill(texts.only, { rule: every, days: words.list(only) })
}

const monthDay = (day: number, { texts, formats }: RuleWords): string => {
  if (day === -1) return texts.lastDay
  const text = day > 0 ? texts.monthDay : texts.monthDayFromEnd
  return formats.fill(text, { number: formats.number(Math.abs(day)) })
}

const monthWeekday = ({ day, ordinal }: RuleDay, words: RuleWords): string => {
  const { texts, formats } = words
  const name = words.dayName(day)
  const ordinals: Record<number, string> = {
    1: texts.first,
    2: texts.second,
    3: texts.third,
    4: texts.fourth,
    5: texts.fifth,
    [-1]: texts.last,
  }
  if (ordinal === null) return formats.fill(texts.each, { day: name })
  const text = ordinals[ordinal] ?? texts.fromEnd
  return formats.fill(text, { day: name, number: formats.number(Math.abs(ordinal)) })
}

/** Recurrence with time, zone and end. */
export const useRecurrenceText = (): ((
  recurrence: RecurrenceData,
  scheduledFor: string,
) => string) => {
  const words = useRuleWords()
  const { formatLocale: locale } = useLanguage()
  const { texts, formats } = words
  return ({ rrule, timezone, until }, scheduledFor) => {
    const rule = parseRule(rrule)
    if (rule === null) return rrule
    const times = new Intl.DateTimeFormat(locale, { timeStyle: 'short', timeZone: timezone })
    const dates = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeZone: timezone })
    const at = formats.fill(texts.at, {
      rule: ruleText(rule, monthDateOf(scheduledFor, timezone), words),
      time: times.format(new Date(scheduledFor)),
      zone: `\u2068${timezone}\u2069`,
    })
    if (until !== null) {
      return formats.fill(texts.until, { rule: at, date: dates.format(new Date(until)) })
    }
    if (rule.count === null) return at
    return formats.fill(formats.plural(texts.times, rule.count), { rule: at })
  }
}
