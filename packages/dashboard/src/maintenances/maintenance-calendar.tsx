/** Calendar of maintenances: a table of days, and a list of the same days on a phone. */
import { type CalendarDate, parseDate, today } from '@internationalized/date'
import { useQuery } from '@tanstack/react-query'
import { Problem } from '../app/problem.tsx'
import { Button } from '../kit/button.tsx'
import { Card } from '../kit/card.tsx'
import { Note } from '../kit/note.tsx'
import { Skeleton } from '../kit/screen.tsx'
import { useLanguage, useTexts } from '../texts/texts.tsx'
import {
  type CalendarEntry,
  type CalendarView,
  entriesByDay,
  rangeOf,
  stepDay,
  weeksOf,
  windowsOf,
} from './calendar-days.ts'
import { CalendarTable } from './calendar-table.tsx'
import { browserTimeZone as timeZone } from './draft.ts'
import { EntryLink } from './entry-link.tsx'
import { isFiltered, type MaintenanceFilters } from './filters.ts'
import classes from './maintenances.module.css'
import { calendarQuery } from './queries.ts'

interface MaintenanceCalendarProps {
  filters: MaintenanceFilters
  onChange(patch: MaintenanceFilters): void
}

export const MaintenanceCalendar = ({ filters, onChange }: MaintenanceCalendarProps) => {
  const { calendar: texts } = useTexts().maintenance
  const { formatLocale: locale } = useLanguage()
  const view = filters.view === 'week' ? 'week' : 'month'
  const day = filters.day === undefined ? today(timeZone) : parseDate(filters.day)
  const weeks = weeksOf(view, day, locale)
  const { data, error, refetch } = useQuery(calendarQuery(rangeOf(weeks, timeZone), filters))
  if (data === undefined) {
    return error === null ? <Skeleton rows={10} /> : <Problem error={error} onRetry={refetch} />
  }
  const windows = windowsOf(data.maintenances, data.expected)
  const entries = entriesByDay(windows, weeks.flat(), timeZone)
  const show = (next: CalendarDate) => onChange({ day: next.toString() })
  return (
    <Card
      title={titleOf(view, day, weeks, locale)}
      aside={<CalendarSteps view={view} day={day} onDay={show} />}
    >
      <CalendarTable
        view={view}
        day={day}
        weeks={weeks}
        entries={entries}
        onDay={show}
        onWeek={(chosen) => onChange({ view: 'week', day: chosen.toString() })}
      />
      <Agenda entries={entries} />
      {isFiltered(filters) && <p className={classes.calm}>{texts.filtered}</p>}
      {!data.isComplete && <Note state="part">{texts.incomplete}</Note>}
    </Card>
  )
}

const titleOf = (
  view: CalendarView,
  day: CalendarDate,
  weeks: CalendarDate[][],
  locale: string,
): string => {
  const utc = (date: CalendarDate | undefined) => (date ?? day).toDate('UTC')
  if (view === 'month') {
    const months = new Intl.DateTimeFormat(locale, {
      month: 'long',
      year: 'numeric',
      timeZone: 'UTC',
    })
    return months.format(utc(day))
  }
  const days = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeZone: 'UTC' })
  return days.formatRange(utc(weeks[0]?.[0]), utc(weeks[0]?.at(-1)))
}

interface CalendarStepsProps {
  view: CalendarView
  day: CalendarDate
  onDay(day: CalendarDate): void
}

const CalendarSteps = ({ view, day, onDay }: CalendarStepsProps) => {
  const { calendar: texts } = useTexts().maintenance
  return (
    <div className={classes.steps}>
      <Button emphasis="chip" onPress={() => onDay(stepDay(view, day, -1))}>
        {texts.previous[view]}
      </Button>
      <Button emphasis="chip" onPress={() => onDay(today(timeZone))}>
        {texts.today}
      </Button>
      <Button emphasis="chip" onPress={() => onDay(stepDay(view, day, 1))}>
        {texts.next[view]}
      </Button>
    </div>
  )
}

/** Days that have entries, in their order. */
const Agenda = ({ entries }: { entries: Map<string, CalendarEntry[]> }) => {
  const { calendar: texts } = useTexts().maintenance
  const { formatLocale: locale } = useLanguage()
  const days = [...entries].filter(([, found]) => found.length > 0)
  const names = new Intl.DateTimeFormat(locale, { dateStyle: 'full', timeZone: 'UTC' })
  return (
    <div className={classes.agenda}>
      {days.length === 0 && <p className={classes.calm}>{texts.none}</p>}
      {days.map(([day, found]) => (
        <section key={day} aria-label={names.format(new Date(day))}>
          <h3 className={classes.agendaDay}>{names.format(new Date(day))}</h3>
          <ul>
            {found.map((entry) => (
              <li key={entry.key}>
                <EntryLink entry={entry} />
              </li>
            ))}
          </ul>
        </section>
      ))}
    </div>
  )
}
