/**
 * Table of days by the grid pattern of ARIA: one day is in the tab order, keys move it, Enter leads
 * into its entries and Escape back.
 */
import { type CalendarDate, isToday, parseDate } from '@internationalized/date'
import { type KeyboardEvent, useEffect, useRef } from 'react'
import { Button } from '../kit/button.tsx'
import { directionOf } from '../texts/locales.ts'
import { useFormats, useLanguage, useTexts } from '../texts/texts.tsx'
import { type CalendarEntry, type CalendarView, dayAfterKey, isInMonth } from './calendar-days.ts'
import { browserTimeZone } from './draft.ts'
import { EntryLink } from './entry-link.tsx'
import classes from './maintenances.module.css'

/** Entries that a day of a month shows; the week shows all. */
const MAX_SHOWN = 3

interface CalendarTableProps {
  view: CalendarView
  day: CalendarDate
  weeks: CalendarDate[][]
  entries: Map<string, CalendarEntry[]>
  onDay(day: CalendarDate): void
  onWeek(day: CalendarDate): void
}

export const CalendarTable = (props: CalendarTableProps) => {
  const { view, day, weeks, onDay } = props
  const { calendar: texts } = useTexts().maintenance
  const { formatLocale: locale } = useLanguage()
  const { table, onKeyDown } = useDayKeys(day, onDay)
  const names = new Intl.DateTimeFormat(locale, { weekday: 'short', timeZone: 'UTC' })
  const longNames = new Intl.DateTimeFormat(locale, { weekday: 'long', timeZone: 'UTC' })
  return (
    <table
      ref={table}
      // biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: a grid is a table with keys
      role="grid"
      className={`${classes.calendar} ${classes[view]}`}
      aria-label={texts.label}
      onKeyDown={onKeyDown}
    >
      <thead>
        <tr>
          {weeks[0]?.map((date) => (
            <th key={date.toString()} scope="col" abbr={longNames.format(date.toDate('UTC'))}>
              {names.format(date.toDate('UTC'))}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {weeks.map((week) => (
          <tr key={String(week[0])}>
            {week.map((date) => (
              <DayCell key={date.toString()} {...props} date={date} />
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  )
}

/** Keys that move the day, and the focus with it. */
const useDayKeys = (day: CalendarDate, onDay: (day: CalendarDate) => void) => {
  const { locale: language, formatLocale: locale } = useLanguage()
  const table = useRef<HTMLTableElement>(null)
  /** Day that receives the focus once the address has it. */
  const target = useRef<string | null>(null)
  const shown = day.toString()
  useEffect(() => {
    if (target.current !== shown) return
    target.current = null
    cellOf(table.current, shown)?.focus()
  }, [shown])
  const onKeyDown = (event: KeyboardEvent) => {
    const cell = (event.target as HTMLElement).closest('td')
    if (cell === null || event.ctrlKey || event.metaKey || event.altKey) return
    if (event.key === 'Enter' && event.target === cell) cell.querySelector('a')?.focus()
    else if (event.key === 'Escape') cell.focus()
    else {
      const isRightToLeft = directionOf(language) === 'rtl'
      const from = parseDate(cell.dataset.day ?? day.toString())
      const next = dayAfterKey(event.key, from, { locale, isRightToLeft })
      if (next === null) return
      target.current = next.toString()
      onDay(next)
    }
    event.preventDefault()
  }
  return { table, onKeyDown }
}

const cellOf = (table: HTMLTableElement | null, day: string): HTMLElement | null =>
  table?.querySelector<HTMLElement>(`[data-day="${day}"]`) ?? null

const DayCell = ({
  view,
  day,
  date,
  entries,
  onWeek,
}: CalendarTableProps & { date: CalendarDate }) => {
  const { calendar: texts } = useTexts().maintenance
  const { formatLocale: locale } = useLanguage()
  const { plural } = useFormats()
  const found = entries.get(date.toString()) ?? []
  const shown = view === 'month' ? found.slice(0, MAX_SHOWN) : found
  const more = found.length - shown.length
  const isNow = isToday(date, browserTimeZone)
  const names = new Intl.DateTimeFormat(locale, { dateStyle: 'full', timeZone: 'UTC' })
  const isOutside = view === 'month' && !isInMonth(date, day)
  return (
    <td
      // biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: a cell of the grid
      role="gridcell"
      data-day={date.toString()}
      tabIndex={date.compare(day) === 0 ? 0 : -1}
      aria-current={isNow ? 'date' : undefined}
      className={isOutside ? classes.outside : undefined}
    >
      <span className={classes.dayNumber}>
        <span aria-hidden="true">{new Intl.NumberFormat(locale).format(date.day)}</span>
        <span className="visually-hidden">{names.format(date.toDate('UTC'))}</span>
      </span>
      <ul>
        {shown.map((entry) => (
          <li key={entry.key}>
            <EntryLink entry={entry} />
          </li>
        ))}
      </ul>
      {more > 0 && (
        <Button emphasis="quiet" onPress={() => onWeek(date)}>
          {plural(texts.more, more)}
        </Button>
      )}
    </td>
  )
}
