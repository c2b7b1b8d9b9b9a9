/** Times in a named time zone, and periods in that of the viewer and that of a schedule. */
import { useMemo } from 'react'
import { browserZone } from '../kit/zoned-time.ts'
import { useFormats, useLanguage, useTexts } from '../texts/texts.tsx'
import classes from './on-call.module.css'
import type { Period } from './periods.ts'

const timeOptions = {
  weekday: 'short',
  day: 'numeric',
  month: 'short',
  hour: 'numeric',
  minute: '2-digit',
} as const

const dayOptions: Record<Period, Intl.DateTimeFormatOptions> = {
  weeks: { weekday: 'short', day: 'numeric' },
  month: { day: 'numeric' },
}
const dateOptions = { day: 'numeric', month: 'long', year: 'numeric' } as const

export interface ZonedFormats {
  time(instant: number, zone: string): string
  range(start: number, end: number, zone: string): string
  /** Day of the month, with its weekday where a calendar of the period has room. */
  day(instant: number, zone: string, period: Period): string
  /** Range of days. */
  days(start: number, end: number, zone: string): string
}

export const useZonedFormats = (): ZonedFormats => {
  const { formatLocale: locale } = useLanguage()
  return useMemo(() => {
    const format = (timeZone: string, options: Intl.DateTimeFormatOptions) =>
      new Intl.DateTimeFormat(locale, { ...options, timeZone })
    return {
      time: (instant, zone) => format(zone, timeOptions).format(instant),
      range: (start, end, zone) => format(zone, timeOptions).formatRange(start, end),
      day: (instant, zone, period) => format(zone, dayOptions[period]).format(instant),
      days: (start, end, zone) => format(zone, dateOptions).formatRange(start, end),
    }
  }, [locale])
}

interface PeriodTimesProps {
  /** Null for a time that is far away. */
  since: string | null
  until: string | null
  /** Zone of the schedule. */
  zone: string
}

/** Period in the zone of the viewer, and in that of the schedule if its clocks differ. */
export const PeriodTimes = ({ since, until, zone }: PeriodTimesProps) => {
  const { onCall: texts } = useTexts()
  const { fill } = useFormats()
  const formats = useZonedFormats()
  const textIn = (timeZone: string) => {
    if (since !== null && until !== null) {
      return formats.range(Date.parse(since), Date.parse(until), timeZone)
    }
    if (until !== null) {
      return fill(texts.until, { time: formats.time(Date.parse(until), timeZone) })
    }
    if (since === null) return texts.always
    return fill(texts.since, { time: formats.time(Date.parse(since), timeZone) })
  }
  const [own, other] = [textIn(browserZone()), textIn(zone)]
  return (
    <span className={classes.times}>
      <span>{own}</span>
      {own !== other && <span>{fill(texts.inZone, { time: other, zone })}</span>}
    </span>
  )
}
