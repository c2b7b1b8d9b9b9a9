/**
 * Occurrences of a recurring maintenance: a subset of RFC 5545. The time of day is constant in the
 * time zone of the rule; an occurrence that a clock change skips is omitted.
 */
import { comparisonIssue, invalid, type Recurrence } from '@status-page/contracts'
import { DateTime } from 'luxon'
import { RRuleTemporal } from 'rrule-temporal'

/** Recurrence rule with the window of the first maintenance. */
export interface RecurrenceSeries {
  recurrence: Recurrence
  scheduledFor: Date
  scheduledUntil: Date
}

export interface OccurrenceWindow {
  scheduledFor: Date
  scheduledUntil: Date
}

const MAX_COUNT = 1000
const MAX_INTERVAL = 366
/** Periods without an occurrence after which a rule counts as one that never has any. */
const MAX_IDLE_PERIODS = 1000
/** Periods to search; enough to reach the thousandth Sunday day by day. */
const MAX_PERIODS = 10_000

const frequencies = ['DAILY', 'WEEKLY', 'MONTHLY'] as const
type Frequency = (typeof frequencies)[number]

const weekday = '(?:MO|TU|WE|TH|FR|SA|SU)'
const monthDay = '-?(?:[1-9]|[12][0-9]|3[01])'

const listOf = (item: string) => new RegExp(`^${item}(?:,${item}){0,30}$`)
const countUpTo = (max: number) => ({
  test: (text: string) => /^[1-9][0-9]{0,3}$/.test(text) && Number(text) <= max,
})

/** Syntax of each rule part, by frequency; a missing entry is not allowed with that frequency. */
const partSyntax: Record<string, Partial<Record<Frequency, { test(text: string): boolean }>>> = {
  INTERVAL: forAllFrequencies(countUpTo(MAX_INTERVAL)),
  COUNT: forAllFrequencies(countUpTo(MAX_COUNT)),
  BYDAY: { ...forAllFrequencies(listOf(weekday)), MONTHLY: listOf(`(?:-?[1-5])?${weekday}`) },
  BYMONTHDAY: { DAILY: listOf(monthDay), MONTHLY: listOf(monthDay) },
}

function forAllFrequencies<Test>(test: Test): Record<Frequency, Test> {
  return { DAILY: test, WEEKLY: test, MONTHLY: test }
}

/** Rejects rules outside of the subset, rules without occurrences, and an end before the start. */
export const validateRecurrence = ({
  recurrence,
  scheduledFor,
  scheduledUntil,
}: RecurrenceSeries): void => {
  const { rrule, timezone, until } = recurrence
  const problem = problemOf(rrule)
  if (problem !== null) throw invalid({ field: 'recurrence.rrule', message: problem })
  const withoutCount = rrule.split(';').filter((part) => !part.startsWith('COUNT='))
  const unbounded = { rrule: withoutCount.join(';'), timezone, until: null }
  const series = { recurrence: unbounded, scheduledFor, scheduledUntil }
  if (search(series, scheduledFor, MAX_IDLE_PERIODS) === null) {
    throw invalid({ field: 'recurrence.rrule', message: 'rrule has no further occurrence' })
  }
  if (until !== null && new Date(until) <= scheduledFor) {
    throw invalid(comparisonIssue('recurrence.until', 'after', 'scheduledFor'))
  }
}

const problemOf = (rrule: string): string | null => {
  const parts = rrule.split(';').map((part) => part.split('='))
  const names = parts.map(([name = '']) => name)
  const repeated = names.find((name, index) => names.indexOf(name) < index)
  if (repeated !== undefined) return `rrule has "${repeated}" twice`
  const frequency = frequencies.find((name) => rrule.split(';').includes(`FREQ=${name}`))
  if (frequency === undefined) return 'rrule requires FREQ DAILY, WEEKLY or MONTHLY'
  for (const [name = '', value = '', ...rest] of parts) {
    if (name === 'FREQ') continue
    const test = partSyntax[name]?.[frequency]
    if (test === undefined) return `rrule may not have "${name}" with FREQ=${frequency}`
    if (rest.length > 0 || !test.test(value)) return `rrule has an invalid ${name}`
  }
  return null
}

