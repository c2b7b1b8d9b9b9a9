/** Maintenance on a day of the calendar. */
import { Link } from '@tanstack/react-router'
import { Truncated } from '../kit/truncated.tsx'
import { useFormats, useLanguage, useTexts } from '../texts/texts.tsx'
import type { CalendarEntry } from './calendar-days.ts'
import classes from './maintenances.module.css'

export const EntryLink = ({ entry }: { entry: CalendarEntry }) => {
  const { calendar: texts } = useTexts().maintenance
  const { maintenances: names } = useTexts()
  const { formatLocale: locale } = useLanguage()
  const { facts, labelled } = useFormats()
  const { id, title, status, scheduledFor, scheduledUntil } = entry
  const times = new Intl.DateTimeFormat(locale, { timeStyle: 'short' })
  const { isContinued, isContinuing } = entry
  const [from, until] = [new Date(scheduledFor), new Date(scheduledUntil)]
  const end = isContinuing ? '…' : `… ${times.format(until)}`
  const span = isContinued ? texts.continued : times.formatRange(from, until)
  const statusText = status === 'expected' ? texts.expected : names[status]
  return (
    <Link
      to="/maintenances/$id"
      params={{ id }}
      className={`${classes.entry} ${classes[status]}`}
      aria-label={labelled(facts([span, statusText]), title)}
    >
      <span className={classes.entryTime}>{isContinued ? end : times.format(from)}</span>
      <Truncated>{title}</Truncated>
    </Link>
  )
}