/** First occurrence after a time, excluding the first maintenance; null when none follows. */
export const occurrenceAfter = (series: RecurrenceSeries, after: Date): Date | null => {
  const { scheduledFor, recurrence } = series
  const found = search(series, after < scheduledFor ? scheduledFor : after, MAX_PERIODS)
  if (found === null || recurrence.until === null) return found
  return found <= new Date(recurrence.until) ? found : null
}

/** Occurrences after the first maintenance, up to and including a time. */
export const occurrencesUntil = (series: RecurrenceSeries, last: Date): Date[] => {
  const found: Date[] = []
  for (
    let next = occurrenceAfter(series, series.scheduledFor);
    next !== null && next <= last;
    next = occurrenceAfter(series, next)
  ) {
    found.push(next)
  }
  return found
}

/** Occurrences after the first maintenance with a start from `from` up to `to`, exclusive. */
export const occurrencesBetween = (
  series: RecurrenceSeries,
  { from, to }: { from: Date; to: Date },
): Date[] => {
  const { scheduledFor, recurrence } = series
  const until = recurrence.until === null ? Number.POSITIVE_INFINITY : Date.parse(recurrence.until)
  return ruleOf(series, MAX_PERIODS)
    .between(from, to, true)
    .map(({ epochMilliseconds }) => new Date(epochMilliseconds))
    .filter((at) => at > scheduledFor && at < to && at.getTime() <= until)
}

/** Local times of the rule that a clock change skips, such as `2027-03-28T02:30`. */
export const skippedTimes = (
  series: RecurrenceSeries,
  { from, to }: { from: Date; to: Date },
): string[] => {
  const { rrule, timezone } = series.recurrence
  const local = (time: Date) => localAsUtc(time, timezone).toJSDate()
  const withoutCount = rrule.split(';').filter((part) => !part.startsWith('COUNT='))
  const inLocalTime: RecurrenceSeries = {
    recurrence: { rrule: withoutCount.join(';'), timezone: 'UTC', until: null },
    scheduledFor: local(series.scheduledFor),
    scheduledUntil: local(series.scheduledUntil),
  }
  return occurrencesBetween(inLocalTime, { from: local(from), to: local(to) })
    .map((time) => DateTime.fromJSDate(time, { zone: 'utc' }))
    .filter((time) => !isSameLocal(time, time.setZone(timezone, { keepLocalTime: true })))
    .map((time) => time.toFormat("yyyy-MM-dd'T'HH:mm"))
}

const isSameLocal = (first: DateTime, other: DateTime): boolean =>
  first.hour === other.hour && first.minute === other.minute

/**
 * Window of an occurrence with the local duration of the first one, or with its exact duration when
 * the local one would be empty.
 */
export const occurrenceWindowAt = (
  series: RecurrenceSeries,
  scheduledFor: Date,
): OccurrenceWindow => {
  const { timezone } = series.recurrence
  const length = localAsUtc(series.scheduledUntil, timezone).diff(
    localAsUtc(series.scheduledFor, timezone),
  )
  const until = localAsUtc(scheduledFor, timezone)
    .plus(length)
    .setZone(timezone, { keepLocalTime: true })
    .toJSDate()
  const lengthMs = series.scheduledUntil.getTime() - series.scheduledFor.getTime()
  const scheduledUntil = until > scheduledFor ? until : new Date(scheduledFor.getTime() + lengthMs)
  return { scheduledFor, scheduledUntil }
}

/** Local time of the zone as a UTC time, for calculations. */
const localAsUtc = (time: Date, zone: string): DateTime =>
  DateTime.fromJSDate(time, { zone }).setZone('utc', { keepLocalTime: true })

const ruleOf = ({ scheduledFor, recurrence }: RecurrenceSeries, maxIterations: number) => {
  const { rrule: rruleString, timezone } = recurrence
  const first = DateTime.fromJSDate(scheduledFor, { zone: timezone })
  return new RRuleTemporal({
    rruleString,
    dtstart: { timeZoneId: timezone, toString: () => `${first.toISO()}[${timezone}]` },
    maxIterations,
  })
}

const search = (series: RecurrenceSeries, after: Date, maxIterations: number): Date | null => {
  try {
    const found = ruleOf(series, maxIterations).next(after)
    return found === null ? null : new Date(found.epochMilliseconds)
  } catch (error) {
    // The library throws this when a rule names no existing day.
    if (error instanceof Error && error.message.startsWith('Maximum iterations')) return null
    throw error
  }
}
